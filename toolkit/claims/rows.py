"""Claims as rows: what the paper says, what is stored, what the last run measured."""

import math
import tomllib
from functools import cache
from pathlib import Path

import numpy as np

from .claim import find, ids_that_begin

# Words before each text about a reading, by its field.
WORDS_BEFORE_READING = {
    "decides": "decides: ",
    "fitted": "chosen to meet the print: ",
    "confirmed": "confirmed by ",
}
# So many of several values are shown, each after its name; the others are folded.
N_VALUES_SHOWN = 2
MENDED_RULE = "before ({verdict}): {before} Changed because {why}"
NAMES_FILE = Path(__file__).with_name("names.toml")
# A value below this is rounding noise, which differs between machines: only its order
# of magnitude is stored.
NOISE_LEVEL = 1e-9
MOST_LISTED = 8  # values of a list that are shown


def table(stored, new=None, only=""):
    """List one row per claim: the published, the stored and the present result.

    Parameters
    ----------
    stored : dict of dict
        Entries of the ledger by id, from `stored_ledger`.
    new : dict of dict or None, default=None
        Entries of the present run by id, from `read_fragments`; those of no run for
        None.
    only : str or sequence of str, default=""
        Beginnings of ids, such as "SL" or "GM-07".

    Returns
    -------
    rows : list of dict
        The fields of the claim, and texts `published`, `tolerance`, `stored`, `run`,
        `remark` and `restamped`. `verdict` is that of this run if it measured, else
        the stored one. `verdict_words` adds the number of readings that agree, and the
        stored verdict if it differs. `readings` and `mended` are lines on each reading,
        and on a rule that has changed. `named` and `more` are the stored values, each
        after its name: the first two, and the others. They are empty where there is one
        value.

    Examples
    --------
    >>> from toolkit.claims import stored_ledger
    >>> table(stored_ledger("no-such-file.json"), only="SL-07")[0]["tolerance"]
    'tol 0.005'
    """
    if new is None:
        new = {}
    return [
        _row(find(id), stored[id], new.get(id, {}))
        for id in ids_that_begin(only)
    ]


def _row(claim, stored, run):
    """Row of `table`: a claim, its entry in the ledger, and the run's, maybe empty."""
    # The row is about this run where it measured.
    entry = run if "measured" in run else stored
    row = vars(claim) | {
        "published": as_text(claim.published),
        "tolerance": tolerance_words(claim),
        "stored": _value_words(stored),
        "run": _run_words(run),
        "verdict": entry["verdict"],
        "verdict_words": verdict_words(entry),
        "remark": _remark(entry),
        "restamped": "; ".join(entry.get("restamped", [])),
        "mended": "",
    }
    if "measured" in stored and entry["verdict"] != stored["verdict"]:
        row["verdict_words"] += f" (stored: {stored['verdict']})"
    if claim.mended:
        row["mended"] = MENDED_RULE.format(**claim.mended)
    row["readings"] = [
        _reading_line(reading, entry) for reading in claim.readings
    ]
    value_lines = _value_lines(claim.id, stored)
    row["named"] = value_lines[:N_VALUES_SHOWN]
    row["more"] = value_lines[N_VALUES_SHOWN:]
    return row


def _run_words(run):
    """What the last run measured, or why it did not."""
    if "measured" in run:
        return _value_words(run)
    return run.get("reason", "")


def _remark(entry):
    """Why an entry has no verdict, and its note."""
    remarks = []
    for field in ("reason", "note"):
        if entry.get(field):
            remarks.append(entry[field])
    return "; ".join(remarks)


def _reading_line(reading, entry):
    """What a reading gave, its source, whether it decides or was chosen to fit.

    The entry is that of the claim, in the ledger or of a run.
    """
    line = reading.name
    measurement = entry.get("readings", {}).get(reading.name)
    if measurement is not None:
        line += f": {_value_words(measurement)} {measurement['verdict']}"
    line += f"; {reading.source}"
    for field, words_before in WORDS_BEFORE_READING.items():
        text = getattr(reading, field)
        if text:
            line += f"; {words_before}{text}"
    return line


def _value_lines(id, entry):
    """Each of several values of an entry after its name; none where names do not fit.

    The entry is that of the claim `id` in the ledger, or a fragment of a run. Without
    all optional data some experiments measure fewer values.
    """
    names = load_names().get(id, [])
    values = entry.get("measured")
    if not isinstance(values, list) or len(values) != len(names):
        return []
    lines = []
    for index, name in enumerate(names):
        entry_of_value = entry | {"measured": values[index]}
        if isinstance(entry.get("spread"), list):
            entry_of_value["spread"] = entry["spread"][index]
        lines.append(f"{name}: {_value_words(entry_of_value)}")
    return lines


def _value_words(entry):
    """The value of an entry, with its scale where that is not the usual one."""
    if "measured" not in entry:
        return ""
    words = with_spread(entry)
    scale = entry.get("scale", "default")
    if scale != "default":
        words += f" ({scale})"
    return words


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


def round_digits(value):
    """Four significant digits; of rounding noise the order of magnitude only."""
    if isinstance(value, list):
        return [round_digits(number) for number in value]
    if not isinstance(value, float):
        return value
    if 0 < abs(value) < NOISE_LEVEL:
        exponent = math.ceil(math.log10(abs(value)))
        return math.copysign(10.0**exponent, value)
    return float(f"{value:.4g}") + 0.0  # -0.0 becomes 0.0


def as_text(value):
    """Rounded text of a number, a list, cut after eight entries, or a boolean."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        text = ", ".join([as_text(number) for number in value[:MOST_LISTED]])
        if len(value) > MOST_LISTED:
            text += f", ... ({len(value)})"
        return text
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def with_spread(entry):
    """The value of an entry and its standard deviation over seeds, as text."""
    text = as_text(entry["measured"])
    if "spread" in entry:
        text += f" +- {as_text(entry['spread'])}"
    return text


def verdict_words(entry):
    """The verdict of an entry, and of several readings how many have it.

    Examples
    --------
    >>> readings = {"a": {"verdict": "differs"}, "b": {"verdict": "reproduced"}}
    >>> verdict_words({"verdict": "differs", "readings": readings})
    'differs (1 of 2 readings)'
    """
    verdict = entry["verdict"]
    readings = entry.get("readings", {})
    if not readings:
        return verdict
    verdicts = [reading["verdict"] for reading in readings.values()]
    return f"{verdict} ({verdicts.count(verdict)} of {len(verdicts)} readings)"


def tolerance_words(claim):
    """What the comparison allows, in words: "tol 0.005", "at least 0.97"."""
    if claim.compare == "rule":
        return "by rule"
    if claim.compare == "within":
        return f"tol {as_text(claim.tol)}"
    # The limit itself is said, with the tolerance in it.
    if claim.compare == "at_most":
        limit = np.add(claim.expected, claim.tol, dtype=float)
    else:
        limit = np.subtract(claim.expected, claim.tol, dtype=float)
    return f"{claim.compare.replace('_', ' ')} {as_text(limit.tolist())}"
