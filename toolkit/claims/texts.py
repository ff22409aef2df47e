"""Measured values, tolerances and verdicts as rounded texts."""

import math

import numpy as np

# A value below this is rounding noise, which differs between machines: only its order
# of magnitude is stored.
NOISE_LEVEL = 1e-9
MOST_LISTED = 8  # values of a list that are shown


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
