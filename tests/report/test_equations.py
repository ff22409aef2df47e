"""The equation table, on source files made for the purpose, and the tags of the package."""

import json
from pathlib import Path

from pytest import fixture, raises

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
    assert [row.pop("meaning") for row in rows][:2] == ["low-rank regression", ""]
    assert [tuple(row.values()) for row in rows] == [
        ("Kudo2016", "3", "sub/maps.py", "Map.fit", 11),
        ("Kudo2016", "11", "sub/maps.py", "Map.fit", 11),
        ("Kudo2016", "12", "sub/maps.py", "Map.fit", 11),
        ("thesis", "2.9", "plain.py", "f", 2),
        ("thesis", "2.9", "sub/maps.py", "Map.fit", 8),
        ("thesis", "2.10", "sub/maps.py", "", 3),
        ("thesis", "A.21", "sub/maps.py", "Map.fit", 8),
    ]


def test_a_package_must_be_a_folder(tmp_path):
    with raises(ValueError, match="`package_dir` must be a folder"):
        equations.equations(tmp_path / "none")


def check(rows, listed):
    """One line for each number that is listed and has no tag, or several, or has a tag and is not listed."""
    meanings = {(source, number): m for source, entry in listed.items() for number, m in entry["equations"].items()}
    places = {}
    for row in rows:
        places.setdefault((row["source"], row["number"]), []).append(f"{row['file']}:{row['line']}")
    for key in sorted(places.keys() | meanings.keys()):
        found = places.get(key, [])
        if key not in meanings or len(found) != 1:
            yield f"{key[0]} ({key[1]}), {meanings.get(key, 'not listed')}: {', '.join(found) or 'no tag'}"


def test_each_listed_equation_has_one_tag_and_each_tag_is_listed(rows):
    assert list(check(rows, equations.sources())) == []


def test_what_the_check_finds(package):
    """One tag is missing, one is doubled, four are not in the list."""
    listed = {"Kudo2016": {"3": "low-rank regression", "4": "scores", "12": "c"}, "thesis": {"2.9": "path length"}}
    found = check(equations.equations(package), {key: {"equations": entry} for key, entry in listed.items()})
    assert list(found) == [
        "Kudo2016 (11), not listed: sub/maps.py:11",
        "Kudo2016 (4), scores: no tag",
        "thesis (2.10), not listed: sub/maps.py:3",
        "thesis (2.9), path length: plain.py:2, sub/maps.py:8",
        "thesis (A.21), not listed: sub/maps.py:8",
    ]


def test_every_source_is_in_the_bibliography_of_the_readme():
    readme = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
    for key, entry in equations.sources().items():
        (line,) = [line for line in readme.splitlines() if line.startswith(f"| {key} ")]
        assert entry["authors"] in line and entry["title"] in line
        assert all(1 <= len(meaning.split()) <= 4 for meaning in entry["equations"].values())


def test_the_package_names_its_sources(rows):
    """A tag without author means the thesis; Kudo's equations must not be among those."""
    kudo = [row for row in rows if row["file"].startswith("multilabel")]
    assert kudo and all(row["function"] and row["source"] == "Kudo2016" for row in kudo)


def test_command(rows, monkeypatch, capsys):
    monkeypatch.setattr(equations, "equations", lambda: rows)
    assert equations.main(["--source", "kudo"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["source", "equation", "meaning", "where", "in", "toolkit/", "function"]
    assert lines[2].split()[:4] == ["Kudo2016", "(1)", "regression", "on"]
    assert lines[-1].startswith("Kudo2016: Kudo, Kimura, Haindl and Tenmoto (2016)")
    assert all(line.startswith("Kudo2016") for line in lines[2:] if line) and len(lines) > 5
    assert equations.main(["--json"]) == 0
    assert json.loads(capsys.readouterr().out) == rows
    with raises(SystemExit, match="2"):
        equations.main(["--source", "nobody"])
    assert "no tag is from 'nobody'" in capsys.readouterr().err
