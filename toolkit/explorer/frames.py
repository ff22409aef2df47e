"""One frame of an explorer: the result of one call, checked and aligned.

Here `result` is what `compute` returned, as a dict, and `frame` a dict of its checked
parts. `setting` has values of the sliders by name.
"""

import numpy as np
from scipy.linalg import orthogonal_procrustes

from ..core import check_box, check_codes, check_numbers, magnitude
from .samples import ensure, names_or_none

PARTS_OF_FRAME = (
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
LARGEST_SINGLE = 1e37  # number that single precision holds
SAMPLES_MARGIN = 0.04  # around the samples, as a fraction of their range
BAR_MARGIN = 1.05  # height of the picture in units of the highest bar


def check_frame(result, setting, n_anchors, reference):
    """All parts of what `compute` returned; if ``bars`` is true, ``Z`` holds bars.

    `reference` is the first frame.
    """
    ensure(
        result is not None,
        f"`compute` returned None at {setting}. It must return Z, of shape (n, 2), or"
        " a dict with Z or bars: does it end with `return`?",
    )
    if not isinstance(result, dict):
        result = {"Z": result}
    has_samples = "Z" in result or "bars" in result
    ensure(
        has_samples and set(result) <= set(PARTS_OF_FRAME),
        f"`compute` must return Z, or a dict of {', '.join(PARTS_OF_FRAME)}; at"
        f" {setting} it returned a dict of {list(result)}.",
    )
    try:
        return _parts(result, n_anchors, reference)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"`compute` returned at {setting} what cannot be drawn: {error}"
        ) from None


def _parts(result, n_anchors, reference):
    """The frame, a dict, of what `compute` returned, checked.

    `reference` is the first frame, None for the first: others have its kind and shape.
    """
    is_bars = "bars" in result
    if is_bars:
        Z = _bars(result)
    else:
        Z = _numbers(result["Z"], "Z", ("n", 2))
    n_samples = len(Z)
    ensure(
        n_samples, f"`Z` must hold at least one sample; got shape {Z.shape}."
    )
    # Every frame has the kind and shape of the first.
    noun = "bars" if is_bars else "a map"
    kind = f"{noun} of shape {Z.shape}"
    if reference is not None:
        ensure(
            kind == reference["kind"],
            f"it must be {reference['kind']} as at every setting; got {kind}.",
        )
    anchors = _rows(result, "anchors", 2)
    ensure(
        len(anchors) == n_anchors,
        f"`anchors` must hold one per name of `anchor_names` ({n_anchors}); got"
        f" {len(anchors)}.",
    )
    frame = {"Z": Z, "bars": is_bars, "kind": kind, "anchors": anchors}
    for name in ("status", "color_by"):
        frame[name] = str(result.get(name, ""))
    frame["segments"] = _rows(result, "segments", 4)
    frame["hover"] = names_or_none(result, "hover", n_samples, "sample")
    frame["axis_names"] = names_or_none(result, "axis_names", 2, "axis")
    frame["rings"] = _rings(result, n_samples)
    links = result.get("links", np.empty((n_samples, 0)))
    frame["links"] = check_codes(
        links, "links", n_anchors, shape=(n_samples, "q"), items="anchors"
    )
    frame["background"], frame["extent"] = _background(result)
    return frame


def _numbers(values, name, shape=None):
    """What `compute` returned under a name, as floats that single precision holds."""
    A = check_numbers(values, name, shape=shape)
    largest = magnitude(A)
    ensure(
        largest <= LARGEST_SINGLE,
        f"`{name}` must hold numbers up to {LARGEST_SINGLE:g}, as single precision"
        f" holds; got {largest:.3g}. Rescale them.",
    )
    return A


def _rows(result, name, width):
    """Rows (m, width), none by default."""
    rows = result.get(name, np.empty((0, width)))
    return _numbers(rows, name, ("m", width))


def _bars(result):
    """Lower and upper ends (n, 2)."""
    for name in ("Z", "background"):
        ensure(
            name not in result,
            f"`bars` stand without `Z` and `background`; got `bars` and `{name}`.",
        )
    bars = _numbers(result["bars"], "bars", ("n", 2))
    lower, upper = bars.T
    wrong_bars = np.flatnonzero((lower < 0) | (upper < lower))
    if wrong_bars.size:
        j = wrong_bars[0]
        raise ValueError(
            f"`bars` must have 0 <= lower <= upper; got {lower[j]:.6g} to"
            f" {upper[j]:.6g} for bar {j}, the first of {len(wrong_bars)}."
            " Clip what rounding has moved."
        )
    return bars


def _rings(result, n_samples):
    """Numbers of the samples to be ringed, each once."""
    rings = np.asarray(result.get("rings", ()))
    ensure(
        rings.dtype != bool,
        "`rings` must hold numbers of samples, not True and False.",
    )
    return np.unique(check_codes(rings, "rings", n_samples, items="samples"))


def _background(result):
    """A coloured picture under the samples, and its rectangle; None and None if none.

    The picture is an array (h, w, 3), the rectangle (x_min, x_max, y_min, y_max).
    """
    background, extent = result.get("background"), result.get("extent")
    ensure(
        (background is None) == (extent is None),
        "`background` and `extent` belong together; got one alone.",
    )
    if background is None:
        return None, None
    background = np.array(background)
    extent = np.array(check_box(extent, "extent"))
    is_rgb = background.dtype == np.uint8 and background.shape[2:] == (3,)
    ensure(
        is_rgb and background.size,
        "`background` must have shape (h, w, 3) and type uint8; got shape"
        f" {background.shape}, type {background.dtype}.",
    )
    return background, extent


def align_frame(frame, reference):
    """The whole frame moved as its samples are, which turn towards the first.

    Bars stay, and a background, because a picture cannot turn.
    """
    if frame["bars"] or frame["background"] is not None:
        return frame
    centre = frame["Z"].mean(axis=0)
    reference_centre = reference.mean(axis=0)
    Z = frame["Z"] - centre
    # The rotation of a line or a point is not determined.
    if np.linalg.matrix_rank(Z) < 2:
        return frame
    R, _ = orthogonal_procrustes(Z, reference - reference_centre)
    aligned = {}
    for name in ("Z", "anchors", "segments"):
        points = frame[name].reshape(-1, 2) - centre
        moved = points @ R + reference_centre
        aligned[name] = moved.reshape(frame[name].shape)
    return frame | aligned


def common_limits(frames):
    """Limits x_min, x_max, y_min, y_max that hold all of the frames.

    Samples and anchors have a margin, unless a background reaches beyond them; a
    background has none. Bars are at 1, 2, ... n and start at 0.
    """
    if frames[0]["bars"]:
        return _limits_of_bars(frames)
    point_sets = []
    for frame in frames:
        point_sets += [frame["Z"], frame["anchors"]]
    points = np.vstack(point_sets).astype(float)
    low = points.min(axis=0)
    high = points.max(axis=0)
    smallest_range = 1e-9 + 1e-6 * np.abs(high)
    margin = SAMPLES_MARGIN * np.maximum(high - low, smallest_range)
    extents = []
    for frame in frames:
        if frame["extent"] is not None:
            extents.append(frame["extent"])
    edges = np.array(extents).reshape(-1, 2, 2)  # extent, axis, end
    # A background's own edges count, where these lie outside the samples.
    lowest_edge = edges[..., 0].min(axis=0, initial=np.inf)
    highest_edge = edges[..., 1].max(axis=0, initial=-np.inf)
    low = np.where(lowest_edge <= low, lowest_edge, low - margin)
    high = np.where(highest_edge >= high, highest_edge, high + margin)
    return np.column_stack([low, high]).ravel().tolist()


def _limits_of_bars(frames):
    """Left, right, lower and upper limit that show the bars of all frames."""
    tops = []
    for frame in frames:
        heights = np.append(frame["Z"], frame["anchors"][:, 1])
        tops.append(heights.max())
    highest = float(max(tops))
    # Bars of no height have a picture of height 1.
    if highest == 0:
        highest = 1
    n_bars = len(frames[0]["Z"])
    return [0.5, n_bars + 0.5, 0.0, BAR_MARGIN * highest]


def overlay(frame, address):
    """What lies over and under the samples, as the browser reads it.

    `address` is that of the background.
    """
    layers = {}
    for name in ("anchors", "segments"):
        layers[name] = np.round(frame[name], 6).tolist()
    for name in ("status", "code", "axis_names", "hover", "color_by"):
        if frame[name]:
            layers[name] = frame[name]
    for name in ("links", "rings"):
        if frame[name].size:
            layers[name] = frame[name].tolist()
    if address is not None:
        extent = frame["extent"].tolist()
        layers["background"] = {"at": address, "extent": extent}
    return layers
