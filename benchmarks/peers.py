"""Processor time and memory beside peers and an earlier version: writes peers.md.

``python benchmarks/peers.py EARLIER`` takes the folder of a clone of the version to
compare with. Each job runs in a fresh process with one thread, first imports and a small
fit, then the work that is measured; of three runs in turns (or as many as the variable
``REPEATS`` says) the median counts. About
half an hour.
"""

import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parent
REPEATS = int(os.environ.get("REPEATS", "3"))
SECONDS = 200  # of a run at most, by the clock
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}


def blobs(n, d=20, classes=5):
    rng = np.random.default_rng(0)
    y = np.arange(n) % classes
    means = 2 * rng.normal(size=(classes, d))
    return rng.normal(size=(n, d)) + means[y], y


def digits(n=1797):
    from sklearn.datasets import load_digits

    return load_digits(return_X_y=True)


def fit(name, data=blobs, **settings):
    """A function of n that fits an estimator of a module to samples and classes."""

    def job(n):
        import importlib

        module, cls = name.rsplit(".", 1)
        estimator = getattr(importlib.import_module(module), cls)
        estimator(**settings).fit(*data(n))

    return job


def plane(n):
    X, _ = blobs(n)
    return X, X[:, :2]


def ridge(n):
    from sklearn.kernel_ridge import KernelRidge

    X, Z = plane(n)
    KernelRidge(1e-8, kernel="rbf").fit(X, Z)


def parzen(n, method=None, **options):
    from toolkit.fisher import ParzenFisher

    X, y = blobs(n)
    metric = ParzenFisher(random_state=0).fit(X, y)
    if method is not None:
        getattr(metric, method)(**options)


def all_lengths(n):
    parzen(n, "distances")


def near_lengths(n):
    parzen(n, "knn_distances", X=None, n_neighbors=15)


def share(n):
    """`knn_distances` in times of `distances`, which take turns."""
    from toolkit.fisher import ParzenFisher

    metric = ParzenFisher(random_state=0).fit(*blobs(n))
    ratios = []
    for _ in range(14_000 // n):
        start = time.process_time()
        metric.distances()
        middle = time.process_time()
        metric.knn_distances()
        ratios.append((time.process_time() - middle) / (middle - start))
    return f"{statistics.median(ratios):.2f} times"


def widths(n):
    from toolkit.core import perplexity_widths, squared_distances

    X, _ = blobs(n)
    perplexity_widths(squared_distances(X, X), 30)


def levels(n):
    """`bounds_` of `look` for 150 rows with 4 columns of 15 levels."""
    import pandas as pd

    from toolkit.tabular import look

    rng = np.random.default_rng(0)
    codes = pd.DataFrame(rng.integers(0, 15, (n, 4))).add_prefix("c")
    names = codes.map("abcdefghijklmno".__getitem__)
    return look(names, np.where(codes["c0"] < 7, "yes", "no")).bounds_


def relevance(n):
    from toolkit.bounds import relevance_bounds

    X, y = blobs(200, 30)
    w = np.linalg.lstsq(X, y - y.mean())[0]
    relevance_bounds(w, X, null_space=18)


def graph_map(n):
    """The chain of scikit-learn's graph of neighbours and t-SNE, on standardised digits."""
    from sklearn.neighbors import KNeighborsTransformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from toolkit.embed import Isomap

    search = KNeighborsTransformer(n_neighbors=100, mode="distance")
    steps = StandardScaler(), search, Isomap(metric="precomputed")
    make_pipeline(*steps).fit_transform(digits()[0])


def page(make):
    """The command `look` on a table, all processes and the page."""

    def job(n):
        with tempfile.TemporaryDirectory() as name:
            file = Path(name) / "table.csv"
            target = make(n).to_csv(file, index=False) or "target"
            command = [sys.executable, "-m", "toolkit", "look", str(file)]
            command += ["--target", target, "--out", f"{name}/page.html"]
            subprocess.run(command, check=True, capture_output=True)

    return job


def numbers(n):
    import pandas as pd

    X, y = blobs(n, classes=4)
    classes = np.array(list("abcd"))[y]
    return pd.DataFrame(X).add_prefix("x").assign(target=classes)


def votes(n):
    import pandas as pd

    from toolkit.datasets.registry import shipped_folder

    table = pd.read_csv(shipped_folder() / "votes.csv", keep_default_na=False)
    return table.rename(columns={"party": "target"})


def orders(n):
    import pandas as pd

    rng = np.random.default_rng(0)
    sizes = {
        "shop": 12,
        "product": 20,
        "payment": 4,
        "region": 8,
        "week": 7,
        "size": 5,
    }
    columns = {}
    for name, k in sizes.items():
        levels = np.array([f"{name} {i}" for i in range(k)])
        columns[name] = levels[rng.integers(0, k, n)]
    table = pd.DataFrame(columns)
    returned = rng.random(n) < np.where(table["size"] == "size 1", 0.6, 0.2)
    price = rng.lognormal(3, 1, n).round(2)
    return table.assign(price=price, target=np.where(returned, "back", "kept"))


def help_of(command):
    def job(n):
        words = [sys.executable, "-m", "toolkit", command, "--help"]
        subprocess.run(words, check=True, capture_output=True)

    return job


def bare(n):
    subprocess.run([sys.executable, "-c", "import toolkit"], check=True)


def interpreter(n):
    subprocess.run([sys.executable, "-c", ""], check=True)


# job, size, peer or other work of the same job, goal in seconds and MB (a number, or a
# factor of the peer's) of the review that started this table
LFDA, SELF = fit("toolkit.discriminant.LFDA"), fit("toolkit.discriminant.SELF")
KERNEL = "toolkit.kernelmap.KernelMap"
JOBS = {
    "LFDA, 5,000 x 20": (LFDA, 5000, "0.12 s, 40 MB"),
    "LFDA, 50,000 x 20": (LFDA, 50_000, "10 s, 200 MB"),
    "LFDA, digits": (
        fit("toolkit.discriminant.LFDA", digits),
        1797,
        "none slower",
    ),
    "SELF, 8,000 x 20": (SELF, 8000, "0.44 s, 74 MB"),
    "LPP, 8,000 x 20": (fit("toolkit.discriminant.LPP"), 8000, "as SELF"),
    "KernelMap, 5,000, cutoff 1e-8": (
        fit(KERNEL, plane),
        5000,
        "3 x KernelRidge",
    ),
    "KernelMap, 5,000, cutoff 1e-2": (
        fit(KERNEL, plane, cutoff=1e-2),
        5000,
        "3 x KernelRidge",
    ),
    "scikit-learn's KernelRidge, 5,000": (ridge, 5000, "peer"),
    "Isomap, 5,000 x 20": (
        fit("toolkit.embed.Isomap"),
        5000,
        "time, 0.75 MB of peer",
    ),
    "scikit-learn's Isomap, 5,000 x 20": (
        fit("sklearn.manifold.Isomap", n_neighbors=10),
        5000,
        "peer",
    ),
    "SLEML, 20,000 x 20": (
        fit("toolkit.eigenmaps.SLEML"),
        20_000,
        "5 s, 500 MB",
    ),
    "ParzenFisher, fit, 1,000": (parzen, 1000, "none slower"),
    "ParzenFisher, fit, 4,000": (parzen, 4000, "1.0 s"),
    "ParzenFisher, distances, 4,000": (all_lengths, 4000, "peer"),
    "ParzenFisher, knn_distances, 4,000": (
        near_lengths,
        4000,
        "time, 0.3 MB of peer",
    ),
    **{
        f"ParzenFisher, knn_distances beside distances, {n:,}": (
            share,
            n,
            "once",
        )
        for n in (500, 1000, 2000)
    },
    "perplexity_widths, 4,000": (widths, 4000, "a fourth"),
    "MDS, 4,000 x 20": (fit("toolkit.embed.MDS"), 4000, "0.11 s, 31 MB"),
    "MDS, 16,000 x 20": (fit("toolkit.embed.MDS"), 16_000, "runs"),
    "Isomap of a graph of neighbours, digits": (graph_map, 1797, "runs"),
    "relevance_bounds, 200 x 30": (relevance, 200, "none slower"),
    "bounds_ of look, 150 rows, 4 x 15 levels": (levels, 150, "6 s"),
    "look, 5,000 x 20 numbers, 4 classes": (page(numbers), 5000, "25 s"),
    "look, votes": (page(votes), 435, "16 s"),
    "look, 2,000 orders": (page(orders), 2000, "30 s"),
    "python, nothing": (interpreter, 0, "floor"),
    "import toolkit": (bare, 0, "0.01 s above nothing"),
}
JOBS |= {
    f"{name} --help": (help_of(name), 0, "0.3 s")
    for name in "look report claims measure data equations course".split()
}


def processor():
    """Processor seconds of this process and of its children."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def peak():
    """Largest memory since it was last reset, MB."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024


def run(name):
    """In a process of its own: seconds, and MB above those before."""
    import warnings

    warnings.simplefilter("ignore")
    job, n, _ = JOBS[name]
    if n >= 200 and not name.startswith("look"):
        job(600)  # imports, and the first calls of libraries
    Path("/proc/self/clear_refs").write_text("5")
    before, start = peak(), processor()
    try:
        result = job(n)
    except (ValueError, MemoryError) as error:
        print(f"refused: {str(error)[:60]}")
    else:
        used = f"{processor() - start} {max(peak() - before, 0)}"
        print(result if isinstance(result, str) else used)


def measure(name, folder):
    """The answer of one run with the package of a folder."""
    command = [sys.executable, str(FOLDER / "peers.py"), "--job", name]
    paths = {"PYTHONPATH": str(folder), "PYTHONHASHSEED": "0"}
    try:
        done = subprocess.run(
            command,
            env=os.environ | ONE_THREAD | paths,
            cwd=folder,  # `python -m toolkit` is that of the folder
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        return f"more than {SECONDS} s"
    answer = (done.stdout.strip() or done.stderr.strip()).splitlines()[-1]
    numbers = re.fullmatch(r"([\d.e+-]+) ([\d.e+-]+)", answer)
    if numbers is None:
        return answer
    return float(numbers[1]), float(numbers[2])


def cell(answers):
    """Medians of some runs, or what they said."""
    words = [answer for answer in answers if isinstance(answer, str)]
    if words:
        return words[0]
    seconds, memory = map(statistics.median, zip(*answers, strict=True))
    return f"{seconds:.3g} s, {memory:,.0f} MB"


HEAD = """# Beside peers and before

Written by `python benchmarks/peers.py EARLIER`: processor time and peak memory above
that before, one thread, median of {repeats} runs that take turns. Time is that of all
processes, memory that of the first: of commands and pages it says nothing. Seconds
among the goals are those of another machine, on which `look` took 38, 23 and 77 s
before, and SLEML 9 s: about 0.6 of the seconds here. Beside `distances`, the median of
pairs of calls in one process counts.

| work | goal | before | now |
|---|---|---|---|
"""


def main(earlier, *names):
    page = FOLDER / "peers.md"
    head = HEAD.format(repeats=REPEATS)
    rows = {}
    if page.exists():
        lines = re.findall(r"^\| .*$", page.read_text(), re.M)
        rows = {line[2:].split(" | ")[0]: line for line in lines}
    for name, (*_, goal) in JOBS.items():
        asked = any(part in name for part in names)
        if not asked and (names or name in rows):
            continue
        before, now = [], []
        for _ in range(REPEATS):
            before.append(measure(name, earlier))
            now.append(measure(name, FOLDER.parent))
        rows[name] = f"| {name} | {goal} | {cell(before)} | {cell(now)} |"
        print(rows[name], flush=True)
        kept = [rows[name] for name in JOBS if name in rows]
        page.write_text(head + "\n".join(kept) + "\n")


if __name__ == "__main__":
    if sys.argv[1] == "--job":
        run(sys.argv[2])
    else:
        main(*sys.argv[1:])
