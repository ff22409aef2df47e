"""The settings of an explorer, and the frame of each: one call, checked and aligned."""

import inspect
import sys
from collections.abc import Mapping

import numpy as np
from scipy.linalg import orthogonal_procrustes

from ..core import (
    check_box,
    check_codes,
    check_numbers,
    magnitude,
    require,
    require_that,
)
from .samples import ensure, names_or_none

PARTS = (
    "Z",
    "bars",
    "anchors",
    "segments",
    "status",
    "hover",
    "links",
    "background",
    "extent",
    "rings",
    "axis_names",
    "color_by",
)
LARGEST = 1e37  # number that single precision holds
KINDS = {"bool": {bool}, "choice": {str}, "number": {int, float}}


def check_axes(axes):
    """For each slider its name, values and kind: "bool", "choice" or "number"."""
    require_that(
        isinstance(axes, Mapping) and axes,
        "axes",
        "name at least one slider with its values, such as {'lam': [0, 0.5, 1]}",
        axes,
    )
    return [_axis(name, values) for name, values in axes.items()]


def _axis(name, given):
    """A slider, its values as Python objects."""
    listed = list(given) if np.ndim(given) == 1 else []
    values = [v.item() if isinstance(v, np.generic) else v for v in listed]
    types = {*map(type, values)}
    kind = next(
        (kind for kind, allowed in KINDS.items() if types <= allowed), None
    )
    # NaN and infinity have no position on a slider
    if kind == "number" and not all(
        abs(v) <= sys.float_info.max for v in values
    ):
        kind = None
    require_that(
        values and kind and len(set(values)) == len(values),
        f"axes[{name!r}]",
        "hold finite numbers, booleans or strings, at least one, that differ",
        given,
    )
    return {"name": name, "values": values, "kind": kind}


def check_call(compute, axes):
    """Refuse what cannot be called with one value of each axis by name."""
    try:
        inspect.signature(compute).bind(**axes)
    except TypeError as error:
        raise ValueError(
            f"`compute` must be a function of {', '.join(map(str, axes))}; {error}."
        ) from None


def code_of(code, setting):
    """The code of a setting, from a template or by a function."""
    text = code(**setting) if callable(code) else code
    require(
        isinstance(text, str),
        "code",
        "a text, or a function of the setting that returns one",
        text,
    )
    if not callable(code):
        for name, value in setting.items():
            text = text.replace(f"{{{name}}}", repr(value))
    return text


def check_frame(result, setting, n_anchors, reference):
    """All parts of what `compute` returned; if ``bars`` is true, ``Z`` holds bars.

    `reference` is the first frame.
    """
    result = result if isinstance(result, dict) else {"Z": result}
    ensure(
        {"Z", "bars"} & set(result) and set(result) <= set(PARTS),
        f"`compute` must return Z, or a dict of {', '.join(PARTS)}; got"
        f" {sorted(result)}.",
    )
    try:
        return _parts(result, n_anchors, reference)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"`compute` returned at {setting} what cannot be drawn: {error}"
        ) from None


def _parts(result, n_anchors, reference):
    is_bars = "bars" in result
    Z = _bars(result) if is_bars else _numbers(result["Z"], "Z", ("n", 2))
    n = len(Z)
    ensure(n, f"`Z` must hold at least one sample; got shape {Z.shape}.")
    # every frame has the kind and shape of the first
    got = f"{'bars' if is_bars else 'a map'} of shape {Z.shape}"
    wanted = got if reference is None else reference["kind"]
    ensure(
        got == wanted, f"it must be {wanted} as at every setting; got {got}."
    )
    anchors = _rows(result, "anchors", 2)
    ensure(
        len(anchors) == n_anchors,
        f"`anchors` must hold one per name of `anchor_names` ({n_anchors}); got"
        f" {len(anchors)}.",
    )
    links = result.get("links", np.empty((n, 0)))
    rings = np.asarray(result.get("rings", ()))
    ensure(
        rings.dtype != bool,
        "`rings` must hold numbers of samples, not True and False.",
    )
    return {
        "Z": Z,
        "bars": is_bars,
        "kind": got,
        "status": str(result.get("status", "")),
        "color_by": str(result.get("color_by", "")),
        "anchors": anchors,
        "segments": _rows(result, "segments", 4),
        "hover": names_or_none(result, "hover", n, "sample"),
        "axis_names": names_or_none(result, "axis_names", 2, "axis"),
        "links": check_codes(
            links, "links", n_anchors, shape=(n, "q"), of="anchors"
        ),
        "rings": np.unique(check_codes(rings, "rings", n, of="samples")),
        **_background(result),
    }


def _numbers(values, name, shape=None):
    """What `compute` returned under a name, as floats that single precision holds."""
    A = check_numbers(values, name, shape=shape)
    most = magnitude(A)
    ensure(
        most <= LARGEST,
        f"`{name}` must hold numbers up to {LARGEST:g}, as single precision holds; got"
        f" {most:.3g}. Rescale them.",
    )
    return A


def _rows(result, name, width):
    """Rows (m, width), none by default."""
    rows = result.get(name, np.empty((0, width)))
    return _numbers(rows, name, ("m", width))


def _bars(result):
    """Lower and upper ends (n, 2)."""
    ensure(
        not {"Z", "background"} & set(result),
        "`bars` stand without `Z` and `background`; got both.",
    )
    bars = _numbers(result["bars"], "bars", ("n", 2))
    lower, upper = bars.T
    wrong = bars[(lower < 0) | (upper < lower)].tolist()
    require_that(
        not wrong,
        "bars",
        "have 0 <= lower <= upper; clip what rounding has moved",
        wrong,
    )
    return bars


def _background(result):
    """A coloured picture under the samples, and its rectangle, or None."""
    background, extent = result.get("background"), result.get("extent")
    ensure(
        (background is None) == (extent is None),
        "`background` and `extent` belong together; got one alone.",
    )
    if background is not None:
        background = np.array(background)
        extent = np.array(check_box(extent, "extent"))
        is_rgb = background.dtype == np.uint8 and background.shape[2:] == (3,)
        ensure(
            is_rgb and background.size,
            "`background` must have shape (h, w, 3) and type uint8; got shape"
            f" {background.shape}, type {background.dtype}.",
        )
    return {"background": background, "extent": extent}


def align_frame(frame, reference):
    """The whole frame moved as its samples are, which turn towards the first.

    Bars stay, and a background, because a picture cannot turn.
    """
    if frame["bars"] or frame["background"] is not None:
        return frame
    centre = frame["Z"].mean(axis=0)
    middle = reference.mean(axis=0)
    Z = frame["Z"] - centre
    # of a line or a point the rotation is not determined
    if np.linalg.matrix_rank(Z) < 2:
        return frame
    R, _ = orthogonal_procrustes(Z, reference - middle)
    moves = {}
    for name in ("Z", "anchors", "segments"):
        points = frame[name].reshape(-1, 2) - centre
        moves[name] = (points @ R + middle).reshape(frame[name].shape)
    return frame | moves


def common_limits(frames):
    """Limits x_min, x_max, y_min, y_max that hold all of the frames.

    Samples and anchors have a margin, unless a background reaches beyond them; a
    background has none. Bars are at 1, 2, ... n and start at 0.
    """
    if frames[0]["bars"]:
        tops = [np.append(f["Z"], f["anchors"][:, 1]).max() for f in frames]
        return [
            0.5,
            len(frames[0]["Z"]) + 0.5,
            0.0,
            1.05 * float(max(tops) or 1),
        ]
    points = [frame[part] for frame in frames for part in ("Z", "anchors")]
    points = np.vstack(points).astype(float)
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.04 * np.maximum(high - low, 1e-9 + 1e-6 * np.abs(high))
    extents = [
        frame["extent"] for frame in frames if frame["extent"] is not None
    ]
    edges = np.array(extents).reshape(-1, 2, 2)  # extent, axis, end
    # the background's own edges, where these lie outside the samples'
    least = edges[..., 0].min(axis=0, initial=np.inf)
    most = edges[..., 1].max(axis=0, initial=-np.inf)
    low = np.where(least <= low, least, low - margin)
    high = np.where(most >= high, most, high + margin)
    return np.column_stack([low, high]).ravel().tolist()


def overlay(frame, address):
    """What lies over and under the samples, as the browser reads it.

    `address` is that of the background.
    """
    parts = {
        key: np.round(frame[key], 6).tolist() for key in ("anchors", "segments")
    }
    parts |= {
        key: frame[key]
        for key in ("status", "code", "axis_names", "hover", "color_by")
        if frame[key]
    }
    parts |= {
        key: frame[key].tolist()
        for key in ("links", "rings")
        if frame[key].size
    }
    if address is not None:
        extent = frame["extent"].tolist()
        parts["background"] = {"at": address, "extent": extent}
    return parts
