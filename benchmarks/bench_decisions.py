"""Pictures of models: from raw data to the figure, another model in the plane, and the inverse map at n = 5,000."""

import time
import tracemalloc

import numpy as np
from matplotlib import pyplot as plt
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from toolkit.decisionmap import DecisionMap, ModelFunction
from toolkit.fisher import ParzenFisher
from toolkit.kernelmap import InverseMap

THREADS = 2


def seconds_of(call):
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def drawn(shown):
    display = shown.plot()
    display.figure_.canvas.draw()
    plt.close(display.figure_)
    return shown


def main():
    plt.switch_backend("agg")
    rng = np.random.default_rng(0)
    y = np.arange(1500) % 26
    X = rng.normal(size=(1500, 16)) + 1.5 * rng.normal(size=(26, 16))[y]
    machine = SVC(C=10).fit(X, y)
    options = {"metric": "fisher", "grid": 150, "n_jobs": THREADS}
    whole, shown = seconds_of(
        lambda: drawn(DecisionMap.from_estimator(machine, X, y, **options))
    )
    print(
        f"1,500 x 16, 26 classes, Fisher t-SNE, grid of 150 x 150, ten-fold, drawn: {whole:.1f} s"
    )
    for model in (SVC(C=1).fit(X, y), DecisionTreeClassifier().fit(X, y)):
        other, _ = seconds_of(
            lambda model=model: drawn(shown.with_model(model))
        )
        print(
            f"  another {type(model).__name__} in the same plane: {other:.2f} s, 1 / {whole / other:.0f} of it"
        )
    grid = shown.inverse_transform(
        rng.normal(size=(22_500, 2)) * shown.embedding_.std(axis=0)
    )
    own, _ = seconds_of(lambda: ModelFunction(machine)(grid))
    library, _ = seconds_of(lambda: machine.decision_function(grid))
    print(
        f"  its 325 pairwise machines at 22,500 points: {own:.2f} s, the library's {library / own:.1f} times as long"
    )
    tracemalloc.start()
    DecisionMap.from_estimator(machine, X, y, **options)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    print(
        f"  peak memory {peak / 1e6:.0f} MB, {peak / (8 * 1500**2):.1f} n x n"
    )

    y = np.arange(5000) % 10
    X = rng.normal(size=(5000, 256)) + 0.5 * rng.normal(size=(10, 256))[y]
    Z = X @ rng.normal(size=(256, 2))
    fisher = ParzenFisher(n_centers=1000, random_state=0).fit(X, y)
    plain, _ = seconds_of(lambda: InverseMap().fit(X, Z))
    tracemalloc.start()
    weighted, _ = seconds_of(lambda: InverseMap().fit(X, Z, fisher))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    dense = 8 * 5000 * 256**2
    print(
        f"inverse map, 5,000 x 256, 300 centres: Euclidean {plain:.1f} s, Fisher {weighted:.1f} s",
        end="",
    )
    print(
        f", peak {peak / 1e6:.0f} MB ({peak / dense:.2f} of the Fisher matrices as such)"
    )


if __name__ == "__main__":
    main()
