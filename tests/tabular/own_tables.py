"""Eight tables of a user's own, as files: classes, yes and no, values, spectra, labels, similarities, a made one."""

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_diabetes

from toolkit.datasets import load

SHIPPED = Path(__file__).parents[2] / "data"
NEED_DATA = ("medical", "voting")


def cancer(folder):
    """Text classes, 30 numbers, separated by semicolons with decimal commas."""
    found = load_breast_cancer(as_frame=True)
    frame = found.data.assign(diagnosis=np.array(found.target_names)[found.target])
    frame.to_csv(folder / "cancer.csv", sep=";", decimal=",", index=False)
    return {"data": folder / "cancer.csv", "target": "diagnosis"}


def votes(folder):
    return {"data": SHIPPED / "votes.csv", "target": "party"}


def boston(folder, step=1):
    """A real value, and a category made of one of its columns; each row or one of `step`."""
    found = load("boston")
    frame = pd.DataFrame(found.data, columns=list(found.feature_names)).assign(
        price=found.target
    )
    frame["access"] = np.select(
        [frame["rad"] > 20, frame["rad"] > 4], ["ring road", "near"], "far"
    )
    frame[::step].to_csv(folder / "boston.csv", index=False)
    return {"data": folder / "boston.csv", "target": "price"}


def tecator(folder):
    """100 neighbouring wavelengths; rows repeat."""
    found = load("tecator")
    frame = pd.DataFrame(found.data).add_prefix("w").assign(fat=found.target)
    frame.to_csv(folder / "tecator.tsv", sep="\t", index=False)
    return {"data": folder / "tecator.tsv", "target": "fat"}


def medical(folder):
    """1,449 words as 0 and 1, 45 labels."""
    found = load("medical")
    words = pd.DataFrame(found.data.toarray().astype(int)).add_prefix("word")
    labels = pd.DataFrame(found.target).add_prefix("label")
    words.join(labels).to_csv(folder / "medical.csv", index=False)
    return {"data": folder / "medical.csv", "labels": list(labels)}


def voting(folder):
    """A matrix of similarities, the classes in a second file."""
    found = load("voting")
    names = [f"member {i + 1}" for i in range(len(found.target))]
    pd.DataFrame(found.data, names, names).to_csv(folder / "voting.csv")
    classes = np.array(["democrat", "republican"])[found.target]
    pd.DataFrame({"name": names, "party": classes}).to_csv(
        folder / "parties.csv", index=False
    )
    return {
        "data": folder / "voting.csv",
        "similarities": True,
        "classes": folder / "parties.csv",
    }


def diabetes(folder):
    load_diabetes(as_frame=True).frame.to_csv(folder / "diabetes.csv", index=False)
    return {"data": folder / "diabetes.csv", "target": "target"}


def made(folder, n=600, seed=0):
    """Mixed columns: a leak, an id of which one comes twice, a date, gaps, and two columns of noise."""
    rng = np.random.default_rng(seed)
    size, weight = rng.normal(50, 10, n), rng.normal(70, 12, n)
    colour = rng.choice(["red", "green", "blue"], n, p=[0.5, 0.3, 0.2])
    score = (size - 50) / 10 + 0.8 * (weight - 70) / 12 + 1.2 * (colour == "red") - 0.6
    kind = np.where(score + rng.normal(0, 0.7, n) > 0, "ripe", "raw")
    ids = np.array([f"F{i:04d}" for i in range(n)])
    ids[n - 1] = ids[0]
    frame = pd.DataFrame(
        {
            "fruit id": ids,
            "size": size.round(2),
            "weight": weight.round(2),
            "colour": colour,
        }
    )
    frame["picked"] = (
        pd.Timestamp("2024-05-01") + pd.to_timedelta(rng.integers(0, 90, n), "D")
    ).astype(str)
    frame["noise a"], frame["noise b"] = (
        rng.normal(size=n).round(3),
        rng.choice(["x", "y", "z"], n),
    )
    # known afterwards
    frame["price paid"] = np.where(kind == "ripe", 3.5, 1.0) + rng.normal(
        0, 0.1, n
    ).round(3)
    frame["farm"] = "Hill"
    frame.loc[rng.choice(n, 60, replace=False), "weight"] = np.nan
    frame.loc[rng.choice(n, 30, replace=False), "colour"] = np.nan
    frame.assign(kind=kind).to_csv(folder / "made.csv", index=False)
    return {"data": folder / "made.csv", "target": "kind"}


TABLES = {
    make.__name__: make
    for make in (cancer, votes, boston, tecator, medical, voting, diabetes, made)
}
