"""What is said of the samples of an explorer at every setting: as the browser reads it, or asks the kernel for it."""

import contextlib
from collections.abc import Mapping

import numpy as np

from ..core.arrays import check_numbers
from ..core.checks import check_names, shown
from ..core.labels import class_column
from ..plots.inputs import check_codes, check_sides
from ..plots.style import CLASS_COLORS, class_styles

__all__ = ["MOST_SENT", "Words", "anchor_styles", "any_names", "checked_bar_names", "need", "samples"]

MOST_SENT = 200_000  # samples whose words are sent
MOST_KINDS = 1000  # names of a column's categories that are sent; of more the rare ones are "other"
MOST_CATEGORIES = len(CLASS_COLORS)  # with a colour of their own; the rarer ones share grey
OTHER_COLOR = "#c8ccd0"


def need(holds, message):
    """Refuse what does not hold."""
    if not holds:
        raise ValueError(message)


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
        index = check_codes(labels, "labels", count=len(of_classes))
    styles = [list(style) for style in class_styles(len(of_classes))]
    traits = {"labels": index.tolist(), "label_names": of_classes, "styles": styles}
    for name, texts in {"hover": hover, "names": names}.items():
        traits[name] = [] if texts is None else check_names(texts, n, name, "sample")
    traits["columns"] = checked_columns(columns, n)
    traits["side_names"], outlined = check_sides(sides, n)
    traits["outlined"] = outlined.tolist() if sides is not None else []
    if images is not None:
        images = check_numbers(images, "images", shape=(n, "h", "w"), magnitude=False)
        largest = images.max(initial=0)
        white = 255 if largest >= 128 else largest or 1
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
    listed = values.tolist()
    missing = np.array([v is None or str(v) in ("NaT", "<NA>") or v != v for v in listed], dtype=bool)
    if not any(isinstance(v, bool | np.bool_ | str) for v in values[~missing].tolist()):
        with contextlib.suppress(TypeError, ValueError):
            numbers = np.full(n, np.nan, dtype="<f8")
            numbers[~missing] = values[~missing].astype(float)
            if np.isfinite(numbers[~missing]).all():
                return {"name": name, "kind": "number", "values": numbers.tobytes()}
    texts = np.array(["" if m else str(v) for v, m in zip(listed, missing, strict=True)])
    names, codes, counts = np.unique(texts, return_inverse=True, return_counts=True)
    common = np.sort(np.argsort(-counts, kind="stable")[:MOST_CATEGORIES])
    styles = [[OTHER_COLOR, "o"]] * len(names)
    for c, style in zip(common, class_styles(len(common)), strict=True):
        styles[c] = list(style)
    about = {"names": [str(t) or "missing" for t in names], "styles": styles, "codes": codes.tolist()}
    return {"name": name, "kind": "category", **about}


class Words:
    """Names and texts of n samples, and the categories of columns that have very many.

    Parameters
    ----------
    traits : dict
        What `samples` makes. Of more than 200,000 samples these words leave it, and `asks` is
        true in it.

    Examples
    --------
    >>> traits = {"labels": [0, 0], "names": ["a", "b"], "hover": [], "columns": []}
    >>> words = Words(traits)
    >>> traits["asks"], traits["names"]  # so few are sent
    (False, ['a', 'b'])
    """

    def __init__(self, traits):
        traits["asks"] = len(traits["labels"]) > MOST_SENT
        self._words, self._columns = {"name": [], "text": []}, {}
        if traits["asks"]:
            self._words = {"name": traits["names"], "text": traits["hover"]}
            traits |= {"names": [], "hover": [], "columns": [self._shortened(column) for column in traits["columns"]]}

    def _shortened(self, column):
        """A column without long lists of words: dates as their days, rare categories as one."""
        if "texts" in column:
            return {key: value for key, value in column.items() if key != "texts"} | {"date": True}
        if len(column.get("names", ())) <= MOST_KINDS:
            return column
        codes, names, styles = np.array(column["codes"]), column["names"], column["styles"]
        self._columns[column["name"]] = codes, names
        common = np.sort(np.argsort(-np.bincount(codes), kind="stable")[:MOST_CATEGORIES])
        new = np.full(len(names), len(common))
        new[common] = np.arange(len(common))
        kept = [*common, np.setdiff1d(np.arange(len(names)), common)[0]]
        return column | {
            "names": [*(names[c] for c in common), "other"],
            "styles": [styles[c] for c in kept],
            "codes": new[codes].tolist(),
        }

    def answer(self, asked, hover=()):
        """What the browser is told, a dict and a list of bytes, if it asks for a "sample" or to "find" words."""
        if words := asked.get("find"):
            return {"find": words}, [self.find(str(words), hover).tobytes()]
        return {"sample": asked["sample"], "words": self.of(asked["sample"], hover)}, []

    def of(self, i, hover=()):
        """What is known of sample i; `hover` are the texts of the frame shown, in place of the explorer's own."""
        words = self._words | ({"text": hover} if len(hover) else {})
        told = {key: texts[i] for key, texts in words.items() if len(texts)}
        return told | {"columns": {name: names[codes[i]] for name, (codes, names) in self._columns.items()}}

    def find(self, words, hover=()):
        """Numbers (q,) of the samples whose names, texts or categories hold `words`, in lower case, as int32."""
        found = set()
        for texts in (self._words["name"], hover or self._words["text"]):
            found.update(i for i, text in enumerate(texts) if words in text.lower())
        for codes, names in self._columns.values():
            having = np.array([words in name.lower() for name in names])
            found.update(np.flatnonzero(having[codes]).tolist())
        return np.array(sorted(found), dtype="<i4")
