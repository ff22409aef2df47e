"""Fisher neighbours, t-SNE and SLE-ML of very many samples on two workers of Dask, beside one process: `scale.csv`.

Times, peak memory of a worker, bytes sent between processes, recall of the neighbours
against exact rows, efficiency. `python benchmarks/cluster.py 20000 60000 200000`
takes these sizes. With `--graphs DIR` the neighbours are kept there, and `--only map`
makes the map of those.
"""

import csv
import re
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
from distributed import Client, LocalCluster
from problems import digits_like
from scipy.sparse import load_npz, save_npz

from toolkit.eigenmaps import SLEML
from toolkit.embed import TSNE
from toolkit.fisher import ParzenFisher
from toolkit.fisher.paths import line_distances
from toolkit.neighbors import BlockNeighbors
from toolkit.plots import MapDisplay
from toolkit.quality import knn_error
from toolkit.report.execute import KERNELS

# What workers get. Dask's own environment also returns freed memory at once, by which
# loops over arrays take a tenth to a half longer.
ENVIRONMENT = {
    "OMP_NUM_THREADS": 1,
    "MKL_NUM_THREADS": 1,
    "OPENBLAS_NUM_THREADS": 1,
} | KERNELS
WORKERS, CENTERS, NEIGHBORS, PERPLEXITY = 2, 500, 30, 10
EXACT_ROWS = 300
FEW_FEATURES = 6
TABLE = Path(__file__).with_name("scale.csv")
COLUMNS = [
    "n",
    "seconds",
    "one_process",
    "efficiency",
    "worker_GB",
    "sent_GB",
    "pairs_a_row",
    "recall",
    "tsne_seconds",
    "tsne_GB",
    "map_error",
    "chance",
    "sleml_seconds",
    "sleml_GB",
    "sleml_residual",
]


def peak_memory():
    """Peak memory of this process, in bytes."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return 1024 * int(re.search(r"VmHWM:\s+(\d+)", status)[1])


def bytes_sent():
    """Bytes that went through this machine's own network, over which client, scheduler and workers talk."""
    return psutil.net_io_counters(pernic=True)["lo"].bytes_sent


def exact_neighbors(fisher, X, rows, k):
    """Numbers (rows, k) of the nearest neighbours, found by all lengths, block by block."""
    logits = fisher._logits(X[rows])
    nearest = np.empty((len(rows), 0))
    numbers = np.empty((len(rows), 0), dtype=int)
    for start in range(0, len(X), 5000):
        block = np.arange(start, min(start + 5000, len(X)))
        block_logits = fisher._logits(X[block])
        D = line_distances(logits, fisher._components, block_logits)
        D[rows[:, None] == block] = np.inf
        nearest = np.hstack([nearest, D])
        numbers = np.hstack([numbers, np.broadcast_to(block, D.shape)])
        order = np.argsort(nearest, axis=1, kind="stable")[:, :k]
        nearest = np.take_along_axis(nearest, order, axis=1)
        numbers = np.take_along_axis(numbers, order, axis=1)
    return numbers


def recall_of(fisher, X, graph):
    """Fraction of the nearest neighbours of some rows that a graph has."""
    rng = np.random.default_rng(1)
    n_rows = min(EXACT_ROWS, len(X))
    rows = np.sort(rng.choice(len(X), n_rows, replace=False))
    exact = exact_neighbors(fisher, X, rows, graph.indptr[1])
    fractions = []
    for i, numbers in zip(rows, exact, strict=True):
        fractions.append(np.isin(numbers, graph[i].indices).mean())
    return float(np.mean(fractions))


def neighbours(n, options):
    """Columns of the table: the search on two workers, in one process, and its recall."""
    X, y = digits_like(n)
    fisher = fisher_metric(X, y, options)
    with two_workers(options) as client:
        start = time.perf_counter()
        sent_before = bytes_sent()
        graph = fisher.knn_distances(X, NEIGHBORS)
        row = {"seconds": time.perf_counter() - start}
        row["worker_GB"] = max(client.run(peak_memory).values()) / 1e9
        row["sent_GB"] = (bytes_sent() - sent_before) / 1e9
    row["pairs_a_row"] = fisher.knn_fraction_ * n
    if n <= options.alone:
        start = time.perf_counter()
        graph_of_one = fisher.knn_distances(X, NEIGHBORS)
        row["one_process"] = time.perf_counter() - start
        row["efficiency"] = row["one_process"] / row["seconds"] / WORKERS
        is_equal = (graph_of_one != graph).nnz == 0
        assert is_equal, "another result on the cluster"
    row["recall"] = recall_of(fisher, X, graph)
    if options.graphs:
        save_npz(stored_graph(n, options), graph)
    return row


def stored_graph(n, options):
    return Path(options.graphs) / f"{n}.npz"


def graph_of_neighbours(n, X, y, options):
    """The neighbours, which are there already where a folder keeps them."""
    if options.graphs and stored_graph(n, options).exists():
        return load_npz(stored_graph(n, options))
    return fisher_metric(X, y, options).knn_distances(X, NEIGHBORS)


def map_of_neighbours(n, options):
    """Columns of the table: t-SNE of the neighbours."""
    X, y = digits_like(n)
    graph = graph_of_neighbours(n, X, y, options)
    start = time.perf_counter()
    tsne = TSNE(
        metric="precomputed",
        perplexity=PERPLEXITY,
        n_jobs=WORKERS,
        random_state=0,
        verbose=options.verbose,
    )
    Z = tsne.fit_transform(graph)
    row = {"tsne_seconds": time.perf_counter() - start}
    row["tsne_GB"] = peak_memory() / 1e9
    if options.pictures:
        figure = MapDisplay(Z, y).plot().figure_
        figure.savefig(Path(options.pictures) / f"{n}.png")
    rows = np.random.default_rng(0).permutation(n)[:5000]
    row["map_error"] = knn_error(Z[rows], y[rows])
    row["chance"] = 1 - np.bincount(y).max() / n
    return row


def eigenmap(n, options):
    """Columns of the table: SLE-ML of so few features that a tree finds their neighbours, which the workers search."""
    X, y = digits_like(n)
    search = BlockNeighbors(15, verbose=options.verbose)
    model = SLEML(neighbors=search, keep_balance=True)
    with two_workers(options):
        start = time.perf_counter()
        model.fit(X[:, :FEW_FEATURES], y)
        seconds = time.perf_counter() - start
    return {
        "sleml_seconds": seconds,
        "sleml_GB": peak_memory() / 1e9,
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


def fisher_metric(X, y, options):
    metric = ParzenFisher(
        n_centers=CENTERS, random_state=0, verbose=options.verbose
    )
    return metric.fit(X, y)


STEPS = {
    "neighbours": neighbours,
    "map": map_of_neighbours,
    "eigenmap": eigenmap,
}


def arguments(argv):
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
    return parser.parse_args(argv)


def stored_rows():
    """Rows of the table by their number of samples."""
    if not TABLE.exists():
        return {}
    with open(TABLE, newline="", encoding="utf-8") as file:
        return {int(row["n"]): row for row in csv.DictReader(file)}


def store(rows):
    with open(TABLE, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows[size] for size in sorted(rows))


def main(argv=None):
    options = arguments(argv)
    # docs/scale.md says why.
    dask.config.set({"distributed.nanny.pre-spawn-environ": ENVIRONMENT})
    rows = stored_rows()
    steps = STEPS
    if options.only:
        steps = [options.only]
    for n, step in product(options.sizes, steps):
        values = STEPS[step](n, options)
        cells = {name: f"{value:.4g}" for name, value in values.items()}
        rows[n] = {"n": n} | rows.get(n, {}) | cells
        print(rows[n], flush=True)
        store(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
