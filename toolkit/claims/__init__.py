"""Table of published claims: what a paper says, what we measure, the verdict.

``claims.toml`` lists every claim with the rule that decides it. A test measures a claim
and calls `record`, which prints one line and, where ``$TOOLKIT_CLAIMS_DIR`` names a
folder, writes one JSON file to it (a fragment). In a clone, ``tests/ledger`` measures
claims and merges fragments into the stored table, ``figures/claims.json``.
"""

from .claim import PAPERS, Claim, find, load
from .ledger import read_fragments, stored_ledger
from .notebook_table import comparison
from .recording import judge, record, start
from .rows import table
from .show import format_table

__all__ = [
    "PAPERS",
    "Claim",
    "comparison",
    "find",
    "format_table",
    "judge",
    "load",
    "read_fragments",
    "record",
    "start",
    "stored_ledger",
    "table",
]
