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
    duration_phrase,
    largest,
    parameters,
    require,
)
from ..core.mixed import column_kind
from ..plots.style import CLASS_COLORS, class_styles

# So many categories have a colour of their own; the rarer ones have the same grey.
MOST_COLORED_CATEGORIES = len(CLASS_COLORS)
RARE_CATEGORY_COLOR = "#c8ccd0"
# Grey values below this use the whole range, such as those from 0 to 16.
SMALL_GREY_VALUE = 128
WHITE = 255


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
    """What is said of `n` samples at every setting: traits of the explorer by name.

    `labels` (n,) are classes, `label_names` their names; `info` is a SampleInfo.
    """
    require(isinstance(info, SampleInfo), "samples", "a SampleInfo", info)
    traits = _class_traits(n, labels, label_names)
    traits["hover"] = names_or_none(vars(info), "hover", n, "sample")
    traits["names"] = names_or_none(vars(info), "names", n, "sample")
    traits["columns"] = read_columns(info.columns, n)
    side_names, is_outlined = check_sides(info.sides, n)
    traits["side_names"] = side_names
    traits["outlined"] = is_outlined.tolist() if side_names else []
    if info.images is not None:
        traits |= _image_traits(n, info.images)
    return traits


def _class_traits(n, labels, label_names):
    """Number of the class of each sample, names, colours and markers of the classes."""
    if labels is None:
        labels = np.zeros(n, int)
    else:
        labels = class_column(labels, "labels")
    check_same_length(range(n), labels, ("compute", "labels"))
    classes, numbers = np.unique(labels, return_inverse=True)
    if label_names is None:
        label_names = classes
    names = check_names(
        label_names, np.size(label_names), "label_names", "class"
    )
    ensure(
        len(names) >= len(classes),
        f"`label_names` must hold one name per class ({len(classes)}); got"
        f" {len(names)}.",
    )
    # Labels are numbers of the names where there are more names than classes: some do
    # not occur.
    if len(names) > len(classes):
        numbers = check_codes(labels, "labels", len(names))
    return {
        "labels": numbers.tolist(),
        "label_names": names,
        "styles": class_styles(len(names)),
    }


def _image_traits(n, images):
    """Grey values of `n` images as bytes, and their shape."""
    images = check_numbers(
        images, "images", shape=(n, "h", "w"), magnitude=False
    )
    largest_value = images.max(initial=0)
    white = largest_value
    if largest_value >= SMALL_GREY_VALUE:
        white = WHITE
    elif largest_value == 0:
        # Images without a positive value are black.
        white = 1
    pixels = np.clip(images * (WHITE / white), 0, WHITE).astype(np.uint8)
    return {"images": pixels.tobytes(), "image_shape": list(images.shape[1:])}


def names_or_none(fields, field, count, kind):
    """What a field holds, as a list of `count` texts; none where it is empty.

    `kind` says in messages of what the texts are names.
    """
    names = fields.get(field)
    if names is None or not np.size(names):
        return []
    return check_names(names, count, field, kind)


def styles_of_anchors(style, n_anchors):
    """Colour and marker of each anchor, which follow its class."""
    require(isinstance(style, Style), "style", "a Style", style)
    check_parameters(style)
    codes = range(n_anchors)
    if style.anchor_classes is not None:
        codes = check_codes(
            style.anchor_classes,
            "anchor_classes",
            MOST_CODES,
            shape=(n_anchors,),
        )
    styles = class_styles(max(codes, default=0) + 1)
    return [styles[code] for code in codes]


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
    if values.dtype.kind == "M":
        return {"name": name, "kind": "number", **_dates(values)}
    if values.dtype.kind == "m":
        return {"name": name, "kind": "number", **_durations(values)}
    kind, entries = column_kind(values)
    if kind in ("numbers", "nothing"):
        # None becomes NaN.
        numbers = np.array(entries, dtype="<f8")
        if not np.isinf(numbers).any():
            return {"name": name, "kind": "number", "values": numbers.tobytes()}
    words = ["" if entry is None else str(entry) for entry in entries]
    return {"name": name, "kind": "category", **_categories(words)}


def _dates(values):
    """Dates as numbers of days, by which samples are coloured, and as texts."""
    is_missing = np.isnat(values)
    dates = values.astype("datetime64[D]")
    days = dates.astype("<f8")
    days[is_missing] = np.nan
    # There is no time of day where no date has one.
    has_time = (dates[~is_missing] != values[~is_missing]).any()
    texts = values.astype("datetime64[s]" if has_time else dates.dtype)
    texts = texts.astype(str)
    texts[is_missing] = ""
    return {"values": days.tobytes(), "texts": texts.tolist()}


def _durations(values):
    """Durations as numbers of seconds, by which samples are coloured, and as texts."""
    seconds = values / np.timedelta64(1, "s")
    texts = [
        "" if np.isnan(duration) else duration_phrase(duration)
        for duration in seconds.tolist()
    ]
    return {"values": seconds.astype("<f8").tobytes(), "texts": texts}


def _categories(texts):
    """Sorted names, colours and markers, and numbers of the categories of texts."""
    names, codes, counts = np.unique(
        texts, return_inverse=True, return_counts=True
    )
    # The most frequent categories have a colour of their own.
    colored_codes = largest(counts, MOST_COLORED_CATEGORIES)
    colored_styles = class_styles(len(colored_codes))
    styles = [(RARE_CATEGORY_COLOR, "o") for _ in names]
    for code, style in zip(colored_codes, colored_styles, strict=True):
        styles[code] = style
    return {
        "names": [text or "missing" for text in names.tolist()],
        "styles": styles,
        "codes": codes.tolist(),
    }
