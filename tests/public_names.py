"""What users can call, from the package itself: parameters, methods and attributes, commands and their options."""

import argparse
import functools
import inspect
import pkgutil
import re

__all__ = ["commands", "options_of", "signatures"]

FUNCTIONS = {
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
    "toolkit.tabular:Look",
    "toolkit.explorer:Explorer",
    "toolkit.decisionmap:DecisionMap",
    "toolkit.tabular:Table",
)


def signatures():
    """{full name: (kind, name)} of parameters, methods and attributes of what users call."""
    members = {}
    for name, path in FUNCTIONS.items():
        members |= parameters(name, pkgutil.resolve_name(path))
    for path in CLASSES:
        members |= members_of(pkgutil.resolve_name(path))
    return members


def parameters(owner, function):
    members = {}
    for parameter in inspect.signature(function).parameters.values():
        name = parameter.name
        if parameter.kind is parameter.VAR_KEYWORD or name in ("self", "cls"):
            continue
        members[f"{owner}: {name}="] = "parameter", name
    return members


def members_of(cls):
    """Public methods with their parameters, properties, and attributes of the docstring."""
    members = {}
    attributes = documented_attributes(cls)
    for name, value in vars(cls).items():
        function = getattr(value, "__func__", value)
        if inspect.isfunction(function) and not name.startswith("_"):
            members[f"{cls.__name__}.{name}()"] = "method", name
            members |= parameters(f"{cls.__name__}.{name}", function)
        elif isinstance(value, property | functools.cached_property):
            attributes.append(name)
    for name in attributes:
        members[f"{cls.__name__}.{name}"] = "attribute", name
    return members


def documented_attributes(cls):
    text = inspect.cleandoc(cls.__doc__)
    section = text.partition("Attributes\n----------\n")[2]
    entries = section.partition("\n\n")[0]
    names = re.findall(r"^(\S.*?) :", entries, re.MULTILINE)
    return [name for entry in names for name in entry.split(", ")]


def commands():
    """{command: its options} of ``python -m toolkit``, also of commands of commands."""
    from toolkit.__main__ import COMMANDS

    results = {}
    for command, (_, _, *additions) in COMMANDS.items():
        parser = argparse.ArgumentParser()
        for add_arguments in additions:
            add_arguments(parser)
        results |= options_of(command, parser)
    return results


def options_of(command, parser):
    """{command: [option, or option and value]}; arguments by position have no name."""
    options = []
    results = {command: options}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, inner in action.choices.items():
                results |= options_of(f"{command} {word}", inner)
        elif action.option_strings and action.dest != "help":
            option = max(action.option_strings, key=len)
            options.append(option)
            options += [f"{option} {value}" for value in action.choices or ()]
    return results
