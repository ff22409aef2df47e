"""Time the methods: ``python benchmarks/bench.py [GROUP ...]`` runs the table of `jobs.py`.

A line for each job has seconds, peak memory and, from the same run, how many times as long a
plain form of the computation takes, or another job. Each group runs in a process
of its own. ``--sizes 5000 100000`` replaces the sizes of the jobs that have some. All
groups together take about an hour, of which `large` takes a quarter.
"""

import subprocess
import sys
import warnings
from argparse import ArgumentParser
from dataclasses import replace

from jobs import GROUPS
from timing import run


def main():
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "groups",
        nargs="*",
        metavar="GROUP",
        help=f"of {', '.join(GROUPS)} (default: all)",
    )
    parser.add_argument("--sizes", type=int, nargs="+")
    options = parser.parse_args()
    unknown = sorted(set(options.groups) - set(GROUPS))
    if unknown:
        parser.error(f"there is no group {unknown[0]!r}")
    chosen = options.groups or list(GROUPS)
    if len(chosen) == 1:
        run_group(chosen[0], options.sizes)
        return
    for group in chosen:
        command = [sys.executable, __file__, group]
        if options.sizes:
            command += ["--sizes", *map(str, options.sizes)]
        subprocess.run(command, check=True)


def run_group(group, sizes=None):
    """Run the jobs of a group in their order: a later one may use what one before has made."""
    warnings.simplefilter("ignore")
    print(group, flush=True)
    seconds_of = {}
    for job in GROUPS[group]:
        if sizes and job.sizes:
            job = replace(job, sizes=tuple(sizes))
        run(job, seconds_of)


if __name__ == "__main__":
    main()
