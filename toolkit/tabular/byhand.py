"""The code of each number and picture: what `look` calls, written out for one table."""

__all__ = ["by_hand"]

HEAD = """import numpy as np
from toolkit.tabular.prepare import prepared
from toolkit.tabular.splits import split
from toolkit.tabular.tasks import task_of
from toolkit.tabular import as_table, read_table

{read}
table = as_table(frame, {arguments})
data, y = prepared(table.features, table.kinds), table.y
X, task = data.X, task_of(table.task, y, table.label_names)
fitted, held_out = split(task.strata(), table.groups, {most}, {seed}{is_test})"""

TEST = """
other, notes = read_table({test!r})
is_test = np.arange(len(frame) + len(other)) >= len(frame)
frame = pd.concat([frame, other[list(frame.columns)]], ignore_index=True)"""

LABELS = """used = y[fitted].any(axis=0)  # labels that a fitted row has; rows with none of them are left out
y, names = y[:, used], np.array(table.label_names)[used]
task = task_of("labels", y, names)
fitted, held_out = fitted[y[fitted].any(axis=1)], held_out[y[held_out].any(axis=1)]"""

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

sleml = SLEML(lam=0.5).fit(X[fitted], y[fitted])
Z, Z_new = sleml.embedding_, sleml.transform(X[held_out])"""

METRICS = {
    "logistic regression": (
        "ModelFisher(Logistic(C=0.1, max_iter=1000), lam=0.01)",
        "from toolkit.fisher import ModelFisher\nfrom toolkit.tabular.placing import Logistic\n",
    ),
    "Parzen windows": ("ParzenFisher()", "from toolkit.fisher import ParzenFisher\n"),
    "linear regression": ("LinearFisher()", "from toolkit.tabular.placing import LinearFisher\n"),
    "a Gaussian process": ("GPFisher()", "from toolkit.fisher import GPFisher\n"),
}

LINEAR = """# the linear map with arrows
from toolkit.tabular.linear import linear_map

linear_map(data, task, fitted, held_out).display(X).plot()"""

COLUMNS = """# errors beside chance and permuted targets, and which columns matter beside noise
from toolkit.tabular.features import which_features
from toolkit.tabular.separation import separation

print(separation(data, task, table.groups, seed={seed}).to_frame())
matter = which_features(data, task, table.groups, {best!r}, seed={seed})
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
        return "# A matrix: what toolkit.look gave has all of it in its attributes, such as map_ and models_."
    told, seed = seen.arguments, seen.seed
    options = ", ".join(f"{name}={value!r}" for name, value in told["options"].items() if value)
    target = "None" if seen.table_.task == "labels" else repr(seen.table_.target)
    read = "frame, notes = read_table({!r}{})".format(told["file"], f", {told['rows']}, {seed}" if told["rows"] else "")
    head, is_test = HEAD, ""
    if told["test"]:
        head, read = head.replace("numpy as np\n", "numpy as np\nimport pandas as pd\n"), read + TEST.format(**told)
        is_test = ", is_test=is_test[table.rows]"
    where = {"most": seen.most_mapped, "seed": seed, "is_test": is_test}
    parts = [head.format(read=read, arguments=", ".join(filter(None, [target, options])), **where)]
    parts += [LABELS] if seen.table_.task == "labels" else []
    if seen.map_.choice:
        name = seen.map_.method.removeprefix("t-SNE of Fisher distances, from ")
        metric, imports = METRICS[name]
        display = "MapDisplay" if seen.table_.task == "classes" else "TargetDisplay"
        parts.append(FISHER.format(metric=metric, imports=imports, seed=seed, display=display))
    else:
        parts.append(GRAPH)
    parts += [LINEAR] if seen.linear_map_ is not None else []
    parts.append(COLUMNS.format(seed=seed, best=seen.separation_.best))
    if len(seen.models_) > 1:
        given = ", metric=metric, distances=D" if hasattr(seen.map_.metric, "factors") else ""
        parts.append(MODELS.format(seed=seed, model=seen.models_[0].name, given=given))
    return "\n\n".join(parts) + "\n"
