"""The settings of an explorer, and the frame of each: the result of one call, checked and aligned to the first."""

import inspect
import sys
from collections.abc import Mapping

import numpy as np

from ..core.arrays import check_numbers
from ..core.checks import check_names, short_repr
from ..core.linalg import procrustes
from ..plots.inputs import check_box, check_codes
from .samples import MOST_SENT, require

PARTS = (
    "Z", "bars", "anchors", "segments", "status", "hover", "links", "background", "extent", "rings", "axis_names",
)  # fmt: skip
LARGEST = 1e37  # number that single precision holds
KINDS = {"bool": {bool}, "choice": {str}, "number": {int, float}}


def check_axes(axes):
    """For each slider its name, its values as Python objects and their kind: "bool", "choice" or "number"."""
    rule = (
        "`axes` must name at least one slider with its values, such as {'lam': [0,"
        " 0.5, 1]}"
    )
    named = (
        axes
        and isinstance(axes, Mapping)
        and all(isinstance(name, str) for name in axes)
    )
    require(named, f"{rule}; got {short_repr(axes)}.")
    checked = []
    for name, given in axes.items():
        listed = (
            hasattr(given, "__iter__")
            and not isinstance(given, str | bytes | Mapping)
            and np.shape(given) != ()
        )
        values = (
            [v.item() if isinstance(v, np.generic) else v for v in given]
            if listed
            else []
        )
        kind = next(
            (kind for kind, types in KINDS.items() if {*map(type, values)} <= types),
            None,
        )
        if kind == "number" and not all(abs(v) <= sys.float_info.max for v in values):
            kind = None
        rule = f"`axes`[{name!r}] must hold finite numbers, booleans or strings"
        require(values and kind, f"{rule}, at least one; got {short_repr(given)}.")
        require(
            len(set(values)) == len(values),
            f"{rule}, values that differ; got {short_repr(given)}.",
        )
        checked.append({"name": name, "values": values, "kind": kind})
    return checked


def check_takes(compute, axes):
    """`compute` must be a function of one argument per axis."""
    try:
        inspect.signature(compute).bind(**dict.fromkeys(axes))
    except TypeError:
        rule = f"`compute` must be a function with the arguments {', '.join(axes)}"
        raise ValueError(f"{rule}; got {short_repr(compute)}.") from None
    except ValueError:  # functions of other languages may not tell
        pass


def code_of(code, setting):
    """The code of a setting, from a template or by a function."""
    if callable(code):
        text = code(**setting)
        require(
            isinstance(text, str),
            f"`code` must return a text at {setting}; got {short_repr(text)}.",
        )
        return text
    rule = (
        f"`code` must be a text or a function with the arguments {', '.join(setting)}"
    )
    require(isinstance(code, str), f"{rule}; got {short_repr(code)}.")
    for name, value in setting.items():
        code = code.replace(f"{{{name}}}", repr(value))
    return code


def check_frame(result, setting, n_anchors, reference):
    """All parts of what `compute` returned; if ``bars`` is true, ``Z`` holds bars. `reference`: the first frame."""
    result = result if isinstance(result, dict) else {"Z": result}
    known = set(result) <= set(PARTS) and (
        result.get("bars") is not None or "Z" in result
    )
    require(
        known,
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
    barred = result.get("bars") is not None
    Z = _bars(result) if barred else _numbers(result["Z"], "Z", ("n", 2))
    n = len(Z)
    require(n, f"`Z` must hold at least one sample; got shape {Z.shape}.")
    if reference is not None:
        alike = barred == reference["bars"] and Z.shape == reference["Z"].shape
        wanted = (
            f"{'bars' if reference['bars'] else 'a map'} of shape"
            f" {reference['Z'].shape}"
        )
        require(
            alike,
            f"it must be {wanted} as at every setting; got"
            f" {'bars' if barred else 'a map'} of shape {Z.shape}.",
        )
    anchors = _rows(result, "anchors", 2)
    got = len(anchors)
    require(
        got == n_anchors,
        f"`anchors` must hold one per name of `anchor_names` ({n_anchors}); got {got}.",
    )
    hover, names = result.get("hover", ()), result.get("axis_names")
    none = hasattr(hover, "__len__") and not len(hover)
    links = check_codes(
        result.get("links", np.empty((n, 0))),
        "links",
        ndim=2,
        count=n_anchors,
        of="anchors",
    )
    require(
        len(links) == n, f"`links` must have shape ({n}, q); got shape {links.shape}."
    )
    rings = result.get("rings", ())
    require(
        np.asarray(rings).dtype != bool,
        "`rings` must hold numbers of samples, not True and False.",
    )
    return {
        "Z": Z,
        "bars": barred,
        "status": str(result.get("status", "")),
        "anchors": anchors,
        "segments": _rows(result, "segments", 4),
        "hover": [] if none else check_names(hover, n, "hover", "sample"),
        "axis_names": (
            [] if names is None else check_names(names, 2, "axis_names", "axis")
        ),
        "links": links,
        "rings": np.unique(check_codes(rings, "rings", count=n, of="samples")),
        **_background(result),
    }


def _numbers(values, name, shape=None):
    """What `compute` returned under a name, as floats that single precision holds."""
    A = check_numbers(values, name, shape=shape)
    most = np.abs(A).max(initial=0.0)
    rule = f"`{name}` must hold numbers up to {LARGEST:g}, as single precision holds"
    require(most <= LARGEST, f"{rule}; got {most:.3g}. Rescale them.")
    return A


def _rows(result, name, width):
    """Rows (m, width), of which one may be flat; none by default."""
    A = _numbers(result.get(name, ()), name)
    A = A.reshape(-1, width) if A.ndim == 1 and A.size % width == 0 else A
    return check_numbers(A, name, shape=("m", width))


def _bars(result):
    """Upper ends (n,), or lower and upper ends (n, 2)."""
    for name in ("Z", "background"):
        require(result.get(name) is None, f"`bars` stand without `{name}`; got both.")
    bars = _numbers(result["bars"], "bars")
    rule = "`bars` must have shape (n, 2), lower and upper end, or (n,), upper end"
    require(
        bars.size and bars.ndim and bars.shape[1:] in ((), (2,)),
        f"{rule}; got shape {bars.shape}.",
    )
    lower, upper = ends(bars)
    for j in np.flatnonzero((lower < 0) | (upper < lower)):
        got = f"{lower[j]:.6g} to {upper[j]:.6g} for number {j}"
        require(
            False,
            f"`bars` must have 0 <= lower <= upper; got {got}. Clip what rounding has"
            " moved.",
        )
    return bars


def ends(bars):
    """Lower and upper ends, (n,) each, of bars (n, 2) or (n,)."""
    return (np.zeros_like(bars), bars) if bars.ndim == 1 else (bars[:, 0], bars[:, 1])


def _background(result):
    """A coloured picture under the samples and the rectangle that it covers; None if there is none."""
    background, extent = result.get("background"), result.get("extent")
    require(
        (background is None) == (extent is None),
        "`background` and `extent` belong together; got one alone.",
    )
    if background is not None:
        background, extent = np.array(background), np.array(check_box(extent, "extent"))
        fits = (
            background.dtype == np.uint8
            and background.shape[2:] == (3,)
            and background.size
        )
        got = f"shape {background.shape}, type {background.dtype}"
        require(
            fits, f"`background` must have shape (h, w, 3) and type uint8; got {got}."
        )
    return {"background": background, "extent": extent}


def align_frame(frame, reference):
    """The whole frame moved as its samples are; bars stay, and a background, because a picture cannot turn."""
    if frame["bars"] or frame["background"] is not None:
        return frame
    Z = frame["Z"]
    turned, centre = procrustes(Z, reference), Z.mean(axis=0)
    # The movement of Z applied to the rest: solve for the orthogonal map that did it.
    R, _, rank, _ = np.linalg.lstsq(
        Z - centre, turned - turned.mean(axis=0), rcond=None
    )
    if rank < 2:
        # a line or a point: the rotation is not determined, and nothing else could
        # follow it
        return frame
    moved = {"Z": turned}
    for name in ("anchors", "segments"):
        points = frame[name].reshape(-1, 2)
        moved[name] = ((points - centre) @ R + turned.mean(axis=0)).reshape(
            frame[name].shape
        )
    return frame | moved


def common_limits(frames):
    """Limits x_min, x_max, y_min, y_max that hold every sample, anchor and background of the frames.

    Samples and anchors have a margin, unless a background reaches beyond them; a
    background has none. Bars stand at 1, 2, ... n and on 0.
    """
    if frames[0]["bars"]:
        tops = np.concatenate(
            [np.r_[ends(f["Z"])[1], f["anchors"][:, 1]] for f in frames]
        )
        return [0.5, len(frames[0]["Z"]) + 0.5, 0.0, 1.05 * float(tops.max() or 1)]
    points = np.vstack(
        [frame[part] for frame in frames for part in ("Z", "anchors")]
    ).astype(float)
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.04 * np.maximum(high - low, 1e-9 + 1e-6 * np.abs(high))
    extents = [frame["extent"] for frame in frames if frame["extent"] is not None]
    edges = np.array(extents).reshape(-1, 2, 2)  # extent, axis, end
    least, most = (
        edges[..., 0].min(axis=0, initial=np.inf),
        edges[..., 1].max(axis=0, initial=-np.inf),
    )
    low = np.where(least <= low, least, low - margin)
    high = np.where(most >= high, most, high + margin)
    return np.column_stack([low, high]).ravel().tolist()


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
