"""Downloads from a server on this machine that answers, lies, or stops half way."""

import hashlib
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
from numpy.random import default_rng
from numpy.testing import assert_allclose, assert_array_equal
from pytest import fixture, importorskip, mark, raises

from toolkit.datasets import (
    DatasetDamaged,
    DatasetUnavailable,
    fetch_missing,
    load,
    load_or_substitute,
)
from toolkit.datasets.download import host_of
from toolkit.datasets.registry import entry, registry

importorskip("pooch")
CACHED = ["scene.npz"]


def arff(table, sparse):
    """Rows of 5 features and 2 labels as text, in either form."""
    lines = ["% a comment", "@relation 'made: -C 2'"]
    lines += [f"@attribute 'att {j}' numeric" for j in range(5)]
    lines += ["@attribute one {0,1}", "@attribute two {0,1}", "", "@data"]
    for row in table:
        if sparse:
            pairs = (f"{j} {v:g}" for j, v in enumerate(row) if v)
            lines.append("{" + ",".join(pairs) + "}")
        else:
            lines.append(",".join(f"{v:g}" for v in row))
    return ("\n".join(lines) + "\n").encode()


@fixture(params=[False, True], ids=["dense rows", "sparse rows"])
def parts(request, server, tmp_path, monkeypatch):
    """The set "scene" in two small parts: the cache folder and the numbers (10, 7)."""
    rng = default_rng(0)
    tables = []
    addresses = []
    for name, n in (("train.arff", 6), ("test.arff", 4)):
        table = np.round(rng.random((n, 7)) * (rng.random((n, 7)) < 0.5), 3)
        table[:, 5:] = [[1, 0], [0, 1]] * (n // 2)
        body = arff(table, request.param)
        server.answers[f"/{name}"] = (200, body, len(body))
        addresses.append(
            (f"{server.address}/{name}", hashlib.sha256(body).hexdigest())
        )
        tables.append(table)
    small = {
        "shape": (10, 5),
        "n_targets": 2,
        "sha256": None,
        "parts": addresses,
    }
    monkeypatch.setitem(registry(), "scene", replace(entry("scene"), **small))
    monkeypatch.setattr("toolkit.datasets.substitutes._substituted", set())
    monkeypatch.delenv("TOOLKIT_DATA", raising=False)
    monkeypatch.setenv("TOOLKIT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache", np.vstack(tables)


def files(cache):
    return sorted(path.name for path in cache.rglob("*"))


def test_good_parts_become_one_set_in_the_cache(server, parts):
    cache, table = parts
    bunch = load("scene")
    assert_allclose(bunch.data, table[:, :5], atol=1e-7)
    assert_array_equal(bunch.target, table[:, 5:])
    assert bunch.feature_names[0] == "att 0"
    assert list(bunch.target_names) == ["one", "two"]
    assert bunch.is_test.tolist() == [False] * 6 + [True] * 4
    assert files(cache) == CACHED
    load("scene")
    assert len(server.asked) == 2  # the second time from the cache
    whole = (cache / "scene.npz").read_bytes()
    for damaged in (whole[:90] + b"?" + whole[91:], whole[:-9]):
        (cache / "scene.npz").write_bytes(damaged)
        with raises(DatasetDamaged, match="scene.npz cannot be read as"):
            load("scene")


@mark.parametrize("fault", ["truncated", "altered", "404", "gone"])
def test_a_faulty_part_leaves_nothing_behind_and_names_what_to_do(
    server, parts, fault
):
    cache, _ = parts
    good = server.answers["/test.arff"]
    body = good[1]
    altered = body.replace(b"0.", b"1.")
    server.answers["/test.arff"] = {
        "truncated": (200, body, len(body) - 20),
        "altered": (200, altered, len(body)),
        "404": (404, b"no", 2),
        "gone": (200, body, 0),
    }[fault]
    with raises(DatasetUnavailable) as error:
        load("scene")
    text = str(error.value)
    assert text.startswith(
        "test.arff of the data set scene could not be downloaded"
    )
    remedy = [hashlib.sha256(body).hexdigest(), "TOOLKIT_DATA", str(cache)]
    assert all(word in text for word in [*remedy, "Nothing was kept"])
    if fault == "altered":
        assert hashlib.sha256(altered).hexdigest() in text
    assert files(cache) == []
    server.answers["/test.arff"] = good
    assert load("scene").data.shape == (10, 5)  # and the next try is whole


def test_no_server_means_a_substitute_and_says_so(server, parts, capsys):
    server.shutdown()
    server.server_close()
    bunch, is_real = load_or_substitute("scene")
    assert (
        not is_real
        and "NOTE: scene: not available here." in capsys.readouterr().out
    )
    assert files(parts[0]) == []


def test_what_can_be_downloaded_is_not_missing(server, parts):
    names = ["iris", "scene", "usps"]
    assert fetch_missing(names) == ["usps"] and files(parts[0]) == CACHED
    server.asked.clear()
    assert fetch_missing(names) == ["usps"] and not server.asked


@mark.parametrize("fault", ["404", "gone", "silent"])
def test_without_a_network_it_goes_on(server, parts, fault, monkeypatch):
    """Also where a connection is never made: not even looking up a name ends."""
    if fault == "404":
        server.answers.clear()
    elif fault == "gone":
        server.shutdown()
        server.server_close()
    else:
        never = threading.Event()
        monkeypatch.setattr(
            socket, "create_connection", lambda *host, **how: never.wait()
        )
    assert fetch_missing(["scene", "iris"], seconds=0.5) == ["scene"]
    assert files(parts[0]) == []


def test_a_damaged_file_is_not_missing(parts):
    cache, _ = parts
    cache.mkdir(parents=True)
    (cache / "usps.npz").write_bytes(b"no archive")
    assert fetch_missing(["usps"]) == []


@mark.parametrize(
    "variables, host",
    [
        ({}, ("example.org", 443)),
        ({"https_proxy": "http://proxy:3128"}, ("proxy", 3128)),
        ({"all_proxy": "proxy:8080"}, ("proxy", 8080)),
        (
            {"https_proxy": "http://proxy:3128", "no_proxy": "example.org"},
            ("example.org", 443),
        ),
    ],
)
def test_a_proxy_is_asked_in_place_of_the_host(monkeypatch, variables, host):
    for name in ("https_proxy", "all_proxy", "no_proxy", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert host_of("https://example.org/a/file.arff") == host


def test_several_at_once_do_not_disturb_each_other(parts):
    cache, table = parts
    with ThreadPoolExecutor(6) as pool:
        bunches = list(pool.map(load, ["scene"] * 6))
    for bunch in bunches:
        assert_allclose(bunch.data, table[:, :5], atol=1e-7)
    assert files(cache) == CACHED


def test_an_impossible_cache_has_its_variable_in_the_message(
    parts, monkeypatch, tmp_path
):
    (tmp_path / "file").write_text("in the way")
    for folder in (tmp_path / "file" / "cache", "/proc/cache"):
        monkeypatch.setenv("TOOLKIT_CACHE", str(folder))
        with raises(DatasetUnavailable, match="TOOLKIT_CACHE"):
            load("scene")
