"""The equation table, on small source files, and the tags of the package."""

from folders import ROOT
from pytest import fixture

from toolkit.__main__ import main
from toolkit.report import equations

SOURCE = '''"""Eq. (9.9) in a docstring is prose, not a tag."""

RATE = 2  # Eq. (2.10)


class Map:
    def fit(self, X):
        # Eqs. (2.9) and (A.21)
        def inner():
            return "# Eq. (8.8) in a string"
        return inner() + 1  # Kudo2016 Eq. (3), with (4) by hand; Kudo2016 Eq. (11)(12)


async def later():
    return 1  # see equation (7.7), which is no tag
'''


@fixture(scope="module")
def rows():
    """Those of the package: to read all of it takes half a second."""
    return equations.equations()


@fixture
def package(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "maps.py").write_text(SOURCE)
    (tmp_path / "plain.py").write_text("def f():\n    return 3  # Eq. (2.9)\n")
    return tmp_path


def test_tags_are_found_with_their_function(package):
    rows = equations.equations(package)
    assert [row.pop("meaning") for row in rows][:2] == [
        "low-rank regression",
        "",
    ]
    assert [tuple(row.values()) for row in rows] == [
        ("Kudo2016", "3", "sub/maps.py", "Map.fit", 11),
        ("Kudo2016", "11", "sub/maps.py", "Map.fit", 11),
        ("Kudo2016", "12", "sub/maps.py", "Map.fit", 11),
        ("thesis", "2.9", "plain.py", "f", 2),
        ("thesis", "2.9", "sub/maps.py", "Map.fit", 8),
        ("thesis", "2.10", "sub/maps.py", "", 3),
        ("thesis", "A.21", "sub/maps.py", "Map.fit", 8),
    ]


def test_equations_of_the_list_have_one_tag_each_and_others_none(rows):
    listed = [
        (source, number)
        for source, entry in equations.sources().items()
        for number in entry["equations"]
    ]
    assert sorted((row["source"], row["number"]) for row in rows) == sorted(
        listed
    )


def test_every_source_is_in_the_bibliography():
    lines = (ROOT / "docs/notation.md").read_text("utf-8").splitlines()
    for key, entry in equations.sources().items():
        [line] = [line for line in lines if line.startswith(f"| {key} ")]
        assert entry["authors"] in line and entry["title"] in line
        assert all(
            1 <= len(meaning.split()) <= 4
            for meaning in entry["equations"].values()
        )


def test_command(rows, monkeypatch, capsys):
    monkeypatch.setattr(equations, "equations", lambda: rows)
    assert main(["equations"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].split()[0] == rows[0]["source"]
    assert len(lines) == 2 + len(rows)
