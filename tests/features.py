"""What users can do, found in the product; `features.toml` lists it, with the test that fails without it.

``python -m tests.features`` prints what differs from the list; ``--renew`` adds what is
new, without a test, for somebody to name one. Nothing is removed from the list but by
hand: that a feature goes is a decision. What is on the pages is compared by
`browser/test_page_features.py`, and written into the list by hand.
"""

import argparse
import ast
import functools
import inspect
import json
import pkgutil
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIST = ROOT / "tests" / "features.toml"
# its tables are those of the pages
sys.path.append(str(ROOT / "tests" / "tabular"))
CALLED = {
    "look": "toolkit.tabular:look",
    "show": "toolkit.tabular.show:show",
    "as_table": "toolkit.tabular:as_table",
    "read_table": "toolkit.tabular:read_table",
    "read_square": "toolkit.tabular:read_square",
    "Explorer": "toolkit.explorer:Explorer.__init__",
    "SampleInfo": "toolkit.explorer:SampleInfo.__init__",
    "Style": "toolkit.explorer:Style.__init__",
}
CLASSES = (
    "tabular:Look",
    "explorer:Explorer",
    "decisionmap:DecisionMap",
    "tabular:Table",
)
READING = {
    "file": "tests/tabular/test_reading.py",
    "table": "tests/tabular/test_table.py",
    "look command": "tests/tabular/test_look_command.py",
}
PAGES = (
    "classes",
    "values",
    "labels",
    "distances",
    "similarities",
    "model",
    "explorer",
    "bars",
)

# What a page has, in a browser: pairs of kind and words. Numbers, classes and the best
# model depend on data.
ON_PAGE = r"""() => {
  const found = [], clean = (text) => text.replace(/[\u00b6\d]+/g, "").replace(/\s+/g, " ").trim();
  const kinds = { A: "link", SUMMARY: "fold", TEXTAREA: "text box", range: "slider", checkbox: "check box" };
  const MODELS = /random forest|linear model|nearest neighbours|LogisticRegression/;
  let part = "first";
  const add = (kind, text) => found.push([kind, text]);
  const controls = "button, select, input, textarea, summary, .skip, .anchor";
  // the first rows have the columns of the table itself
  const isRows = (node) => /^The first/.test(node.closest("table").previousElementSibling?.textContent ?? "");
  for (const node of document.querySelectorAll(`h2, h4, figure > img, thead th, pre, .scroll p, dt, ${controls}`)) {
    const [tag, text] = [node.tagName, clean(node.textContent)];
    const label = clean(node.getAttribute("aria-label") ?? node.closest("label")?.textContent ?? text);
    if (tag === "H2") add("heading", (part = text));
    else if (tag === "H4" && text) add("content", `${part}: explorer`);
    else if (tag === "PRE") add("content", `${part}: code`);
    else if (tag === "P") add("content", `${part}: ${node.matches(".remark") ? "notes" : "sentences"}`);
    else if (tag === "IMG") add("content", `${part}: picture ${clean(node.alt.split(/[\d.]/)[0])}`);
    else if (tag === "TH" && text && !isRows(node)) add("content", `${part}: column ${text.replace(MODELS, "model").replace(/(predicted) .+/, "$1 class")}`);
    else if (tag === "BUTTON" && node.closest("th")) add("control", "button of a column: sort");
    else if (tag === "DT") add("key", `key ${node.textContent}`);
    else if (node.closest("[aria-label=classes]")) add("control", "button of a class");
    else if (tag === "SELECT" && label === "Colour by") add("control", `list ${label}`);
    else if (tag === "SELECT") for (const { text } of node.options) add("control", `list ${label}: ${text}`);
    else if (node.matches(controls)) add("control", `${kinds[tag] ?? kinds[node.type] ?? node.type} ${label}`);
  }
  return found;
}"""


def signatures():
    """{id: kind} of parameters, methods and attributes of what users call."""
    found = {}
    for name, path in CALLED.items():
        found |= parameters(name, pkgutil.resolve_name(path))
    for path in CLASSES:
        cls = pkgutil.resolve_name(f"toolkit.{path}")
        name = cls.__name__
        about = inspect.cleandoc(cls.__doc__).partition(
            "Attributes\n----------\n"
        )[2]
        entries = re.findall(
            r"^(\S.*?) :", about.partition("\n\n")[0], re.MULTILINE
        )
        attributes = ", ".join(entries).split(", ")
        for member, value in vars(cls).items():
            value = getattr(value, "__func__", value)
            if inspect.isfunction(value) and not member.startswith("_"):
                found[f"{name}.{member}()"] = "method"
                found |= parameters(f"{name}.{member}", value)
            elif isinstance(value, property | functools.cached_property):
                attributes.append(member)
        found |= {
            f"{name}.{attribute}": "attribute" for attribute in attributes
        }
    return found


def parameters(name, function):
    return {
        f"{name}: {p.name}=": "parameter"
        for p in inspect.signature(function).parameters.values()
        if p.kind is not p.VAR_KEYWORD and p.name not in ("self", "cls")
    }


def commands():
    """{id: kind} of the commands, their options and the values that these may have."""
    from toolkit.__main__ import COMMANDS

    found = {}
    for command, (_, _, *additions) in COMMANDS.items():
        parser = argparse.ArgumentParser()
        for add_arguments in additions:
            add_arguments(parser)
        found |= options(command, parser)
    return found


def options(command, parser):
    found = {f"command {command}": "command"}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, inner in action.choices.items():
                found |= options(f"{command} {word}", inner)
        elif action.dest != "help":
            name = max(action.option_strings, key=len, default=action.metavar)
            for value in ("", *(action.choices or ())):
                found[f"{command} {name} {value}".strip()] = "option"
    return found


def sliders():
    """{id: kind} of the controls of the explorers in the stored notebooks."""
    found = {}
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        pattern = r'"Explorer .* at (.+?), one of \d+ settings? comp'
        for setting in re.findall(pattern, path.read_text("utf-8")):
            for part in setting.split(", "):
                name = part.partition(" = ")[0]
                found[f"notebook {path.name[:2]}: {name}"] = "slider"
    return found


def reading():
    """{id: entry} of the tests of reading tables; cases are named by ids or by what is written there."""
    found = {}
    for name, path in READING.items():
        tree = ast.parse((ROOT / path).read_text("utf-8")).body
        dicts = {
            node.targets[0].id: node.value
            for node in tree
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict)
        }
        for node in tree:
            if isinstance(node, ast.FunctionDef) and node.name.startswith(
                "test_"
            ):
                words = node.name.removeprefix("test_").replace("_", " ")
                entry = {"kind": "reading", "test": f"{path}::{node.name}"}
                cases = []
                for decorator in node.decorator_list:
                    if "parametrize" in ast.unparse(decorator):
                        cases += cases_of(decorator.args[1], dicts)
                if cases:
                    entry["cases"] = cases
                found[f"{name}: {words}"] = entry
    return found


def cases_of(values, dicts):
    if isinstance(values, ast.List | ast.Tuple):
        return [ast.unparse(case).strip("()")[:100] for case in values.elts]
    names = [node.id for node in ast.walk(values) if isinstance(node, ast.Name)]
    keys = next(dicts[name] for name in names if name in dicts).keys
    return [ast.literal_eval(key) for key in keys]


def make_page(kind, folder):
    """The page of a small table of this kind, or of an explorer, with few draws, permutations and trees."""
    import numpy as np
    from own_tables import synthetic
    from scipy.spatial.distance import pdist, squareform
    from sklearn.linear_model import LogisticRegression
    from small_tables import quick_looks, quiet, table_of, with_separation

    from toolkit.explorer import Explorer, SampleInfo

    path = folder / f"{kind}.html"
    X = table_of(n=40)[["u", "v", "w"]]
    # some rows that any model gets wrong
    y = np.where((X.u + X.v > 0) ^ (np.arange(40) % 5 == 0), "ripe", "raw")
    D = squareform(pdist(X))
    if kind == "bars":
        return Explorer(
            lambda size: {"bars": size * np.eye(4)[:, :2].cumsum(axis=1)},
            {"size": [1, 2]},
        ).save(path)
    if kind == "explorer":
        return Explorer(
            lambda size, flag, how: size * X[["u", "v"]].to_numpy(),
            {"size": [1, 2], "flag": [False, True], "how": ["a", "b"]},
            labels=y,
            samples=SampleInfo(columns=X),
            code="f({size})",
        ).save(path)
    a, b = (X[["u", "v"]] > 0).T.to_numpy() * 1
    given = {
        "classes": synthetic(folder, n=60),
        "values": {"data": X.assign(size=X.u + X.v), "target": "size"},
        "labels": {"data": X.assign(a=a, b=b), "labels": ["a", "b"]},
        "distances": {"data": D, "distances": True, "classes": y},
        "similarities": {
            "data": np.exp(-(D**2)),
            "similarities": True,
            "classes": y,
        },
        "model": {
            "data": X.assign(kind=y),
            "target": "kind",
            "model": LogisticRegression(),
        },
    }[kind]
    with quick_looks():
        return with_separation(quiet(**given), 1).report(path)


def on_page(browser, kind, path):
    """{id: entry} of what a page has."""
    page = browser.new_page()
    page.goto(path.as_uri())
    page.locator("canvas[data-drawn]").first.wait_for()
    found = page.evaluate(ON_PAGE)
    page.close()
    return {
        f"page: {words}": {"kind": of, "pages": [kind]} for of, words in found
    }


def quick():
    """{id: entry} of all that is found without a page."""
    found = signatures() | commands() | sliders()
    return {id: {"kind": kind} for id, kind in found.items()} | reading()


def read_list():
    """{id: entry} of `features.toml`."""
    entries = tomllib.loads(LIST.read_text("utf-8"))["feature"]
    return {entry["id"]: entry for entry in entries}


def write(entries):
    """Write `features.toml`, by kind and id."""
    text = "# What users can do, each with the test that fails without it: see `tests/features.py`.\n"
    for id in sorted(entries, key=lambda id: (entries[id]["kind"], id)):
        text += "\n[[feature]]\n"
        for key, value in (
            {"id": id, "kind": "", "test": ""} | entries[id]
        ).items():
            line = json.dumps(value, ensure_ascii=False)
            if len(line) >= 90:
                line = json.dumps(value, ensure_ascii=False, indent=4)
            text += f"{key} = {line}\n"
    LIST.write_text(text, "utf-8")


def main(argv=None):
    """Exit code 0, or 1 where product and list differ."""
    parser = argparse.ArgumentParser(
        "python -m tests.features", description=__doc__.splitlines()[0]
    )
    parser.add_argument(
        "--renew", action="store_true", help="add what is new to the list"
    )
    options = parser.parse_args(argv)
    listed = read_list()
    old = {id: entry for id, entry in listed.items() if "pages" not in entry}
    found = quick()
    differences = [f"new: {id}" for id in sorted(found.keys() - old.keys())]
    differences += [f"gone: {id}" for id in sorted(old.keys() - found.keys())]
    print("\n".join(differences))
    if options.renew:
        for id, entry in found.items():
            listed[id] = listed.get(id, {}) | entry
        write(listed)
    return int(bool(differences))


if __name__ == "__main__":
    sys.exit(main())
