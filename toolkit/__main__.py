"""The command line, ``python -m toolkit COMMAND``; work is imported when it starts."""

import sys
from argparse import ArgumentParser
from importlib import import_module, metadata

from . import arguments

# module that does the work by `run`, help, and what adds the arguments, if any
COMMANDS = {
    "look": (
        "toolkit.tabular.command",
        "analyse your own table, similarity matrix or model: a page",
        arguments.look,
    ),
    "report": (
        "toolkit.report.command",
        "execute notebooks and write them as pages that need no network",
        arguments.report,
    ),
    "claims": (
        "toolkit.claims.show",
        "list the published claims: paper, ours, tolerance, verdict",
        arguments.claims,
    ),
    "measure": (
        "toolkit.report.measure",
        "measure the claims whose stored entry is out of date",
        arguments.measure,
    ),
    "data": (
        "toolkit.datasets.loading",
        "list, fetch and verify the data sets",
        arguments.data,
    ),
    "equations": (
        "toolkit.report.equations",
        "list where each numbered equation is computed",
    ),
    "course": (
        "toolkit.report.course",
        "write the course: editions for students and teachers, and a syllabus",
    ),
}


def main(argv=None):
    """Run a command; its exit code.

    0 all well, 1 something failed, 2 wrong use, 130 interrupted, 143 by SIGTERM.
    """
    parser = ArgumentParser(
        "python -m toolkit",
        epilog="python -m toolkit COMMAND --help tells more.",
    )
    parser.add_argument(
        "--version", action="version", version=metadata.version("didi-toolkit")
    )
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True
    )
    for name, (_, says, *additions) in COMMANDS.items():
        added = commands.add_parser(name, help=says, description=says)
        for add_arguments in additions:
            add_arguments(added)
    try:
        options = parser.parse_args(argv)
        # the rest are the command's own
        command = vars(options).pop("command")
        return import_module(COMMANDS[command][0]).run(options)
    except ModuleNotFoundError as error:
        first = (error.name or "toolkit").partition(".")[0]
        # all others come with an extra
        if first == "toolkit" or first in sys.stdlib_module_names:
            raise
        print(
            f"{command} needs {error.name}: pip install -e '.[all]' in the clone",
            file=sys.stderr,
        )
        return 2
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # the reader of our output, such as `head`, has seen enough
        sys.stdout = None
        return 0
    except (OSError, ValueError) as error:
        # wrong use that the arguments alone do not show
        print(f"toolkit {command}: {error}", file=sys.stderr)
        return 2
    except SystemExit as stop:  # argparse ends so, for --help and for wrong use
        return stop.code


if __name__ == "__main__":
    sys.exit(main())
