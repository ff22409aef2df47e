"""Download data sets: each part is checked by its checksum, a set is cached whole."""

import os
import socket
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import numpy as np

from .arff import arff_rows
from .registry import DatasetUnavailable, cache_folder


def download(entry):
    """Path of the cached .npz of a set, its parts fetched and converted.

    Where that fails the cache is as before.
    """
    target = cache_folder() / entry.file
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as work:
            files = [_fetch(entry, *part, work) for part in entry.parts]
            # beside the target, so that replacing is one step
            part = Path(work) / entry.file
            np.savez_compressed(part, **_convert(files, entry.n_targets))
            os.replace(part, target)
    except DatasetUnavailable:
        raise
    except OSError as error:
        raise DatasetUnavailable(
            f"{entry.file} cannot be cached.\n{error}. Set TOOLKIT_CACHE to a folder"
            " that can be written."
        ) from error
    return target


def host_of(address):
    """Host and port to which a download connects, of the proxy if there is one."""
    parts = urlsplit(address)
    proxies = getproxies()
    proxy = proxies.get(parts.scheme, proxies.get("all"))
    if proxy and not proxy_bypass(parts.netloc):
        parts = urlsplit(proxy if "//" in proxy else f"//{proxy}")
    return parts.hostname, parts.port or (80 if parts.scheme == "http" else 443)


def hosts_that_answer(addresses, seconds):
    """Hosts and ports of addresses that accept a connection in `seconds` in all."""
    answering = set()

    def connect(host):
        with suppress(OSError), socket.create_connection(host, timeout=seconds):
            answering.add(host)

    # looking up a name has no time limit: such threads are left behind
    threads = [
        threading.Thread(target=connect, args=(host,), daemon=True)
        for host in {host_of(address) for address in addresses}
    ]
    end = time.monotonic() + seconds
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))
    return frozenset(answering)


def _fetch(entry, address, checksum, folder):
    name = address.rpartition("/")[2]
    try:
        import pooch

        return pooch.retrieve(address, f"sha256:{checksum}", name, folder)
    except Exception as error:
        # pooch, requests and urllib3 raise many kinds, and pooch may be missing; the
        # user needs one answer
        raise DatasetUnavailable(
            f"{name} of the data set {entry.name} could not be downloaded"
            f" ({type(error).__name__}).\nAddress {address}, expected SHA-256"
            f" {checksum}: {error}\nNothing was kept. Try again later (pooch is needed:"
            f' pip install -e ".[data]" in the clone), or get the set'
            f" from {entry.source} and put {entry.file} into a folder named by"
            f" TOOLKIT_DATA or into {cache_folder()}."
        ) from error


def _convert(files, n_labels):
    """Arrays of a set from its ARFF parts (training, test), as `load` reads them."""
    names, blocks = zip(*map(read_arff, files), strict=True)
    table = np.vstack(blocks)  # (n_rows, n_features + n_labels)
    return {
        "X": table[:, :-n_labels].astype(np.float32),
        "Y": table[:, -n_labels:].astype(np.uint8),
        "feature_names": names[-1][:-n_labels],
        "target_names": names[-1][-n_labels:],
        "is_test": np.repeat([0, 1], [*map(len, blocks)]).astype(np.uint8),
    }


def read_arff(path):
    """Attribute names and numbers (n_rows, n_attributes) of a numeric ARFF file."""
    with open(path, encoding="utf-8") as lines:
        names, _, rows = arff_rows(lines)
    return names, np.array([row for _, row in rows], dtype=float)
