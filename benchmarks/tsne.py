"""Can openTSNE replace scikit-learn's t-SNE? It writes benchmarks/tsne.md."""

from pathlib import Path

import numpy as np
import openTSNE
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
)
from sklearn.preprocessing import scale

from toolkit.datasets import make_torus
from toolkit.embed import MDS, TSNE
from toolkit.fisher import ParzenFisher
from toolkit.quality import log_area, r_nx

SEEDS = 5
HEAD = """# openTSNE in place of scikit-learn's t-SNE

Mean area under R_NX and its standard deviation over five random subsets of 90 % of the
samples. Perplexity 30, classical scaling as start, 1,000 iterations of which 250 with
exaggeration 12, learning rate, momentum and degrees of freedom of scikit-learn, forces
by Barnes and Hut, one thread. Written by `benchmarks/tsne.py`.

| data | samples | `toolkit.embed.TSNE` | openTSNE | difference |
|---|---|---|---|---|
"""


def data_sets():
    """(name, metric, vectors or distances) of each set."""
    yield "iris", "euclidean", load_iris().data
    yield "wine, standardised", "euclidean", scale(load_wine().data)
    yield (
        "breast cancer, standardised",
        "euclidean",
        scale(load_breast_cancer().data),
    )
    yield "torus", "euclidean", make_torus(500, random_state=0).data
    X, y = (part[:800] for part in load_digits(return_X_y=True))
    yield (
        "digits, Fisher distances",
        "precomputed",
        ParzenFisher().fit(X, y).distances(),
    )


def open_tsne(X, metric, start):
    """A map by openTSNE, whose learning rate has a factor of 4 to scikit-learn's."""
    neighbors = "auto" if metric == "precomputed" else "exact"
    dof = max(start.shape[1] - 1, 1)
    learning_rate = max(len(X) / 12, 200)
    descent = openTSNE.TSNE(
        start.shape[1],
        dof=dof,
        learning_rate=learning_rate,
        n_iter=750,
        initial_momentum=0.5,
        initialization=start,
        metric=metric,
        neighbors=neighbors,
        negative_gradient_method="bh",
    )
    return np.array(descent.fit(X))


def compare(X, metric, seed, k=2):
    """The areas of both maps of a random subset."""
    order = np.random.default_rng(seed).permutation(len(X))
    rows = order[: len(X) * 9 // 10]
    A = X[np.ix_(rows, rows)] if metric == "precomputed" else X[rows]
    start = MDS(k, metric=metric).fit_transform(A)
    start *= 1e-4 / start[:, 0].std()
    ours = TSNE(k, metric=metric, init=start).fit_transform(A)
    maps = ours, open_tsne(A, metric, start)
    return [log_area(r_nx(A, Z, metric=metric)) for Z in maps]


text = HEAD
for name, metric, X in data_sets():
    areas = np.array([compare(X, metric, seed) for seed in range(SEEDS)])
    columns = *areas.T, areas[:, 1] - areas[:, 0]
    cells = [f"{column.mean():.3f} ± {column.std():.3f}" for column in columns]
    text += f"| {name} | {len(X) * 9 // 10} | {' | '.join(cells)} |\n"
ours, other = compare(load_iris().data, "euclidean", 0, k=3)
text += f"\n`n_components=3` works: areas {ours:.3f} and {other:.3f} on iris.\n"
Path(__file__).with_suffix(".md").write_text(text, "utf-8")
