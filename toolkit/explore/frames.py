"""One frame of an explorer: the result of one call, checked, and aligned by Procrustes so that nothing jumps."""

import numpy as np

from ..core.checks import check_names, shown
from ..core.linalg import procrustes
from .words import MOST_SENT

__all__ = ["aligned", "checked_frame", "common_limits", "ends", "need", "overlay"]

PARTS = (
    "Z", "bars", "anchors", "segments", "status", "hover", "links", "background", "extent", "rings", "axis_names",
)  # fmt: skip


def need(holds, message):
    if not holds:
        raise ValueError(message)


def checked_frame(result, setting, n_anchors, reference):
    """All parts of what `compute` returned; if ``bars`` is true, ``Z`` holds bars. `reference`: the first frame."""
    result = result if isinstance(result, dict) else {"Z": result}
    barred = result.get("bars") is not None
    known = set(result) <= set(PARTS) and (barred or "Z" in result)
    need(known, f"`compute` must return Z, or a dict of {', '.join(PARTS)}; got {sorted(result)}.")

    def returns(holds, rule, remedy=""):
        need(holds, f"`compute` must return {rule} at {setting}.{remedy}")

    returns(reference is None or barred == reference["bars"], "bars at every setting or at none; it changed")
    Z = _bars(result, reference, returns) if barred else _map(result, reference, returns)
    frame = {"Z": Z, "bars": barred, "status": str(result.get("status", ""))}
    for key, columns in (("anchors", 2), ("segments", 4)):
        array = _array(result.get(key, ()), key, returns)
        fits = array.ndim < 3 and array.size % columns == 0 and (array.ndim == 1 or array.shape[1:] == (columns,))
        returns(fits, f"{key} of shape (m, {columns}); got {array.shape}")
        frame[key] = array.reshape(-1, columns)
    hover, links = result.get("hover", ()), _as_given(result.get("links", np.empty((0, 1), dtype=int)))
    listed = hasattr(hover, "__len__") and not isinstance(hover, str)
    n, n_texts = len(Z), len(hover) if listed else shown(hover)
    returns(n_texts in (0, n), f"one hover text per sample ({n}); got {n_texts}")
    frame |= {"hover": [str(text) for text in hover], "links": links}
    if links.size:
        whole = links.dtype.kind in "iu" and links.ndim == 2 and len(links) == n
        got = f"shape {links.shape}, numbers from {links.min()} to {links.max()}," if whole else shown(links.tolist())
        fits = whole and links.min() >= 0 and links.max() < n_anchors
        returns(fits, f"links of shape ({n}, q), numbers of anchors from 0 to {n_anchors - 1}; got {got}")
    got = len(frame["anchors"])
    returns(got == n_anchors, f"one anchor per name of `anchor_names` ({n_anchors}); got {got}")
    names = result.get("axis_names")
    frame["axis_names"] = check_names(names, 2, "axis_names", "axis") if names is not None else []
    frame["background"], frame["extent"] = _background(result, returns)
    return frame | {"rings": _rings(result.get("rings", ()), n, returns)}


def _as_given(values):
    try:
        return np.asarray(values)
    except ValueError:  # rows of different lengths
        return np.array(None)


def _array(values, key, returns):
    """What `compute` returned under a key, as floats that single precision holds."""
    array = _as_given(values)
    kinds = "biufO" if array.ndim else "biuf"  # an object alone is None, or rows of different lengths
    try:
        array = array.astype(float) if array.dtype.kind in kinds else None
    except (TypeError, ValueError, OverflowError):
        array = None
    returns(array is not None, f"{key} as an array of numbers; got {shown(values)}")
    returns(np.isfinite(array).all(), f"finite {key}; got NaN or infinity")
    most = np.abs(array).max(initial=0.0)
    rule = f"numbers up to 1e37, as single precision holds; got {most:.3g} in {key}"
    returns(most <= 1e37, rule, " Rescale them.")
    return array


def _map(result, reference, returns):
    """(n, 2), the same n at every setting."""
    Z = _array(result["Z"], "Z", returns)
    wanted = "(n, 2)" if reference is None else reference["Z"].shape
    fits = Z.ndim == 2 and Z.shape[1] == 2 and len(Z) and (reference is None or Z.shape == reference["Z"].shape)
    returns(fits, f"a map of shape {wanted}; got {Z.shape}")
    return Z


def _bars(result, reference, returns):
    """Upper ends (n,), or lower and upper ends (n, 2)."""
    for key in ("Z", "background"):
        returns(result.get(key) is None, f"bars without {key}; got both")
    bars = _array(result["bars"], "bars", returns)
    fits = bars.size and bars.ndim in (1, 2) and bars.shape[1:] in ((), (2,))
    returns(fits, f"bars of shape (n, 2), lower and upper end, or (n,), upper end; got shape {bars.shape}")
    shape = bars.shape if reference is None else reference["Z"].shape
    returns(bars.shape == shape, f"bars of the same shape at every setting, {shape}; got {bars.shape}")
    lower, upper = ends(bars)
    for j in np.flatnonzero((lower < 0) | (upper < lower)):
        rule = f"bars with 0 <= lower <= upper; got {lower[j]:.6g} to {upper[j]:.6g} for number {j}"
        returns(False, rule, " Clip what rounding has moved.")
    return bars


def ends(bars):
    """Lower and upper ends, (n,) each, of bars (n, 2) or (n,)."""
    return (np.zeros_like(bars), bars) if bars.ndim == 1 else (bars[:, 0], bars[:, 1])


def _background(result, returns):
    """A coloured picture under the samples and the rectangle that it covers; None and None if there is none."""
    given = [key for key in ("background", "extent") if result.get(key) is not None]
    if not given:
        return None, None
    returns(len(given) == 2, f"background and extent together; got {given[0]} alone")
    background, extent = _as_given(result["background"]).copy(), _array(result["extent"], "extent", returns)
    fits = background.dtype == np.uint8 and background.ndim == 3 and background.shape[2] == 3 and background.size
    got = f"shape {background.shape}, type {background.dtype},"
    returns(fits, f"a background of shape (h, w, 3) and type uint8; got {got}")
    fits = extent.shape == (4,) and (extent[::2] < extent[1::2]).all()
    returns(fits, f"extent as four numbers x_min < x_max, y_min < y_max; got {extent.tolist()}")
    return background, extent


def _rings(rings, n, returns):
    """Numbers of the samples to be ringed, each once, in order."""
    rings = _as_given(rings)
    if rings.size == 0:
        return np.empty(0, dtype=int)
    got = f"shape {rings.shape}, type {rings.dtype},"
    returns(rings.ndim == 1 and rings.dtype.kind in "iu", f"rings as a list of sample numbers, integers; got {got}")
    got = f"numbers from {rings.min()} to {rings.max()}"
    returns(rings.min() >= 0 and rings.max() < n, f"rings as numbers of samples from 0 to {n - 1}; got {got}")
    return np.unique(rings)


def aligned(frame, reference):
    """The whole frame moved as its samples are; bars stay, and a background, because a picture cannot turn."""
    if frame["bars"] or frame["background"] is not None:
        return frame
    Z, anchors, ends = frame["Z"], frame["anchors"], frame["segments"].reshape(-1, 2)
    turned = procrustes(Z, reference)
    # The movement of Z applied to the rest: solve for the orthogonal map that did it.
    R = np.linalg.lstsq(Z - Z.mean(axis=0), turned - turned.mean(axis=0), rcond=None)[0]
    if np.linalg.matrix_rank(Z - Z.mean(axis=0)) < 2:
        return frame  # a line or a point: the rotation is not determined, and nothing else could follow it
    moved = [(A - Z.mean(axis=0)) @ R + turned.mean(axis=0) for A in (anchors, ends)]
    return frame | {"Z": turned, "anchors": moved[0], "segments": moved[1].reshape(-1, 4)}


def common_limits(frames):
    """Limits x_min, x_max, y_min, y_max that hold every sample, anchor and background of the frames.

    Samples and anchors have a margin, unless a background reaches beyond them; a background has none. Bars stand at
    1, 2, ... n and on 0.
    """
    if frames[0]["bars"]:
        tops = np.concatenate([np.r_[ends(f["Z"])[1], f["anchors"][:, 1]] for f in frames])
        return [0.5, len(frames[0]["Z"]) + 0.5, 0.0, 1.05 * float(tops.max() or 1)]
    points = np.vstack([np.vstack([frame["Z"], frame["anchors"]]) for frame in frames]).astype(float)
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.04 * np.maximum(high - low, 1e-9 + 1e-6 * np.abs(high))
    extents = [frame["extent"] for frame in frames if frame["extent"] is not None]
    edges = np.array(extents).reshape(-1, 2, 2)  # extent, axis, end
    least, most = edges[..., 0].min(axis=0, initial=np.inf), edges[..., 1].max(axis=0, initial=-np.inf)
    low = np.where(least <= low, least, low - margin)
    high = np.where(most >= high, most, high + margin)
    return [float(v) for v in (low[0], high[0], low[1], high[1])]


def overlay(frame, sent):
    """What lies over and under the samples, as the browser reads it; `sent` gives the next background's address."""
    told = {key: np.round(frame[key], 6).tolist() for key in ("anchors", "segments")}
    told |= {key: frame[key] for key in ("status", "code", "axis_names") if frame[key]}
    if frame["hover"] and len(frame["Z"]) <= MOST_SENT:
        told["hover"] = frame["hover"]
    told |= {key: frame[key].tolist() for key in ("links", "rings") if frame[key].size}
    if frame["background"] is not None:
        told["background"] = {"at": next(sent), "extent": frame["extent"].tolist()}
    return told
