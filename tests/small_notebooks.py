"""Small notebooks for tests, and what is in a folder."""

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

PARAMETERS = "seed = 2\nscale = 'default'"


def notebook(*sources, parameters=PARAMETERS):
    """A notebook: texts that start with "#", "*" or "<" are Markdown, the others code; the parameters come second."""
    first, *rest = sources
    cells = [
        new_markdown_cell(first),
        new_code_cell(parameters, metadata={"tags": ["parameters"]}),
    ]
    cells += [
        new_markdown_cell(s)
        if s.startswith(("#", "*", "<"))
        else new_code_cell(s)
        for s in rest
    ]
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"  # nbformat's own ids are random
    return new_notebook(cells=cells)


def tree(folder):
    """{path: content} of all files of a folder."""
    return {
        path.relative_to(folder): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
