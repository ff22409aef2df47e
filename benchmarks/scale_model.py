"""Tables of `scale.csv` and how its columns grow with the number of samples, in `scale.md`."""

import csv
from pathlib import Path

import numpy as np

FEATURES, CLASSES, NEIGHBORS = 30, 10, 30
FOLDER = Path(__file__).parent


def measured():
    """The columns of scale.csv as arrays, nan where nothing was measured."""
    with open(FOLDER / "scale.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {
        name: np.array([float(row[name] or "nan") for row in rows])
        for name in rows[0]
    }


def exponents(n, values):
    """Growth exponent between the first and the last size that were measured, and the largest residual, as a factor."""
    is_measured = np.isfinite(values)
    log_n = np.log(n[is_measured])
    log_values = np.log(values[is_measured])
    line = np.polyfit(log_n, log_values, 1)
    rest = np.log(values[is_measured]) - np.polyval(
        line, np.log(n[is_measured])
    )
    return line, float(np.exp(np.abs(rest).max()))


def lines():
    table = measured()
    n = table["n"]
    yield "# Past one machine"
    yield ""
    yield "Written by `python benchmarks/scale_model.py` from `scale.csv`, which `cluster.py` measures: Fisher"
    yield f"metric with 500 centres, {FEATURES} features, {CLASSES} classes, {NEIGHBORS} neighbours; two workers of"
    yield "Dask with one thread each, on a machine of two cores, which they share with scheduler and client."
    yield ""
    yield from measured_table(table)
    yield ""
    yield "Recall is that of the lengths as they are computed, against all lengths of 300 rows. Bytes are those that"
    yield "went between processes: samples and probabilities to the workers, results by the"
    yield "scheduler to the client. t-SNE is openTSNE's, by two threads of the calling process."
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


def measured_table(table):
    yield "| samples | one process | two workers | efficiency | memory per worker | sent | pairs per row | recall | t-SNE |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for row in zip(*table.values(), strict=True):
        row = dict(zip(table, row, strict=True))
        efficiency = "-"
        if not np.isnan(row["efficiency"]):
            efficiency = f"{row['efficiency']:.0%}"
        cells = [f"{row['n']:,.0f}"]
        cells += [_seconds(row[name]) for name in ("one_process", "seconds")]
        cells.append(efficiency)
        cells.append(f"{row['worker_GB']:.2f} GB")
        cells.append(f"{row['sent_GB']:.2g} GB")
        cells.append(f"{row['pairs_a_row']:.0f}")
        cells.append(f"{row['recall']:.4f}")
        cells.append(_seconds(row["tsne_seconds"]))
        yield f"| {' | '.join(cells)} |"


def eigenmaps(table):
    yield "SLE-ML of the first 6 features, neighbours searched by `BlockNeighbors(15)` on the two workers:"
    yield ""
    yield "| samples | all | memory of the calling process | residual of the eigenvectors |"
    yield "|---|---|---|---|"
    columns = (
        table[name]
        for name in ("n", "sleml_seconds", "sleml_GB", "sleml_residual")
    )
    for n, seconds, gigabytes, residual in zip(*columns, strict=True):
        if np.isfinite(seconds):
            yield f"| {n:,.0f} | {_seconds(seconds)} | {gigabytes:.2f} GB | {residual:.0e} |"


def _seconds(value):
    return "-" if np.isnan(value) else f"{value:.0f} s"


if __name__ == "__main__":
    (FOLDER / "scale.md").write_text(
        "\n".join(lines()) + "\n", encoding="utf-8"
    )
