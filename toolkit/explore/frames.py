"""One frame of an explorer: what a call returned, checked, and moved so that nothing jumps."""

import math

import numpy as np

from ..core.linalg import procrustes

__all__ = ["aligned", "checked_axes", "checked_bar_names", "checked_frame", "checked_samples", "common_limits"]


PARTS = ("Z", "bars", "anchors", "segments", "status", "hover", "links", "background", "extent", "rings")


def checked_axes(axes):
    if not axes:
        raise ValueError("`axes` must name at least one slider with its values, such as {'lam': [0, 0.5, 1]}.")
    checked = {}
    for name, values in axes.items():
        values = [v.item() if isinstance(v, np.generic) else v for v in values]
        if not values or len(set(values)) != len(values):
            raise ValueError(f"`axes`[{name!r}] must hold values that differ, at least one; got {values}.")
        if all(isinstance(v, bool) for v in values):
            kind = "bool"
        elif all(isinstance(v, str) for v in values):
            kind = "choice"
        elif all(isinstance(v, (int, float)) and not isinstance(v, bool) and math.isfinite(v) for v in values):
            kind = "number"
        else:
            raise ValueError(f"`axes`[{name!r}] must hold finite numbers, booleans or strings; got {values}.")
        checked[name] = (values, kind)
    return checked


def checked_frame(result, setting, n_anchors, reference):
    """What `compute` returned, all parts; where ``bars`` is true, ``Z`` holds bars. `reference` is the first frame."""
    result = result if isinstance(result, dict) else {"Z": result}
    barred = result.get("bars") is not None
    if set(result) - set(PARTS) or not (barred or "Z" in result):
        raise ValueError(f"`compute` must return Z, or a dict of {', '.join(PARTS)}; got {sorted(result)}.")
    Z = _checked_bars(result, setting, reference) if barred else np.asarray(result["Z"], dtype=float)
    frame = {
        "Z": Z,
        "bars": barred,
        "anchors": np.asarray(result.get("anchors", np.empty((0, 2))), dtype=float).reshape(-1, 2),
        "segments": np.asarray(result.get("segments", np.empty((0, 4))), dtype=float).reshape(-1, 4),
        "status": str(result.get("status", "")),
        "hover": [str(text) for text in result.get("hover", ())],
        "links": np.asarray(result.get("links", np.empty((0, 1))), dtype=int),
    }
    if reference is not None and barred != reference["bars"]:
        raise ValueError(f"`compute` must return bars at every setting or at none; it changed at {setting}.")
    if not barred and (Z.ndim != 2 or Z.shape[1] != 2 or (reference is not None and Z.shape != reference["Z"].shape)):
        wanted = "(n, 2)" if reference is None else str(reference["Z"].shape)
        raise ValueError(f"`compute` must return a map of shape {wanted}; got {Z.shape} at {setting}.")
    for key in ("Z", "anchors", "segments"):
        if not np.all(np.isfinite(frame[key])):
            raise ValueError(f"`compute` must return finite {key}; got NaN or infinity at {setting}.")
        if (most := np.abs(frame[key]).max(initial=0.0)) > 1e37:
            raise ValueError(
                f"`compute` must return numbers up to 1e37, as single precision holds; got {most:.3g} in {key} at "
                f"{setting}. Rescale them."
            )
    links = frame["links"]
    if frame["hover"] and len(frame["hover"]) != len(Z):
        raise ValueError(
            f"`compute` must return one hover text a sample ({len(Z)}); got {len(frame['hover'])} at {setting}."
        )
    if links.size and (links.ndim != 2 or len(links) != len(Z) or links.min() < 0 or links.max() >= n_anchors):
        raise ValueError(
            f"`compute` must return links of shape ({len(Z)}, q), numbers of anchors from 0 to {n_anchors - 1}; got "
            f"shape {links.shape}, numbers from {links.min()} to {links.max()}, at {setting}."
        )
    if len(frame["anchors"]) != n_anchors:
        raise ValueError(
            f"`compute` must return one anchor a name ({n_anchors}); got {len(frame['anchors'])} at {setting}."
        )
    background, extent = _checked_field(result, setting)
    return frame | {
        "background": background,
        "extent": extent,
        "rings": _checked_rings(result.get("rings", ()), len(Z), setting),
    }


def _checked_bars(result, setting, reference):
    """Upper ends (n,), or lower and upper ends (n, 2)."""
    other = [key for key in ("Z", "background") if result.get(key) is not None]
    if other:
        raise ValueError(f"`compute` must return bars without {other[0]}; got both at {setting}.")
    bars = np.asarray(result["bars"], dtype=float)
    if bars.size == 0 or bars.ndim not in (1, 2) or bars.shape[1:] not in ((), (2,)):
        raise ValueError(
            "`compute` must return bars of shape (n, 2), lower and upper end, or (n,), upper end; got shape "
            f"{bars.shape} at {setting}."
        )
    if reference is not None and reference["bars"] and bars.shape != reference["Z"].shape:
        raise ValueError(
            f"`compute` must return bars of the same shape at every setting, {reference['Z'].shape}; got {bars.shape} "
            f"at {setting}."
        )
    if not np.isfinite(bars).all():
        raise ValueError(f"`compute` must return finite bars; got NaN or infinity at {setting}.")
    lower, upper = _ends(bars)
    wrong = np.flatnonzero((lower < 0) | (upper < lower))
    if wrong.size:
        j = wrong[0]
        raise ValueError(
            f"`compute` must return bars with 0 <= lower <= upper; got {lower[j]:.6g} to {upper[j]:.6g} for number {j} "
            f"at {setting}. Clip what rounding has moved."
        )
    return bars


def _ends(bars):
    """Lower and upper ends, (n,) each, of bars (n, 2) or (n,)."""
    return (np.zeros_like(bars), bars) if bars.ndim == 1 else (bars[:, 0], bars[:, 1])


def checked_bar_names(frame, names):
    """A name for each bar, their numbers from 1 where none is given; none without bars."""
    if not frame["bars"]:
        if names is not None:
            raise ValueError("`bar_names` names bars, but `compute` returned a map; leave it out.")
        return []
    n = len(frame["Z"])
    names = [str(name) for name in (range(1, n + 1) if names is None else names)]
    if len(names) != n:
        raise ValueError(f"`bar_names` must hold one name a bar ({n}); got {len(names)}.")
    return names


def _checked_field(result, setting):
    """A coloured picture under the samples and the rectangle that it covers; None and None if there is none."""
    given = [key for key in ("background", "extent") if result.get(key) is not None]
    if not given:
        return None, None
    if len(given) == 1:
        raise ValueError(f"`compute` must return background and extent together; got {given[0]} alone at {setting}.")
    background, extent = np.array(result["background"]), np.asarray(result["extent"], dtype=float)
    if background.dtype != np.uint8 or background.ndim != 3 or background.shape[2] != 3 or not background.size:
        raise ValueError(
            f"`compute` must return a background of shape (h, w, 3) and type uint8; got shape {background.shape}, "
            f"type {background.dtype}, at {setting}."
        )
    if extent.shape != (4,) or not np.isfinite(extent).all() or (extent[::2] >= extent[1::2]).any():
        raise ValueError(
            "`compute` must return extent as four finite numbers x_min < x_max, y_min < y_max; got "
            f"{extent.tolist()} at {setting}."
        )
    return background, extent


def _checked_rings(rings, n, setting):
    """Numbers of the samples to be ringed, each once, in order."""
    rings = np.asarray(rings)
    if rings.size == 0:
        return np.empty(0, dtype=int)
    if rings.ndim != 1 or rings.dtype.kind not in "iu":
        raise ValueError(
            f"`compute` must return rings as a list of sample numbers, integers; got shape {rings.shape}, type "
            f"{rings.dtype}, at {setting}."
        )
    if rings.min() < 0 or rings.max() >= n:
        raise ValueError(
            f"`compute` must return rings as numbers of samples from 0 to {n - 1}; got numbers from {rings.min()} to "
            f"{rings.max()} at {setting}."
        )
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


def checked_samples(n, labels, label_names, hover, images):
    """Class numbers, class names, hover texts and images (uint8) of `n` samples."""
    labels = np.zeros(n, dtype=int) if labels is None else np.asarray(labels)
    if labels.shape != (n,):
        raise ValueError(f"`labels` must hold one class a sample, shape ({n},); got shape {labels.shape}.")
    classes, index = np.unique(labels, return_inverse=True)
    names = [str(c) for c in classes] if label_names is None else [str(name) for name in label_names]
    if len(names) < len(classes):
        raise ValueError(f"`label_names` must hold one name a class ({len(classes)}); got {len(names)}.")
    if len(names) > len(classes):  # then labels are numbers of the names, of which some do not occur
        if labels.dtype.kind not in "iu" or labels.min() < 0 or labels.max() >= len(names):
            raise ValueError(
                f"`label_names` holds {len(names)} names for {len(classes)} classes; then `labels` must be numbers "
                f"from 0 to {len(names) - 1}."
            )
        index = labels
    if hover is not None and len(hover) != n:
        raise ValueError(f"`hover` must hold one text a sample ({n}); got {len(hover)}.")
    if images is not None:
        images = np.asarray(images)
        if images.ndim != 3 or len(images) != n:
            raise ValueError(f"`images` must have shape ({n}, h, w); got {images.shape}.")
        images = np.clip(images, 0, 255).astype(np.uint8)
    return index, names, [""] * n if hover is None else [str(text) for text in hover], images


def common_limits(frames):
    """Limits x_min, x_max, y_min, y_max that hold every sample, anchor and background of the frames.

    Samples and anchors have a margin, unless a background reaches beyond them; a background has none. Bars stand at
    1, 2, ... n and on 0.
    """
    if frames[0]["bars"]:
        tops = np.concatenate([np.r_[_ends(f["Z"])[1], f["anchors"][:, 1]] for f in frames])
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
