"""The command line, ``python -m toolkit COMMAND``; work is imported when it starts."""

import errno
import re
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
        "toolkit.claims.clone",
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


class Parser(ArgumentParser):
    """A parser whose errors show the usage of the command that was mistyped."""

    commands = None

    def add_subparsers(self, **keywords):
        self.commands = super().add_subparsers(**keywords)
        return self.commands

    def parse_known_args(self, args=None, namespace=None):
        """Parse; an unknown command or option ends the program with code 2."""
        args = sys.argv[1:] if args is None else args
        words = [word for word in args if not word.startswith("-")]
        if self.commands and words:
            self._check_command(words[0])
        namespace, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(self._describe_unknown(unknown))
        return namespace, unknown

    def _check_command(self, word):
        names = self.commands.choices
        if word not in names:
            self.error(
                f"there is no command {word!r}, only"
                f" {', '.join(names)}.{_did_you_mean(word, names)}"
            )

    def _describe_unknown(self, words):
        message = f"unrecognized arguments: {' '.join(words)}."
        options = [word for word in words if word.startswith("-")]
        if not options:
            return message
        names = re.findall(r"(?<![\w-])--?\w[\w-]*", self.format_usage())
        return message + _did_you_mean(options[0].partition("=")[0], names)


def _did_you_mean(word, names):
    # Only wrong words take the time of this import.
    from .core import did_you_mean

    return did_you_mean(word, names)


def _hint(error, options):
    """What to do about files that cannot be written, or ""."""
    number = getattr(error, "errno", None)
    if number not in (errno.ENOSPC, errno.EACCES, errno.EROFS):
        return ""
    hint = ". Make room" if number == errno.ENOSPC else ". Change its rights"
    if hasattr(options, "out"):
        hint += ", or choose another place with --out"
    return f"{hint}; what is finished is kept."


def main(argv=None):
    """Run a command; its exit code.

    0 all well, 1 something failed, 2 wrong use, 130 interrupted, 143 by SIGTERM.
    """
    parser = Parser(
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
        # This is wrong use that the arguments alone do not show.
        hint = _hint(error, options)
        print(f"toolkit {command}: {error}{hint}", file=sys.stderr)
        return 2
    except SystemExit as stop:  # argparse ends so, for --help and for wrong use
        return stop.code


if __name__ == "__main__":
    sys.exit(main())
