"""What each measured value of a claim is: the entries of ``names.toml``."""

import tomllib
from functools import cache
from pathlib import Path

NAMES_FILE = Path(__file__).with_name("names.toml")


@cache
def load_names():
    """Load the names of the measured values of all claims that have several.

    Returns
    -------
    names : dict of str to list of str
        Names by id, in the order of the measured values.

    Examples
    --------
    >>> load_names()["FI-08"]
    ['1-NN error, t-SNE', '1-NN error, Fisher t-SNE']
    """
    return tomllib.loads(NAMES_FILE.read_text("utf-8"))
