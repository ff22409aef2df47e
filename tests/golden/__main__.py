"""Compare, renew or list the golden results: ``python -m tests.golden``."""

import argparse
import os
import sys

from toolkit.report.execute import KERNELS, THREADS

os.environ.update(THREADS | KERNELS)  # before a library is loaded

from .coverage import format_coverage
from .harness import EXACT, all_cases, deviation, run, store, stored, tolerance
from .inputs import inputs

# Most that a result may change when features are multiplied by 1 +- a number of
# roundings: a few of them, a million.
STABLE = {1: 3e-10, 3: 3e-10, -2: 3e-10, 5: 3e-10, 2**20: 1e-5}


def amplification(case, result):
    """The largest change of a result by rounding of its input, as a multiple of what is allowed."""
    return max(
        deviation(run(case, inputs(case.input, k)), result) / most
        for k, most in STABLE.items()
    )


def main(argv=None):
    """Exit code 0, or 1 where a case differs, raises or amplifies rounding."""
    parser = argparse.ArgumentParser("python -m tests.golden", description=__doc__)
    parser.add_argument("--renew", action="store_true", help="store what has changed")
    parser.add_argument(
        "--try",
        dest="tried",
        action="store_true",
        help="show what `--renew` would do; store nothing",
    )
    parser.add_argument(
        "--exact",
        action="store_true",
        help="compare as with the versions of the lock, also elsewhere",
    )
    parser.add_argument(
        "--only",
        nargs="+",
        default=[""],
        metavar="ID",
        help="only those whose name or id has this in it",
    )
    parser.add_argument(
        "--names",
        action="store_true",
        help="list public names, and the options that are covered",
    )
    options = parser.parse_args(argv)
    if options.names:
        print(format_coverage())
        return 0
    renewing = options.renew or options.tried
    cases, old, failed = all_cases(), stored(), False
    chosen = sorted(
        id
        for id, case in cases.items()
        if any(text in f"{case.name} {id}" for text in options.only)
    )
    if not chosen:
        parser.error(
            f"`--only`: no name or id has {' or '.join(options.only)} in it; tests/golden/cases lists them"
        )
    results = {id: result for id, result in old.items() if id in cases}
    changed = {id: "dropped" for id in old.keys() - cases.keys()}
    for id in chosen:
        try:
            result = run(cases[id])
            difference = deviation(result, old.get(id, {}))
            amplified = (
                amplification(cases[id], result) if renewing and difference else 0.0
            )
        except Exception as error:
            print(f"{id}: {type(error).__name__}: {error}")
            failed = True
            continue
        if amplified > 1:
            failed = True
            print(
                f"{id}: changes with rounding {amplified:.1e} times as much as allowed; stop it earlier."
            )
        elif difference > 0 and renewing:
            results[id] = result
            changed[id] = f"changed by {difference:.1e}" if id in old else "new"
        elif difference > (EXACT if options.exact else tolerance()):
            failed, changed[id] = True, f"differs by {difference:.1e}"
    for id, what in sorted(changed.items()):
        size = sum(array.size for array in results.get(id, {}).values())
        print(f"{id}: {what}, {size} numbers")
    if options.renew and changed:
        store(dict(sorted(results.items())))
    print(
        f"{len(chosen)} of {len(cases)} cases, {len(changed)} {'renewed' if renewing else 'differ'}."
    )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
