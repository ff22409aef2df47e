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

HTTP_PORT = 80
HTTPS_PORT = 443


def download(entry):
    """Path of the cached .npz of a set, its parts fetched and converted.

    Where that fails the cache is as before.
    """
    target = cache_folder() / entry.file
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as folder:
            files = []
            for address, checksum in entry.parts:
                files.append(_fetch(entry, address, checksum, folder))
            # The new file is on the disk of the target, so that replacing is one step.
            new_file = Path(folder) / entry.file
            np.savez_compressed(new_file, **_convert(files, entry.n_targets))
            os.replace(new_file, target)
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
    port = parts.port
    if not port:
        port = HTTP_PORT if parts.scheme == "http" else HTTPS_PORT
    return parts.hostname, port


def hosts_that_answer(addresses, seconds):
    """Hosts and ports of addresses that accept a connection in `seconds` in all."""
    answering = set()

    def connect(host):
        with suppress(OSError), socket.create_connection(host, timeout=seconds):
            answering.add(host)

    end = time.monotonic() + seconds
    threads = []
    for host in {host_of(address) for address in addresses}:
        # Looking up a name has no time limit: such threads are left behind.
        thread = threading.Thread(target=connect, args=(host,), daemon=True)
        thread.start()
        threads.append(thread)
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))
    return frozenset(answering)


def _fetch(entry, address, checksum, folder):
    """Path of a downloaded and checked file of an `Entry`, in the folder."""
    name = address.rpartition("/")[2]
    try:
        import pooch

        return pooch.retrieve(address, f"sha256:{checksum}", name, folder)
    except Exception as error:
        # pooch, requests and urllib3 raise many kinds, and pooch may be missing; the
        # user needs one answer.
        raise DatasetUnavailable(
            f"{name} of the data set {entry.name} could not be downloaded"
            f" ({type(error).__name__}).\nAddress {address}, expected SHA-256"
            f" {checksum}: {error}\nNothing was kept. Try again later (pooch is needed:"
            f' pip install -e ".[data]" in the clone), or get the set'
            f" from {entry.source} and put {entry.file} into a folder named by"
            f" TOOLKIT_DATA or into {cache_folder()}."
        ) from error


def _convert(files, n_labels):
    """Arrays of a set from its ARFF parts (training, test), as `load` reads them.

    `files` are the paths of the two parts; the last `n_labels` columns are labels.
    """
    training_file, test_file = files
    _, training_rows = read_arff(training_file)
    names, test_rows = read_arff(test_file)
    table = np.vstack(
        [training_rows, test_rows]
    )  # (n_rows, n_features + n_labels)
    is_test = np.repeat([0, 1], [len(training_rows), len(test_rows)])
    X, Y = table[:, :-n_labels], table[:, -n_labels:]
    return {
        "X": X.astype(np.float32),
        "Y": Y.astype(np.uint8),
        "feature_names": names[:-n_labels],
        "target_names": names[-n_labels:],
        "is_test": is_test.astype(np.uint8),
    }


def read_arff(path):
    """Attribute names and numbers (n_rows, n_attributes) of a numeric ARFF file."""
    with open(path, encoding="utf-8") as lines:
        content = arff_rows(lines)
    rows = [fields for _, fields in content.rows]
    return content.names, np.array(rows, dtype=float)
