"""Each number in the prose of a lesson is one of its outputs or its code, or marked as that of a source.

Sources are the claims that a paragraph names, the files that it names, and the sizes of the data sets.
"""

import json
import re

import nbformat
from folders import ROOT
from pytest import mark

from toolkit.datasets.registry import registry

PATHS = sorted((ROOT / "notebooks").glob("*.ipynb"))
NUMBER = r"(?<![\w.,^])[-+]?\d{1,3}(?:,\d{3})+(?!\d)|(?<![\w.^])[-+]?\d+(?:\.\d+)?(?![\w]|\.\d)"
# What numbers are not measured here: of equations, figures, tables, sections, chapters, claims, years, exercises.
MARKED = [
    r"!?\[([^\]]*)\]\([^)]*\)",  # addresses
    r"`[^`]*`|<code>.*?</code>",  # code
    r"\b[A-Z]\w+?(?:19|20)\d\d\w?(?:, [^;.)]*?)?(?: \([\dA-Z][\d.]*\w?(?:[, -]+\(?[\d.]+\w?)*\))*",
    r"\b[A-Z]{2}-\d\d\b",
    r"(?i)\b(?:figs?\.|figures?|tables?|eqs?\.|equations?|sections?|chapters?|parts?|exercises?|notebooks?|lessons?|pages?)"
    r" \(?\d[\d.]*\w?\)?(?:(?:,| and| to|-) ?\(?\d[\d.]*\w?\)?)*(?:\([a-z]\))?",
    r"\((?:[^()]*\b)?(?:19|20)\d\d\w?\)",
    r"\b(?:19|20)\d\d\b",
    r"(?m)^#+ \d+\.",
    r"(?m)^\d+\. ",
    r"\*\*\d+\. ",
    r"\(\d+(?:\.\d+)+\w?\)",  # equations
    r"(?m)^\| (?:Tables? |Figs?\. )?\d[^|]*\|",  # the papers' figures, in the first column of a table
]
LEDGER = json.loads((ROOT / "figures" / "claims.json").read_text("utf-8"))
SIZES = " ".join(str(entry.shape) for entry in registry().values())


def plain(prose):
    for pattern in MARKED:
        prose = re.sub(pattern, " ", prose)
    return prose.replace("\u2212", "-")


def numbers(text):
    """The numbers of a text, as they are written."""
    return [word.replace(",", "") for word in re.findall(NUMBER, text)]


def values_in(text):
    """The numbers of a text, of any form, without their signs."""
    words = re.findall(r"\d[\d,]*\.?\d*(?:e[-+]?\d+)?", text)
    return {float(word.replace(",", "").rstrip(".")) for word in words}


def measured(nb):
    """All numbers in outputs and code."""
    texts = []
    for cell in nb.cells:
        if cell.cell_type == "code":
            texts.append(cell.source)
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            texts.append(output.get("text", ""))
            texts += [
                data.get(f"text/{kind}", "") for kind in ("plain", "markdown")
            ]
            texts.append(re.sub("<[^>]*>", " ", data.get("text/html", "")))
    return values_in("\n".join(texts))


def cited(paragraph):
    """Numbers of the claims and the files that a paragraph names, and their percentages."""
    claims = re.findall(r"\b[A-Z]{2}-\d\d\b", paragraph)
    files = re.findall(r"`([\w/]+\.md)`", paragraph)
    texts = [json.dumps(LEDGER[claim]) for claim in claims if claim in LEDGER]
    texts += [(ROOT / name).read_text("utf-8") for name in files]
    values = values_in("\n".join([SIZES, *texts]))
    return values | {100 * value for value in values if value <= 1}


def is_one_of(word, values):
    """Whether a number as it is written is one of these, rounded to its digits."""
    value = abs(float(word))
    n_decimals = len(word.partition(".")[2])
    half = 0.5 * 10.0**-n_decimals * (1 + 1e-9)
    return any(abs(other - value) <= half for other in values)


def unknown_numbers(nb):
    """The numbers of the prose that are neither measured nor cited: (cell, number)."""
    values = measured(nb)
    unknown = []
    for index, cell in enumerate(nb.cells):
        if cell.cell_type != "markdown":
            continue
        known_values = values | cited(cell.source)
        for word in numbers(plain(cell.source)):
            if not is_one_of(word, known_values):
                unknown.append((index, word))
    return unknown


@mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_numbers_in_the_prose_are_measured_or_marked(path):
    assert unknown_numbers(nbformat.read(path, 4)) == []
