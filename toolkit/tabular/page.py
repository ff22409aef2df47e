"""The page of a `Look`, and its notebook: both show the same sections."""

import copy
import html
import re
from datetime import date

from ..core import write_text
from ..explorer import Explorer
from ..explorer.offline import check_page
from ..plots.publishing import figure_outputs
from ..report.export import WIDGET_STATE, notebook_page
from ..report.stored import KERNEL
from .cells import one_line
from .pictures import Picture
from .sections import SECTIONS

CODE_OF_LOOK = """import toolkit

seen = toolkit.look(data, target, **options)
"""


def write_page(look, path, title):
    """Write the page of a `Look`; returns the path."""
    path = check_page(path)
    write_text(path, page_of(notebook_of(look, title), title))
    return path


def notebook_of(look, title, parameters=None):
    """The notebook of a `Look` with its outputs, as if its cells had been run.

    Parameters
    ----------
    look : Look
    title : str
    parameters : dict, optional
        Values of ``data``, ``target`` and ``options``, for the code of the look.
    """
    from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

    cells = [new_markdown_cell(_heading(title))]
    code = ""
    if parameters is not None:
        lines = [f"{name} = {value!r}" for name, value in parameters.items()]
        cells.append(
            new_code_cell("\n".join(lines), metadata={"tags": ["parameters"]})
        )
        code = CODE_OF_LOOK
    state_of_widgets = {}
    for section in SECTIONS:
        metadata = {}
        if section.title:
            cells.append(new_markdown_cell(f"## {section.title}"))
        else:
            metadata["tags"] = ["first"]
        for part in section.parts:
            shown_value = part(look)
            cells.append(
                new_code_cell(
                    f"{code}seen.{part.__name__}()",
                    outputs=_outputs(shown_value),
                    metadata=metadata,
                )
            )
            state_of_widgets |= _widget_state(shown_value)
            code = ""
    code_cells = [cell for cell in cells if cell.cell_type == "code"]
    for number, cell in enumerate(code_cells, start=1):
        cell.execution_count = number
    nb = new_notebook(cells=cells)
    nb.metadata["kernelspec"] = KERNEL
    nb.metadata["language_info"] = {"name": "python"}
    nb.metadata["widgets"] = {
        WIDGET_STATE: {
            "state": state_of_widgets,
            "version_major": 2,
            "version_minor": 0,
        }
    }
    return nb


def _heading(title):
    """Title, as text in Markdown, and date."""
    title = html.escape(one_line(title), quote=False)
    title = re.sub(r"([\\`*_$\[\]#])", r"\\\1", title)
    return f"# {title}\n\nComputed on {date.today():%d %B %Y}."


def _outputs(shown_value):
    """Outputs of a cell for text, a picture or an explorer."""
    from nbformat.v4 import new_output

    if isinstance(shown_value, Picture):
        bundles = figure_outputs(
            shown_value.figure_,
            shown_value.name,
            shown_value.caption,
            shown_value.alt,
        )
    elif isinstance(shown_value, Explorer):
        bundles = [shown_value._repr_mimebundle_()]
    else:
        data = {
            "text/html": shown_value._repr_html_(),
            "text/plain": repr(shown_value),
        }
        bundles = [(data, {})]
    return [
        new_output("display_data", data, metadata=metadata)
        for data, metadata in bundles
    ]


def _widget_state(shown_value):
    """State of an explorer, by which a page plays it; empty for all else."""
    from ipywidgets.embed import dependency_state

    if not isinstance(shown_value, Explorer):
        return {}
    return dependency_state([shown_value], drop_defaults=False)


def page_of(nb, title):
    """The page of an executed notebook, without its code."""
    nb = copy.deepcopy(nb)
    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.source = ""
    page, _ = notebook_page(
        nb, title, title=one_line(title), home=None, alt_texts=False
    )
    return page
