"""The command line: ``python -m toolkit COMMAND``. Each command is imported only when it is asked for."""

import sys
from importlib import import_module, metadata

COMMANDS = {
    "look": ("toolkit.tabular.command", "look at a table, a similarity matrix or a model of your own: a page"),
    "report": ("toolkit.report.command", "execute notebooks and write them as pages that need no network"),
    "claims": ("toolkit.claims", "list the published claims: paper, ours, tolerance, verdict"),
    "measure": ("toolkit.report.measure", "measure the claims whose stored entry is out of date"),
    "data": ("toolkit.datasets.cli", "list, fetch and verify the data sets"),
    "equations": ("toolkit.report.equations", "list where each numbered equation is computed"),
    "course": ("toolkit.report.course", "write the course: editions for students and teachers, and a syllabus"),
    "docs": ("toolkit.report.docs", "write the API reference, reports/api/index.html"),
}


def usage():
    width = max(map(len, COMMANDS))
    lines = ["usage: python -m toolkit [-h] [--version] COMMAND ...", ""]
    lines += [f"  {name:{width}}  {says}" for name, (_, says) in COMMANDS.items()]
    return "\n".join([*lines, "", "python -m toolkit COMMAND --help tells more."])


def main(argv=None):
    """Run a command; its exit code: 0 all well, 1 something failed, 2 wrong use, 130 interrupted, 143 by SIGTERM."""
    command, *rest = list(sys.argv[1:] if argv is None else argv) or [""]
    if command in ("-h", "--help", "--version"):
        print(metadata.version("didi-toolkit") if command == "--version" else usage())
        return 0
    if command not in COMMANDS:
        problem = f"there is no command {command!r}" if command else "a command is missing"
        print(f"{usage()}\n\npython -m toolkit: {problem}.", file=sys.stderr)
        return 2
    try:
        return import_module(COMMANDS[command][0]).main(rest)
    except ModuleNotFoundError as error:
        first = (error.name or "toolkit").partition(".")[0]
        if first == "toolkit" or first in sys.stdlib_module_names:  # all others come with an extra
            raise
        print(f"{command} needs {error.name}: pip install -e '.[all]' in the clone", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output, such as `head`, has seen enough
        sys.stdout = None
        return 0
    except SystemExit as stop:  # argparse ends so, for --help and for wrong use
        return stop.code if isinstance(stop.code, int) else 1


if __name__ == "__main__":
    sys.exit(main())
