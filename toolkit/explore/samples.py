"""What is said of the samples of an explorer at every setting, as the browser reads it."""

from collections.abc import Mapping

import numpy as np

from ..core.arrays import check_numbers
from ..core.checks import check_names, shown
from ..core.labels import class_column
from ..plots.inputs import check_codes, check_sides
from ..plots.style import CLASS_COLORS, class_styles
from .frames import need

__all__ = ["anchor_styles", "any_names", "checked_bar_names", "samples"]

MOST_CATEGORIES = len(CLASS_COLORS)  # with a colour of their own; the rarer ones share grey
OTHER_COLOR = "#c8ccd0"


def checked_bar_names(frame, names):
    """A name for each bar, their numbers from 1 where none is given; none without bars."""
    if not frame["bars"]:
        need(names is None, "`bar_names` names bars, but `compute` returned a map; leave it out.")
        return []
    n = len(frame["Z"])
    return check_names(range(1, n + 1) if names is None else names, n, "bar_names", "bar")


def samples(n, labels, label_names, hover, images, sides, names, columns):
    """What is said of `n` samples at every setting: traits of the explorer by name."""
    labels = np.zeros(n, dtype=int) if labels is None else class_column(labels, "labels")
    need(labels.shape == (n,), f"`labels` must hold one class per sample, shape ({n},); got shape {labels.shape}.")
    classes, index = np.unique(labels, return_inverse=True)
    of_classes = any_names(classes if label_names is None else label_names, "label_names", "class")
    more = len(of_classes) - len(classes)
    need(more >= 0, f"`label_names` must hold one name per class ({len(classes)}); got {len(of_classes)}.")
    if more:  # then labels are numbers of the names, of which some do not occur
        numbers = labels.dtype.kind in "iu" and labels.min() >= 0 and labels.max() < len(of_classes)
        rule = f"then `labels` must be numbers from 0 to {len(of_classes) - 1}"
        need(numbers, f"`label_names` holds {len(of_classes)} names for {len(classes)} classes; {rule}.")
        index = labels
    styles = [list(style) for style in class_styles(len(of_classes))]
    traits = {"labels": index.tolist(), "label_names": of_classes, "styles": styles}
    for name, texts in {"hover": hover, "names": names}.items():
        traits[name] = [] if texts is None else check_names(texts, n, name, "sample")
    traits["columns"] = checked_columns(columns, n)
    traits["side_names"], outlined = check_sides(sides, n)
    traits["outlined"] = outlined.tolist() if sides is not None else []
    if images is not None:
        images = check_numbers(images, "images", shape=(n, "h", "w"), magnitude=False)
        white = 255 if images.max(initial=0) >= 128 else images.max(initial=0) or 1
        pixels = np.clip(images * (255 / white), 0, 255).astype(np.uint8)
        traits |= {"images": pixels.tobytes(), "image_shape": list(images.shape[1:])}
    return traits


def any_names(names, name, of):
    """Names as a list of str, however many."""
    return check_names(names, np.size(names), name, of)


def anchor_styles(n_anchors, classes, n_classes):
    """Colour and marker of each anchor: those of its class, or of the class of the same number."""
    classes = check_codes(range(n_anchors) if classes is None else classes, "anchor_classes")
    need(
        len(classes) == n_anchors,
        f"`anchor_classes` must hold {n_anchors} classes, one per anchor; got {len(classes)}.",
    )
    styles = class_styles(max([*classes, n_classes - 1], default=0) + 1)
    return [list(styles[c]) for c in classes]


def checked_columns(columns, n):
    """Each column of `n` values: numbers (NaN where missing), other values as numbers of categories.

    Categories are sorted; of more than ten the rarer ones share a grey and keep their names.

    Examples
    --------
    >>> checked_columns({"kind": ["b", "a", "b"]}, 3)[0]["names"]
    ['a', 'b']
    >>> checked_columns({"kind": ["b", "a"]}, 3)
    Traceback (most recent call last):
    ...
    ValueError: `columns`['kind'] must hold one value per sample (3); got shape (2,).
    """
    if columns is None:
        return []
    named = isinstance(columns, Mapping) or hasattr(columns, "columns")
    need(named, f"`columns` must be a dict of names and values, or a DataFrame; got {shown(columns)}.")
    return [_column(str(name), values, n) for name, values in columns.items()]


def _column(name, values, n):
    values = np.asarray(values) if hasattr(values, "dtype") else np.array(list(values), dtype=object)
    need(values.shape == (n,), f"`columns`[{name!r}] must hold one value per sample ({n}); got shape {values.shape}.")
    if values.dtype.kind == "M":  # coloured by time, told as dates
        gone, days = np.isnat(values), values.astype("datetime64[D]")
        numbers = np.where(gone, np.nan, days.astype(float)).astype("<f8")
        texts = np.where(gone, "", values.astype("datetime64[s]").astype(str)).tolist()
        return {"name": name, "kind": "number", "values": numbers.tobytes(), "texts": texts}
    missing = np.array([v is None or str(v) in ("NaT", "<NA>") or v != v for v in values.tolist()], dtype=bool)
    known = values[~missing]
    if not any(isinstance(v, bool | np.bool_) for v in known.tolist()):
        try:
            numbers = np.full(n, np.nan)
            numbers[~missing] = known.astype(float)
        except (TypeError, ValueError):
            pass
        else:
            if not any(isinstance(v, str) for v in known.tolist()) and np.isfinite(numbers[~missing]).all():
                return {"name": name, "kind": "number", "values": numbers.astype("<f8").tobytes()}
    texts = np.array(["" if m else str(v) for v, m in zip(values.tolist(), missing, strict=True)])
    names, codes, counts = np.unique(texts, return_inverse=True, return_counts=True)
    common = np.sort(np.argsort(-counts, kind="stable")[:MOST_CATEGORIES])
    styles = [[OTHER_COLOR, "o"]] * len(names)
    for c, style in zip(common, class_styles(len(common)), strict=True):
        styles[c] = list(style)
    about = {"names": [str(t) or "missing" for t in names], "styles": styles, "codes": codes.tolist()}
    return {"name": name, "kind": "category", **about}
