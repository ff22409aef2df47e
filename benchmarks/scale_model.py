"""What `scale.csv` says of other clusters: growth exponents, a cost model with its residuals, tables in `scale.md`.

    seconds = SERIAL n + slower one_process(n) / workers + broadcast + results

The process that asks computes class probabilities before, and puts the graph together behind; a worker needs `slower`
times as long as one process alone, which is fitted. Samples and probabilities, 8 n (d + c) bytes, go to the scheduler
and from there to all workers in a tree, of which each level takes their bytes once; 16 n k bytes of results come back.
"""

import csv
from pathlib import Path

import numpy as np

FEATURES, CLASSES, NEIGHBORS, HERE = 30, 10, 30, 2
WORKERS, NETWORKS = (4, 32, 256), (1, 10)  # Gbit/s
SERIAL = 13e-6  # seconds a row, and of each tile of 512 rows what Dask takes to start a task and to hand on its result
LAST_TILE = 0.5  # seconds for which some workers wait for others
FOLDER = Path(__file__).parent


def measured():
    """The columns of scale.csv as arrays, nan where nothing was measured."""
    with open(FOLDER / "scale.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([float(row[name] or "nan") for row in rows]) for name in rows[0]}


def exponents(n, values):
    """Growth exponent between the first and the last size that were measured, and the largest residual, as a factor."""
    known = np.isfinite(values)
    line = np.polyfit(np.log(n[known]), np.log(values[known]), 1)
    rest = np.log(values[known]) - np.polyval(line, np.log(n[known]))
    return line, float(np.exp(np.abs(rest).max()))


def bytes_moved(n, workers):
    return 8 * n * (FEATURES + CLASSES) * (1 + workers) + 2 * 16 * n * NEIGHBORS


def transfer(n, workers, gigabits):
    """Seconds of the broadcast and of the results through a network."""
    levels = 1 + np.ceil(np.log2(workers))
    return 8e-9 * (8 * n * (FEATURES + CLASSES) * levels + 16 * n * NEIGHBORS) / gigabits


def fitted(n, seconds, work):
    """`slower` by least squares of relative errors, and these errors."""
    known, spread = (SERIAL * n + LAST_TILE) / seconds, work / HERE / seconds
    slower = float(spread @ (1 - known) / (spread @ spread))
    return slower, known + slower * spread - 1


def lines():
    table = measured()
    n, seconds = table["n"], table["seconds"]
    work, _ = exponents(n, table["one_process"])
    alone = np.where(np.isfinite(table["one_process"]), table["one_process"], np.exp(np.polyval(work, np.log(n))))
    slower, errors = fitted(n, seconds, alone)
    yield "# Past one machine: measured, and what follows"
    yield ""
    yield "Written by `python benchmarks/scale_model.py` from `scale.csv`, which `bench_cluster.py` measures: Fisher"
    yield f"metric with 500 centres, {FEATURES} features, {CLASSES} classes, {NEIGHBORS} neighbours; two workers of"
    yield "Dask with one thread each, on a machine of two cores, which they share with scheduler and client."
    yield ""
    yield from measured_table(table)
    yield ""
    yield "Recall is that of the lengths as they are computed, against all lengths of 300 rows. Bytes are those that"
    yield "went between processes: samples and probabilities to the scheduler and to each worker, results by the"
    yield "scheduler to the client. t-SNE is openTSNE's, by two threads of the process that asks."
    yield ""
    yield from eigenmaps(table)
    yield ""
    yield "| grows as n to the power of | exponent | largest residual |"
    yield "|---|---|---|"
    names = {
        "one_process": "one process, seconds",
        "seconds": "two workers, seconds",
        "worker_GB": "peak memory of a worker",
        "sent_GB": "bytes between processes",
        "tsne_seconds": "t-SNE, seconds",
        "sleml_seconds": "SLE-ML, seconds",
    }
    for name, says in names.items():
        (slope, _), rest = exponents(n, table[name])
        yield f"| {says} | {slope:.2f} | {100 * (rest - 1):.0f} % |"
    moved = bytes_moved(n, HERE) / 1e9 / table["sent_GB"] - 1
    yield ""
    formula = f"{1e6 * SERIAL:.0f} microseconds x n + {slower:.2f} x (one process) / workers + {LAST_TILE}"
    yield f"Cost model: seconds = {formula}"
    yield f"+ network. Its errors on two workers: {_percents(errors)}; of the bytes: {_percents(moved)}. One process is"
    yield "extrapolated where it was not measured."
    yield "Predicted, not measured, seconds of the neighbours (network of 1 and of 10 Gbit/s):"
    yield ""
    yield f"| samples | {' | '.join(f'{w} workers, {g} Gbit/s' for w in WORKERS for g in NETWORKS)} |"
    yield f"|---|{'---|' * len(WORKERS) * len(NETWORKS)}"
    for size in (200_000, 1_000_000, 10_000_000):
        work_of_all = np.exp(np.polyval(work, np.log(size)))
        cells = [
            f"{SERIAL * size + slower * work_of_all / w + LAST_TILE + transfer(size, w, g):,.0f}"
            for w in WORKERS
            for g in NETWORKS
        ]
        yield f"| {size:,} | {' | '.join(cells)} |"


def measured_table(table):
    yield "| samples | one process | two workers | efficiency | memory a worker | sent | pairs a row | recall | t-SNE |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for row in zip(*table.values(), strict=True):
        row = dict(zip(table, row, strict=True))
        cells = [
            f"{row['n']:,.0f}",
            _seconds(row["one_process"]),
            _seconds(row["seconds"]),
            "-" if np.isnan(row["efficiency"]) else f"{row['efficiency']:.0%}",
            f"{row['worker_GB']:.2f} GB",
            f"{row['sent_GB']:.2g} GB",
            f"{row['pairs_a_row']:.0f}",
            f"{row['recall']:.4f}",
            _seconds(row["tsne_seconds"]),
        ]
        yield f"| {' | '.join(cells)} |"


def eigenmaps(table):
    yield "SLE-ML of the first 6 features, neighbours searched by `BlockNeighbors(15)` on the two workers:"
    yield ""
    yield "| samples | all | memory of the process that asks | residual of the eigenvectors |"
    yield "|---|---|---|---|"
    columns = (table[name] for name in ("n", "sleml_seconds", "sleml_GB", "sleml_residual"))
    for n, seconds, gigabytes, residual in zip(*columns, strict=True):
        if np.isfinite(seconds):
            yield f"| {n:,.0f} | {_seconds(seconds)} | {gigabytes:.2f} GB | {residual:.0e} |"


def _percents(errors):
    return ", ".join(f"{100 * error:+.0f} %" for error in errors)


def _seconds(value):
    return "-" if np.isnan(value) else f"{value:.0f} s"


if __name__ == "__main__":
    (FOLDER / "scale.md").write_text("\n".join(lines()) + "\n", encoding="utf-8")
