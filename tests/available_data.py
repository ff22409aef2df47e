"""In what the data that are available here differ from those of the stored run."""

import contextlib
import io
from functools import cache


def other_data(names):
    """In what the available data differ from those of the stored run, "" for nothing.

    Sets that claims name as optional, since they are not public, and those for want of which the ledger has claims
    unchecked were unavailable then, unless a stored entry was measured with them.
    """
    unavailable = unavailable_then()
    missing = []
    added = []
    for name in names:
        if name in unavailable and at_hand(name):
            added.append(name)
        elif name not in unavailable and not at_hand(name):
            missing.append(name)
    if missing:
        return f"no data ({', '.join(missing)})"
    if added:
        return f"stored without {', '.join(added)}"
    return ""


def unavailable_then():
    """Names of the sets that the stored run did not have."""
    from toolkit import claims
    from toolkit.claims.ledger import stored_ledger

    names = set()
    for claim in claims.load().values():
        names.update(claim.optional)
    entries = stored_ledger().values()
    for entry in entries:
        names.update(entry.get("missing", ()))
    for entry in entries:
        names.difference_update(entry.get("data", ()))
    return names


@cache  # once a run: the answer may cost a try to download
def at_hand(name):
    """Whether the notebooks' kernels get the real data; the same function decides there."""
    from toolkit import datasets

    with contextlib.redirect_stdout(io.StringIO()):
        try:
            return datasets.load_or_substitute(name)[1]
        except datasets.DatasetUnavailable:
            # there, but not as it should be: the notebook is to fail on it
            return True
