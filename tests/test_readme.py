"""What the README and the pages of `docs/` show runs; what they name is there: commands, options, targets, paths,
classes, pictures."""

import importlib
import re
import shlex
import subprocess
import sys
from pathlib import Path

from folders import ROOT
from pytest import fixture, mark
from sklearn.utils.discovery import all_estimators

import toolkit
from toolkit import __main__ as command_line

PACKAGE = ROOT / "toolkit"
NAMES = "choosing commands developer faq judging notation"
PAGES = {
    path: path.read_text("utf-8")
    for path in [
        ROOT / "README.md",
        *(ROOT / "docs" / f"{name}.md" for name in NAMES.split()),
    ]
}
README, CHOOSING, *_ = PAGES.values()
TEXT = "\n".join(PAGES.values())

FENCED = re.findall(r"^```(\w*)\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)
PYTHON = [code for language, code in FENCED if language == "python"]
LOOKING = [code for code in PYTHON if "toolkit.look(" in code]
PROSE = re.sub(r"^```.*?^```", "", TEXT, flags=re.DOTALL | re.MULTILINE)
SPANS = re.findall(r"`([^`\n]+)`", PROSE)
LINES = [
    *SPANS,
    *(
        line
        for language, code in FENCED
        if not language
        for line in code.splitlines()
    ),
]

# `look FILE ...` in the table stands for the whole command.
SHORT = [
    f"python -m toolkit {span}" for span in SPANS if span.startswith("look ")
]
COMMANDS = sorted(
    {
        line
        for line in [*LINES, *SHORT]
        if re.match("python -m toolkit [a-z]", line)
    }
)
QUICK = [
    line
    for line in COMMANDS
    if re.match(r"python -m toolkit (claims|data list|equations)\b", line)
]
LOOKS = [
    line for line in COMMANDS if line.startswith("python -m toolkit look data/")
]

MADE = "reports/", "mine", ".venv", "toolkit.py"  # by make and by the reader


def words(command):
    """The words of a command after `python -m toolkit`."""
    return shlex.split(command)[3:]


def table(text, heading):
    """The rows of the first table below a heading, as lists of cells."""
    part = text.partition(f"# {heading}\n")[2].partition("\n## ")[0]
    return [
        re.split(r" *\| *", line.strip("| "))
        for line in part.splitlines()
        if line.startswith("|")
    ][2:]


@fixture
def elsewhere(tmp_path, monkeypatch):
    """A folder with the shipped data, where a reader would call Python."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    (tmp_path / "data").symlink_to(ROOT / "data")
    return tmp_path


# ------------------------------------------------------------------ what it shows, runs
def test_each_block_runs_alone(elsewhere):
    results = {}
    for code in PYTHON:
        if code not in LOOKING:
            names = {}
            exec(code, names)
            results |= names
    assert results["search"].best_score_ > 0.9
    assert (elsewhere / "map.html").stat().st_size > 10_000


@mark.slow
def test_the_code_that_looks_at_a_table_runs(elsewhere, capsys):
    for code in LOOKING:
        exec(code, {})
    assert (
        "predict `party` better than chance: error" in capsys.readouterr().out
    )
    assert (elsewhere / "votes.html").stat().st_size > 10_000


def test_there_are_blocks_and_commands_to_test():
    assert (
        2 <= len(PYTHON) <= 4
        and len(LOOKING) == 1
        and len(LOOKS) == 1
        and len(SHORT) >= 4
        and len(QUICK) >= 5
    )


# where digests of all entries are known already
@mark.xdist_group("test_claims_stale")
@mark.parametrize("command", QUICK)
def test_quick_commands_run(command, capsys):
    assert command_line.main(words(command)) == 0
    assert capsys.readouterr().out.strip()


@mark.parametrize("command", COMMANDS)
def test_commands_have_the_options(command, capsys):
    name, *rest = words(command)
    assert command_line.main([name, "--help"]) == 0
    known = set(
        re.findall(r"(?<![\w-])--?[a-z][\w-]*", capsys.readouterr().out)
    )
    assert {word for word in rest if word.startswith("-")} <= known


@mark.slow
@mark.parametrize("command", LOOKS)
def test_the_first_command_writes_the_page_with_the_numbers_of_the_picture(
    command, elsewhere
):
    done = subprocess.run(
        [sys.executable, *shlex.split(command)[1:]],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    page = Path(words(command)[1]).stem + "_look.html"
    assert f"`{page}`" in README and page in done.stdout
    text = (elsewhere / page).read_text("utf-8")
    for alt, _ in re.findall(r"!\[(.*?)\]\((figures/00_.*?)\)", README):
        assert all(number in text for number in re.findall(r"[\d.]+ %", alt)), (
            alt
        )


# ------------------------------------------------------------------ what it names, is
# there
def test_the_readme_is_short():
    assert len(README.splitlines()) <= 110
    assert len(README.encode()) <= 8_000


def test_targets_and_variables_of_make_exist():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = set(
        re.search(r"^\.PHONY:(.*)$", makefile, re.MULTILINE)[1].split()
    )
    calls = [
        line.partition("#")[0].split()[1:]
        for line in LINES
        if re.match(r"make\b", line)
    ]
    assert len(calls) > 10
    for word in [word for call in calls for word in call]:
        variable = word.partition("=")[0]
        assert (
            word in targets
            or "=" in word
            and re.search(rf"\$\({variable}\b", makefile)
        ), word


def test_paths_exist():
    paths = [
        span
        for span in SPANS
        if re.fullmatch(
            r"[\w.]*(/[\w.*]*)+|[\w.]+\.(py|md|toml|json|lock|yml|csv)", span
        )
    ]
    assert len(paths) > 40
    missing = [
        p
        for p in paths
        if not p.startswith(MADE)
        and not any((top / p).exists() for top in (ROOT, PACKAGE))
    ]
    links = [
        page.parent / link
        for page, text in PAGES.items()
        for link in re.findall(r"\]\(([^)#]+)\)", text)
    ]
    assert len(links) > 50
    missing += [
        link
        for link in links
        if not link.exists() and link != ROOT / "docs" / "equations.md"
    ]
    assert not missing


def test_pictures_exist_and_have_words():
    pictures = re.findall(r"!\[(.*?)\]\((.*?)\)", README)
    assert pictures
    for alt, path in pictures:
        assert len(alt.split()) > 10
        assert (ROOT / path).is_file(), path


def test_classes_and_functions_exist():
    """Names with a capital in it, or called, or with an underscore: ours or scikit-learn's."""
    ours = {
        name
        for module in toolkit.SUBPACKAGES
        for name in dir(importlib.import_module(f"toolkit.{module}"))
    }
    theirs = {name for name, _ in all_estimators()}
    cells = [
        cell
        for text, heading in (
            (README, "What do you have?"),
            (README, "Notebooks"),
            (CHOOSING, "Choosing a method"),
        )
        for row in table(text, heading)
        for cell in row
    ]
    spans = [
        span.partition("(")[0]
        for cell in cells
        for span in re.findall(r"`([^`]+)`", cell)
    ]
    names = [name for name in spans if name.isidentifier() and name != "look"]
    assert len(names) > 30 and set(names) <= ours | theirs
    in_prose = {
        span
        for span in SPANS
        if re.fullmatch(r"[A-Z][a-z]+[A-Z]\w*|[a-z]+_[a-z]+", span)
    }
    assert in_prose <= ours | theirs | {
        "set_output",
        "omega_",
        "lambda_",
        "n_components",
        "n_neighbors",
    }


def test_each_row_of_what_you_have_has_a_command_or_class_and_a_chapter():
    few = table(README, "What do you have?")
    rows = few + table(CHOOSING, "Choosing a method")
    assert len(few) >= 6 and len(rows) >= 16
    for have, want, how, chapters in rows:
        assert have and want and "`" not in have + want, (
            "the first two columns are plain words"
        )
        results = [
            re.fullmatch(r"\[(\d)\]\(\S*notebooks/(\d\d)_\w+\.ipynb\)", link)
            for link in chapters.split(", ")
        ]
        assert (
            "`" in how
            and all(results)
            and all(int(link[1]) == int(link[2]) for link in results)
        ), (how, chapters)
