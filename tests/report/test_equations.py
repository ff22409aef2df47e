"""The equation table, on source files made for the purpose, and the tags of the package."""

import json

import pytest

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


@pytest.fixture
def package(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "maps.py").write_text(SOURCE)
    (tmp_path / "plain.py").write_text("def f():\n    return 3  # Eq. (2.9)\n")
    return tmp_path


def test_tags_are_found_with_their_function(package):
    rows = [(r["source"], r["number"], r["file"], r["function"], r["line"]) for r in equations.equations(package)]
    assert rows == [
        ("Kudo2016", "3", "sub/maps.py", "Map.fit", 11),
        ("Kudo2016", "11", "sub/maps.py", "Map.fit", 11),
        ("Kudo2016", "12", "sub/maps.py", "Map.fit", 11),
        ("thesis", "2.9", "plain.py", "f", 2),
        ("thesis", "2.9", "sub/maps.py", "Map.fit", 8),
        ("thesis", "2.10", "sub/maps.py", "", 3),
        ("thesis", "A.21", "sub/maps.py", "Map.fit", 8),
    ]


def test_a_package_must_be_a_folder(tmp_path):
    with pytest.raises(ValueError, match="`package_dir` must be a folder"):
        equations.equations(tmp_path / "none")


def test_the_package_names_its_sources(package):
    """A tag without author means the thesis; Kudo's equations must not be among those."""
    rows = equations.equations()
    kudo = {row["number"] for row in rows if row["source"] == "Kudo2016"}
    assert {"3", "4", "5", "12"} <= kudo
    assert all(row["function"] for row in rows if row["file"].startswith("multilabel"))
    assert all(row["source"] == "Kudo2016" for row in rows if row["file"].startswith("multilabel"))


def test_command(capsys):
    assert equations.main(["--source", "kudo"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["source", "equation", "where", "function"]
    assert all(line.startswith("Kudo2016") for line in lines[2:]) and len(lines) > 5
    assert equations.main(["--json"]) == 0
    assert json.loads(capsys.readouterr().out) == equations.equations()


def test_command_refuses_wrong_use(capsys):
    with pytest.raises(SystemExit) as stop:
        equations.main(["--source", "nobody"])
    assert stop.value.code == 2
    assert "no tag is from 'nobody'" in capsys.readouterr().err
