"""Claims as rows: what the paper says, what is stored, what the last run measured."""

from .claim import find, ids_that_begin
from .names import load_names
from .texts import as_text, tolerance_words, verdict_words, with_spread

# Words before each text about a reading, by its field.
WORDS_BEFORE_READING = {
    "decides": "decides: ",
    "fitted": "chosen to meet the print: ",
    "confirmed": "confirmed by ",
}
N_VALUES_SHOWN = (
    2  # of several values, each after its name; the others are folded
)
MENDED_RULE = "before ({verdict}): {before} Changed because {why}"


def table(stored, new=None, only=""):
    """List one row per claim: the published, the stored and the present result.

    Parameters
    ----------
    stored, new : dict of dict
        Entries by id, from `stored_ledger` and `read_fragments`.
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
    # The row is about this run where it measured.
    entry = run if "measured" in run else stored
    row = vars(claim) | {
        "published": as_text(claim.published),
        "tolerance": tolerance_words(claim),
        "stored": _value_words(stored),
        "run": _value_words(run) or run.get("reason", ""),
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


def _remark(entry):
    """Why an entry has no verdict, and its note."""
    remarks = []
    for field in ("reason", "note"):
        if entry.get(field):
            remarks.append(entry[field])
    return "; ".join(remarks)


def _reading_line(reading, entry):
    """What a reading gave, its source, whether it decides or was chosen to fit."""
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

    Without all optional data some experiments measure fewer values.
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
