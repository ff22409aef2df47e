"""Data sets by name: where the files are searched, their form, their stand-ins."""

import os
import zipfile
from dataclasses import replace

import numpy as np
import scipy.sparse
from pytest import fixture, mark, raises, skip

from toolkit import datasets
from toolkit.__main__ import main
from toolkit.datasets import (
    DatasetDamaged,
    DatasetUnavailable,
    load,
    load_or_substitute,
)
from toolkit.datasets.registry import cache_folder, entry, registry

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
    assert what.sha256 is None or len(what.sha256) == 64
    for address, checksum in what.parts:
        assert address.startswith("https://") and len(checksum) == 64


@mark.parametrize("name", NAMES)
def test_what_is_at_hand_loads_in_its_form(name):
    """With a data folder, a listed set that does not load is no reason to skip."""
    what = entry(name)
    folders = [
        f for f in os.environ.get("TOOLKIT_DATA", "").split(os.pathsep) if f
    ]
    in_folder = any(os.path.isfile(os.path.join(f, what.file)) for f in folders)
    if not (what.sklearn or what.shipped or in_folder):
        skip(f"{what.file} is not on this machine")
    bunch = load(name)
    assert bunch.data.shape == what.shape
    if not what.sklearn:
        for text in (what.title, what.licence, what.source):
            assert text in bunch.DESCR
    check_form(what, bunch)
    if what.kind == "multilabel":
        assert bunch.target.shape == (what.shape[0], what.n_targets)
        assert bunch.is_test.dtype == bool
    if what.kind == "similarity":
        np.testing.assert_array_equal(bunch.data, bunch.data.T)
    assert len(datasets.checksums(name)) == 64


def check_form(what, bunch):
    """The form of a set and its substitute: read-only, numbered classes, a split."""
    assert scipy.sparse.issparse(bunch.data) == (what.name == "medical")
    values = bunch.data.data if what.name == "medical" else bunch.data
    assert not values.flags.writeable
    if what.kind == "series":
        assert 0 < bunch.n_train < len(bunch.data)
        return
    assert not bunch.target.flags.writeable
    if what.kind in ("classes", "similarity"):
        assert set(bunch.target) == set(range(len(bunch.target_names)))
    if what.kind == "multilabel":
        assert set(np.unique(bunch.target)) == {0, 1}
        assert 0 < bunch.is_test.sum() < len(bunch.is_test)
    if what.split_numbers:
        assert bunch.n_train + bunch.n_test == len(bunch.target)


def test_shipped_sets_agree_with_their_publications(nowhere):
    landsat, votes, tecator = map(load, ["landsat", "votes", "tecator"])
    assert np.bincount(landsat.target).tolist() == [
        1533,
        703,
        1358,
        626,
        707,
        1508,
    ]
    assert (~landsat.is_test).sum() == 4435 and not landsat.is_test[:4435].any()
    assert np.isnan(votes.data).sum() == 392
    assert np.bincount(votes.target).tolist() == [267, 168]
    assert tecator.is_test.sum() == 43 and len(tecator.wavelength_nm) == 100
    # fat in per cent
    assert 0.8 < tecator.target.min() and tecator.target.max() < 60


@mark.parametrize("name", ["landsatt", None, [1], "\ud800"])
def test_unknown_names_are_refused_with_those_that_are_known(name):
    with raises(
        ValueError, match="`name` must be one of scene, medical, landsat"
    ):
        load(name)


def test_a_missing_set_says_where_it_is_to_be_had_and_put(nowhere, monkeypatch):
    monkeypatch.setenv("TOOLKIT_DATA", str(nowhere))
    with raises(DatasetUnavailable) as error:
        load("usps")
    text = str(error.value)
    assert text.startswith("usps.npz is not available locally.\n")
    for words in (
        "cs.nyu.edu",
        "X of shape 11000 x 256, y, image_shape",
        str(cache_folder() / "usps.npz"),
        "TOOLKIT_DATA",
    ):
        assert words in text


def test_a_file_converted_from_the_source_is_taken_from_the_cache(
    nowhere, monkeypatch
):
    """It has the arrays, not the bytes; in a folder the checksum is required."""
    cache = nowhere / "cache"
    cache.mkdir(parents=True)
    monkeypatch.setenv("TOOLKIT_CACHE", str(cache))
    monkeypatch.setenv("TOOLKIT_DATA", "")
    rng = np.random.default_rng(0)
    S = rng.random((100, 100))
    arrays = {"S": S, "y": np.arange(100) % 2 + 1}
    np.savez(cache / "aural_sonar.npz", **arrays)
    assert (load("aural_sonar").data == S).all()
    monkeypatch.setenv("TOOLKIT_DATA", str(cache))
    with raises(DatasetDamaged, match="SHA-256"):
        load("aural_sonar")
    # of another form it is refused
    monkeypatch.setenv("TOOLKIT_DATA", "")
    np.savez(cache / "aural_sonar.npz", S=S[:9], y=arrays["y"])
    with raises(DatasetDamaged, match="expected"):
        load("aural_sonar")


def test_data_folders_in_order_relative_from_the_project_and_none_is_missing(
    nowhere, monkeypatch
):
    folders = [nowhere / "first", nowhere / "second"]
    monkeypatch.setenv("TOOLKIT_DATA", os.pathsep.join(map(str, folders)))
    for folder in folders:
        folder.mkdir()
    for value, folder in enumerate(folders[::-1]):
        np.savez(
            folder / "adrenal.npz", **ADRENAL | {"X": np.full((147, 32), value)}
        )
        assert load("adrenal").data[0, 0] == value
    monkeypatch.chdir(nowhere)
    # the project's folder, wherever the process runs
    monkeypatch.setenv("TOOLKIT_DATA", "data")
    assert load("boston").data.shape == (506, 13)
    monkeypatch.setenv("TOOLKIT_DATA", "no-such-folder")
    with raises(
        ValueError, match="must name existing folders; 'no-such-folder'"
    ):
        load("boston")


@mark.parametrize(
    ("arrays", "message"),
    [
        ({"y": None}, "cannot be read as the data set adrenal: .*y"),
        ({"X": np.ones((147, 31))}, r"\(147, 31\), expected \(147, 32\)"),
        ({"y": np.arange(146) % 2}, "146 targets for 147 rows"),
        ({"y": np.arange(147) % 3}, "3 classes, expected 2"),
        ({"X": np.full((147, 32), np.nan)}, "NaN or infinity"),
        ({"X": np.array([object()], dtype=object)}, "allow_pickle"),
        (b"not an archive", "cannot be read"),
        # header of an array of a size that no memory holds
        (
            "{'descr': '<f8', 'fortran_order': False, 'shape': (8796093022208,), }\n",
            "cannot be read",
        ),
    ],
)
def test_a_damaged_file_is_an_error_and_never_replaced_by_other_data(
    nowhere, monkeypatch, arrays, message
):
    path = nowhere / "adrenal.npz"
    if isinstance(arrays, dict):
        stored_arrays = ADRENAL | arrays
        np.savez(
            path,
            **{
                key: stored_arrays[key]
                for key in stored_arrays
                if stored_arrays[key] is not None
            },
        )
    elif isinstance(arrays, bytes):
        path.write_bytes(arrays)
    else:
        size = len(arrays).to_bytes(2, "little")
        with zipfile.ZipFile(path, "w") as archive:
            head = b"\x93NUMPY\x01\x00" + size + arrays.encode()
            archive.writestr("X.npy", head)
    monkeypatch.setenv("TOOLKIT_DATA", str(nowhere))
    for function in (load, load_or_substitute):
        with raises(DatasetDamaged, match=message):
            function("adrenal")
    assert datasets.substituted_names() == frozenset()


def test_an_altered_file_is_refused_with_both_checksums(nowhere, monkeypatch):
    np.savez(nowhere / "boston.npz", X=np.ones((506, 13)), y=np.ones(506))
    monkeypatch.setenv("TOOLKIT_DATA", str(nowhere))
    expected = entry("boston").sha256
    with raises(
        DatasetDamaged, match=f"is [0-9a-f]{{64}}, expected {expected}"
    ):
        load("boston")
    status = {row["name"]: row["status"] for row in datasets.list_datasets()}
    assert status["boston"].startswith("bad:")


@mark.parametrize(
    "name", [n for n in NAMES if not (entry(n).sklearn or entry(n).shipped)]
)
def test_substitutes_have_the_form_of_the_real_set(nowhere, capsys, name):
    bunch, is_real = load_or_substitute(name)
    assert not is_real and name in datasets.substituted_names()
    note = f"NOTE: {name}: not available here. Substitute data. This runs on "
    assert capsys.readouterr().out.startswith(note)
    check_form(entry(name), bunch)


def test_sets_without_a_checksum_load_if_they_have_the_form(
    nowhere, monkeypatch
):
    what = replace(entry("phoneme"), sha256=None)
    monkeypatch.setitem(registry(), "phoneme", what)
    monkeypatch.setenv("TOOLKIT_DATA", str(nowhere))
    x = np.arange(1465.0)
    np.savez(nowhere / "poland_electricity.npz", x=x, n_train=1000)
    series = load("poland_electricity")
    assert np.array_equal(series.data, x) and series.n_train == 1000
    # 13 classes of 281 or 282 rows, and 4 of 67, which are left out
    y = np.append(np.arange(3656) % 13, 13 + np.arange(268) % 4)
    X = np.random.default_rng(0).normal(size=(3924, 20))
    np.savez(nowhere / "phoneme.npz", X=X, y=y)
    bunch = load("phoneme")
    assert (
        np.array_equal(bunch.data, X[y < 13]) and len(bunch.target_names) == 13
    )


def test_what_has_no_substitute_stays_an_error(nowhere, monkeypatch):
    monkeypatch.setattr(
        "toolkit.datasets.registry.shipped_folder", lambda: nowhere
    )
    with raises(
        DatasetUnavailable, match="boston.npz is not available locally"
    ):
        load_or_substitute("boston")


def test_command_line(nowhere, monkeypatch, capsys):
    def output(words, code):
        assert main(["data", *words.split()]) == code
        return "".join(capsys.readouterr())

    assert output("", 0) == output("list", 0)
    assert all(name in output("list", 0) for name in NAMES)
    assert "ok   landsat" in output("verify", 0)
    assert " available sets are as they should be." in output("verify", 0)
    assert "landsat.npz" in output("fetch iris landsat", 0)
    assert "cs.nyu.edu" in output("fetch usps", 1)
    assert "must be one of" in output("fetch no-such-set", 2)
    np.savez(nowhere / "boston.npz", X=np.ones((506, 13)), y=np.ones(506))
    monkeypatch.setenv("TOOLKIT_DATA", str(nowhere))
    assert "BAD  boston" in output("verify", 1)
