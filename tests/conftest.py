"""What several test files share."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

PARAMETERS = "seed = 2\nscale = 'default'"


def notebook(*sources, parameters=PARAMETERS):
    """A notebook: texts that start with "#" or "*" are Markdown, the others code; the parameters come second."""
    first, *rest = sources
    cells = [new_markdown_cell(first), new_code_cell(parameters, metadata={"tags": ["parameters"]})]
    cells += [new_markdown_cell(text) if text[0] in "#*<" else new_code_cell(text) for text in rest]
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"  # nbformat's own ids are random
    return new_notebook(cells=cells)


@pytest.fixture
def write_notebook(tmp_path):
    """Function (name, *sources): write a notebook into ``notebooks/`` of a project in a folder of its own."""

    def write(name, *sources, **options):
        path = tmp_path / "notebooks" / f"{name}.ipynb"
        path.parent.mkdir(exist_ok=True)
        nbformat.write(notebook(*sources, **options), path)
        return path

    return write
