"""Calls of `look`, in Python and in a shell, that make a look again."""

import shlex

# Arguments of `look` that are files or code, or how to read a file.
FILE_ARGUMENTS = ("test", "model", "map")
READING_ARGUMENTS = ("rows", "sheet", "encoding")


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
