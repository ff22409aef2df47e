"""Templates of the code that a page offers to copy."""

CODE_OF_TABLE = """import numpy as np
{pandas}from toolkit.tabular import as_table, prepare_rows, read_table, split, task_of

{read}
table = as_table(frame, {arguments})
data, y = prepare_rows(table.features, table.kinds), table.y
X, task = data.X, task_of(table.task, y, table.label_names)
fitted, held_out = split(task.strata(), table.split_groups, {most}, {seed}{is_test})"""

CODE_OF_MATRIX = """import numpy as np
from toolkit.tabular import split, table_of_matrix, task_of

table, data = table_of_matrix({file!r}, {classes!r}, distances={distances})
X, y = data.X, table.y
task = task_of(table.task, y, table.label_names)
fitted, held_out = split(task.strata(), table.split_groups, {most}, {seed})"""

CODE_OF_TEST_ROWS = """
other, notes = read_table({test!r}{reading})
is_test = np.arange(len(frame) + len(other)) >= len(frame)
frame = pd.concat([frame, other[list(frame.columns)]], ignore_index=True)"""

CODE_OF_LABELS = """# labels that a fitted row has; rows with none of them are left out
used = y[fitted].any(axis=0)
y, names = y[:, used], np.array(table.label_names)[used]
task = task_of("labels", y, names)
fitted, held_out = fitted[y[fitted].any(axis=1)], held_out[y[held_out].any(axis=1)]"""

CODE_OF_SUPERVISED_MAP = """# the map, with held-out rows projected
from toolkit.plots import MapDisplay, TargetDisplay
{imports}

tsne = {made}
Z = tsne.fit_transform(X[fitted], y[fitted])
Z_new = tsne.transform(X[held_out])
{display}(np.vstack([Z, Z_new]), np.concatenate([y[fitted], y[held_out]])).plot()"""

CODE_OF_GRAPH_MAP = """# the map: a graph of neighbours and labels
from toolkit.eigenmaps import SLEML

sleml = SLEML(lam=0.5).fit(X[fitted], y[fitted])
Z, Z_new = sleml.embedding_, sleml.transform(X[held_out])"""

CODE_OF_LINEAR_MAP = """# the linear map with arrows
from toolkit.tabular import linear_map

linear_map(data, task, fitted, held_out).display(X).plot()"""

CODE_OF_ERRORS = """# errors, baseline and p-value
from toolkit.tabular import separation

found = separation(data, task, table.groups, seed={seed}{declared})
print(found.to_frame(), found.p_value)"""

CODE_OF_DEPENDENCE = """# the error with rows that depend on each other kept together
from toolkit.tabular import dependence

linked = dependence(data, task, table.groups, table, seed={seed})
print(linked.found, linked.error)"""

CODE_OF_COLUMNS = """# which columns are relevant
from toolkit.tabular import {which}

groups, permuted = {units}, {permuted!r}
matter = which_features(data, task, groups, {best}, permuted=permuted, seed={seed})
matter.plot()
print(matter.to_frame())"""

CODE_OF_MODEL = """# a model in the plane of the map
from toolkit.decisionmap import DecisionMap

model = task.usual_models({seed})[{model!r}].fit(X[fitted], y[fitted])
seen = DecisionMap.from_map(
    model, X[fitted], Z, y[fitted], grid=80, random_state={seed}{given}
)
seen.plot()
print(model.score(X[held_out], y[held_out]), seen.score(X[held_out]))"""

CODE_OF_USER_MODEL = """# the model in a plane of the columns that it takes
{imports_of_own}

{read_model}rows, answers = frame.iloc[table.rows][{columns}], {answers}
{fit}seen = DecisionMap.from_estimator(
    model, rows.iloc[fitted], answers[fitted], grid=80, random_state={seed}{given}
)
seen.plot()
new = rows.iloc[held_out]
print(model.score(new, answers[held_out]), seen.score(new))"""
