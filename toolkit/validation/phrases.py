"""Errors, their intervals and differences in words."""

from ..core import percent


def error_text(error, is_value):
    """An error in percent; of values in standard deviations.

    Examples
    --------
    >>> error_text(0.314, False), error_text(0.314, True)
    ('31 %', '0.31')
    """
    if is_value:
        return f"{error:.2f}"
    digits = 1 if 0 < abs(error) < 0.0995 else 0
    return percent(error, digits)


def interval_text(interval, is_value):
    """An interval of an error in words.

    Examples
    --------
    >>> interval_text((0.08, 0.18), False)
    '8.0 to 18 %'
    """
    low, high = interval
    low_text = error_text(low, is_value).removesuffix(" %")
    return f"{low_text} to {error_text(high, is_value)}"


def difference_text(difference, interval, level, is_value):
    """A difference of two errors in words, with its interval.

    Examples
    --------
    >>> difference_text(-0.02, (-0.03, -0.01), 0.9, True)
    'smaller by 0.02 standard deviations (90 % interval 0.01 to 0.03)'
    """
    comparative = "larger"
    low, high = interval
    if difference < 0:
        comparative = "smaller"
        difference = -difference
        low, high = sorted((-low, -high))
    number, low, high = (
        error_text(value, is_value).removesuffix(" %")
        for value in (difference, low, high)
    )
    unit = "standard deviations" if is_value else "percentage points"
    interval = f"{percent(level)} interval {low} to {high}"
    return f"{comparative} by {number} {unit} ({interval})"
