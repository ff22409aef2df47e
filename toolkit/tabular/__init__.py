"""Analysis of a user's table, matrix or model, as a page.

A table is read from a file and its columns get kinds (`read_table`, `as_table`);
`toolkit.look` analyses it, `toolkit.show` draws several maps at once. Decisions made
while reading (the separator, what is missing, which columns are left out and why) are
in ``notes``.

Each question has a file: prediction (`separation`), maps (`maps`), relevant columns
(`features`), models (`models`); `findings` holds the results, `sections` shows them in
sentences, tables and pictures, `page` puts these on a page and in a notebook.
"""

from ..core.mixed import MixedColumns
from .dependence import dependence
from .embedders import LinearFisher, Logistic
from .evidence import separation
from .features import which_features
from .linear import linear_map
from .look import look
from .reading import read_table
from .rows import prepare_rows
from .show import read_samples, show
from .splits import split
from .squares import read_square, table_of_matrix
from .table import Table, as_table
from .targets import task_of
from .user_models import RawModel
from .views import Look

__all__ = [
    "LinearFisher",
    "Logistic",
    "Look",
    "MixedColumns",
    "RawModel",
    "Table",
    "as_table",
    "dependence",
    "linear_map",
    "look",
    "prepare_rows",
    "read_samples",
    "read_square",
    "read_table",
    "separation",
    "show",
    "split",
    "table_of_matrix",
    "task_of",
    "which_features",
]
