"""Measuring: compare a value with its claim, print a line, leave a fragment."""

import math
import os
from pathlib import Path

import numpy as np

from .. import datasets
from ..arguments import SCALES
from ..core import check_option, write_json
from .claim import DIFFERS, NOT_CHECKED, REPRODUCED, find
from .stale import available_data, digests

_run = {"seed": None, "scale": "default"}  # of this process, see `start`


def start(seed=None, scale="default"):
    """Set the seed and the scale of this process, before the first `record`.

    Parameters
    ----------
    seed : int, list of int or None, default=None
        Seed or seeds that the measurements use.
    scale : {"quick", "default", "paper"}, default="default"
        Size of the experiments.

    Examples
    --------
    >>> start(seed=0)
    """
    check_option(scale, "scale", SCALES)
    _run.update(seed=np.asarray(seed).tolist(), scale=scale)


def record(id, value=None, ok=None, note="", spread=None, readings=None):
    """Compare a measurement with its claim, print one line, write a fragment.

    Parameters
    ----------
    id : str
        Name of the claim, such as "SL-07".
    value : number or flat list of numbers or booleans, default=None
        As many as the claim expects; any number of them where its rule decides.
    ok : bool, default=None
        Whether the claim's rule holds, computed from the data. Required by ``compare =
        "rule"``, refused otherwise.
    note : str, default=""
        What is compared, or why the result differs.
    spread : number or flat list, default=None
        Standard deviation over seeds, one for all values or one each.
    readings : dict of dict, default=None
        For a claim with several readings, in place of the three: for each name
        `value`, `ok` and `spread`. The main reading of ``claims.toml`` gives the
        verdict.

    Returns
    -------
    verdict : {"reproduced", "differs", "not checked"}
        "not checked" if a data set of the claim is unavailable (the value is then
        ignored) or was never published.

    Examples
    --------
    >>> verdict = record("SL-03", 2.2e-16)
    SL-03  paper closed form  ours 1e-15  at most 1e-10  reproduced
    """
    claim = find(id)
    data, missing = available_data(
        claim,
        datasets.checksums,
        # this process may have gone on with other data
        datasets.substituted_names(),
    )
    entry = {"id": id, "published": claim.published, "data": data} | _run
    entry["source"] = os.environ.get("TOOLKIT_CLAIMS_SOURCE", "")
    if missing:
        entry["verdict"] = NOT_CHECKED
        entry["reason"] = f"no data ({', '.join(sorted(missing))})"
        print(f"{id}  {NOT_CHECKED}: {entry['reason']}")
    else:
        entry |= _measurements(claim, value, ok, spread, readings)
        entry["tol"] = claim.tol
        entry["reason"] = claim.reason
        entry["note"] = " ".join(str(note).split())
        print(
            f"{id}  paper {as_text(claim.published)}  ours {with_spread(entry)} "
            f" {tolerance_words(claim)}  {verdict_words(entry)}"
        )
    if folder := os.environ.get("TOOLKIT_CLAIMS_DIR"):
        # quick results never reach the ledger
        entry |= digests(id) if entry["scale"] != "quick" else {}
        write_json(
            Path(folder) / f"{id}.json",
            {k: v for k, v in entry.items() if v not in (None, "", {})},
        )
    return entry["verdict"]


def _measurements(claim, value, ok, spread, readings):
    """What an entry holds of a measurement, by one or by several readings."""
    names = [reading.name for reading in claim.readings]
    if set(readings or ()) != set(names) or names and value is not None:
        raise ValueError(
            f"{claim.id}: `readings` must be those of claims.toml, {names}, without"
            f" `value`; got {list(readings or ())}."
        )
    if not names:
        return _measurement(claim, value, ok, spread)
    found = {name: _measurement(claim, **readings[name]) for name in names}
    # the main reading decides
    return found[claim.main.name] | {"readings": found}


def _measurement(claim, value, ok=None, spread=None):
    """What an entry holds of one measurement, by one reading of its claim."""
    value = _numbers(claim.id, "value", value)
    found = {
        "measured": round_digits(value),
        "verdict": judge(claim, value, ok),
    }
    if spread is not None:
        found["spread"] = round_digits(_numbers(claim.id, "spread", spread))
    return found


def judge(claim, value, ok=None):
    """Return the verdict on numbers as `record` takes them.

    Nothing is printed or stored.

    Parameters
    ----------
    claim : Claim
        The claim, see :func:`find`.
    value : number or flat list of numbers or booleans
        Measured value or values.
    ok : bool, default=None
        Whether the claim's rule holds; required by ``compare = "rule"``.

    Returns
    -------
    verdict : {"reproduced", "differs", "not checked"}
        The verdict.

    Raises
    ------
    ValueError
        If `value` or `ok` is not what the claim requires.

    Examples
    --------
    >>> judge(find("SL-07"), 0.4589)
    'reproduced'
    """
    # measured on other data than the paper's: no verdict
    if not claim.available:
        if claim.instead:
            return NOT_CHECKED
        raise ValueError(
            f"{claim.id} cannot be measured ({claim.reason}); drop the call."
        )
    by_rule = claim.compare == "rule"
    if by_rule != isinstance(ok, bool | np.bool_):
        raise ValueError(
            f"{claim.id}: `ok` must be True or False where the rule decides, and left"
            f" out where the numbers do; got {ok!r}. The rule: {claim.rule}"
        )
    if by_rule:
        return REPRODUCED if ok else DIFFERS
    expected, tol = (
        np.asarray(x, dtype=float) for x in (claim.expected, claim.tol)
    )
    if np.shape(value) != expected.shape:
        raise ValueError(
            f"{claim.id}: `value` must have the shape {expected.shape} of"
            f" {claim.expected}; got {value}."
        )
    above = np.subtract(value, expected, dtype=float)
    excess = {"within": np.abs(above), "at_most": above, "at_least": -above}
    # rounding of the subtraction: 0.463 is within 0.005 of 0.458
    slack = 1e-12 * np.maximum(np.abs(expected), tol)
    is_met = np.all(excess[claim.compare] <= tol + slack)
    return REPRODUCED if is_met else DIFFERS


def _numbers(id, name, value):
    """A finite number or truth value, or a flat list of them, as Python has them."""
    try:
        array = np.asarray(value)
    except ValueError:  # lists of different lengths
        array = np.empty(0)
    is_flat = array.dtype.kind in "biuf" and array.ndim < 2 and array.size
    if not is_flat or np.ma.is_masked(value) or not np.isfinite(array).all():
        raise ValueError(
            f"{id}: `{name}` must be a finite number or a flat list of them; got"
            f" {value!r}."
        )
    return array.tolist()


def round_digits(value):
    """Four significant digits; of rounding noise the order of magnitude only.

    The noise differs between machines.
    """
    if isinstance(value, list):
        return [round_digits(v) for v in value]
    if not isinstance(value, float):
        return value
    if 0 < abs(value) < 1e-9:  # rounding noise
        return math.copysign(10.0 ** math.ceil(math.log10(abs(value))), value)
    return float(f"{value:.4g}") + 0.0  # -0.0 becomes 0.0


def as_text(value):
    """Rounded text of a number, a list, cut after eight entries, or a boolean."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        text = ", ".join(map(as_text, value[:8]))
        return f"{text}, ... ({len(value)})" if len(value) > 8 else text
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def with_spread(entry):
    """The value of an entry and its standard deviation over seeds, as text."""
    text = as_text(entry["measured"])
    return (
        f"{text} +- {as_text(entry['spread'])}" if "spread" in entry else text
    )


def verdict_words(entry):
    """The verdict of an entry, and of several readings how many have it.

    Examples
    --------
    >>> readings = {"a": {"verdict": "differs"}, "b": {"verdict": "reproduced"}}
    >>> verdict_words({"verdict": "differs", "readings": readings})
    'differs (1 of 2 readings)'
    """
    verdict = entry["verdict"]
    found = [
        reading["verdict"] for reading in entry.get("readings", {}).values()
    ]
    if not found:
        return verdict
    return f"{verdict} ({found.count(verdict)} of {len(found)} readings)"


def tolerance_words(claim):
    """What the comparison allows, in words: "tol 0.005", "at least 0.97"."""
    if claim.compare == "rule":
        return "by rule"
    if claim.compare == "within":
        return f"tol {as_text(claim.tol)}"
    # the limit itself, with the tolerance in it
    add = np.add if claim.compare == "at_most" else np.subtract
    limit = add(claim.expected, claim.tol, dtype=float)
    return f"{claim.compare.replace('_', ' ')} {as_text(limit.tolist())}"
