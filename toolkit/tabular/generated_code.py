"""The code that a page offers to copy, and the call of `look` that made the page."""

import shlex

from sklearn.base import BaseEstimator, is_classifier

from ..core.mixed import has_mixed_columns
from . import code_templates as templates
from .maps import MOST_MAPPED
from .user_models import CODED

# Arguments of `look` that are files or code, or how to read a file.
FILE_ARGUMENTS = ("test", "model", "map")
READING_ARGUMENTS = ("rows", "sheet", "encoding")


def code_of(estimator):
    """Import statements for an estimator and its parts, and itself in one line.

    Examples
    --------
    >>> from sklearn.decomposition import PCA
    >>> code_of(PCA(2))
    ('from sklearn.decomposition import PCA', 'PCA(n_components=2)')
    """
    statements = set()
    for part in (estimator, *estimator.get_params().values()):
        kind = type(part)
        if issubclass(kind, BaseEstimator):
            # Public names are in the folder of the module.
            folder, _, _ = kind.__module__.rpartition(".")
            statements.add(f"from {folder} import {kind.__name__}")
    return "\n".join(sorted(statements)), " ".join(repr(estimator).split())


def generated_code(look):
    """Python that computes the numbers of a `Look` at a file, and draws its pictures.

    Of a table or matrix that came from Python the names of the files are "table.csv",
    "matrix.csv", "classes.csv".
    """
    # 1. Reading
    if look.is_matrix:
        parts = [templates.CODE_OF_MATRIX]
        values = look.arguments | {}
    else:
        parts = [templates.CODE_OF_TABLE]
        values = look.arguments | _values_of_table(look)
    values |= {"most": MOST_MAPPED, "seed": look.seed}
    if look.table_.task == "labels":
        parts.append(templates.CODE_OF_LABELS)
    # 2. The map: t-SNE of Fisher distances, the user's, or of labels a graph
    if look.map_.choice or look.arguments.get("map") is not None:
        parts.append(templates.CODE_OF_SUPERVISED_MAP)
        values |= _values_of_map(look)
    else:
        parts.append(templates.CODE_OF_GRAPH_MAP)
    if not look.is_matrix and look.linear_map_ is not None:
        parts.append(templates.CODE_OF_LINEAR_MAP)
    # 3. Errors, and which columns are relevant
    parts.append(templates.CODE_OF_ERRORS)
    values["declared"] = ""
    if look.is_declared:
        values["declared"] = ", declared=True"
    if look.dependence_.found:
        parts.append(templates.CODE_OF_DEPENDENCE)
    if not look.is_matrix:
        values |= _values_of_columns(look)
        if look.user_model is None:
            parts.append(templates.CODE_OF_COLUMNS)
    # 4. The user's model, or the best of the usual ones
    if look.user_model is not None:
        parts += [templates.CODE_OF_USER_MODEL, templates.CODE_OF_COLUMNS]
        values |= _values_of_user_model(look)
    elif look.models_:
        parts.append(templates.CODE_OF_MODEL)
        values |= {"model": look.models_[0].name, "given": ""}
        metric = getattr(look.map_.estimator, "metric_", None)
        if hasattr(metric, "factors"):
            values["given"] = ", metric=tsne.metric_, distances=tsne.distances_"
    return "\n\n".join(parts).format(**values) + "\n"


def _values_of_table(look):
    arguments = look.arguments
    options = arguments["options"]
    rows = ""
    if arguments["rows"]:
        rows = f", {arguments['rows']}, {look.seed}"
    reading = keywords(options, "decimal", "thousands")
    reading += keywords(arguments, "sheet", "encoding")
    target = look.table_.target or None
    file = arguments["file"]
    values = {
        "read": f"frame, notes = read_table({file!r}{rows}{reading})",
        "arguments": f"{target!r}{keywords(options)}",
        "pandas": "",
        "is_test": "",
    }
    if arguments["test"]:
        values["read"] += templates.CODE_OF_TEST_ROWS.format(
            test=arguments["test"], reading=reading
        )
        values["pandas"] = "import pandas as pd\n"
        values["is_test"] = ", is_test=is_test[table.rows]"
    return values


def _values_of_map(look):
    user_map = look.arguments.get("map")
    if user_map is None:
        imports, code = code_of(look.map_.estimator)
    else:
        imports, code = _code_of_file(user_map, "map")
    display = "TargetDisplay"
    if look.table_.task == "classes":
        display = "MapDisplay"
    return {"imports": imports, "made": code, "display": display}


def _values_of_columns(look):
    units = "table.groups"
    if look.kind_of_dependence:
        units = f"linked.groups[{look.kind_of_dependence!r}]"
    return {
        "permuted": look.permuted,
        "units": units,
        "which": "which_features",
        "best": repr(look.separation_.best),
    }


def _code_of_file(source, variable):
    """Import and code of what a file defines; what came from Python has only a name."""
    if not isinstance(source, str):
        return "", variable
    path, _, name = source.rpartition(":")
    return "from runpy import run_path\n", f"run_path({path!r})[{name!r}]"


def _values_of_user_model(look):
    """The user's model: from its file, or the one from Python, which has no code."""
    model = look.user_model.estimator
    rows = look.user_model.rows
    y = look.user_model.y
    imports, code = _code_of_file(look.arguments["model"], "")
    imports += "from toolkit.decisionmap import DecisionMap"
    read_model = ""
    if code:
        read_model = f"model = {code}\n"
    arguments = ""
    if is_classifier(model):
        arguments += ', metric="fisher"'
    if not has_mixed_columns(rows):
        imports += ", MixedColumns"
        arguments += ", prepare=MixedColumns()"
    answers = "y"
    if y.dtype.kind == "b":
        answers = "y == 'True'"
    elif y.dtype.kind == "i":
        answers = "y.astype(int)"
    if CODED in getattr(model, "named_estimators", {}):
        answers = "np.unique(y, return_inverse=True)[1]"
    fit = ""
    if not look.user_model.was_fitted:
        fit = "model = model.fit(rows.iloc[fitted], answers[fitted])\n"
    columns = getattr(rows, "columns", look.table_.features)
    return {
        "imports_of_own": imports,
        "read_model": read_model,
        "columns": list(columns),
        "answers": answers,
        "fit": fit,
        "given": arguments,
        "which": "RawModel, which_features",
        "best": "RawModel(model, rows, answers)",
    }


def keywords(options, *names):
    """The options that are given, or some of them, as arguments of a call.

    Examples
    --------
    >>> keywords({"task": "value", "id": None})
    ", task='value'"
    """
    arguments = ""
    for name in names or options:
        if options[name]:
            arguments += f", {name}={options[name]!r}"
    return arguments


def as_arguments(**options):
    """The options, as arguments of a call."""
    return ", ".join(f"{name}={value!r}" for name, value in options.items())


def call_of(look):
    """Code that makes a `Look`, as `seen`; of a matrix it has to be there."""
    if look.is_matrix:
        return ""
    arguments = look.arguments
    code = repr(arguments["file"])
    code += keywords({"target": look.table_.target, **arguments["options"]})
    code += keywords(arguments, *READING_ARGUMENTS, "test")
    code += keywords({"random_state": look.seed})
    for name in ("model", "map"):
        if arguments[name] is not None:
            code += f", {name}={name}"
    return f"\nseen = toolkit.look({code})"


def command_of(look, **changes):
    """The command that makes the page of a `Look` again, with some options changed.

    It is for a shell, or the call of `look` where the table or another argument is no
    file or a name in a list has a comma. Names are added to lists, such as `keep`.
    """
    arguments = look.arguments
    options = {"target": look.table_.target} | arguments["options"]
    for name in READING_ARGUMENTS:
        options[name] = arguments[name]
    options["no_rows"] = not look.shows_rows
    for name, value in changes.items():
        if isinstance(options[name], list):
            options[name] = options[name] + value
        else:
            options[name] = value
    files = {}
    for name in FILE_ARGUMENTS:
        if arguments[name] is not None:
            files[name] = arguments[name]
    if arguments["is_file"] and _can_be_words(options, files):
        words = options | files | {"seed": look.seed}
        return _shell_command(arguments["file"], words)
    names = "".join(f", {name}={name}" for name in files)
    return f"toolkit.look(table{keywords(options)}{names})"


def _can_be_words(options, files):
    """Whether a shell can be given these files, and lists of names between commas."""
    for value in options.values():
        if isinstance(value, list) and any("," in name for name in value):
            return False
    return all(isinstance(file, str) for file in files.values())


def _shell_command(file, options):
    """The words of `look` with the options that are given, quoted for a shell."""
    words = ["python", "-m", "toolkit", "look", file]
    for name, value in options.items():
        if not value:
            continue
        option = f"--{name.replace('_', '-')}"
        text = str(value)
        if isinstance(value, list):
            text = ",".join(value)
        if value is True:
            words.append(option)
        elif text.startswith("-"):
            words.append(f"{option}={text}")
        else:
            words += option, text
    return shlex.join(words)
