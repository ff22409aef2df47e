"""Fisher neighbours, t-SNE and SLE-ML of very many samples on two workers of Dask, beside one process: `scale.csv`.

Times, peak memory of a worker, bytes sent between processes, recall of the neighbours
against exact rows, efficiency. `python benchmarks/bench_cluster.py 20000 60000 200000`
takes these sizes. With `--graphs DIR` the neighbours are kept there, and `--only map`
makes the map of those.
"""

import csv
import sys
import time
from argparse import ArgumentParser
from contextlib import contextmanager
from itertools import product
from pathlib import Path

import dask
import joblib
import numpy as np
import psutil
from bench_large import digits_like
from distributed import Client, LocalCluster
from scipy.sparse import load_npz, save_npz

from toolkit.eigenmaps import SLEML
from toolkit.embed import TSNE
from toolkit.fisher import ParzenFisher
from toolkit.fisher.paths import line_distances
from toolkit.neighbors import BlockNeighbors
from toolkit.plots import MapDisplay
from toolkit.quality import knn_error
from toolkit.report.execute import KERNELS

# Of workers. Dask's own also returns freed memory at once, by which loops over arrays
# take a tenth to a half longer.
ENVIRONMENT = {
    "OMP_NUM_THREADS": 1,
    "MKL_NUM_THREADS": 1,
    "OPENBLAS_NUM_THREADS": 1,
} | KERNELS
WORKERS, CENTERS, NEIGHBORS, PERPLEXITY = 2, 500, 30, 10
EXACT_ROWS = 300
FEW_FEATURES = 6
COLUMNS = [
    "n",
    "seconds",
    "one_process",
    "efficiency",
    "worker_GB",
    "sent_GB",
    "pairs_a_row",
    "recall",
]
COLUMNS += [
    "tsne_seconds",
    "tsne_GB",
    "map_error",
    "chance",
    "sleml_seconds",
    "sleml_GB",
    "sleml_residual",
]


def most_memory():
    """Peak memory of this process, in bytes."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(
        1024 * int(line.split()[1])
        for line in lines
        if line.startswith("VmHWM:")
    )


def sent():
    """Bytes that went through this machine's own network, over which client, scheduler and workers talk."""
    return psutil.net_io_counters(pernic=True)["lo"].bytes_sent


def recall(fisher, X, graph):
    """Fraction of the nearest neighbours of some rows, found by all their lengths, that a graph has."""
    rows = np.sort(
        np.random.default_rng(1).choice(
            len(X), min(EXACT_ROWS, len(X)), replace=False
        )
    )
    k, left = graph.indptr[1], fisher._logits(X[rows])
    best, who = np.empty((len(rows), 0)), np.empty((len(rows), 0), dtype=int)
    for start in range(0, len(X), 5000):
        others = np.arange(start, min(start + 5000, len(X)))
        D = line_distances(left, fisher._components, fisher._logits(X[others]))
        D[rows[:, None] == others] = np.inf
        best, who = (
            np.hstack([best, D]),
            np.hstack([who, np.broadcast_to(others, D.shape)]),
        )
        order = np.argsort(best, axis=1, kind="stable")[:, :k]
        best, who = (
            np.take_along_axis(best, order, axis=1),
            np.take_along_axis(who, order, axis=1),
        )
    return float(
        np.mean(
            [
                np.isin(exact, graph[i].indices).mean()
                for i, exact in zip(rows, who, strict=True)
            ]
        )
    )


def neighbours(n, options):
    """Columns of the table: the search on two workers, in one process, and its recall."""
    fisher, X, _ = fitted(n, options)
    with two_workers(options) as client:
        start, before = time.perf_counter(), sent()
        graph = fisher.knn_distances(X, NEIGHBORS)
        row = {"seconds": time.perf_counter() - start}
        row["worker_GB"] = max(client.run(most_memory).values()) / 1e9
        row["sent_GB"] = (sent() - before) / 1e9
    row["pairs_a_row"] = fisher.knn_fraction_ * n
    if n <= options.alone:
        start = time.perf_counter()
        alone = fisher.knn_distances(X, NEIGHBORS)
        row["one_process"] = time.perf_counter() - start
        row["efficiency"] = row["one_process"] / row["seconds"] / WORKERS
        assert (alone != graph).nnz == 0, "another result on the cluster"
    row["recall"] = recall(fisher, X, graph)
    if options.graphs:
        save_npz(Path(options.graphs) / f"{n}.npz", graph)
    return row


def the_map(n, options):
    """Columns of the table: t-SNE of the neighbours, which are there already where a folder keeps them."""
    fisher, X, y = fitted(n, options)
    kept = options.graphs and Path(options.graphs) / f"{n}.npz"
    graph = (
        load_npz(kept)
        if kept and kept.exists()
        else fisher.knn_distances(X, NEIGHBORS)
    )
    start = time.perf_counter()
    tsne = TSNE(
        metric="precomputed",
        perplexity=PERPLEXITY,
        n_jobs=WORKERS,
        random_state=0,
        verbose=options.verbose,
    )
    Z = tsne.fit_transform(graph)
    row = {
        "tsne_seconds": time.perf_counter() - start,
        "tsne_GB": most_memory() / 1e9,
    }
    if options.pictures:
        MapDisplay(Z, y).plot().figure_.savefig(
            Path(options.pictures) / f"{n}.png"
        )
    few = np.random.default_rng(0).permutation(n)[:5000]
    row["map_error"], row["chance"] = (
        knn_error(Z[few], y[few]),
        1 - np.bincount(y).max() / n,
    )
    return row


def eigenmap(n, options):
    """Columns of the table: SLE-ML of so few features that a tree finds their neighbours, which the workers search."""
    X, y = digits_like(n)
    model = SLEML(
        neighbors=BlockNeighbors(15, verbose=options.verbose), keep_balance=True
    )
    with two_workers(options):
        start = time.perf_counter()
        model.fit(X[:, :FEW_FEATURES], y)
        seconds = time.perf_counter() - start
    return {
        "sleml_seconds": seconds,
        "sleml_GB": most_memory() / 1e9,
        "sleml_residual": model.residual_,
    }


@contextmanager
def two_workers(options):
    cluster = LocalCluster(
        n_workers=WORKERS,
        threads_per_worker=1,
        dashboard_address=":0",
        memory_limit=options.memory,
    )
    with cluster, Client(cluster) as client, joblib.parallel_config("dask"):
        yield client


def fitted(n, options):
    X, y = digits_like(n)
    return (
        ParzenFisher(
            n_centers=CENTERS, random_state=0, verbose=options.verbose
        ).fit(X, y),
        X,
        y,
    )


STEPS = {"neighbours": neighbours, "map": the_map, "eigenmap": eigenmap}


def main(argv=None):
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    add = parser.add_argument
    add("sizes", type=int, nargs="*", default=[20_000, 60_000])
    add(
        "--alone",
        type=int,
        default=200_000,
        help="up to so many samples one process does it, too",
    )
    add("--graphs", help="folder for the neighbours")
    add("--pictures", help="folder for pictures of the maps")
    add("--memory", default="auto", help="limit of a worker, such as 2GB")
    add("--only", choices=STEPS, help="one of the steps; all by default")
    add("--verbose", action="store_true")
    options = parser.parse_args(argv)
    # as docs/scale.md says
    dask.config.set({"distributed.nanny.pre-spawn-environ": ENVIRONMENT})
    path = Path(__file__).with_name("scale.csv")
    rows = {}
    if path.exists():
        with open(path, newline="", encoding="utf-8") as file:
            rows = {int(row["n"]): row for row in csv.DictReader(file)}
    for n, step in product(
        options.sizes, [options.only] if options.only else STEPS
    ):
        found = {
            name: f"{value:.4g}"
            for name, value in STEPS[step](n, options).items()
        }
        rows[n] = {"n": n} | rows.get(n, {}) | found
        print(rows[n], flush=True)
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(rows[size] for size in sorted(rows))


if __name__ == "__main__":
    main(sys.argv[1:])
