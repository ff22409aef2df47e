"""Cells that depend on data sets that are not at hand are not run: their stored outputs are shown."""

from hypothesis import given, settings
from hypothesis import strategies as st
from nbformat.v4 import (
    new_code_cell,
    new_markdown_cell,
    new_notebook,
    new_output,
)
from pytest import fixture, mark

from toolkit.report.dependence import (
    STORED,
    data_sets_by_cell,
    data_sets_of,
    put_stored_outputs,
    stored_cells,
    without_cells,
)
from toolkit.report.stored import substituted


def of_sources(*sources):
    """The data sets of each cell, sorted."""
    found = data_sets_by_cell(
        new_notebook(cells=[*map(new_code_cell, sources)])
    )
    return [sorted(found[index]) for index in range(len(sources))]


@mark.parametrize(
    "use",
    [
        "print(a)",
        "b = [a.x for i in range(3)]",
        "def f(i):\n    return a[i]",
        "for i in range(3):\n    print(a)",
        "for a in a.parts:\n    pass",
        "with open(a) as a:\n    pass",
        "%matplotlib inline\nc = 1 if a else 2",
        "c = lambda i: [a for j in i]",
        "a += 1",
        "a[0] = 1",
        "await f(a)",
    ],
)
def test_whatever_uses_a_value_depends_on_its_data(use):
    assert of_sources("a = load('usps')", use) == [["usps"], ["usps"]]


@mark.parametrize(
    "other",
    [
        "a = 1\nprint(a)",
        "b = [a for a in range(3)]",
        "def f(a):\n    return a",
        "for a in range(3):\n    print(a)",
        "with open('x') as a:\n    print(a)",
        "import a\nprint(a)",
        "print('a', b.a, f(a=1))",
        "c = lambda a: a",
    ],
)
def test_another_value_of_the_same_name_does_not(other):
    assert of_sources("a = load('usps')", other) == [["usps"], []]


@mark.parametrize(
    "cell", ["%%bash\necho hello", "files = !ls", "?print", "if:", "\x00"]
)
def test_a_cell_that_is_no_plain_python_is_run(cell):
    assert of_sources("a = load('usps')", cell, "print(a)") == [
        ["usps"],
        [],
        ["usps"],
    ]


def test_a_value_that_is_replaced_is_free_again():
    sources = "a = load('usps')", "b = a", "a = 1", "print(a)", "print(b)"
    assert of_sources(*sources) == [["usps"], ["usps"], [], [], ["usps"]]


def test_names_of_comprehensions_and_parameters_replace_nothing():
    inner = "b = [a for a in 'xyz']\nc = lambda a: a\ndef f(a): return a"
    assert of_sources("a = load('usps')", inner, "a") == [
        ["usps"],
        [],
        ["usps"],
    ]


def test_what_a_cell_changes_depends_on_it_afterwards():
    """A generator has another state, a list other elements, if a cell is not run."""
    sources = (
        "import numpy as np",
        "rng = np.random.default_rng(0)\nrows = []",
        "a = load('usps')\nrows.append(a)\nb = rng.permutation(a)",
        "print(rng.random())",
        "print(rows)",
        "print(np.ones(3))",
    )
    expected = [[], [], ["usps"], ["usps"], ["usps"], []]
    assert of_sources(*sources) == expected


def test_names_in_variables_and_f_strings_are_found_too():
    loops = (
        "for name in ('heart', 'x'):\n    load_or_substitute(f'ida_{name}')",
        "for one in ('usps',):\n    datasets.load(one)",
        "load('iris')",
        "load('no data set')",
    )
    expected = [["ida_heart"], ["usps"], ["iris"], []]
    assert of_sources(*loops) == expected
    nb = new_notebook(cells=[*map(new_code_cell, loops)])
    assert data_sets_of(nb) == ["ida_heart", "iris", "usps"]


@mark.parametrize(
    "source, expected",
    [
        ("for name in ('usps', 'iris'):\n    load(name)", {"iris", "usps"}),
        ("[load(name) for name in ['usps']]", {"usps"}),
        ("for n in ['usps']:\n    n = n[:4]\n    load(n)", {"iris", "usps"}),
        ("for n in names:\n    load(n)", {"iris", "usps"}),
        ("for n, k in (('usps', 1),):\n    load(n)", {"iris", "usps"}),
        ("for n in ['usps']:\n    pass\nn = 'iris'\nload(n)", {"iris", "usps"}),
        ("load(name)", {"iris", "usps"}),
        ("for n in 'usps':\n    load(n)", {"iris", "usps"}),
        (
            "def get(n):\n    return load(n)\nfor n in ['usps']:\n    print(n)",
            {"iris", "usps"},
        ),
        (
            "for n in ['usps']:\n    with f() as n:\n        load(n)",
            {"iris", "usps"},
        ),
    ],
)
def test_a_variable_is_any_string_unless_it_runs_over_constants(
    source, expected
):
    first, _ = of_sources(source, "names = 'usps', 'iris'")
    assert set(first) == expected


NAMES = st.sampled_from("abcd")
STATEMENTS = st.one_of(
    st.builds("{} = load('usps')".format, NAMES),
    st.builds("{} = [1]".format, NAMES),
    st.builds("{} = {} + {}".format, NAMES, NAMES, NAMES),
    st.builds("{}.append(len({}))".format, NAMES, NAMES),
    st.builds(
        "for {0} in [list({1}), list({2})]:\n    {3} = list({0})".format,
        NAMES,
        NAMES,
        NAMES,
        NAMES,
    ),
    st.builds("{0} = [sum({1}) for {1} in [{2}]]".format, NAMES, NAMES, NAMES),
    st.builds(
        "{0} = (lambda {1}: {1} + {2})({3})".format, NAMES, NAMES, NAMES, NAMES
    ),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.lists(STATEMENTS, min_size=1, max_size=3), max_size=8))
def test_the_other_cells_run_and_give_the_same(cells):
    """Against the truth: with all cells, and without those that depend on the data.

    No object has two names here: changes by another name are not seen.
    """
    sources = ["a, b, c, d = [1], [2], [3], [4]"]
    sources += ["\n".join(cell) for cell in cells]

    def values(skipped):
        space = {"load": lambda name: [7, 8]}
        seen = {}
        for index, source in enumerate(sources):
            if index not in skipped:
                try:
                    exec(source, space)
                except (TypeError, AttributeError):
                    return None  # the program itself is wrong
                seen[index] = repr({n: space.get(n) for n in _assigned(source)})
        return seen

    complete = values(set())
    found = of_sources(*sources)
    skipped = {index for index, names in enumerate(found) if names}
    if complete is not None:
        rest = values(skipped)
        assert rest == {i: v for i, v in complete.items() if i not in skipped}


def _assigned(source):
    """Names that begin a line, up to the sign of equality."""
    return [line.split()[0] for line in source.splitlines() if " = " in line][
        :1
    ]


# ---- what is shown


@fixture
def lesson():
    """Two sections on usps, one cell on nothing, all as if executed before."""
    cells = [
        new_markdown_cell("# T"),
        new_code_cell("a = load('usps')"),
        new_code_cell("print(a)"),
        new_markdown_cell("## Next"),
        new_code_cell("print(2 * a)"),
        new_code_cell("print(1)"),
    ]
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
        if cell.cell_type == "code":
            cell.execution_count = number
            cell.outputs = [new_output("stream", text=f"stored {number}\n")]
    return new_notebook(cells=cells)


def test_stored_outputs_under_one_line_in_each_section(lesson):
    stored = stored_cells(lesson, ["usps"], is_usual=True)
    assert list(stored) == [1, 2, 4]
    prepared = without_cells(lesson, stored)
    for cell in prepared.cells:  # as papermill does it
        if cell.cell_type == "code":
            cell.outputs = []
    put_stored_outputs(prepared, stored)
    texts = {
        index: [
            output.get("text") or output.data["text/plain"]
            for output in cell.outputs
        ]
        for index, cell in enumerate(prepared.cells)
        if cell.cell_type == "code"
    }
    assert texts[5] == [] and texts[2] == ["stored 2\n"]
    for index in (1, 4):
        box, output = texts[index]
        assert box.startswith("NOTE: usps: not available here. Stored result.")
        assert output == f"stored {index}\n"
    assert prepared.cells[1].metadata["tags"] == [STORED]
    assert substituted(prepared) == ["usps"]
    # the notebook itself is as before
    assert "tags" not in lesson.cells[1].metadata


@mark.parametrize("how", ["other parameters", "never executed"])
def test_what_is_stored_for_other_settings_is_not_shown(lesson, how):
    if how == "never executed":
        lesson.cells[1].execution_count = None
    stored = stored_cells(lesson, ["usps"], is_usual=how == "never executed")
    assert stored[1].outputs == []
    assert "Not run here" in stored[1].notice["text/html"]


def test_nothing_is_left_out_where_all_data_are_at_hand(lesson):
    assert stored_cells(lesson, [], is_usual=True) == {}
    assert stored_cells(lesson, ["coil20"], is_usual=True) == {}
