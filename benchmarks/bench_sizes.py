"""What many samples cost: seconds, peak memory, the longest silence with `verbose=True`, or what is refused and why.

20 features, 4 classes; each job in a process of its own, whose address space is limited
to 9.5 GB and its time to two minutes. About half an hour in all; `python
benchmarks/bench_sizes.py 2000 5000` runs the small ones, and a word such as `NeRV` the
jobs whose name holds it.
"""

import os
import resource
import subprocess
import sys
import time
import warnings

import numpy as np

MEMORY, LIMIT = 9_500_000_000, 120.0
SIZES = [2_000, 5_000, 20_000, 50_000]


def table(n, d=20, classes=4):
    rng = np.random.default_rng(0)
    y = np.arange(n) % classes
    return rng.normal(size=(n, d)) + 2 * rng.normal(size=(classes, d))[y], y


def fisher(X, y):
    from toolkit.fisher import ParzenFisher

    return ParzenFisher(random_state=0, verbose=True).fit(X, y)


def fisher_distances(X, y):
    fisher(X, y).distances()


def fisher_neighbours(X, y):
    from toolkit.embed import TSNE
    from toolkit.fisher import ParzenFisher

    metric = ParzenFisher(
        n_centers=min(2000, len(X)), random_state=0, verbose=True
    ).fit(X, y)
    TSNE(
        metric="precomputed", init=X[:, :2] * 1e-4, random_state=0, verbose=True
    ).fit(metric.knn_distances(None, 91))


def embedder(name, **settings):
    def job(X, y):
        from toolkit import embed

        getattr(embed, name)(**settings, verbose=True).fit(X)

    return job


def forest_map(**settings):
    def job(X, y):
        from sklearn.ensemble import RandomForestClassifier

        from toolkit.decisionmap import DecisionMap

        model = RandomForestClassifier(50, random_state=0).fit(X, y)
        DecisionMap.from_estimator(
            model, X, y, random_state=0, verbose=True, **settings
        )

    return job


def supervised(folder, name, **settings):
    def job(X, y):
        import importlib

        getattr(importlib.import_module(f"toolkit.{folder}"), name)(
            **settings
        ).fit(X, y)

    return job


def propagation(X, y):
    """In the plane, for which it is meant; one sample in ten has a label."""
    from toolkit.discriminant import GraphLabelRegression

    rule = GraphLabelRegression(n_affinity=50, verbose=True)
    rule.fit(X[:, :2], np.where(np.arange(len(X)) % 10 == 0, y, -1))


def show(X, y):
    import toolkit

    toolkit.show(X, y)


JOBS = {
    "ParzenFisher fit": fisher,
    "ParzenFisher fit + distances": fisher_distances,
    "n_centers=2000, knn_distances, t-SNE": fisher_neighbours,
    "DecisionMap of a forest": forest_map(),
    'DecisionMap(metric="fisher")': forest_map(metric="fisher"),
    "TSNE": embedder("TSNE", random_state=0),
    "NeRV": embedder("NeRV"),
    "MDS": embedder("MDS"),
    "Isomap": embedder("Isomap"),
    "MVU": embedder("MVU"),
    "SOM": embedder("SOM"),
    "GTM": embedder("GTM"),
    "SLEML": supervised("eigenmaps", "SLEML", verbose=True),
    "S-LE": supervised("eigenmaps", "SLE", verbose=True),
    "SL-AK": supervised("multilabel", "KernelSampleLabelMap", verbose=True),
    "SELF": supervised("discriminant", "SELF", verbose=True),
    "label propagation": propagation,
    "GMLVQ": supervised("lvq", "GMLVQ", verbose=True),
    "LMNN": supervised("lmnn", "LMNN", verbose=True),
    "SampleLabelMap": supervised("multilabel", "SampleLabelMap"),
    "show": show,
}


def run(name, n):
    """In a child: the job, and a last line with seconds of the processor and peak memory."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    X, y = table(n)
    start = time.process_time()
    try:
        JOBS[name](X, y)
        answer = "done"
    except (ValueError, MemoryError) as error:
        answer = f"{type(error).__name__}: {error}"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    print(
        f"{answer} | {time.process_time() - start:.1f} | {peak:.2f}", flush=True
    )
    os._exit(0)


def watched(name, n):
    """The child's last line, and the longest time in which it wrote nothing."""
    command = [sys.executable, "-u", __file__, "--job", name, str(n)]
    start = last = time.monotonic()
    child = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    os.set_blocking(child.stdout.fileno(), False)
    text, silence = b"", 0.0
    while child.poll() is None:
        time.sleep(0.05)
        now = time.monotonic()
        if more := child.stdout.read():
            text, silence, last = text + more, max(silence, now - last), now
        if now - start > LIMIT:
            child.kill()
            return f"stopped after {LIMIT:.0f} s, longest silence {max(silence, now - last):.0f} s"
    text += child.stdout.read() or b""
    answer, seconds, peak = (
        text.decode()
        .strip()
        .splitlines()[-1]
        .replace("\r", "\n")
        .split("\n")[-1]
        .rsplit(" | ", 2)
    )
    if answer != "done":
        return f"{answer} ({seconds} s)"
    return f"{seconds} s, {peak} GB, longest silence {max(silence, time.monotonic() - last):.0f} s"


def main(*words):
    sizes = [int(w) for w in words if w.isdigit()] or SIZES
    parts = [w for w in words if not w.isdigit()] or [""]
    for name in [name for name in JOBS if any(part in name for part in parts)]:
        for n in sizes:
            print(f"{name}, n = {n:,}: {watched(name, n)}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--job"]:
        run(sys.argv[2], int(sys.argv[3]))
    main(*sys.argv[1:])
