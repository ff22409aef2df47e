"""Recording: compare a value with its claim, print a line, leave a fragment."""

import os
from pathlib import Path

import numpy as np

from .. import datasets
from ..arguments import SCALES
from ..core import check_option, short_repr, write_json
from .claim import DIFFERS, NOT_CHECKED, REPRODUCED, find
from .rows import (
    as_text,
    round_digits,
    tolerance_words,
    verdict_words,
    with_spread,
)

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
    checksums, missing_sets = available_data(
        claim,
        datasets.checksums,
        # Code of this process may have gone on with other data.
        datasets.substituted_names(),
    )
    entry = {"id": id, "published": claim.published, "data": checksums} | _run
    entry["source"] = os.environ.get("TOOLKIT_CLAIMS_SOURCE", "")
    if missing_sets:
        entry["verdict"] = NOT_CHECKED
        entry["missing"] = sorted(missing_sets)
        entry["reason"] = f"no data ({', '.join(entry['missing'])})"
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
    folder = os.environ.get("TOOLKIT_CLAIMS_DIR")
    if folder:
        fragment = {}
        for field, value in entry.items():
            if value not in (None, "", {}):
                fragment[field] = value
        write_json(Path(folder) / f"{id}.json", fragment)
    return entry["verdict"]


def available_data(claim, checksum, replaced=()):
    """Checksums of a claim's data sets by name, and the required sets without one.

    Of a checksum the first 12 hex digits. An `OSError` of ``checksum(name)`` means that
    the set is unavailable. Those in `replaced` are missing, also optional ones.
    """
    checksums, missing = {}, []
    if not claim.available:
        return checksums, missing
    for name in (*claim.data, *claim.optional):
        if name == "synthetic":
            continue
        # What was replaced is not searched for, nor downloaded, a second time.
        if name in replaced:
            missing.append(name)
            continue
        try:
            checksums[name] = checksum(name)[:12]
        except OSError:
            if name in claim.data:
                missing.append(name)
    return checksums, missing


def _measurements(claim, value, ok, spread, readings):
    """What an entry holds of a measurement, by one or by several readings.

    The arguments are those of `record`.
    """
    names = [reading.name for reading in claim.readings]
    given_names = [] if readings is None else list(readings)
    if set(given_names) != set(names):
        raise ValueError(
            f"{claim.id}: `readings` must be those of claims.toml, {names}; got"
            f" {given_names}."
        )
    if not names:
        return _measurement(claim, value, ok, spread)
    beside = {"value": value, "ok": ok, "spread": spread}
    for argument, content in beside.items():
        if content is not None:
            raise ValueError(
                f"{claim.id}: `{argument}` must not be given beside `readings`, each"
                f" of which has its own; got {short_repr(content)}."
            )
    measurements = {}
    for name in names:
        measurements[name] = _measurement(claim, **readings[name])
    # The main reading decides.
    return measurements[claim.main.name] | {"readings": measurements}


def _measurement(claim, value, ok=None, spread=None):
    """What an entry holds of one measurement, by one reading of its claim.

    `ok` says whether the claim's rule holds; `spread` is a standard deviation.
    """
    numbers = _numbers(claim.id, "value", value)
    measurement = {
        "measured": round_digits(numbers),
        "verdict": judge(claim, numbers, ok),
    }
    if spread is not None:
        deviations = _numbers(claim.id, "spread", spread)
        measurement["spread"] = round_digits(deviations)
    return measurement


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
    # A measurement on other data than the paper's has no verdict.
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
    is_met = ok if by_rule else _is_within_tolerance(claim, value)
    return REPRODUCED if is_met else DIFFERS


def _is_within_tolerance(claim, value):
    """Whether measured numbers are as near to the expected ones as a claim allows."""
    expected = np.asarray(claim.expected, dtype=float)
    tol = np.asarray(claim.tol, dtype=float)
    if np.shape(value) != expected.shape:
        raise ValueError(
            f"{claim.id}: `value` must have the shape {expected.shape} of"
            f" {claim.expected}; got {value}."
        )
    above = np.subtract(value, expected, dtype=float)
    excess = {"within": np.abs(above), "at_most": above, "at_least": -above}
    # Rounding of the subtraction is allowed for: 0.463 is within 0.005 of 0.458.
    slack = 1e-12 * np.maximum(np.abs(expected), tol)
    return np.all(excess[claim.compare] <= tol + slack)


def _numbers(id, name, value):
    """A finite number or truth value, or a flat list of them, as Python has them."""
    if np.ma.is_masked(value):
        raise ValueError(
            f"{id}: `{name}` must not have masked entries; got {short_repr(value)}."
            " Leave them out, or say in `note` what is missing."
        )
    try:
        array = np.asarray(value)
    except ValueError:  # lists of different lengths
        array = np.empty(0)
    is_flat = array.dtype.kind in "biuf" and array.ndim < 2 and array.size
    if not is_flat or not np.isfinite(array).all():
        raise ValueError(
            f"{id}: `{name}` must be a finite number or a flat list of them; got"
            f" {value!r}."
        )
    if array.dtype.kind == "f":
        array = array.astype(float)
    return array.tolist()
