"""What is said of the samples of an explorer at every setting: as the browser reads it, or asks the kernel for it."""

import contextlib
from collections.abc import Mapping

import numpy as np

from ..core.arrays import check_numbers
from ..core.checks import check_names, short_repr
from ..core.labels import class_column
from ..plots.inputs import check_codes, check_sides, largest
from ..plots.style import CLASS_COLORS, class_styles

MOST_SENT = 200_000  # samples whose words are sent
# names of a column's categories that are sent; of more the rare ones are "other"
MOST_KINDS = 1000
# with a colour of their own; the rarer ones share grey
MOST_CATEGORIES = len(CLASS_COLORS)
OTHER_COLOR = "#c8ccd0"


def require(holds, message):
    """Refuse what does not hold."""
    if not holds:
        raise ValueError(message)


def samples(n, labels, label_names, hover, images, sides, names, columns):
    """What is said of `n` samples at every setting: traits of the explorer by name."""
    labels = (
        np.zeros(n, dtype=int) if labels is None else class_column(labels, "labels")
    )
    require(
        labels.shape == (n,),
        f"`labels` must hold one class per sample, shape ({n},); got shape"
        f" {labels.shape}.",
    )
    classes, index = np.unique(labels, return_inverse=True)
    of_classes = any_names(
        classes if label_names is None else label_names, "label_names", "class"
    )
    more = len(of_classes) - len(classes)
    require(
        more >= 0,
        f"`label_names` must hold one name per class ({len(classes)}); got"
        f" {len(of_classes)}.",
    )
    if more:  # then labels are numbers of the names, of which some do not occur
        index = check_codes(labels, "labels", count=len(of_classes))
    styles = [list(style) for style in class_styles(len(of_classes))]
    traits = {"labels": index.tolist(), "label_names": of_classes, "styles": styles}
    for name, texts in {"hover": hover, "names": names}.items():
        traits[name] = [] if texts is None else check_names(texts, n, name, "sample")
    traits["columns"] = read_columns(columns, n)
    traits["side_names"], outlined = check_sides(sides, n)
    traits["outlined"] = [] if sides is None else outlined.tolist()
    if images is not None:
        images = check_numbers(images, "images", shape=(n, "h", "w"), magnitude=False)
        most = images.max(initial=0)
        white = 255 if most >= 128 else most or 1
        pixels = np.clip(images * (255 / white), 0, 255).astype(np.uint8)
        traits |= {"images": pixels.tobytes(), "image_shape": list(images.shape[1:])}
    return traits


def any_names(names, name, of):
    """Names as a list of str, however many."""
    return check_names(names, np.size(names), name, of)


def anchor_styles(n_anchors, classes, n_classes):
    """Colour and marker of each anchor: those of its class, or of the class of the same number."""
    classes = check_codes(
        range(n_anchors) if classes is None else classes, "anchor_classes"
    )
    got = len(classes)
    require(
        got == n_anchors,
        f"`anchor_classes` must hold {n_anchors} classes, one per anchor; got {got}.",
    )
    styles = class_styles(max([*classes, n_classes - 1], default=0) + 1)
    return [list(styles[c]) for c in classes]


def read_columns(columns, n):
    """Each column of `n` values: numbers (NaN where missing), other values as numbers of categories.

    Categories are sorted; of more than ten the rarer ones share a grey and keep their
    names.

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
    named = isinstance(columns, Mapping) or hasattr(columns, "columns")
    require(
        named,
        "`columns` must be a dict of names and values, or a DataFrame; got"
        f" {short_repr(columns)}.",
    )
    return [_column(str(name), values, n) for name, values in columns.items()]


def _column(name, values, n):
    values = (
        np.asarray(values)
        if hasattr(values, "dtype")
        else np.array(list(values), dtype=object)
    )
    require(
        values.shape == (n,),
        f"`columns`[{name!r}] must hold one value per sample ({n}); got shape"
        f" {values.shape}.",
    )
    numbers = np.full(n, np.nan, dtype="<f8")
    number = {"name": name, "kind": "number"}
    if values.dtype.kind == "M":  # coloured by time, told as dates
        known = ~np.isnat(values)
        numbers[known] = values[known].astype("datetime64[D]")
        texts = np.where(known, values.astype("datetime64[s]").astype(str), "").tolist()
        return number | {"values": numbers.tobytes(), "texts": texts}
    listed = values.tolist()
    known = np.array(
        [v is not None and str(v) not in ("NaT", "<NA>") and v == v for v in listed],
        dtype=bool,
    )
    if not any(isinstance(v, bool | np.bool_ | str) for v in values[known].tolist()):
        with contextlib.suppress(TypeError, ValueError):
            numbers[known] = values[known]
            if np.isfinite(numbers[known]).all():
                return number | {"values": numbers.tobytes()}
    texts = np.where(known, [str(v) for v in listed], "")
    names, codes, counts = np.unique(texts, return_inverse=True, return_counts=True)
    common = largest(counts, MOST_CATEGORIES)
    styles = [[OTHER_COLOR, "o"]] * len(names)
    for c, style in zip(common, class_styles(len(common)), strict=True):
        styles[c] = list(style)
    names = [text or "missing" for text in names.tolist()]
    return {
        "name": name,
        "kind": "category",
        "names": names,
        "styles": styles,
        "codes": codes.tolist(),
    }


class SampleText:
    """Names and texts of n samples, and the categories of columns that have very many.

    Parameters
    ----------
    traits : dict
        What `samples` makes. Of more than 200,000 samples these words leave it, and
        `asks` is true in it.

    Examples
    --------
    >>> traits = {"labels": [0, 0], "names": ["a", "b"], "hover": [], "columns": []}
    >>> words = SampleText(traits)
    >>> traits["asks"], traits["names"]  # so few are sent
    (False, ['a', 'b'])
    """

    def __init__(self, traits):
        traits["asks"] = len(traits["labels"]) > MOST_SENT
        self._text, self._columns = {"name": [], "text": []}, {}
        if traits["asks"]:
            self._text = {"name": traits["names"], "text": traits["hover"]}
            traits |= {
                "names": [],
                "hover": [],
                "columns": [self._shorten(column) for column in traits["columns"]],
            }

    def _shorten(self, column):
        """A column without long lists of words: dates as their days, rare categories as one."""
        if "texts" in column:
            return {
                "name": column["name"],
                "kind": "number",
                "values": column["values"],
                "date": True,
            }
        if len(column.get("names", ())) <= MOST_KINDS:
            return column
        codes, names = np.array(column["codes"]), column["names"]
        self._columns[column["name"]] = codes, names
        common = largest(np.bincount(codes), MOST_CATEGORIES)
        new = np.full(len(names), len(common))
        new[common] = np.arange(len(common))
        return column | {
            "names": [*(names[c] for c in common), "other"],
            "styles": [*(column["styles"][c] for c in common), [OTHER_COLOR, "o"]],
            "codes": new[codes].tolist(),
        }

    def answer(self, asked, hover=()):
        """What the browser is told, a dict and a list of bytes, if it asks for a "sample" or to "find" words.

        `hover` are the texts of the frame shown, in place of the explorer's own. Found
        are, as int32, the samples whose names, texts or categories hold the words, in
        lower case.
        """
        texts = self._text | ({"text": hover} if hover else {})
        if "sample" in asked:
            i = asked["sample"]
            told = {key: words[i] for key, words in texts.items() if words}
            told["columns"] = {
                name: names[codes[i]] for name, (codes, names) in self._columns.items()
            }
            return {"sample": i, "words": told}, []

        def having(words):
            return np.array(
                [str(asked["find"]) in text.lower() for text in words], dtype=bool
            )

        found = [np.flatnonzero(having(words)) for words in texts.values()]
        found += [
            np.flatnonzero(having(names)[codes])
            for codes, names in self._columns.values()
        ]
        return {"find": asked["find"]}, [
            np.unique(np.concatenate(found)).astype("<i4").tobytes()
        ]
