"""A user's own table, matrix or model: reading it, seeing it, and what it shows.

A table is read from a file and its columns get kinds (`read_table`, `as_table`);
`toolkit.look` looks at it from all sides, `toolkit.show` draws labelled data at once,
by several maps. What was decided on the way (the separator, what counts as missing,
which columns are left out and why) is said in ``notes``, sentences for the reader of a
page.

Each question has a file: what can be seen (`separation`, `maps`), which columns matter
(`features`), what models do (`models`), what one may believe (`text`); `findings`
holds the answers, `views` shows them.
"""

from ..core.mixed import MixedColumns
from .embedders import LinearFisher, Logistic
from .features import which_features
from .look import look
from .maps import linear_map
from .reading import read_table
from .rows import prepare_rows
from .separation import dependence, separation
from .show import read_samples, show
from .splits import split
from .squares import read_square, table_of_matrix
from .table import Table, as_table
from .targets import task_of
from .views import Look

__all__ = [
    "LinearFisher",
    "Logistic",
    "Look",
    "MixedColumns",
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
