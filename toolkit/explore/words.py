"""Words about the samples that stay in the kernel, which is asked for those of one: a million are too many."""

import numpy as np

__all__ = ["MOST_SENT", "Words"]

MOST_SENT = 200_000  # samples whose words are sent
MOST_KINDS = 1000  # names of a column's categories that are sent; of more the rare ones are "other"


class Words:
    """Names and texts of n samples, and the categories of columns that have very many.

    Parameters
    ----------
    traits : dict
        What `toolkit.explore.samples.samples` makes. Of more than 200,000 samples these words leave it, and `asks` is
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
        self._words = {"name": [], "text": []}
        self._columns = {}
        if traits["asks"]:
            self._words = {"name": traits["names"], "text": traits["hover"]}
            traits |= {"names": [], "hover": []}
            traits["columns"] = [self._shortened(column) for column in traits["columns"]]

    def _shortened(self, column):
        """A column without long lists of words: dates as their days, rare categories as one."""
        if "texts" in column:
            return {key: value for key, value in column.items() if key != "texts"} | {"date": True}
        if len(column.get("names", ())) <= MOST_KINDS:
            return column
        codes, names = np.array(column["codes"]), column["names"]
        self._columns[column["name"]] = codes, names
        common = np.sort(np.argsort(-np.bincount(codes), kind="stable")[:10])
        new = np.full(len(names), len(common))
        new[common] = np.arange(len(common))
        rare = next(column["styles"][c] for c in range(len(names)) if new[c] == len(common))
        styles = [column["styles"][c] for c in common]
        return column | {
            "names": [*(names[c] for c in common), "other"],
            "styles": [*styles, rare],
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
