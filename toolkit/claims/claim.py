"""The published claims: the entries of ``claims.toml``, whose head has the fields."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from ..core import did_you_mean

REPRODUCED = "reproduced"
DIFFERS = "differs"
NOT_CHECKED = "not checked"
VERDICTS = (REPRODUCED, DIFFERS, NOT_CHECKED)  # the best first
PAPERS = {
    "kudo": (
        "Kudo, Kimura, Haindl and Tenmoto (2016): Simultaneous Visualization of"
        " Samples, Features and Multi-Labels"
    ),
    "sleml": (
        "Tai, Kudo, Tanaka, Imai and Kimura (2019): A Supervised Laplacian Eigenmap"
        " Algorithm for Visualization of Multi-label Data: SLE-ML"
    ),
    "self": (
        "Kitamura and Sugiyama (2007): Dimensionality Reduction of Partially Labeled"
        " Multimodal Data"
    ),
    "gmlvq": (
        "Biehl, Bunte, Schleif, Schneider and Villmann (2012): Large Margin Linear"
        " Discriminative Visualization by Matrix Relevance Learning"
    ),
    "schulz": (
        "Schulz (2017): Discriminative Dimensionality Reduction: Variations,"
        " Applications, Interpretations"
    ),
}
CLAIMS_FILE = Path(__file__).with_name("claims.toml")


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One of the protocols that the source leaves open, by which to measure a claim."""

    name: str
    source: str  # what in the source speaks for it
    # Why the verdict of this reading is the claim's; only the main reading has it.
    decides: str = ""
    fitted: str = ""  # the printed number that it was chosen to meet, if it was
    # Another printed number, without which a fitted reading stays a side reading.
    confirmed: str = ""


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One published claim, as ``claims.toml`` states it.

    Parameters
    ----------
    id : str
        Name of the claim, such as "SL-07".
    paper : str
        Key of the source in `PAPERS`.
    where : str
        Section, equation, figure or table of the source.
    title : str
        The claim in one or two sentences.
    kind : {"number", "order", "identity", "qualitative", "open"}
        What is claimed.
    published : float, list or str
        The printed result.
    compare : {"within", "at_most", "at_least", "rule"}
        How a measured value is compared with `expected`, or that `rule` decides.
    rule : str
        What is measured, in which units, and when the claim counts as reproduced.
    data : list of str
        Names of data sets; "synthetic" is generated.
    optional : tuple of str, default=()
        Further data sets that are used if they are available.
    expected : float, list or None, default=None
        Expected value or values.
    tol : float, list or None, default=None
        Tolerance, one for all values or one each.
    available : bool, default=True
        Whether the data were published.
    reason : str, default=""
        Why the data are not available.
    instead : str, default=""
        Public data on which the same quantities are measured.
    readings : tuple of Reading, default=()
        Protocols that the source leaves open.
    mended : dict or None, default=None
        Former rule and verdict, and the reason for the change, if the rule required
        more or less than the source states.
    why : str, default=""
        Explanation of a difference.

    Examples
    --------
    >>> claim = find("SL-07")
    >>> claim.paper, claim.kind, claim.expected
    ('kudo', 'number', 0.458)
    """

    id: str
    paper: str
    where: str
    title: str
    kind: str
    published: float | list | str
    compare: str
    rule: str
    data: list
    optional: tuple = ()
    expected: float | list | None = None
    tol: float | list | None = None
    available: bool = True
    reason: str = ""
    instead: str = ""
    readings: tuple[Reading, ...] = ()
    # The former rule, where it required more or less than the source states.
    mended: dict | None = None
    why: str = ""

    @property
    def main(self):
        """The reading that decides; None if the claim has no readings."""
        for reading in self.readings:
            if reading.decides:
                return reading
        return None


@cache
def load():
    """Load all claims by id, in the order of ``claims.toml``.

    Returns
    -------
    claims : dict of str to Claim
        The claims.

    Examples
    --------
    >>> load()["SL-07"].expected
    0.458
    """
    claims = {}
    tables = tomllib.loads(CLAIMS_FILE.read_text("utf-8"))
    for id, fields in tables.items():
        readings = [Reading(**table) for table in fields.pop("readings", ())]
        claims[id] = Claim(id=id, readings=tuple(readings), **fields)
    return claims


def find(id):
    """Return the claim of an id.

    Parameters
    ----------
    id : str
        Name of the claim, such as "SL-07".

    Returns
    -------
    claim : Claim
        The claim.

    Raises
    ------
    ValueError
        If there is no such claim.

    Examples
    --------
    >>> find("SL-03").where
    'III-A, example'
    """
    try:
        return load()[id]
    except (KeyError, TypeError):
        raise ValueError(
            f'`id` must be one of claims.toml, such as "SL-07"; got {id!r}.'
            + did_you_mean(id, load())
        ) from None


def ids_that_begin(only=""):
    """Ids that begin with a text, or with one of several, such as "SL" or "GM-07".

    Examples
    --------
    >>> ids_that_begin(["SL-07", "GM-2"])[:3]
    ['SL-07', 'GM-20', 'GM-21']
    """
    ids = list(load())
    chosen = set()
    for beginning in np.atleast_1d(only).astype(object):
        beginning = str(beginning)
        matches = [id for id in ids if id.startswith(beginning)]
        chosen.update(matches)
        if not matches:
            raise ValueError(
                "`only` must be the beginning of a claim's id, such as SL or GM-07; got"
                f" {beginning!r}.{did_you_mean(beginning, ids)}"
            )
    return [id for id in ids if id in chosen]
