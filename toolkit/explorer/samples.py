"""Names, columns and images of samples at every setting, for the browser."""

from collections.abc import Mapping
from dataclasses import KW_ONLY

import numpy as np

from ..core import (
    MOST_CODES,
    Flag,
    check_codes,
    check_names,
    check_numbers,
    check_parameters,
    check_same_length,
    check_sides,
    class_column,
    largest,
    parameters,
    require,
)
from ..core.mixed import column_kind
from ..plots.style import CLASS_COLORS, class_styles

# with a colour of their own; the rarer ones have the same grey
MOST_CATEGORIES = len(CLASS_COLORS)
OTHER_COLOR = "#c8ccd0"


def ensure(holds, message):
    """Refuse what does not hold."""
    if not holds:
        raise ValueError(message)


@parameters
class SampleInfo:
    """Data on n samples in addition to their class; each part is optional.

    Parameters
    ----------
    names : sequence of n str or None, default=None
        Name of each sample: for tooltips, the search and the CSV file. None: its number
        from 0.
    columns : mapping of str to n values, DataFrame of n rows or None, default=None
        Further values of the samples. The tooltips show them, the search finds them,
        and the CSV file contains them. Each column can colour the samples, numbers by a
        continuous scale, other values by category.
    color_by : str or None, default=None
        Name of the column that colours the samples at first. None: their class.
    hover : sequence of n str or None, default=None
        Further text to show on a sample.
    images : array-like of shape (n, h, w) or None, default=None
        Grey values to show on a sample: 0 is black; 255 is white, or the largest value
        where all are below 128.
    sides : sequence of n str or None, default=None
        One of two names for each sample; those of the side named first are outlines.

    Examples
    --------
    >>> SampleInfo(hover=["a digit", "another"]).hover
    ['a digit', 'another']
    """

    _: KW_ONLY
    names: object = None
    columns: object = None
    color_by: object = None
    hover: object = None
    images: object = None
    sides: object = None


@parameters
class Style:
    """Options of how the samples of an explorer are drawn.

    Parameters
    ----------
    anchor_classes : sequence of m int or None, default=None
        Class whose colour and marker an anchor has.
    equal_aspect : bool, default=True
        Whether both axes have the same unit.

    Examples
    --------
    >>> Style(anchor_classes=[0, 1]).equal_aspect
    True
    """

    _: KW_ONLY
    anchor_classes: object = None
    equal_aspect: Flag = True


def sample_traits(n, labels, label_names, info):
    """What is said of `n` samples at every setting: traits of the explorer by name."""
    require(isinstance(info, SampleInfo), "samples", "a SampleInfo", info)
    # classes: the number of each sample, names, colours and markers
    labels = (
        np.zeros(n, int) if labels is None else class_column(labels, "labels")
    )
    check_same_length(range(n), labels, ("compute", "labels"))
    classes, index = np.unique(labels, return_inverse=True)
    label_names = classes if label_names is None else label_names
    names = check_names(
        label_names, np.size(label_names), "label_names", "class"
    )
    more = len(names) - len(classes)
    ensure(
        more >= 0,
        f"`label_names` must hold one name per class ({len(classes)}); got"
        f" {len(names)}.",
    )
    if more:  # then labels are numbers of the names, of which some do not occur
        index = check_codes(labels, "labels", len(names))
    traits = {
        "labels": index.tolist(),
        "label_names": names,
        "styles": class_styles(len(names)),
    }
    for name in ("hover", "names"):
        traits[name] = names_or_none(vars(info), name, n, "sample")
    traits["columns"] = read_columns(info.columns, n)
    traits["side_names"], outlined = check_sides(info.sides, n)
    traits["outlined"] = outlined.tolist() if traits["side_names"] else []
    if info.images is not None:
        images = check_numbers(
            info.images, "images", shape=(n, "h", "w"), magnitude=False
        )
        most = images.max(initial=0)
        # small grey values, such as 0 to 16, use the whole range
        white = 255 if most >= 128 else most or 1
        pixels = np.clip(images * (255 / white), 0, 255).astype(np.uint8)
        traits |= {
            "images": pixels.tobytes(),
            "image_shape": list(images.shape[1:]),
        }
    return traits


def names_or_none(given, name, count, of):
    """What is given under a name as a list of `count` texts; none where it is empty."""
    names = given.get(name)
    is_empty = names is None or not np.size(names)
    return [] if is_empty else check_names(names, count, name, of)


def styles_of_anchors(style, n_anchors):
    """Colour and marker of each anchor, which follow its class."""
    require(isinstance(style, Style), "style", "a Style", style)
    check_parameters(style)
    classes = range(n_anchors)
    if style.anchor_classes is not None:
        classes = check_codes(
            style.anchor_classes,
            "anchor_classes",
            MOST_CODES,
            shape=(n_anchors,),
        )
    styles = class_styles(max(classes, default=0) + 1)
    return [styles[c] for c in classes]


def read_columns(columns, n):
    """Each column of `n` values as numbers, NaN where missing, or as categories.

    Categories are sorted; of more than ten the rarer ones have the same grey and keep
    their names.

    Examples
    --------
    >>> read_columns({"kind": ["b", "a", "b"]}, 3)[0]["names"]
    ['a', 'b']
    >>> read_columns({"kind": ["b", "a"]}, 3)
    Traceback (most recent call last):
    ...
    ValueError: `columns`['kind'] must hold one value per sample (3); got shape (2,).
    """
    if columns is None:
        return []
    require(
        isinstance(columns, Mapping) or hasattr(columns, "columns"),
        "columns",
        "a dict of names and values, or a DataFrame",
        columns,
    )
    return [_column(str(name), values, n) for name, values in columns.items()]


def _column(name, values, n):
    """A column as the browser reads it."""
    if not hasattr(values, "dtype"):
        values = np.array(list(values), dtype=object)
    values = np.asarray(values)
    ensure(
        values.shape == (n,),
        f"`columns`[{name!r}] must hold one value per sample ({n}); got shape"
        f" {values.shape}.",
    )
    column = {"name": name, "kind": "number"}
    if values.dtype.kind == "M":  # coloured by time, shown as dates
        gaps = np.isnat(values)
        dates = values.astype("datetime64[D]")
        days = dates.astype("<f8")
        # no time of day where none of them has one
        has_time = (dates[~gaps] != values[~gaps]).any()
        texts = values.astype("datetime64[s]" if has_time else dates.dtype)
        texts = texts.astype(str)
        days[gaps] = np.nan
        texts[gaps] = ""
        return column | {"values": days.tobytes(), "texts": texts.tolist()}
    kind, entries = column_kind(values)
    if kind in ("numbers", "nothing"):
        numbers = np.array(entries, dtype="<f8")  # NaN of None
        if not np.isinf(numbers).any():
            return column | {"values": numbers.tobytes()}
    words = ["" if entry is None else str(entry) for entry in entries]
    return column | {"kind": "category"} | _categories(words)


def _categories(texts):
    """Sorted names, colours and markers, and numbers of the categories of texts."""
    names, codes, counts = np.unique(
        texts, return_inverse=True, return_counts=True
    )
    # the most frequent categories have a colour of their own
    common = largest(counts, MOST_CATEGORIES)
    styles = [(OTHER_COLOR, "o")] * len(names)
    for c, style in zip(common, class_styles(len(common)), strict=True):
        styles[c] = style
    names = [text or "missing" for text in names.tolist()]
    return {"names": names, "styles": styles, "codes": codes.tolist()}
