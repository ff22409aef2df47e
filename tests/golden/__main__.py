"""Compare or renew the golden results: ``python -m tests.golden``."""

import argparse
import os
import sys

from toolkit.report.execute import KERNELS, THREADS

os.environ.update(THREADS | KERNELS)  # before a library is loaded

from .harness import (
    EXACT,
    all_cases,
    deviation,
    run,
    store,
    stored_results,
    tolerance,
)
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
    parser = argparse.ArgumentParser(
        "python -m tests.golden", description=__doc__
    )
    add = parser.add_argument
    add("--renew", action="store_true", help="store what has changed")
    add(
        "--exact",
        action="store_true",
        help="compare as with the versions of the lock, also elsewhere",
    )
    add(
        "--only",
        nargs="+",
        default=[""],
        metavar="ID",
        help="only those whose name or id has this in it",
    )
    options = parser.parse_args(argv)
    texts = options.only
    cases = all_cases()
    names = {id: f"{case.name} {id}" for id, case in cases.items()}
    chosen = sorted(
        id for id in cases if any(text in names[id] for text in texts)
    )
    if not chosen:
        parser.error(
            f"`--only`: no name or id has {' or '.join(texts)} in it;"
            " tests/golden/cases lists them"
        )
    old = stored_results()
    renewing = options.renew
    most = EXACT if options.exact else tolerance()
    results = {id: result for id, result in old.items() if id in cases}
    changes = {id: "dropped" for id in old.keys() - cases.keys()}
    failures = {}
    for id in chosen:
        try:
            result = run(cases[id])
            gap = deviation(result, old.get(id, {}))
            amplified = (
                amplification(cases[id], result) if renewing and gap else 0.0
            )
        except Exception as error:
            failures[id] = f"{type(error).__name__}: {error}"
            continue
        if amplified > 1:
            failures[id] = (
                f"changes with rounding {amplified:.1e} times as much as allowed;"
                " stop it earlier."
            )
        elif renewing and gap:
            results[id] = result
            changes[id] = f"changed by {gap:.1e}"
        elif gap > most:
            failures[id] = f"differs by {gap:.1e}"
    report = changes | failures
    for id in sorted(report):
        print(f"{id}: {report[id]}")
    if renewing and changes:
        store(dict(sorted(results.items())))
    word = f"{len(changes)} renewed" if renewing else f"{len(report)} differ"
    print(f"{len(chosen)} of {len(cases)} cases, {word}.")
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
