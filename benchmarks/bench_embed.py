"""Maps of 1,500 samples from vectors and from Fisher distances; Q_NX of 11,000; placing new samples."""

import time
import tracemalloc
import warnings

import numpy as np

from toolkit.embed import GTM, MDS, MVU, SOM, TSNE, Isomap, NeRV, ParametricTSNE
from toolkit.fisher import ParzenFisher
from toolkit.kernelmap import KernelMap
from toolkit.quality import log_area, q_nx, r_nx

THREADS = 2


def seconds_of(call):
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def main():
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    y = np.arange(1500) % 26
    X = rng.normal(size=(1500, 16)) + 1.5 * rng.normal(size=(26, 16))[y]
    D = ParzenFisher(n_jobs=THREADS).fit(X, y).distances()
    base = None
    for method in (MDS, Isomap, SOM, GTM, TSNE, MVU, NeRV, ParametricTSNE):
        takes_distances = method is not ParametricTSNE
        plain, fitted = seconds_of(lambda method=method: method().fit(X))
        base = base or plain
        text = f"{method.__name__:14s} vectors {plain:6.1f} s ({plain / base:5.1f} times classical MDS)"
        text += f", area {log_area(r_nx(X, fitted.embedding_)):.2f}"
        if takes_distances:
            other, mapped = seconds_of(
                lambda method=method: method(metric="precomputed").fit(D)
            )
            text += f"; Fisher distances {other:6.1f} s, area "
            text += f"{log_area(r_nx(D, mapped.embedding_, metric='precomputed')):.2f}"
            if method is MVU:
                text += f"; relative gap to the bound {fitted.gap_:.1e} and {mapped.gap_:.1e}"
        print(text, flush=True)

    X = rng.normal(size=(11_000, 30))
    Z = X[:, :2] + 0.1 * rng.normal(size=(11_000, 2))
    one, _ = seconds_of(lambda: q_nx(X, Z))
    two, _ = seconds_of(lambda: q_nx(X, Z, n_jobs=THREADS))
    tracemalloc.start()
    q_nx(X, Z, n_jobs=THREADS)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    share = peak / (8 * 11_000**2)
    print(
        f"Q_NX of 11,000: {one:.1f} s, {THREADS} threads {two:.1f} s, peak {peak / 1e6:.0f} MB ({share:.2f} n x n)"
    )

    fitted = KernelMap().fit(X[:1000], Z[:1000])
    times = [
        seconds_of(lambda m=m: fitted.transform(X[:m]))[0]
        for m in (2000, 10_000)
    ]
    print(
        f"kernel map, 1,000 centres: five times as many new samples take {times[1] / times[0]:.1f} times as long"
    )


if __name__ == "__main__":
    main()
