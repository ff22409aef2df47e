"""Which features are found: twenty made problems with known roles, beside usual tests of relevance.

``python benchmarks/evidence.py`` writes ``benchmarks/evidence.md``. Each problem has
two features that are strongly relevant, two copies of a third one that replace each other,
and columns of noise that depend on each other; linear ones add the three, interacting
ones take the product of the first two. Found is what a method calls relevant; *false*
counts the columns of noise found, *recall* the other four. Compared methods: shadows whose wins
are counted as independent trials (Boruta-like), permutation importance on held-out
samples, recursive elimination with cross-validation, and the package fri for numbers
and two classes, if ``--fri PYTHON`` names an interpreter that has it. It solves
programs as large as the table for each feature, minutes for the larger ones, and so
gets tables of up to 10,000 entries.
"""

import subprocess
import sys
import warnings
from argparse import ArgumentParser
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import binom
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.feature_selection import RFECV
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression, RidgeClassifierCV, RidgeCV
from sklearn.model_selection import train_test_split

from toolkit.bounds import metric_bounds
from toolkit.lvq import GMLVQ
from toolkit.relevance import relevance_evidence

PENALTIES = np.logspace(-1, 4, 11)
PROBLEMS = [  # kind, target, features, samples, correlation
    ("linear", "target", 5, 50, 0.0), ("linear", "target", 10, 100, 0.5), ("linear", "target", 20, 200, 0.9),
    ("linear", "target", 50, 500, 0.95), ("linear", "target", 100, 1000, 0.0), ("linear", "target", 100, 200, 0.5),
    ("linear", 2, 5, 50, 0.0), ("linear", 2, 20, 200, 0.5), ("linear", 2, 50, 500, 0.9),
    ("linear", 2, 100, 1000, 0.95), ("linear", 4, 10, 200, 0.0), ("linear", 4, 20, 500, 0.5),
    ("linear", 4, 50, 1000, 0.9), ("interacting", "target", 5, 100, 0.0), ("interacting", "target", 20, 500, 0.5),
    ("interacting", "target", 50, 1000, 0.9), ("interacting", 2, 10, 200, 0.0), ("interacting", 2, 20, 500, 0.5),
    ("interacting", 2, 100, 1000, 0.0), ("interacting", 4, 20, 1000, 0.5),
]  # fmt: skip

GIVEN_TO_FRI = [
    i
    for i, (_, target, d, n, _) in enumerate(PROBLEMS)
    if target != 4 and d * n <= 10_000
]


def problem(kind, target, d, n, correlation, seed):
    """Samples, a target or classes, and how many of the first features matter."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    for start in (0, *range(4, d, 3)):  # the two needed ones; threes of noise
        block = slice(start, 2 if start == 0 else min(start + 3, d))
        common = rng.normal(size=(n, 1))
        independent = np.sqrt(1 - correlation) * X[:, block]
        X[:, block] = np.sqrt(correlation) * common + independent
    X[:, 3] = X[:, 2] + 0.05 * X[:, 3]
    if kind == "linear":
        of_two = X[:, 0] + 0.8 * X[:, 1]
    else:
        of_two = 1.3 * X[:, 0] * X[:, 1]
    y = of_two + 0.8 * X[:, 2] + rng.normal(size=n)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    if target != "target":
        fractions = np.arange(1, target) / target
        y = np.digitize(y, np.quantile(y, fractions)).astype(str)
    return X, y


def is_regression(y):
    return y.dtype.kind == "f"


def forest(y, seed, trees=60):
    method = RandomForestClassifier
    if is_regression(y):
        method = RandomForestRegressor
    return method(trees, max_features="sqrt", random_state=seed)


def linear(y):
    if is_regression(y):
        return RidgeCV(PENALTIES)
    return RidgeClassifierCV(PENALTIES)


def evidence(model, alpha=0.05):
    def is_significant(X, y, seed):
        result = relevance_evidence(
            model(y, seed), X, y, alpha=alpha, random_state=seed
        )
        return result.kinds() == "significant"

    return is_significant


def weights(y, seed):
    return linear(y)


def either(X, y, seed):
    """Weights of a ridge regression or importances of a forest above the null level, each at half the level."""
    by_weights = evidence(weights, 0.025)(X, y, seed)
    by_forest = evidence(forest, 0.025)(X, y, seed)
    return by_weights | by_forest


def boruta_like(X, y, seed, draws=30):
    """How often a feature beats the largest shadow, as if draws were independent: two tails, Bonferroni."""
    rng = np.random.default_rng(seed)
    d = X.shape[1]
    hits = np.zeros(d)
    for draw in range(draws):
        shadows = rng.permuted(X, axis=0)
        model = forest(y, seed + draw).fit(np.hstack([X, shadows]), y)
        importance = model.feature_importances_
        hits += importance[:d] > importance[d:].max()
    return binom.sf(hits - 1, draws, 0.5) < 0.05 / d


def permuted(X, y, seed):
    """Permutation importance on held-out samples, two standard deviations above 0."""
    classes = None if is_regression(y) else y
    A, B, a, b = train_test_split(
        X, y, test_size=0.3, random_state=seed, stratify=classes
    )
    model = forest(y, seed).fit(A, a)
    importance = permutation_importance(
        model, B, b, n_repeats=10, random_state=seed
    )
    return importance.importances_mean - 2 * importance.importances_std > 0


def eliminated(model):
    def is_selected(X, y, seed):
        selection = RFECV(
            model(y, seed), step=0.2, cv=3, min_features_to_select=1
        )
        return selection.fit(X, y).support_

    return is_selected


METHODS = {
    "weights above the null level": evidence(weights),
    "forest above the null level": evidence(forest),
    "either": either,
    "Boruta-like": boruta_like,
    "permutation importance": permuted,
    "RFECV, forest": eliminated(forest),
    "RFECV, ridge": eliminated(weights),
}


def outcome(case, method, seed):
    """Share of the columns of noise found, whether any was, share of the four others found."""
    with warnings.catch_warnings(action="ignore"):
        X, y = problem(*case, seed)
        return scores_of(METHODS[method](X, y, seed))


def scores_of(is_found):
    noise = is_found[4:]
    return [noise.mean(), noise.any(), is_found[:4].mean()]


def of_fri(python, draws):
    """As `outcome`, of each problem and draw (problems, draws, 3), NaN for problems that it does not get."""
    jobs = [(i, seed) for i in GIVEN_TO_FRI for seed in range(draws)]
    scores = np.full((len(PROBLEMS), draws, 3), np.nan)
    with TemporaryDirectory() as folder:
        problems_file = Path(folder, "problems.npz")
        results_file = Path(folder, "found.npz")
        arrays = {}
        for k, (i, seed) in enumerate(jobs):
            arrays[f"X{k}"], arrays[f"y{k}"] = problem(*PROBLEMS[i], seed)
        np.savez(problems_file, **arrays)
        script = Path(__file__).with_name("evidence_fri.py")
        command = [python, script, problems_file, results_file]
        subprocess.run(command, check=True)
        with np.load(results_file) as results:
            for k, job in enumerate(jobs):
                scores[job] = scores_of(results[f"found{k}"])
    return scores


def wine(draw, measure, permute):
    """How many of wine's columns, and of five of noise, are needed beside noise; of shuffled classes, if asked."""
    X, y = load_wine(return_X_y=True)
    rng = np.random.default_rng(draw)
    X = np.hstack([X, rng.normal(size=(len(X), 5))])
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    if permute:
        y = rng.permutation(y)
    with warnings.catch_warnings(action="ignore"):
        result = relevance_evidence(MEASURES[measure], X, y, random_state=draw)
    is_needed = result.kinds() == "strongly relevant"
    return [is_needed[:13].sum(), is_needed[13:].sum()]


def of_logistic(X, y):
    model = LogisticRegression(max_iter=500).fit(X, y)
    return metric_bounds(model, X, null_space=X.shape[1] // 6)


def of_gmlvq(X, y):
    model = GMLVQ(rank=2, max_iter=300).fit(X, y)
    return metric_bounds(model, X, null_space=X.shape[1] // 6)


MEASURES = {"logistic regression": of_logistic, "GMLVQ, rank 2": of_gmlvq}


def as_markdown(scores, methods, wines, draws, wine_draws):
    """The page; `scores` (problems, methods, 3)."""
    text = __doc__.split("\n\n", 1)[1].strip()
    lines = ["# Which features are found", "", *text.splitlines(), ""]
    lines += [
        f"Per cent, means over {len(PROBLEMS)} problems with {draws} draws each; fri on {len(GIVEN_TO_FRI)} of the problems.",
        "",
    ]
    lines += table_of_methods(scores, methods)
    lines += ["", "Each problem: false / recall.", ""]
    lines += table_of_problems(scores, methods)
    lines += [
        "",
        f"Wine with five columns of noise, bounds of a model beside noise, {wine_draws} draws.",
        "",
    ]
    lines += table_of_wine(wines)
    return "\n".join(lines) + "\n"


def rule(n_columns):
    """The line below the head of a table."""
    return "".join("|---" for _ in range(n_columns)) + "|"


def table_of_methods(scores, methods):
    is_linear = np.array([case[0] == "linear" for case in PROBLEMS])
    groups = {
        "all": np.ones(len(PROBLEMS), dtype=bool),
        "linear": is_linear,
        "interacting": ~is_linear,
    }
    heads = " | ".join(f"recall, {name}" for name in groups)
    yield f"| | false | tables with any | {heads} |"
    yield rule(6)
    for column, name in enumerate(methods):
        percent = 100 * scores[:, column]
        false, any_false, _ = np.nanmean(percent, axis=0)
        cells = [name, f"{false:.1f}", f"{any_false:.0f}"]
        for rows in groups.values():
            cells.append(f"{np.nanmean(percent[rows, 2]):.0f}")
        yield f"| {' | '.join(cells)} |"


def table_of_problems(scores, methods):
    heads = " | ".join(methods)
    yield f"| problem | classes | features | samples | correlation | {heads} |"
    yield rule(5 + len(methods))
    for case, row in zip(PROBLEMS, scores, strict=True):
        cells = [str(value) for value in case]
        for false, _, recall in 100 * row:
            is_measured = false >= 0
            cells.append(f"{false:.0f} / {recall:.0f}" if is_measured else "")
        yield f"| {' | '.join(cells)} |"


def table_of_wine(wines):
    yield "| bounds of | classes | needed, of 13 | noise needed, of 5: mean | largest |"
    yield "|---|---|---|---|---|"
    for (measure, permute), counts in wines.items():
        needed, noise = np.mean(counts, axis=0)
        largest = int(np.max(counts, axis=0)[1])
        classes = "shuffled" if permute else "true"
        yield f"| {measure} | {classes} | {needed:.1f} | {noise:.2f} | {largest} |"


def arguments():
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--wine-draws", type=int, default=20)
    parser.add_argument(
        "--fri",
        metavar="PYTHON",
        help="an interpreter that has the package fri",
    )
    return parser.parse_args()


def main():
    options = arguments()
    draws, wine_draws = options.draws, options.wine_draws
    jobs = product(PROBLEMS, METHODS, range(draws))
    outcomes = Parallel(-1, verbose=1)(delayed(outcome)(*job) for job in jobs)
    shape = len(PROBLEMS), len(METHODS), draws, 3
    scores = np.reshape(outcomes, shape).mean(axis=2)
    methods = list(METHODS)
    if options.fri:
        of_problems = of_fri(options.fri, draws).mean(axis=1)
        scores = np.concatenate([scores, of_problems[:, None]], axis=1)
        methods.append("fri")
    kinds = list(product(MEASURES, (False, True)))
    tasks = [
        delayed(wine)(draw, *kind)
        for kind in kinds
        for draw in range(wine_draws)
    ]
    counts = Parallel(-1, verbose=1)(tasks)
    counts = np.reshape(counts, (len(kinds), wine_draws, 2))
    wines = dict(zip(kinds, counts, strict=True))
    text = as_markdown(scores, methods, wines, draws, wine_draws)
    Path(__file__).with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    sys.exit(main())
