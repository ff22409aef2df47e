"""Measuring: compare a value with its claim, print one line, leave a fragment for the ledger."""

import math
import os
from pathlib import Path

import numpy as np

from .. import datasets
from ..core.checks import check_option
from ..core.files import write_json
from .claim import DIFFERS, NOT_CHECKED, REPRODUCED, SCALES, find
from .stale import available_data, digests

_run = {"seed": None, "scale": "default"}  # of this process, see `start`


def start(seed=None, scale="default"):
    """Say once, before the first `record`, with which seed and at which scale this process measures.

    Parameters
    ----------
    seed : int, list of int or None
    scale : {"quick", "default", "paper"}

    Examples
    --------
    >>> start(seed=0)
    """
    check_option(scale, "scale", SCALES)
    if seed is not None and np.asarray(seed).dtype.kind not in "iu":
        raise ValueError(
            f"`seed` must be an integer, a list of integers or None; got {seed!r}."
        )
    _run.update(seed=np.asarray(seed).tolist(), scale=scale)


def record(id, value=None, ok=None, note="", spread=None, readings=None):
    """Compare a measurement with its claim, print one line, leave a fragment and return the verdict.

    Parameters
    ----------
    id : str
    value : number or flat list of numbers or booleans
        As many as the claim expects; any number of them where its rule decides.
    ok : bool, default None
        Whether the claim's rule holds, computed from the data. Required by ``compare =
        "rule"``, refused otherwise.
    note : str
        What is compared, or why the result differs.
    spread : number or flat list, default None
        Standard deviation over seeds, one for all values or one each.
    readings : dict of dict, default None
        For a claim with several readings, in place of the three: by the name of each
        `value`, `ok` and `spread`. The main reading of ``claims.toml`` gives the
        verdict.

    Returns
    -------
    verdict : {"reproduced", "differs", "not checked"}
        The last where a data set of the claim is unavailable (the value is then
        ignored) or was never published.

    Examples
    --------
    >>> verdict = record("SL-03", 2.2e-16)
    SL-03  paper closed form  ours 1e-15  at most 1e-10  reproduced
    """
    claim = find(id)
    data, missing = available_data(claim, _checksum_of_what_was_used)
    if claim.available:  # this process may have gone on with other data though
        missing = sorted(
            {*missing, *(datasets.substituted_names() & {*claim.data, *claim.optional})}
        )
    entry = {"id": id, "published": claim.published}
    if missing:
        entry |= {"verdict": NOT_CHECKED, "reason": f"no data ({', '.join(missing)})"}
        print(f"{id}  {NOT_CHECKED}: {entry['reason']}")
    else:
        given = {"value": value, "ok": ok, "spread": spread}
        names = [reading.name for reading in claim.readings]
        if names and (
            set(readings or ()) != set(names) or given != dict.fromkeys(given)
        ):
            raise ValueError(
                f"{id}: `readings` alone must give {', '.join(names)}; got"
                f" {list(readings or ())}."
            )
        if readings is not None and not names:
            raise ValueError(
                f"{id}: `readings` must be named in claims.toml; got {list(readings)}."
            )
        found = {name: _measured(claim, **readings[name]) for name in names}
        entry |= (
            found[claim.main.name] | {"readings": found}
            if names
            else _measured(claim, **given)
        )
        entry |= {
            "tol": claim.tol,
            "reason": claim.reason,
            "note": " ".join(str(note).split()),
        }
        print(_line(claim, entry))
    entry |= _run | {
        "data": data,
        "source": os.environ.get("TOOLKIT_CLAIMS_SOURCE", ""),
    }
    if folder := os.environ.get("TOOLKIT_CLAIMS_DIR"):
        # quick results never reach the ledger
        entry |= digests(id) if _run["scale"] != "quick" else {}
        write_json(
            Path(folder) / f"{id}.json",
            {k: v for k, v in entry.items() if v not in (None, "", {})},
        )
    return entry["verdict"]


def _measured(claim, value, ok=None, spread=None):
    """What an entry holds of one measurement, by one reading of its claim."""
    value = _numbers(claim.id, "value", value)
    found = {"measured": rounded(value), "verdict": judge(claim, value, ok)}
    if spread is not None:
        spread = _numbers(claim.id, "spread", spread)
        if np.shape(spread) not in ((), np.shape(value)) or np.any(
            np.asarray(spread) < 0
        ):
            at = (
                f"{claim.id}: `spread` must be one number or one for each value, not"
                " negative"
            )
            raise ValueError(f"{at}; got {spread}.")
        found["spread"] = rounded(spread)
    return found


def _checksum_of_what_was_used(name):
    if name in datasets.substituted_names():  # nor is its download tried again
        raise OSError(name)
    return datasets.checksums(name)


def judge(claim, value, ok=None):
    """The verdict on numbers as `record` takes them; pure, nothing is printed or stored.

    Examples
    --------
    >>> judge(find("SL-07"), 0.4589)
    'reproduced'
    """
    if not claim.available and not claim.instead:
        raise ValueError(
            f"{claim.id} cannot be measured ({claim.reason}); drop the call."
        )
    if not claim.available:
        return NOT_CHECKED
    if claim.compare == "rule":
        if not isinstance(ok, bool | np.bool_):
            rule = f"True or False, computed by its rule ({claim.rule})"
            raise ValueError(f"{claim.id}: `ok` must be {rule}; got {ok!r}.")
        return REPRODUCED if ok else DIFFERS
    if ok is not None:
        raise ValueError(
            f"{claim.id}: `ok` must not be given, the numbers decide; got {ok!r}. Pass"
            " `value` only."
        )
    expected, tol = (
        np.asarray(claim.expected, dtype=float),
        np.asarray(claim.tol, dtype=float),
    )
    if np.shape(value) != expected.shape:
        raise ValueError(
            f"{claim.id}: `value` must have the shape {expected.shape} of"
            f" {claim.expected}; got {value}."
        )
    with np.errstate(over="ignore"):
        above = np.asarray(value, dtype=float) - expected
    excess = {"within": np.abs(above), "at_most": above, "at_least": -above}[
        claim.compare
    ]
    # rounding of the subtraction: 0.463 is within 0.005 of 0.458
    slack = 1e-12 * np.maximum(np.abs(expected), tol)
    return REPRODUCED if np.all(excess <= tol + slack) else DIFFERS


def _numbers(id, name, value):
    try:
        array = np.asarray(value)
    except ValueError:  # lists of different lengths
        array = np.array(None)
    if (
        array.dtype.kind not in "biuf"
        or array.ndim > 1
        or array.size == 0
        or np.ma.is_masked(value)
    ):
        raise ValueError(
            f"{id}: `{name}` must be a number or a flat list of numbers; got {value!r}."
        )
    if not np.isfinite(array.astype(float)).all():
        raise ValueError(
            f"{id}: `{name}` must be finite; got {value!r}. Find out where it comes"
            " from."
        )
    return (array.astype(float) if array.dtype.kind == "f" else array).tolist()


def rounded(value):
    """Four significant digits; of rounding noise, which differs between machines, the order of magnitude only."""
    if isinstance(value, list):
        return [rounded(v) for v in value]
    if not isinstance(value, float):
        return value
    if 0 < abs(value) < 1e-9:
        return math.copysign(10.0 ** math.ceil(math.log10(abs(value))), value)
    digits = float(f"{value:.4g}") + 0.0
    return digits if math.isfinite(digits) else value


def as_text(value, most=8):
    """Rounded text of a number, a list or a boolean; long lists are cut after `most` entries."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(as_text, value[:most])) + (
            f", ... ({len(value)})" if len(value) > most else ""
        )
    return (
        f"{value:.4g}"
        if isinstance(value, float)
        else ""
        if value is None
        else str(value)
    )


def verdict_words(entry):
    """The verdict of an entry, with the number of readings that have it where there are several.

    Examples
    --------
    >>> verdict_words({"verdict": "differs", "readings": {"a": {"verdict": "differs"}, "b": {"verdict": "reproduced"}}})
    'differs (1 of 2 readings)'
    """
    found = [reading["verdict"] for reading in entry.get("readings", {}).values()]
    same = (
        f" ({found.count(entry['verdict'])} of {len(found)} readings)" if found else ""
    )
    return entry["verdict"] + same


def _line(claim, entry):
    """What `record` prints."""
    ours = as_text(entry["measured"]) + (
        f" +- {as_text(entry['spread'])}" if "spread" in entry else ""
    )
    return (
        f"{claim.id}  paper {as_text(claim.published)}  ours {ours}  {allowed(claim)} "
        f" {verdict_words(entry)}"
    )


def allowed(claim):
    """What the comparison allows, in words: "tol 0.005", "at least 0.97"."""
    if claim.compare == "rule":
        return "by rule"
    if claim.compare == "within":
        return f"tol {as_text(claim.tol)}"
    add = np.add if claim.compare == "at_most" else np.subtract
    limit = add(claim.expected, claim.tol, dtype=float)
    return f"{claim.compare.replace('_', ' ')} {as_text(limit.tolist())}"
