"""Data sets by name: where files are looked for, what is promised of them, what stands in for them."""

import os
import zipfile
from dataclasses import replace

import numpy as np
import scipy.sparse
from pytest import fixture, mark, raises, skip

from toolkit import datasets
from toolkit.datasets import (
    DatasetDamaged,
    DatasetUnavailable,
    load,
    load_or_substitute,
)
from toolkit.datasets.cli import main
from toolkit.datasets.registry import entry, registry

NAMES = list(registry())
ADRENAL = {"X": np.ones((147, 32)), "y": np.arange(147) % 2}


@fixture
def nowhere(tmp_path, monkeypatch):
    """No data folder, an empty cache, no address to download from."""
    monkeypatch.delenv("TOOLKIT_DATA", raising=False)
    monkeypatch.setenv("TOOLKIT_CACHE", str(tmp_path / "cache"))
    for name in ("scene", "medical"):
        monkeypatch.setitem(registry(), name, replace(entry(name), parts=()))
    monkeypatch.setattr("toolkit.datasets.substitutes._substituted", set())
    return tmp_path


@mark.parametrize("name", NAMES)
def test_every_entry_says_what_a_user_needs(name):
    what = entry(name)
    assert what.title and what.licence and what.citation and what.source
    assert what.kind in {"classes", "multilabel", "regression", "similarity", "series"}
    assert what.sha256 is None or len(what.sha256) == 64
    assert all(
        address.startswith("https://") and len(checksum) == 64
        for address, checksum in what.parts
    )
    assert all(
        text in what.description for text in (what.title, what.licence, what.source)
    )


@mark.parametrize("name", NAMES)
def test_what_is_at_hand_loads_as_promised(name):
    """On a machine with a data folder, a listed set that does not load is a failure, not a reason to skip."""
    what = entry(name)
    folders = [f for f in os.environ.get("TOOLKIT_DATA", "").split(os.pathsep) if f]
    there = (
        what.sklearn
        or what.shipped
        or any(os.path.isfile(os.path.join(f, what.file)) for f in folders)
    )
    if not there:
        skip(f"{what.file} is not on this machine")
    bunch = load(name)
    assert bunch.data.shape == what.shape
    assert bunch.DESCR
    check_form(what, bunch)
    if what.kind == "multilabel":
        assert (
            bunch.target.shape == (what.shape[0], what.n_targets)
            and bunch.is_test.dtype == bool
        )
    if what.kind == "similarity":
        np.testing.assert_array_equal(bunch.data, bunch.data.T)
    assert len(datasets.checksums(name)) == 64


def check_form(what, bunch):
    """What a set and its substitute have in common: nothing can be written into, classes are numbered, a split."""
    assert scipy.sparse.issparse(bunch.data) == (what.name == "medical")
    values = bunch.data.data if what.name == "medical" else bunch.data
    assert not values.flags.writeable
    if what.kind == "series":
        assert 0 < bunch.n_train < len(bunch.data)
        return
    assert not bunch.target.flags.writeable
    if what.kind in ("classes", "similarity"):
        assert sorted(np.unique(bunch.target)) == list(range(len(bunch.target_names)))
    if what.kind == "multilabel":
        assert set(np.unique(bunch.target)) == {0, 1} and 0 < bunch.is_test.sum() < len(
            bunch.is_test
        )
    if what.split_numbers:
        assert bunch.n_train + bunch.n_test == len(bunch.target)


def test_shipped_sets_as_published(nowhere):
    landsat, votes, tecator = load("landsat"), load("votes"), load("tecator")
    assert np.bincount(landsat.target).tolist() == [1533, 703, 1358, 626, 707, 1508]
    assert (~landsat.is_test).sum() == 4435 and not landsat.is_test[:4435].any()
    assert np.isnan(votes.data).sum() == 392 and np.bincount(votes.target).tolist() == [
        267,
        168,
    ]
    assert tecator.is_test.sum() == 43 and len(tecator.wavelength_nm) == 100
    assert 0.8 < tecator.target.min() and tecator.target.max() < 60  # fat in per cent


@mark.parametrize("name", ["", "landsatt", 5, None, [1], "\ud800"])
def test_unknown_names_are_refused_with_what_comes_near(name):
    with raises(
        ValueError, match="`name` must be a known data set.*Did you mean: (?!$)"
    ) as error:
        load(name)
    assert name != "landsatt" or "Did you mean: landsat" in str(error.value)


def test_a_missing_set_says_where_it_is_to_be_had_and_put(nowhere, monkeypatch):
    monkeypatch.setenv("TOOLKIT_DATA", str(nowhere))
    with raises(DatasetUnavailable) as error:
        load("usps")
    text = str(error.value)
    assert text.splitlines()[0] == "usps.npz is not available locally."
    assert "cs.nyu.edu" in text and str(nowhere) in text and "TOOLKIT_DATA" in text


def test_data_folders_in_order_relative_ones_from_the_project_and_missing_ones_named(
    nowhere, monkeypatch
):
    folders = [nowhere / "first", nowhere / "second"]
    monkeypatch.setenv("TOOLKIT_DATA", os.pathsep.join(map(str, folders)))
    for folder in folders:
        folder.mkdir()
    for value, folder in enumerate(folders[::-1]):
        np.savez(folder / "adrenal.npz", **ADRENAL | {"X": np.full((147, 32), value)})
        assert load("adrenal").data[0, 0] == value
    monkeypatch.chdir(nowhere)
    # the project's folder, wherever the process runs
    monkeypatch.setenv("TOOLKIT_DATA", "data")
    assert load("boston").data.shape == (506, 13)
    monkeypatch.setenv("TOOLKIT_DATA", "no-such-folder")
    with raises(
        ValueError, match="`TOOLKIT_DATA` must name existing folders; 'no-such-folder'"
    ):
        load("boston")


@mark.parametrize("variable", ["TOOLKIT_DATA", "TOOLKIT_CACHE"])
@mark.parametrize("folder", ["~nobodyatall/x", "x" * 5000])
def test_a_variable_that_can_name_no_folder_is_named(
    nowhere, monkeypatch, variable, folder
):
    monkeypatch.setenv(variable, folder)
    with raises(
        ValueError, match=f"`{variable}` must name a folder; got '{folder[:80]}': "
    ):
        datasets.list_datasets()


HEADERS = [  # of an array: not closed; of a size that no memory holds
    "{'descr': '<f8', \n",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (8796093022208,), }\n",
]


@mark.parametrize(
    ("arrays", "message"),
    [
        ({"y": None}, "cannot be read as the data set adrenal: .*y"),
        ({"X": np.ones((147, 31))}, r"\(147, 31\), expected \(147, 32\)"),
        ({"y": np.arange(146) % 2}, "146 targets for 147 rows"),
        ({"y": np.arange(147) % 3}, "3 classes, expected 2"),
        ({"X": np.full((147, 32), np.nan)}, "NaN or infinity"),
        ({"X": np.array([object()], dtype=object)}, "allow_pickle"),
        ({"is_test": ["1"] * 147}, "other than 0 and 1"),
        (b"not an archive", "cannot be read"),
        (HEADERS[0], "cannot be read"),
        (HEADERS[1], "cannot be read"),
    ],
)
def test_a_damaged_file_is_an_error_and_never_replaced_by_other_data(
    nowhere, monkeypatch, arrays, message
):
    path = nowhere / "adrenal.npz"
    if isinstance(arrays, dict):
        np.savez(
            path,
            **{
                key: value
                for key, value in (ADRENAL | arrays).items()
                if value is not None
            },
        )
    elif isinstance(arrays, bytes):
        path.write_bytes(arrays)
    else:
        with zipfile.ZipFile(path, "w") as archive:
            head = (
                b"\x93NUMPY\x01\x00"
                + len(arrays).to_bytes(2, "little")
                + arrays.encode()
            )
            archive.writestr("X.npy", head)
    monkeypatch.setenv("TOOLKIT_DATA", str(nowhere))
    for function in (load, load_or_substitute):
        with raises(DatasetDamaged, match=message):
            function("adrenal")
    assert datasets.substituted_names() == frozenset()


def test_an_altered_file_is_refused_with_both_checksums(nowhere, monkeypatch):
    np.savez(nowhere / "boston.npz", X=np.ones((506, 13)), y=np.ones(506))
    monkeypatch.setenv("TOOLKIT_DATA", str(nowhere))
    with raises(
        DatasetDamaged,
        match=rf"SHA-256 is [0-9a-f]{{64}}, expected {entry('boston').sha256}",
    ):
        load("boston")
    assert [
        row["status"][:4] for row in datasets.list_datasets() if row["name"] == "boston"
    ] == ["bad:"]


@mark.parametrize(
    "name", [n for n in NAMES if not (entry(n).sklearn or entry(n).shipped)]
)
def test_substitutes_have_the_form_of_the_real_set(nowhere, capsys, name):
    bunch, is_real = load_or_substitute(name)
    assert not is_real and name in datasets.substituted_names()
    assert (
        capsys.readouterr()
        .out.splitlines()[0]
        .startswith(f"NOTE: {name} is not available; this runs on ")
    )
    check_form(entry(name), bunch)


def test_a_laser_pulses_every_7_to_8_samples_growing_step_by_step_and_falling_at_once(
    nowhere,
):
    """Its system is chaotic: no number of it is stored."""
    pulses = load_or_substitute("santa_fe")[0].data
    assert (
        pulses.min() == 0
        and pulses.max() == 255
        and np.array_equal(pulses, np.round(pulses))
    )
    peaks = 1 + np.flatnonzero(
        (pulses[1:-1] > pulses[:-2]) & (pulses[1:-1] >= pulses[2:])
    )
    assert 7 < np.mean(np.diff(peaks)) < 8
    rise = np.diff(pulses[peaks])
    assert (
        np.mean(rise > 0) > 0.6 and -rise[rise < 0].mean() > 1.5 * rise[rise > 0].mean()
    )


# 13 classes of 281 or 282 rows, 4 of 67
PHONEMES = np.append(np.arange(3656) % 13, 13 + np.arange(268) % 4)


@mark.parametrize(
    ("name", "shape", "more"),
    [
        (
            "wine_spectra",
            (124, 256),
            {"y": np.arange(124.0), "is_test": np.arange(124) >= 94},
        ),
        ("poland_electricity", (1465,), {"n_train": np.array(1000)}),
        ("phoneme", (3924, 20), {"y": PHONEMES}),
    ],
)
def test_sets_without_a_checksum_load_in_the_form_stated(
    nowhere, monkeypatch, name, shape, more
):
    """A file laid into a data folder is taken if it has the form of the set, and refused if it has not."""
    monkeypatch.setitem(registry(), name, replace(entry(name), sha256=None))
    with raises(
        DatasetUnavailable,
        match=rf"{name}.npz is not available locally.\nIts source: .*\w",
    ):
        load(name)
    X = np.random.default_rng(0).normal(size=shape)
    key = "x" if entry(name).kind == "series" else "X"
    np.savez(nowhere / f"{name}.npz", **{key: X}, **more)
    monkeypatch.setenv("TOOLKIT_DATA", str(nowhere))
    bunch, is_real = load_or_substitute(name)
    assert is_real and bunch.DESCR.startswith(entry(name).title)
    if key == "x":
        assert np.array_equal(bunch.data, X) and bunch.n_train == 1000
    elif name == "phoneme":
        assert bunch.data.shape == (3656, 20) and len(bunch.target_names) == 13
    else:
        assert np.array_equal(bunch.target, more["y"]) and bunch.is_test.sum() == 30
    if entry(name).about:  # its shape is known roughly
        return
    np.savez(nowhere / f"{name}.npz", **{key: X[..., :-1]}, **more)
    with raises(DatasetDamaged, match="the data have shape"):
        load_or_substitute(name)


def test_what_has_no_substitute_stays_an_error(nowhere, monkeypatch):
    monkeypatch.setattr("toolkit.datasets.registry.shipped_folder", lambda: nowhere)
    with raises(DatasetUnavailable, match="boston.npz is not available locally"):
        load_or_substitute("boston")


def test_command_line(nowhere, monkeypatch, capsys):
    assert main([]) == main(["list"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in NAMES)
    assert main(["verify"]) == 0
    assert "ok   landsat" in capsys.readouterr().out
    assert main(["fetch", "iris", "landsat"]) == 0
    assert main(["fetch", "usps"]) == 1
    assert "cs.nyu.edu" in capsys.readouterr().out
    assert main(["fetch", "no-such-set"]) == 2
    assert "Did you mean" in capsys.readouterr().err
    np.savez(nowhere / "boston.npz", X=np.ones((506, 13)), y=np.ones(506))
    monkeypatch.setenv("TOOLKIT_DATA", str(nowhere))
    assert main(["verify"]) == 1
    assert "BAD  boston" in capsys.readouterr().out
