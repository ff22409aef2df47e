"""Tables of a user's own, as files: classes, a real value, labels, mixed columns."""

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from small_tables import table_of

from toolkit.datasets import load


def cancer(folder):
    """Text classes, 30 numbers, separated by semicolons with decimal commas."""
    bunch = load_breast_cancer(as_frame=True)
    names = np.array(bunch.target_names)[bunch.target]
    frame = bunch.data.assign(diagnosis=names)
    frame.to_csv(folder / "cancer.csv", sep=";", decimal=",", index=False)
    return {"data": folder / "cancer.csv", "target": "diagnosis"}


def boston(folder):
    """A real value; every second row."""
    bunch = load("boston")
    frame = pd.DataFrame(bunch.data, columns=list(bunch.feature_names))
    frame.assign(price=bunch.target)[::2].to_csv(
        folder / "boston.csv", index=False
    )
    return {"data": folder / "boston.csv", "target": "price"}


def labels(folder):
    """Two labels, of which some rows have none."""
    frame = table_of(n=300)
    frame = frame.assign(a=frame.u > 0, b=frame.v > 0.3)
    frame.to_csv(folder / "labels.csv", index=False)
    return {"data": folder / "labels.csv", "labels": ["a", "b"]}


def synthetic(folder, n=600, seed=0):
    """Mixed columns: a leak, a repeated id, a date, gaps, and two columns of noise."""
    rng = np.random.default_rng(seed)
    size = rng.normal(50, 10, n)
    weight = rng.normal(70, 12, n)
    colour = rng.choice(["red", "green", "blue"], n, p=[0.5, 0.3, 0.2])
    of_colour = 1.2 * (colour == "red")
    score = (size - 50) / 10 + 0.8 * (weight - 70) / 12 + of_colour - 0.6
    kind = np.where(score + rng.normal(0, 0.7, n) > 0, "ripe", "raw")
    ids = [f"F{i:04d}" for i in range(n)]
    ids[-1] = ids[0]
    frame = pd.DataFrame({"fruit id": ids, "size": size.round(2)})
    frame["weight"] = weight.round(2)
    frame["colour"] = colour
    days = pd.to_timedelta(rng.integers(0, 90, n), "D")
    frame["picked"] = (pd.Timestamp("2024-05-01") + days).astype(str)
    frame["noise a"] = rng.normal(size=n).round(3)
    frame["noise b"] = rng.choice(["x", "y", "z"], n)
    # known afterwards
    error = rng.normal(0, 0.1, n).round(3)
    frame["price paid"] = np.where(kind == "ripe", 3.5, 1.0) + error
    frame["farm"] = "Hill"
    frame.loc[rng.choice(n, 60, replace=False), "weight"] = np.nan
    frame.loc[rng.choice(n, 30, replace=False), "colour"] = np.nan
    frame.assign(kind=kind).to_csv(folder / "made.csv", index=False)
    return {"data": folder / "made.csv", "target": "kind"}


TABLES = {make.__name__: make for make in (cancer, boston, labels, synthetic)}
