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
        X[:, block] = (
            np.sqrt(correlation) * common
            + np.sqrt(1 - correlation) * X[:, block]
        )
    X[:, 3] = X[:, 2] + 0.05 * X[:, 3]
    first = (
        X[:, 0] + 0.8 * X[:, 1] if kind == "linear" else 1.3 * X[:, 0] * X[:, 1]
    )
    y = first + 0.8 * X[:, 2] + rng.normal(size=n)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    if target != "target":
        y = np.digitize(
            y, np.quantile(y, np.arange(1, target) / target)
        ).astype(str)
    return X, y


def forest(y, seed, trees=60):
    model = (
        RandomForestRegressor if y.dtype.kind == "f" else RandomForestClassifier
    )
    return model(trees, max_features="sqrt", random_state=seed)


def linear(y):
    return (
        RidgeCV(PENALTIES)
        if y.dtype.kind == "f"
        else RidgeClassifierCV(PENALTIES)
    )


def evidence(model, alpha=0.05):
    def found(X, y, seed):
        return (
            relevance_evidence(
                model(y, seed), X, y, alpha=alpha, random_state=seed
            ).kinds()
            == "significant"
        )

    return found


def weights(y, seed):
    return linear(y)


def either(X, y, seed):
    """Weights of a ridge regression or importances of a forest above the null level, each at half the level."""
    return evidence(weights, 0.025)(X, y, seed) | evidence(forest, 0.025)(
        X, y, seed
    )


def boruta_like(X, y, seed, draws=30):
    """How often a feature beats the largest shadow, as if draws were independent: two tails, Bonferroni."""
    rng, hits = np.random.default_rng(seed), np.zeros(X.shape[1])
    for draw in range(draws):
        shadows = rng.permuted(X, axis=0)
        importance = (
            forest(y, seed + draw)
            .fit(np.hstack([X, shadows]), y)
            .feature_importances_
        )
        hits += importance[: X.shape[1]] > importance[X.shape[1] :].max()
    return binom.sf(hits - 1, draws, 0.5) < 0.05 / X.shape[1]


def permuted(X, y, seed):
    """Permutation importance on held-out samples, two standard deviations above 0."""
    A, B, a, b = train_test_split(
        X,
        y,
        test_size=0.3,
        random_state=seed,
        stratify=None if y.dtype.kind == "f" else y,
    )
    found = permutation_importance(
        forest(y, seed).fit(A, a), B, b, n_repeats=10, random_state=seed
    )
    return found.importances_mean - 2 * found.importances_std > 0


def eliminated(model):
    def found(X, y, seed):
        return (
            RFECV(model(y, seed), step=0.2, cv=3, min_features_to_select=1)
            .fit(X, y)
            .support_
        )

    return found


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
        return scored(METHODS[method](*problem(*case, seed), seed))


def scored(found):
    return [found[4:].mean(), found[4:].any(), found[:4].mean()]


def of_fri(python, draws):
    """As `outcome`, of each problem and draw (problems, draws, 3), NaN for problems that it does not get."""
    jobs = [(i, seed) for i in GIVEN_TO_FRI for seed in range(draws)]
    scores = np.full((len(PROBLEMS), draws, 3), np.nan)
    with TemporaryDirectory() as folder:
        given, answer = Path(folder, "problems.npz"), Path(folder, "found.npz")
        tables = (problem(*PROBLEMS[i], seed) for i, seed in jobs)
        np.savez(
            given,
            **{
                f"{name}{k}": A
                for k, table in enumerate(tables)
                for name, A in zip("Xy", table, strict=True)
            },
        )
        subprocess.run(
            [
                python,
                Path(__file__).with_name("evidence_fri.py"),
                given,
                answer,
            ],
            check=True,
        )
        with np.load(answer) as answers:
            for k, job in enumerate(jobs):
                scores[job] = scored(answers[f"found{k}"])
    return scores


def wine(draw, measure, permute):
    """How many of wine's columns, and of five of noise, are needed beside noise; of shuffled classes, if asked."""
    X, y = load_wine(return_X_y=True)
    rng = np.random.default_rng(draw)
    X = np.hstack([X, rng.normal(size=(len(X), 5))])
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = rng.permutation(y) if permute else y
    with warnings.catch_warnings(action="ignore"):
        needed = (
            relevance_evidence(
                MEASURES[measure], X, y, random_state=draw
            ).kinds()
            == "strongly relevant"
        )
    return [needed[:13].sum(), needed[13:].sum()]


def of_logistic(X, y):
    return metric_bounds(
        LogisticRegression(max_iter=500).fit(X, y),
        X,
        null_space=X.shape[1] // 6,
    )


def of_gmlvq(X, y):
    return metric_bounds(
        GMLVQ(rank=2, max_iter=300).fit(X, y), X, null_space=X.shape[1] // 6
    )


MEASURES = {"logistic regression": of_logistic, "GMLVQ, rank 2": of_gmlvq}


def as_markdown(found, methods, wines, draws, wine_draws):
    """`found` (problems, methods, 3)."""
    lines = [
        "# Which features are found",
        "",
        *__doc__.split("\n\n", 1)[1].strip().splitlines(),
        "",
    ]
    those = f"fri on {len(GIVEN_TO_FRI)} of the problems"
    lines += [
        f"Per cent, means over {len(PROBLEMS)} problems with {draws} draws each; {those}.",
        "",
    ]
    groups = {
        "all": slice(None),
        "linear": [case[0] == "linear" for case in PROBLEMS],
    }
    groups["interacting"] = ~np.array(groups["linear"])
    parts = " | ".join(f"recall, {name}" for name in groups)
    lines += [f"| | false | tables with any | {parts} |", "|---" * 6 + "|"]
    for name, scores in zip(
        methods, 100 * np.moveaxis(found, 1, 0), strict=True
    ):
        false, some, _ = np.nanmean(scores, axis=0)
        recalls = " | ".join(
            f"{np.nanmean(scores[group, 2]):.0f}" for group in groups.values()
        )
        lines.append(f"| {name} | {false:.1f} | {some:.0f} | {recalls} |")
    lines += ["", "Each problem: false / recall.", ""]
    lines += [
        f"| problem | classes | features | samples | correlation | {' | '.join(methods)} |"
    ]
    lines += ["|---" * (5 + len(methods)) + "|"]
    for case, row in zip(PROBLEMS, found, strict=True):
        known = (
            f"{100 * false:.0f} / {100 * recall:.0f}" if false >= 0 else ""
            for false, _, recall in row
        )
        lines.append(f"| {' | '.join(map(str, case))} | {' | '.join(known)} |")
    lines += [
        "",
        f"Wine with five columns of noise, bounds of a model beside noise, {wine_draws} draws.",
        "",
    ]
    lines += [
        "| bounds of | classes | needed, of 13 | noise needed, of 5: mean | largest |",
        "|---|---|---|---|---|",
    ]
    for (measure, permute), counts in wines.items():
        needed, noise = np.mean(counts, axis=0)
        most = int(np.max(counts, axis=0)[1])
        lines.append(
            f"| {measure} | {'shuffled' if permute else 'true'} | {needed:.1f} | {noise:.2f} | {most} |"
        )
    return "\n".join(lines) + "\n"


def main():
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--wine-draws", type=int, default=20)
    parser.add_argument(
        "--fri",
        metavar="PYTHON",
        help="an interpreter that has the package fri",
    )
    options = parser.parse_args()
    jobs = [
        (case, method, seed)
        for case in PROBLEMS
        for method in METHODS
        for seed in range(options.draws)
    ]
    found = Parallel(-1, verbose=1)(delayed(outcome)(*job) for job in jobs)
    found, methods = (
        np.reshape(found, (len(PROBLEMS), len(METHODS), options.draws, 3)).mean(
            axis=2
        ),
        [*METHODS],
    )
    if options.fri:
        others = of_fri(options.fri, options.draws).mean(axis=1)
        found, methods = (
            np.concatenate([found, others[:, None]], axis=1),
            [*METHODS, "fri"],
        )
    kinds = [
        (measure, permute) for measure in MEASURES for permute in (False, True)
    ]
    tasks = [
        delayed(wine)(draw, *kind)
        for kind in kinds
        for draw in range(options.wine_draws)
    ]
    counts = np.reshape(
        Parallel(-1, verbose=1)(tasks), (len(kinds), options.wine_draws, 2)
    )
    text = as_markdown(
        found,
        methods,
        dict(zip(kinds, counts, strict=True)),
        options.draws,
        options.wine_draws,
    )
    Path(__file__).with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    sys.exit(main())
