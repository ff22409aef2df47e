"""What several test files share."""

import nbformat
import pytest
from small_notebooks import notebook


@pytest.fixture
def write_notebook(tmp_path):
    """Function (name, *sources): write a notebook into ``notebooks/`` of a project in a folder of its own."""

    def write(name, *sources, **options):
        path = tmp_path / "notebooks" / f"{name}.ipynb"
        path.parent.mkdir(exist_ok=True)
        nbformat.write(notebook(*sources, **options), path)
        return path

    return write
