"""A table of your own: read it from a file, and find out what its columns are.

What was decided on the way (the separator, what counts as missing, which columns are left out and why) is said in
``notes``, sentences for the reader of a page.
"""

from .reading import read_table
from .squares import read_square
from .table import Table, as_table

__all__ = ["Table", "as_table", "read_square", "read_table"]
