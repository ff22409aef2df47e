"""Downloads: each part is checked before it is used, and a set is cached whole or not at all."""

import contextlib
import io
import tempfile
import zipfile
from pathlib import Path

import numpy as np

from .arff import read_arff
from .files import cache_folder
from .forms import content, read
from .registry import DatasetUnavailable

__all__ = ["convert", "download"]

TIMEOUT = 20  # seconds without an answer


def download(what):
    """Fetch the parts of a set, convert them, and put the result into the cache.

    All work happens in a folder of its own inside the cache, and the finished file gets its name in one step: an
    interrupt leaves no half file, and two processes may do the same at once.

    Parameters
    ----------
    what : Entry with `parts`

    Returns
    -------
    Path of the cached .npz

    Raises
    ------
    DatasetUnavailable
        With the file, its address, the checksums and what to do. The cache is then as it was.
    """
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{what.name}-", dir=folder) as work:
            parts = [_fetch(what, address, checksum, work) for address, checksum in what.parts]
            made = Path(work) / what.file
            np.savez_compressed(made, **convert(what, parts))
            if (got := content(read(made, what))) != what.content:
                raise ValueError(f"its arrays have the SHA-256 {got}, expected {what.content}")
            return made.replace(folder / what.file)
    except DatasetUnavailable:
        raise
    except OSError as error:
        raise DatasetUnavailable(
            f"{what.name} cannot be stored in the cache {folder}: {error}. "
            f"Make room there, or name another folder by TOOLKIT_CACHE."
        ) from error
    except ValueError as error:
        raise DatasetUnavailable(
            f"{what.name} was downloaded but is not what was expected: {error}. {_remedy(what)}"
        ) from error


def _fetch(what, address, checksum, folder):
    name = address.rsplit("/", 1)[-1]
    try:
        import pooch
    except ImportError:
        raise DatasetUnavailable(
            f"{what.file} is not at hand, and to download it pooch is needed: pip install 'didi-toolkit[data]'. "
            f"{_remedy(what)}"
        ) from None
    try:
        with _quiet(pooch.get_logger()):
            downloader = pooch.HTTPDownloader(timeout=TIMEOUT)
            return pooch.retrieve(address, checksum, fname=name, path=folder, downloader=downloader)
    except Exception as error:  # pooch, requests and urllib3 raise many kinds; the user needs one answer
        raise DatasetUnavailable(
            f"{name} of the data set {what.name} could not be downloaded from {address} (expected checksum "
            f"{checksum}): {error} Nothing was kept. {_remedy(what)}"
        ) from error


def _remedy(what):
    return (
        f"Try again later, or get the set from {what.source} and put {what.file} into a folder named by "
        f"TOOLKIT_DATA or into {cache_folder()}."
    )


@contextlib.contextmanager
def _quiet(logger):
    """Without the lines that would end up in the outputs of notebooks."""
    level = logger.level
    logger.setLevel("WARNING")
    try:
        yield
    finally:
        logger.setLevel(level)


def convert(what, parts):
    """The arrays of ``<name>.npz``, from the files that were downloaded.

    Parameters
    ----------
    what : Entry
    parts : list of path-like, in the order of ``what.parts``

    Returns
    -------
    dict of ndarray
    """
    return _multilabel(parts, what.n_targets) if what.kind == "multilabel" else _coil(*parts, what)


def _multilabel(parts, n_labels):
    """Training and test part in ARFF; the labels are the last columns."""
    (names, train), (test_names, test) = map(read_arff, parts)
    if names != test_names:
        raise ValueError("training and test part have different attributes")
    table, names = np.vstack([train, test]), np.array(names)
    X = table[:, :-n_labels].astype(np.float32)
    is_test = np.repeat(np.array([0, 1], dtype=np.uint8), [len(train), len(test)])
    rest = {"feature_names": names[:-n_labels], "target_names": names[-n_labels:], "is_test": is_test}
    return _packed(X) | {"Y": table[:, -n_labels:].astype(np.uint8)} | rest


def _packed(X):
    """Dense, or as the parts of a CSR matrix where nearly all is zero, as for words."""
    if np.count_nonzero(X) > X.size / 10:
        return {"X": X}
    import scipy.sparse

    S = scipy.sparse.csr_matrix(X)
    return {"X_data": S.data, "X_indices": S.indices, "X_indptr": S.indptr, "X_shape": np.array(S.shape)}


def _coil(archive, what):
    """Images of the first objects, in full or as sums over square blocks (`scale` is the largest sum)."""
    from PIL import Image

    side = int(np.sqrt(what.shape[1]))
    y, view = np.divmod(np.arange(what.shape[0]), 72)
    images = []
    with zipfile.ZipFile(archive) as files:
        for o, v in zip(y + 1, view, strict=True):
            with Image.open(io.BytesIO(files.read(f"coil-20-proc/obj{o}__{v}.png"))) as picture:
                pixels = np.asarray(picture.convert("L"), dtype=np.uint16)
            step = len(pixels) // side
            images.append(pixels.reshape(side, step, side, step).sum(axis=(1, 3), dtype=np.uint16).ravel())
    return {"X": np.array(images), "y": y + 1, "view": view, "image_shape": np.array([side, side])}
