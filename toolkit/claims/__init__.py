"""Table of published claims: what a paper says, what we measure, the verdict.

``claims.toml`` lists every claim with the rule that decides it. A test measures a claim
and calls `record`, which prints one line and, where ``$TOOLKIT_CLAIMS_DIR`` names a
folder, writes one JSON file to it (a fragment). `merge` alone writes the stored table,
``figures/claims.json``.
"""

from .claim import PAPERS, Claim, find, load
from .ledger import merge, read_fragments, stored_ledger
from .measure import judge, record, start
from .show import comparison, format_table, table

__all__ = [
    "PAPERS",
    "Claim",
    "comparison",
    "find",
    "format_table",
    "judge",
    "load",
    "merge",
    "read_fragments",
    "record",
    "start",
    "stored_ledger",
    "table",
]
