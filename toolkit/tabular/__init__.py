"""A user's own table, matrix or model: reading it, seeing it, and what one may believe of it.

A table is read from a file and its columns get kinds (`read_table`, `as_table`); `toolkit.look` looks at it from all
sides, `toolkit.show` draws labelled data at once with sliders. What was decided on the way (the separator, what counts
as missing, which columns are left out and why) is said in ``notes``, sentences for the reader of a page.

Each question has a file: what can be seen (`separation`, `maps`, `linear`), which columns matter (`features`), what
models do (`models`), what one may believe (`words`).
"""

from .look import Look, look
from .reading import read_table
from .show import show
from .squares import read_square
from .table import Table, as_table

__all__ = ["Look", "Table", "as_table", "look", "read_square", "read_table", "show"]
