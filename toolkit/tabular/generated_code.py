"""The code that a page offers to copy: what `look` calls, for one table or matrix."""

import shlex

from sklearn.base import BaseEstimator, is_classifier

from ..core.mixed import has_mixed_columns
from .maps import MOST_MAPPED
from .models import CODED

# Arguments of `look` that are files or code, or how to read a file.
FILES = ("test", "model", "map")
READING = ("rows", "sheet", "encoding")

OF_TABLE = """import numpy as np
{pandas}from toolkit.tabular import as_table, prepare_rows, read_table, split, task_of

{read}
table = as_table(frame, {arguments})
data, y = prepare_rows(table.features, table.kinds), table.y
X, task = data.X, task_of(table.task, y, table.label_names)
fitted, held_out = split(task.strata(), table.split_groups, {most}, {seed}{is_test})"""

OF_MATRIX = """import numpy as np
from toolkit.tabular import split, table_of_matrix, task_of

table, data = table_of_matrix({file!r}, {classes!r}, distances={distances})
X, y = data.X, table.y
task = task_of(table.task, y, table.label_names)
fitted, held_out = split(task.strata(), table.split_groups, {most}, {seed})"""

TEST = """
other, notes = read_table({test!r}{reading})
is_test = np.arange(len(frame) + len(other)) >= len(frame)
frame = pd.concat([frame, other[list(frame.columns)]], ignore_index=True)"""

LABELS = """# labels that a fitted row has; rows with none of them are left out
used = y[fitted].any(axis=0)
y, names = y[:, used], np.array(table.label_names)[used]
task = task_of("labels", y, names)
fitted, held_out = fitted[y[fitted].any(axis=1)], held_out[y[held_out].any(axis=1)]"""

FISHER = """# the map, with held-out rows projected
from toolkit.plots import MapDisplay, TargetDisplay
{imports}

tsne = {made}
Z = tsne.fit_transform(X[fitted], y[fitted])
Z_new = tsne.transform(X[held_out])
{display}(np.vstack([Z, Z_new]), np.concatenate([y[fitted], y[held_out]])).plot()"""

GRAPH = """# the map: a graph of neighbours and labels
from toolkit.eigenmaps import SLEML

sleml = SLEML(lam=0.5).fit(X[fitted], y[fitted])
Z, Z_new = sleml.embedding_, sleml.transform(X[held_out])"""

LINEAR = """# the linear map with arrows
from toolkit.tabular import linear_map

linear_map(data, task, fitted, held_out).display(X).plot()"""

SEPARATION = """# errors, baseline and p-value
from toolkit.tabular import separation

found = separation(data, task, table.groups, seed={seed}{declared})
print(found.to_frame(), found.p_value)"""

DEPENDENCE = """# the error with rows that depend on each other kept together
from toolkit.tabular import dependence

linked = dependence(data, task, table.groups, table, seed={seed})
print(linked.found, linked.error)"""

COLUMNS = """# which columns are relevant
from toolkit.tabular import {which}

groups, permuted = {units}, {permuted!r}
matter = which_features(data, task, groups, {best}, permuted=permuted, seed={seed})
matter.plot()
print(matter.to_frame())"""

MODELS = """# a model in the plane of the map
from toolkit.decisionmap import DecisionMap

model = task.usual_models({seed})[{model!r}].fit(X[fitted], y[fitted])
seen = DecisionMap.from_map(
    model, X[fitted], Z, y[fitted], grid=80, random_state={seed}{given}
)
seen.plot()
print(model.score(X[held_out], y[held_out]), seen.score(X[held_out]))"""

OWN = """# the model in a plane of the columns that it takes
{imports_of_own}

{read_model}rows, answers = frame.iloc[table.rows][{columns}], {answers}
{fit}seen = DecisionMap.from_estimator(
    model, rows.iloc[fitted], answers[fitted], grid=80, random_state={seed}{given}
)
seen.plot()
new = rows.iloc[held_out]
print(model.score(new, answers[held_out]), seen.score(new))"""


def code_of(estimator):
    """Import statements for an estimator and its parts, and itself in one line.

    Examples
    --------
    >>> from sklearn.decomposition import PCA
    >>> code_of(PCA(2))
    ('from sklearn.decomposition import PCA', 'PCA(n_components=2)')
    """
    parts = [estimator, *estimator.get_params().values()]
    # public names are in the folder of the module
    statements = {
        f"from {kind.__module__.rpartition('.')[0]} import {kind.__name__}"
        for kind in map(type, parts)
        if issubclass(kind, BaseEstimator)
    }
    return "\n".join(sorted(statements)), " ".join(repr(estimator).split())


def keywords(options, *names):
    """The options that are given, or some of them, as arguments of a call.

    Examples
    --------
    >>> keywords({"task": "value", "id": None})
    ", task='value'"
    """
    return "".join(
        f", {name}={options[name]!r}"
        for name in names or options
        if options[name]
    )


def command_of(seen, **changes):
    """The command that makes the page of a `Look` again, with some options changed.

    It is for a shell, or the call of `look` where the table or another argument is no
    file or a name in a list has a comma. Names are added to lists, such as `keep`.
    """
    arguments = seen.arguments
    options = {
        "target": seen.table_.target,
        **arguments["options"],
        **{name: arguments[name] for name in READING},
        "no_rows": not seen.shows_rows,
    }
    for name, value in changes.items():
        before = options[name]
        options[name] = before + value if isinstance(before, list) else value
    files = {
        name: arguments[name] for name in FILES if arguments[name] is not None
    }
    listed = [value for value in options.values() if isinstance(value, list)]
    is_readable = not any("," in name for names in listed for name in names)
    are_files = all(isinstance(file, str) for file in files.values())
    if arguments["is_file"] and are_files and is_readable:
        return _shell_command(
            arguments["file"], {**options, **files, "seed": seen.seed}
        )
    names = "".join(f", {name}={name}" for name in files)
    return f"toolkit.look(table{keywords(options)}{names})"


def _shell_command(file, options):
    """The words of `look` with the options that are given, quoted for a shell."""
    words = ["python", "-m", "toolkit", "look", file]
    for name, value in options.items():
        if not value:
            continue
        option = f"--{name.replace('_', '-')}"
        text = ",".join(value) if isinstance(value, list) else str(value)
        if value is True:
            words.append(option)
        elif text.startswith("-"):
            words.append(f"{option}={text}")
        else:
            words += option, text
    return shlex.join(words)


def generated_code(seen):
    """Python that computes the numbers of a `Look` at a file, and draws its pictures.

    Of a table or matrix that came from Python the names of the files are "table.csv",
    "matrix.csv", "classes.csv".
    """
    is_table = not seen.is_matrix
    arguments = seen.arguments
    names = arguments | {
        "most": MOST_MAPPED,
        "seed": seen.seed,
        "which": "which_features",
        "best": repr(seen.separation_.best),
    }
    # 1. reading
    parts = [OF_TABLE if is_table else OF_MATRIX]
    if is_table:
        names |= _names_of_table(seen)
    if seen.table_.task == "labels":
        parts.append(LABELS)
    # 2. the map: t-SNE of Fisher distances, the user's, or of labels a graph
    map = arguments.get("map")
    if seen.map_.choice or map is not None:
        parts.append(FISHER)
        names["imports"], names["made"] = (
            code_of(seen.map_.estimator)
            if map is None
            else _code_of_file(map, "map")
        )
        names["display"] = (
            "MapDisplay" if seen.table_.task == "classes" else "TargetDisplay"
        )
    else:
        parts.append(GRAPH)
    if is_table and seen.linear_map_ is not None:
        parts.append(LINEAR)
    # 3. errors, and which columns matter
    parts.append(SEPARATION)
    names["declared"] = ", declared=True" if seen.is_declared else ""
    if seen.dependence_.found:
        parts.append(DEPENDENCE)
    if is_table:
        names["permuted"], kind = seen.permuted
        names["units"] = f"linked.groups[{kind!r}]" if kind else "table.groups"
        if seen.user_model is None:
            parts.append(COLUMNS)
    # 4. the user's model, or the best of the usual ones
    if seen.user_model is not None:
        parts += [OWN, COLUMNS]
        names |= _names_of_user_model(seen)
        names["which"] = "RawModel, which_features"
        names["best"] = "RawModel(model, rows, answers)"
    elif seen.models_:
        parts.append(MODELS)
        names |= {"model": seen.models_[0].name, "given": ""}
        if hasattr(getattr(seen.map_.estimator, "metric_", None), "factors"):
            names["given"] = ", metric=tsne.metric_, distances=tsne.distances_"
    return "\n\n".join(parts).format(**names) + "\n"


def _names_of_table(seen):
    arguments = seen.arguments
    options = arguments["options"]
    rows = f", {arguments['rows']}, {seen.seed}" if arguments["rows"] else ""
    reading = keywords(options, "decimal", "thousands")
    reading += keywords(arguments, "sheet", "encoding")
    names = {
        "read": f"frame, notes = read_table({arguments['file']!r}{rows}{reading})",
        "arguments": f"{seen.table_.target or None!r}{keywords(options)}",
        "pandas": "",
        "is_test": "",
    }
    if arguments["test"]:
        names["read"] += TEST.format(test=arguments["test"], reading=reading)
        names["pandas"] = "import pandas as pd\n"
        names["is_test"] = ", is_test=is_test[table.rows]"
    return names


def _code_of_file(source, otherwise):
    """Import and code of what a file defines; what came from Python has only a name."""
    if not isinstance(source, str):
        return "", otherwise
    path, _, name = source.rpartition(":")
    return "from runpy import run_path\n", f"run_path({path!r})[{name!r}]"


def _names_of_user_model(seen):
    """The user's model: from its file, or the one from Python, which has no code."""
    model, rows, y, was_fitted = seen.user_model
    first, made = _code_of_file(seen.arguments["model"], "")
    imports = f"{first}from toolkit.decisionmap import DecisionMap"
    read = f"model = {made}\n" if made else ""
    fit = given = ""
    if is_classifier(model):
        given += ', metric="fisher"'
    if not has_mixed_columns(rows):
        imports += ", MixedColumns"
        given += ", prepare=MixedColumns()"
    answers = {"b": "y == 'True'", "i": "y.astype(int)"}.get(y.dtype.kind, "y")
    if CODED in getattr(model, "named_estimators", {}):
        answers = "np.unique(y, return_inverse=True)[1]"
    if not was_fitted:
        fit = "model = model.fit(rows.iloc[fitted], answers[fitted])\n"
    return {
        "imports_of_own": imports,
        "read_model": read,
        "columns": list(getattr(rows, "columns", seen.table_.features)),
        "answers": answers,
        "fit": fit,
        "given": given,
    }
