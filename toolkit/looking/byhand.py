"""The code of each number and picture: what `look` calls, written out for one table."""

__all__ = ["by_hand"]

HEAD = """import numpy as np
from toolkit.looking.maps import LinearFisher
from toolkit.looking.prepare import prepared
from toolkit.looking.splits import split
from toolkit.looking.tasks import task_of
from toolkit.tables import as_table, read_table

frame, notes = read_table({file!r})
table = as_table(frame, {target!r}, {options})
data, y = prepared(table.features, table.kinds), table.y
X, task = data.X, task_of(table.task, y, table.label_names)
fitted, held_out = split(task.strata(), table.groups, {most}, {seed})"""

FISHER = """# the map: distances that grow where the target changes, t-SNE of them, held-out rows by a kernel map
from toolkit.embed import TSNE
from toolkit.kernelmap import KernelMap
from toolkit.plots import MapDisplay, TargetDisplay
{imports}
metric = {metric}.fit(X[fitted], y[fitted])
D = metric.distances()
Z = TSNE(metric="precomputed", random_state={seed}).fit_transform(D)
Z_new = KernelMap(metric="precomputed", cutoff=1e-2).fit(D, Z).transform(metric.distances(X[held_out], X[fitted]))
{display}(np.vstack([Z, Z_new]), np.concatenate([y[fitted], y[held_out]])).plot()"""

GRAPH = """# the map: a graph of neighbours with links to the labels
from toolkit.eigenmaps import SLEML

Y = y[:, y[fitted].any(axis=0)]  # labels that a fitted row has
sleml = SLEML(lam=0.5).fit(X[fitted], Y[fitted])
Z, Z_new = sleml.embedding_, sleml.transform(X[held_out])"""

METRICS = {
    "logistic regression": (
        "ModelFisher(LogisticRegression(C=0.1, max_iter=1000), lam=0.01)",
        "from sklearn.linear_model import LogisticRegression\nfrom toolkit.fisher import ModelFisher\n",
    ),
    "Parzen windows": ("ParzenFisher()", "from toolkit.fisher import ParzenFisher\n"),
    "linear regression": ("LinearFisher()", ""),
    "a Gaussian process": ("GPFisher()", "from toolkit.fisher import GPFisher\n"),
}

LINEAR = """# the linear map with arrows
from toolkit.looking.linear import linear_map

linear_map(data, task, fitted, held_out).display(X).plot()"""

COLUMNS = """# errors beside chance and permuted targets, and which columns matter beside noise
from toolkit.looking.features import which_features
from toolkit.looking.separation import separation

print(separation(data, task, table.groups, seed={seed}).to_frame())
matter = which_features(data, task, seed={seed})
matter.plot()
print(matter.to_frame())"""

MODELS = """# a model in the plane of the map
from toolkit.decisionmap import DecisionMap

model = task.usual_models({seed})[{model!r}].fit(X[fitted], y[fitted])
seen = DecisionMap.from_map(model, X[fitted], Z, y[fitted], grid=80, random_state={seed}{given})
seen.plot()
print(model.score(X[held_out], y[held_out]), seen.score(X[held_out]))"""


def by_hand(seen):
    """Python that computes the numbers of a `Look` at a file, and draws its pictures.

    Of a table that came from Python the name of the file is "table.csv"; of a matrix there is no such code.
    """
    if seen.arguments is None:
        return "# A matrix: look(data, classes=..., similarities=True) has all of it in its attributes."
    file, target, options, seed = seen.arguments
    given = ", ".join(f"{name}={value!r}" for name, value in options.items() if value)
    parts = [HEAD.format(file=file, target=target, options=given, most=seen.most_mapped, seed=seed).replace(", )", ")")]
    if seen.map_.choice:
        name = seen.map_.method.removeprefix("t-SNE of Fisher distances, from ")
        metric, imports = METRICS[name]
        display = "MapDisplay" if seen.table_.task == "classes" else "TargetDisplay"
        parts.append(FISHER.format(metric=metric, imports=imports, seed=seed, display=display))
    else:
        parts.append(GRAPH)
    parts += [LINEAR, COLUMNS.format(seed=seed)]
    if len(seen.models_) > 1:
        given = ", metric=metric, distances=D" if hasattr(seen.map_.metric, "factors") else ""
        parts.append(MODELS.format(seed=seed, model=seen.models_[0].name, given=given))
    return "\n\n".join(parts) + "\n"
