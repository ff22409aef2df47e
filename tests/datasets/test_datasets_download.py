"""Downloads from a server on this machine that does what servers do: answer, lie, stop half way."""

import hashlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.random import default_rng
from numpy.testing import assert_allclose, assert_array_equal
from pytest import fixture, importorskip, mark, raises

from toolkit.datasets import (
    DatasetDamaged,
    DatasetUnavailable,
    load,
    load_or_substitute,
)
from toolkit.datasets.download import read_arff
from toolkit.datasets.registry import entry, registry

importorskip("pooch")


def arff(rng, n, sparse):
    """Rows of 5 features and 2 labels, as text in either form, and as numbers."""
    table = np.round(rng.random((n, 7)) * (rng.random((n, 7)) < 0.5), 3)
    table[:, 5:] = [[1, 0], [0, 1]] * (n // 2)
    head = "% a comment\n@relation 'made: -C 2'\n" + "".join(
        f"@attribute 'att {j}' numeric\n" for j in range(5)
    )
    head += "@attribute one {0,1}\n@attribute two {0,1}\n\n@data\n"
    if sparse:
        rows = [
            "{" + ",".join(f"{j} {v:g}" for j, v in enumerate(row) if v) + "}"
            for row in table
        ]
    else:
        rows = [",".join(f"{v:g}" for v in row) for row in table]
    return (head + "\n".join(rows) + "\n").encode(), table


@fixture(params=[False, True], ids=["dense rows", "sparse rows"])
def made(request, server, tmp_path, monkeypatch):
    """The set "scene" served in two small parts; gives the cache folder and the numbers of the parts."""
    import dataclasses

    rng, parts, tables = default_rng(0), [], []
    for name, n in (("train.arff", 6), ("test.arff", 4)):
        body, table = arff(rng, n, request.param)
        server.answers[f"/{name}"] = (200, body, len(body))
        parts.append((f"{server.address}/{name}", hashlib.sha256(body).hexdigest()))
        tables.append(table)
    small = dataclasses.replace(
        entry("scene"), shape=(10, 5), n_targets=2, sha256=None, parts=parts
    )
    monkeypatch.setitem(registry(), "scene", small)
    monkeypatch.setattr("toolkit.datasets.substitutes._substituted", set())
    monkeypatch.delenv("TOOLKIT_DATA", raising=False)
    monkeypatch.setenv("TOOLKIT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache", np.vstack(tables)


def kept(cache):
    return sorted(path.name for path in cache.rglob("*")) if cache.exists() else []


def test_good_parts_become_one_cached_set(server, made):
    cache, table = made
    bunch = load("scene")
    assert_allclose(bunch.data, table[:, :5], atol=1e-7)
    assert_array_equal(bunch.target, table[:, 5:])
    assert bunch.feature_names[0] == "att 0" and list(bunch.target_names) == [
        "one",
        "two",
    ]
    assert bunch.is_test.tolist() == [False] * 6 + [True] * 4
    assert kept(cache) == ["scene.npz", "scene.npz.sha256"]
    load("scene")
    assert len(server.asked) == 2  # the second time from the cache


@mark.parametrize("fault", ["truncated", "altered", "404", "500", "gone", "empty"])
def test_a_faulty_part_leaves_nothing_behind_and_names_what_to_do(server, made, fault):
    cache, _ = made
    status, body, _ = server.answers["/test.arff"]
    wanted = hashlib.sha256(body).hexdigest()
    server.answers["/test.arff"] = {
        "truncated": (200, body, len(body) - 20),
        "altered": (200, body.replace(b"0.", b"1."), len(body)),
        "404": (404, b"no", 2),
        "500": (500, b"no", 2),
        "gone": (200, body, 0),
        "empty": (200, b"", 0),
    }[fault]
    with raises(DatasetUnavailable) as error:
        load("scene")
    text = str(error.value)
    assert text.startswith("test.arff of the data set scene could not be downloaded")
    assert (
        wanted in text
        and "TOOLKIT_DATA" in text
        and str(cache) in text
        and "Nothing was kept" in text
    )
    if fault == "altered":
        assert hashlib.sha256(body.replace(b"0.", b"1.")).hexdigest() in text
    assert kept(cache) == []
    server.answers["/test.arff"] = (status, body, len(body))
    assert load("scene").data.shape == (10, 5)  # and the next try is whole


def test_no_server_means_a_substitute_and_says_so(server, made, capsys):
    cache, _ = made
    server.shutdown()
    server.server_close()
    bunch, is_real = load_or_substitute("scene")
    assert not is_real and "NOTE: scene is not available" in capsys.readouterr().out
    assert kept(cache) == []


def test_a_cached_file_that_was_altered_is_refused(made):
    cache, _ = made
    load("scene")
    path = cache / "scene.npz"
    path.write_bytes(path.read_bytes() + b"x")
    with raises(DatasetDamaged, match="SHA-256 is [0-9a-f]{64}, expected [0-9a-f]{64}"):
        load("scene")
    (cache / "scene.npz.sha256").write_bytes(b"\xff\xfe")
    with raises(DatasetDamaged, match="SHA-256 is [0-9a-f]{64}, expected"):
        load("scene")


def test_several_at_once_do_not_disturb_each_other(made):
    cache, table = made
    with ThreadPoolExecutor(6) as pool:
        bunches = list(pool.map(lambda _: load("scene"), range(6)))
    for bunch in bunches:
        assert_allclose(bunch.data, table[:, :5], atol=1e-7)
    assert kept(cache) == ["scene.npz", "scene.npz.sha256"]


def test_a_cache_that_cannot_be_made_is_named(made, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("in the way")
    for folder in (tmp_path / "file" / "cache", "/proc/cache"):
        monkeypatch.setenv("TOOLKIT_CACHE", str(folder))
        with raises(DatasetUnavailable, match="TOOLKIT_CACHE"):
            load("scene")


def test_arff_rows_that_are_no_numbers_are_named(tmp_path):
    path = tmp_path / "bad.arff"
    path.write_text(
        "@relation x\n@attribute a numeric\n@attribute b numeric\n@data\n1,2\n1\n"
    )
    with raises(ValueError, match="bad.arff, line 6, is not a row of 2 numbers"):
        read_arff(path)
    path.write_text("@relation x\n@attribute a numeric\n@data\n{5 1}\n")
    with raises(ValueError, match="line 4"):
        read_arff(path)
