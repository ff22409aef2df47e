"""Data sets by name: where files are looked for, what is promised of them, what stands in for them."""

import os
import re
import zipfile
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components
from sklearn.neighbors import kneighbors_graph

from toolkit import datasets
from toolkit.datasets import DatasetDamaged, DatasetUnavailable, load, load_or_substitute
from toolkit.datasets.cli import main
from toolkit.datasets.download import DOWNLOADS
from toolkit.datasets.registry import entry, registry

NAMES = list(registry())
SHIPPED = ["landsat", "boston", "votes", "tecator", "letter"]


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    """No data folder, an empty cache, no address to download from."""
    monkeypatch.delenv("TOOLKIT_DATA", raising=False)
    monkeypatch.setenv("TOOLKIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("toolkit.datasets.loading.DOWNLOADS", {})
    monkeypatch.setattr("toolkit.datasets.substitutes._substituted", set())
    return tmp_path


@pytest.mark.parametrize("name", NAMES)
def test_every_entry_says_what_a_user_needs(name):
    what = entry(name)
    assert what.title and what.licence and what.citation and what.source
    assert what.kind in {"classes", "multilabel", "regression", "similarity", "series"}
    assert what.sha256 is None or len(what.sha256) == 64
    assert all(text in what.description for text in (what.title, what.licence, what.source))


@pytest.mark.parametrize("name", NAMES)
def test_what_is_at_hand_loads_as_promised(name):
    """On a machine with a data folder, a listed set that does not load is a failure, not a reason to skip."""
    what = entry(name)
    folders = [f for f in os.environ.get("TOOLKIT_DATA", "").split(os.pathsep) if f]
    there = what.sklearn or what.shipped or any(os.path.isfile(os.path.join(f, what.file)) for f in folders)
    if not there:
        pytest.skip(f"{what.file} is not on this machine")
    bunch = load(name)
    assert bunch.data.shape == what.shape
    assert bunch.DESCR
    arrays = [bunch.data.data if scipy.sparse.issparse(bunch.data) else bunch.data]
    arrays += [bunch.target] if what.kind != "series" else []
    assert all(not array.flags.writeable for array in arrays)
    if what.kind in ("classes", "similarity"):
        assert sorted(np.unique(bunch.target)) == list(range(len(bunch.target_names)))
    if what.kind == "multilabel":
        assert bunch.target.shape == (what.shape[0], what.n_targets) and set(np.unique(bunch.target)) == {0, 1}
        assert (bunch.is_test.dtype, scipy.sparse.issparse(bunch.data)) == (bool, name == "medical")
    if what.kind == "similarity":
        np.testing.assert_array_equal(bunch.data, bunch.data.T)
    if what.split_numbers and what.kind != "series":
        assert bunch.n_train + bunch.n_test == len(bunch.target)
    assert len(datasets.checksums(name)) == 64


def test_shipped_sets_as_published(nowhere):
    landsat, votes, tecator = load("landsat"), load("votes"), load("tecator")
    assert np.bincount(landsat.target).tolist() == [1533, 703, 1358, 626, 707, 1508]
    assert (~landsat.is_test).sum() == 4435 and not landsat.is_test[:4435].any()
    assert np.isnan(votes.data).sum() == 392 and np.bincount(votes.target).tolist() == [267, 168]
    assert tecator.is_test.sum() == 43 and len(tecator.wavelength_nm) == 100
    assert 0.8 < tecator.target.min() and tecator.target.max() < 60  # fat in per cent


@given(st.one_of(st.text(), st.integers(), st.none(), st.lists(st.integers())))
def test_unknown_names_are_refused_with_what_comes_near(name):
    if name not in NAMES:
        with pytest.raises(ValueError, match="`name` must be a known data set.*Did you mean"):
            load(name)


def test_close_names_are_suggested():
    with pytest.raises(ValueError, match="Did you mean: landsat"):
        load("landsatt")


def test_a_missing_set_says_where_it_is_to_be_had_and_put(nowhere, monkeypatch):
    monkeypatch.setenv("TOOLKIT_DATA", str(nowhere))
    with pytest.raises(DatasetUnavailable) as error:
        load("usps")
    text = str(error.value)
    assert text.splitlines()[0] == "usps.npz is not available locally."
    assert "cs.nyu.edu" in text and str(nowhere) in text and "TOOLKIT_DATA" in text


def test_data_folders_in_order_relative_ones_from_the_project_and_missing_ones_named(nowhere, monkeypatch):
    first, second = nowhere / "a", nowhere / "b"
    first.mkdir()
    second.mkdir()
    np.savez(second / "adrenal.npz", X=np.ones((147, 32)), y=np.arange(147) % 2)
    monkeypatch.setenv("TOOLKIT_DATA", os.pathsep.join([str(first), str(second)]))
    assert load("adrenal").data[0, 0] == 1
    np.savez(first / "adrenal.npz", X=np.full((147, 32), 2.0), y=np.arange(147) % 2)
    assert load("adrenal").data[0, 0] == 2
    monkeypatch.chdir(nowhere)
    monkeypatch.setenv("TOOLKIT_DATA", "data")  # the project's folder, wherever the process runs
    assert load("boston").data.shape == (506, 13)
    monkeypatch.setenv("TOOLKIT_DATA", "no-such-folder")
    with pytest.raises(ValueError, match="`TOOLKIT_DATA` must name existing folders; 'no-such-folder'"):
        load("boston")


@pytest.mark.parametrize("variable", ["TOOLKIT_DATA", "TOOLKIT_CACHE"])
@pytest.mark.parametrize("folder", ["~nobodyatall/x", "x" * 5000])
def test_a_variable_that_can_name_no_folder_is_named(nowhere, monkeypatch, variable, folder):
    monkeypatch.setenv(variable, folder)
    with pytest.raises(ValueError, match=f"`{variable}` must name a folder; got '{folder[:80]}': "):
        datasets.list_datasets()


def write_member(path, header):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("X.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())


@pytest.mark.parametrize(
    "write, message",
    [
        (lambda p: np.savez(p, X=np.ones((147, 32))), "'y is not a file|y"),
        (lambda p: np.savez(p, X=np.ones((147, 31)), y=np.arange(147) % 2), r"\(147, 31\), expected \(147, 32\)"),
        (lambda p: np.savez(p, X=np.ones((147, 32)), y=np.arange(146) % 2), "146 targets for 147 rows"),
        (lambda p: np.savez(p, X=np.ones((147, 32)), y=np.arange(147) % 3), "3 classes, expected 2"),
        (lambda p: np.savez(p, X=np.full((147, 32), np.nan), y=np.arange(147) % 2), "NaN or infinity"),
        (lambda p: np.savez(p, X=np.array([object()], dtype=object), y=[0]), "allow_pickle"),
        (lambda p: p.write_bytes(b"not an archive"), "cannot be read"),
        (lambda p: write_member(p, "{'descr': '<f8', \n"), "cannot be read"),  # a header that is not closed
        (
            lambda p: write_member(p, "{'descr': '<f8', 'fortran_order': False, 'shape': (8796093022208,), }\n"),
            "cannot be read",
        ),
        (lambda p: np.savez(p, X=np.ones((147, 32)), y=np.arange(147) % 2, is_test=["1"] * 147), "other than 0 and 1"),
        (lambda p: (np.savez(p, X=np.ones((147, 32))), p.write_bytes(p.read_bytes()[:300])), "cannot be read"),
    ],
)
def test_a_damaged_file_is_an_error_and_never_replaced_by_other_data(nowhere, monkeypatch, write, message):
    write(nowhere / "adrenal.npz")
    monkeypatch.setenv("TOOLKIT_DATA", str(nowhere))
    for function in (load, load_or_substitute):
        with pytest.raises(DatasetDamaged, match=message):
            function("adrenal")
    assert datasets.substituted() == frozenset()


def test_an_altered_file_is_refused_with_both_checksums(nowhere, monkeypatch):
    np.savez(nowhere / "boston.npz", X=np.ones((506, 13)), y=np.ones(506))
    monkeypatch.setenv("TOOLKIT_DATA", str(nowhere))
    with pytest.raises(DatasetDamaged, match=rf"SHA-256 is [0-9a-f]{{64}}, expected {entry('boston').sha256}"):
        load("boston")
    assert [row["status"][:4] for row in datasets.list_datasets() if row["name"] == "boston"] == ["bad:"]


@pytest.mark.parametrize("name", [n for n in NAMES if not (entry(n).sklearn or entry(n).shipped)])
def test_substitutes_have_the_form_of_the_real_set(nowhere, capsys, name):
    what = entry(name)
    bunch, is_real = load_or_substitute(name)
    again, _ = load_or_substitute(name)
    assert not is_real and name in datasets.substituted()
    assert capsys.readouterr().out.splitlines()[0].startswith(f"NOTE: {name} is not available; this runs on ")
    difference = bunch.data != again.data
    assert difference.nnz == 0 if scipy.sparse.issparse(difference) else not difference.any()
    if what.kind != "series":
        assert bunch.data.shape[0] == len(bunch.target) == len(again.target)
        assert not bunch.target.flags.writeable
    if what.kind == "multilabel":
        assert scipy.sparse.issparse(bunch.data) == (name == "medical")
        assert bunch.target.shape[1] == len(bunch.target_names)
        sizes = bunch.target.sum(axis=1)
        assert set(sizes) == {1, 2} and 0 < bunch.is_test.sum() < len(bunch.is_test)
    if what.kind in ("classes", "similarity"):
        assert sorted(np.unique(bunch.target)) == list(range(len(bunch.target_names)))
    if what.split_numbers:
        assert bunch.n_train + bunch.n_test == len(bunch.target) and bunch.target.max() == 1
    if what.kind == "series":
        assert bunch.data.shape == what.shape and 0 < bunch.n_train < len(bunch.data)
        assert np.isfinite(bunch.data).all() and not bunch.data.flags.writeable
    if name in ("letter", "wine_spectra", "phoneme"):  # a split where the archive has one
        assert ("is_test" in bunch) == (name != "phoneme")


def test_substitutes_of_the_series_have_the_cycles_of_the_real_ones(nowhere):
    """A laser pulses every 7 to 8 samples, growing step by step and falling at once; a load has a week."""
    pulses = load_or_substitute("santa_fe")[0].data
    assert pulses.min() == 0 and pulses.max() == 255 and np.array_equal(pulses, np.round(pulses))
    is_peak = (pulses[1:-1] > pulses[:-2]) & (pulses[1:-1] >= pulses[2:])
    peaks = 1 + np.flatnonzero(is_peak)
    assert 7 < np.mean(np.diff(peaks)) < 8
    rise = np.diff(pulses[peaks])
    assert np.mean(rise > 0) > 0.6 and -rise[rise < 0].mean() > 1.5 * rise[rise > 0].mean()
    days = load_or_substitute("poland_electricity")[0].data
    shifted = [np.corrcoef(days[k:], days[:-k])[0, 1] for k in range(1, 21)]
    assert np.argsort(shifted)[::-1][:2].tolist() == [6, 13]  # lags 7 and 14
    assert shifted[0] > np.max(shifted[1:5])  # and what was yesterday


@pytest.mark.parametrize(
    "name, arrays, wrong",
    [
        ("wine_spectra", {"X": (124, 256), "y": 124, "is_test": np.arange(124) >= 94}, {"X": (124, 255)}),
        ("santa_fe", {"x": 10093, "n_train": np.array(1000)}, {"x": 1000}),
        ("poland_electricity", {"x": 1465, "n_train": np.array(1000)}, None),
        ("phoneme", {"X": (3924, 20), "y": None}, {"X": (3924, 19)}),
    ],
)
def test_sets_without_a_checksum_load_in_the_form_stated(nowhere, monkeypatch, name, arrays, wrong):
    """A file laid into a data folder is taken if it has the form of the set, and refused if it has not."""
    monkeypatch.setitem(registry(), name, replace(entry(name), sha256=None))
    with pytest.raises(DatasetUnavailable, match=rf"{name}.npz is not available locally.\nIts source: .*\w"):
        load(name)
    rng = np.random.default_rng(0)
    made = {k: v if isinstance(v, np.ndarray) or v is None else rng.normal(size=v) for k, v in arrays.items()}
    if name == "phoneme":  # 13 classes of 281 or 282 rows, 4 of 67
        made["y"] = np.append(np.arange(3656) % 13, 13 + np.arange(268) % 4)
    np.savez(nowhere / f"{name}.npz", **made)
    monkeypatch.setenv("TOOLKIT_DATA", str(nowhere))
    bunch, is_real = load_or_substitute(name)
    assert is_real and bunch.DESCR.startswith(entry(name).title)
    if entry(name).kind == "series":
        assert np.array_equal(bunch.data, made["x"]) and bunch.n_train == 1000
    elif name == "phoneme":
        assert bunch.data.shape == (3656, 20) and len(bunch.target_names) == 13
    else:
        assert np.array_equal(bunch.target, made["y"]) and bunch.is_test.sum() == 30
    if wrong:
        np.savez(nowhere / f"{name}.npz", **made | {k: rng.normal(size=v) for k, v in wrong.items()})
        with pytest.raises(DatasetDamaged, match="the data have shape"):
            load_or_substitute(name)


def test_what_has_no_substitute_stays_an_error(nowhere, monkeypatch):
    monkeypatch.setattr("toolkit.datasets.files.shipped_folder", lambda: nowhere)
    with pytest.raises(DatasetUnavailable, match="boston.npz is not available locally"):
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
    with pytest.raises(SystemExit) as stop:
        main(["steal"])
    assert stop.value.code == 2


def test_downloads_are_of_registered_sets_and_checked():
    for name, (n_labels, *parts) in DOWNLOADS.items():
        assert entry(name).n_targets == n_labels
        assert all(address.startswith("https://") and len(checksum) == 64 for address, checksum in parts)


def test_volumes_are_what_they_say():
    ball = datasets.make_ball_with_tube(4000, random_state=1)
    radius = np.linalg.norm(ball.data, axis=1)
    assert radius.max() <= 1
    assert abs(np.mean(radius < 0.5 ** (1 / 3)) - 0.5) < 0.03  # half of the volume
    assert abs(np.mean(ball.target[ball.noisy]) - 0.5) < 0.1
    t = ball.along[ball.clean == 1]
    assert np.histogram(t, 10, (0, 1))[0].min() > 10  # the whole length
    gapped = datasets.make_ball_with_tube(4000, gap=0.2, random_state=1)
    assert not gapped.clean[np.abs(gapped.along - 0.5) < 0.1].any()
    assert gapped.clean.sum() < ball.clean.sum()
    assert np.bincount(datasets.make_two_modes(30, random_state=0).mode).tolist() == [10, 10, 10]
    same = [datasets.make_sphere(50, noise=0.1, random_state=3).target for _ in range(2)]
    assert same[0].tolist() == same[1].tolist()


@pytest.mark.parametrize(
    "maker, parameter, values",
    [
        (datasets.make_two_modes, "n_samples", (0, -1, 2.5, True, "a")),
        (datasets.make_ball_with_tube, "n_samples", (0, -1, 2.5)),
        (datasets.make_sphere, "n_samples", (0, -1, 2.5)),
        (datasets.make_two_modes, "spread", (np.nan, -1, np.inf)),
        (datasets.make_sphere, "noise", (np.inf, "a", np.nan, -1)),
        (datasets.make_ball_with_tube, "noise_below", (np.nan, -np.inf, "a")),
        (datasets.make_ball_with_tube, "tube_radius", (np.inf, np.nan, 0, "a")),
        (datasets.make_ball_with_tube, "gap", (1.0, np.nan, -np.inf, "a")),
    ],
)
def test_volumes_refuse_what_makes_no_set(maker, parameter, values):
    for value in values:
        with pytest.raises(ValueError, match=f"`{parameter}` must be .*; got"):
            maker(**{parameter: value})


LAYERS = [
    datasets.make_plate_in_ring,
    datasets.make_stacked_discs,
    datasets.make_labelled_cube,
    datasets.make_stacked_clusters,
    datasets.make_two_clusters_with_outlier,
]


@pytest.mark.parametrize("maker", LAYERS)
def test_layers_are_of_the_size_asked_for_and_the_same_again(maker):
    for n in (3, 4, 50, 301):
        bunch, again = maker(n, random_state=2), maker(n, random_state=np.random.RandomState(2))
        assert bunch.data.shape == (n, len(bunch.feature_names))
        assert len(bunch.target) == n and np.isfinite(bunch.data).all()
        assert bunch.keys() == again.keys()
        assert all(np.array_equal(bunch[key], again[key]) for key in bunch)
    assert not np.array_equal(maker(50, random_state=3).data, maker(50, random_state=2).data)


def test_plate_lies_in_its_ring_and_one_sample_off():
    for n in (3, 300, 301):
        bunch = datasets.make_plate_in_ring(n, random_state=1)
        radius = np.linalg.norm(bunch.data[:, :2], axis=1)
        assert abs(np.sum(bunch.target == 0) - np.sum(bunch.target == 1)) <= 1
        assert bunch.outlier == n - 1 and bunch.target[-1] == 0
        assert 1.6 < radius[-1] < 2.4 and bunch.data[-1, :2].min() > 0  # in the ring, upper right
        assert radius[:-1][bunch.target[:-1] == 0].max() <= 1
        ring = radius[bunch.target == 1]
        assert 1.6 <= ring.min() and ring.max() <= 2.4
    assert abs(bunch.data[:, 2].std() - 0.05) < 0.01
    nearest = np.argsort(np.linalg.norm(bunch.data - bunch.data[-1], axis=1))[1:6]
    assert (bunch.target[nearest] == 1).all()
    without = datasets.make_plate_in_ring(301, outlier=False, random_state=1)
    assert without.outlier is None
    assert np.linalg.norm(without.data[without.target == 0, :2], axis=1).max() <= 1


@pytest.mark.parametrize("maker, lowest", [(datasets.make_stacked_discs, -1), (datasets.make_stacked_clusters, 1)])
def test_stacked_layers_do_not_touch_and_are_wider_than_high(maker, lowest):
    for seed in range(5):
        bunch = maker(random_state=seed)
        heights = [bunch.data[bunch.cluster == c, 2] for c in range(3)]
        assert np.allclose([np.median(z) for z in heights], np.arange(3) + lowest, atol=0.1)
        below, above = heights[1].min() - heights[0].max(), heights[2].min() - heights[1].max()
        assert 0.5 < below < above  # the noise brings the lowest nearer
        assert heights[0].std() > 2 * max(heights[1].std(), heights[2].std())
        assert np.ptp(bunch.data[:, :2], axis=0).min() > 1.4 * np.ptp(bunch.data[:, 2])
        _, _, axes = np.linalg.svd(bunch.data - bunch.data.mean(axis=0))
        assert abs(axes[2, 2]) > 0.99  # what the first two components leave out is the height


def test_stacked_discs_are_apart_for_neighbours():
    for seed in range(3):
        bunch = datasets.make_stacked_discs(random_state=seed)
        graph = kneighbors_graph(bunch.data, 5)
        n_components, component = connected_components(graph, directed=False)
        assert n_components == len(np.unique(np.column_stack([component, bunch.cluster]), axis=0)) == 3
        assert np.array_equal(bunch.target, bunch.cluster == 1)


def test_labelled_cube_has_planes_a_gap_and_one_matrix_a_seed():
    cube = datasets.make_labelled_cube(2000, random_state=1)
    assert cube.clean.min() >= 0 and cube.clean.max() <= 1
    assert np.abs(np.corrcoef(cube.clean.T) - np.eye(3)).max() < 0.1
    above = (cube.clean.sum(axis=1) - 1.5) / np.sqrt(3)
    assert np.abs(above).min() >= 0.04
    assert np.array_equal(cube.target[:, 0], above > 0)
    assert np.array_equal(cube.target[:, 1], np.abs(cube.clean[:, 0] - 0.5) < 1 / 6)
    assert np.allclose(cube.target.mean(axis=0), [1 / 2, 1 / 3, 1 / 2], atol=0.05)
    assert np.abs(np.corrcoef(cube.target[:, 2], cube.clean.T)[0, 1:]).max() < 0.1
    assert np.linalg.matrix_rank(cube.data) == 3
    assert np.array_equal(datasets.make_labelled_cube(20, random_state=1).matrix, cube.matrix)
    assert datasets.make_labelled_cube(20, 3, random_state=1).data.shape == (20, 3)


def test_targets_of_the_regression_layers():
    bunch = datasets.make_stacked_clusters(random_state=1)
    assert np.array_equal(bunch.target, bunch.data[:, 2] ** 2)
    ranges = [(y.min(), y.max()) for y in (bunch.target[bunch.cluster == c] for c in range(3))]
    assert ranges[0][1] < ranges[1][0] and ranges[1][1] < ranges[2][0]
    bunch = datasets.make_two_clusters_with_outlier(random_state=1)
    x1, x2, _ = bunch.data.T
    left, right = bunch.cluster == 0, bunch.cluster == 1
    assert np.allclose(bunch.target[left], (x1 + 2 + x2)[left])
    assert np.allclose(bunch.target[right], 2 * ((x1 - 2) ** 2 + x2**2)[right])
    assert x1[left].max() <= -1 and x1[right].min() >= 1
    assert bunch.outlier == 300 and bunch.cluster[-1] == -1 and np.sum(bunch.cluster == -1) == 1
    assert bunch.data[-1].tolist() == [0, 0, 0]
    assert bunch.target[:-1].min() - bunch.target[-1] > 2.5


@pytest.mark.parametrize("maker", LAYERS)
def test_layers_refuse_what_makes_no_set(maker):
    hostile = {
        "n_samples": (0, -1, 2.5, 10.0, True, "a", None, np.nan, [5]),
        "random_state": (-1, 1.5, "a", 2**32, [1]),
    }
    if maker is datasets.make_plate_in_ring:
        hostile["outlier"] = (None, 2, "yes", np.nan)
    if maker is datasets.make_labelled_cube:
        hostile["n_features"] = (2, 0, -1, 3.0, True, "a", None)
    else:
        hostile["n_samples"] += (1, 2)
    for parameter, values in hostile.items():
        for value in values:
            with pytest.raises(ValueError, match=rf"`{parameter}` must be .*; got {re.escape(repr(value))}"):
                maker(**{parameter: value})
