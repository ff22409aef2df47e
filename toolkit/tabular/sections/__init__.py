"""Sections of the page of a `Look`, in their order: a title, and functions of a look.

The page, its notebook and ``notebooks/00_your_data.ipynb`` show what these functions
return: text with a table, a picture or an explorer.
"""

from dataclasses import dataclass

from .data import show_rows, show_table
from .features import list_columns, show_bounds
from .maps import explore_map, show_linear_map, show_maps
from .method import show_code, show_method
from .models import explore_models, list_errors, show_calibration, show_models
from .notes import show_notes
from .summary import show_summary

__all__ = ["SECTIONS", "Section"]


@dataclass(frozen=True, kw_only=True)
class Section:
    """A section of the page.

    Attributes
    ----------
    title : str
        Its heading; the first section has none.
    parts : tuple of functions
        Each takes a `Look` and returns what is shown.
    """

    title: str
    parts: tuple


SECTIONS = [
    Section(title="", parts=(show_summary, show_notes, explore_map)),
    Section(title="Maps", parts=(show_maps, show_linear_map)),
    Section(title="Relevant columns", parts=(show_bounds, list_columns)),
    Section(
        title="Models",
        parts=(show_models, explore_models, show_calibration, list_errors),
    ),
    Section(title="Data", parts=(show_rows, show_table)),
    Section(title="Method", parts=(show_method, show_code)),
]
