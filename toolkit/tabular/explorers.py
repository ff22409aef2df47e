"""The map and the models with a choice to make, for a notebook and a page: tips tell of the row."""

import numpy as np

from ..explore import Explorer
from .pictures import shown_classes

__all__ = ["map_explorer", "models_explorer"]

MOST_SHOWN = 2000
MOST_COLUMNS = 12  # that the tips tell of
TARGETS = {"true": "true", "none": "plain", "shuffled": "shuffled"}  # the maps by the target that they were told

CODE = """import numpy as np
import toolkit
{call}
true, plain = seen.map_.true, seen.map_.plain
Z = true.Z[np.isin(true.rows, plain.rows)][:{most}]
"""
TURNED = """
from scipy.linalg import orthogonal_procrustes

other = seen.map_.{name}.Z[:{most}]  # of the same rows, turned as the first map lies
R, _ = orthogonal_procrustes(other - other.mean(axis=0), Z - Z.mean(axis=0))
(other - other.mean(axis=0)) @ R + Z.mean(axis=0)"""


def map_explorer(found, table, columns, call):
    """The maps that know the true target, none, and a shuffled one; `columns` are named first that go best with it.

    `call` is the code that makes the Look, as `seen`.
    """
    true, percent = found.true, found.task.percent
    both = np.isin(true.rows, found.plain.rows)  # in the order of the rows of the others
    rows, sides = true.rows[both][:MOST_SHOWN], true.sides[both][:MOST_SHOWN]
    positions = {"true": true.Z[both], "plain": found.plain.Z, "shuffled": found.shuffled.Z}

    def show(target):
        each = getattr(found, TARGETS[target])
        said = f"error: held out {percent(each.error)} ± {percent(each.standard_error)}"
        said += f", fitted {percent(each.fitted_error)}"
        status = f"{said}; chance {percent(found.task.chance())}"
        return {"Z": positions[TARGETS[target]][:MOST_SHOWN], "status": status}

    def code(target):
        first = CODE.format(call=call, most=MOST_SHOWN)
        return first + ("Z" if target == "true" else TURNED.format(name=TARGETS[target], most=MOST_SHOWN))

    return Explorer(
        show,
        {"target": list(TARGETS)},
        **_classes(found.task, table, rows),
        **_about(table, rows, columns),
        sides=sides,
        title="The map and the target that it was told",
        caption="Colours are the true target; outlines made the map, filled marks were placed on it.",
        code=code,
    )


def models_explorer(models, seen, table, columns, call):
    """The models in one plane; `columns` and `call` as for :func:`map_explorer`."""
    rows = seen.true.rows[: seen.true.n_fitted]
    by_name = {one.name: one for one in models}

    def show(model):
        one = by_name[model]
        rows = "held-out rows" if one.is_held_out else "rows that it may have been fitted to"
        said = f"error at {rows} {one.task.percent(one.error)} ± {one.task.percent(one.standard_error)}"
        return one.decision_map.frame(said)

    def code(model):
        shown = f"shown = next(one for one in seen.models_ if one.name == {model!r})"
        return f"import toolkit\n{call}\n{shown}\nshown.decision_map.embedding_"

    return Explorer(
        show,
        {"model": list(by_name)},
        **_classes(seen.task, table, rows),
        **_about(table, rows, columns),
        title="What the models say",
        caption="Background: what the model says there. Rings: rows for which the picture shows another answer.",
        code=code,
        align=False,
    )


def _classes(task, table, rows):
    """What colours the samples: their class, or the value of their target."""
    y = shown_classes(task)
    if y.dtype.kind == "f":
        return {"color_by": table.target}
    return {"labels": y[rows], "label_names": np.unique(y[rows]).tolist()}


def _about(table, rows, columns):
    """Names of the rows, the value of their target, and their columns."""
    features, target = table.features.iloc[rows], {table.target: table.y[rows]} if table.task == "value" else {}
    return {"names": table.ids[rows], "columns": target | {name: features[name] for name in columns[:MOST_COLUMNS]}}
