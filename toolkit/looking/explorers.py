"""The map and the models with a choice to make, for a notebook and a page: hover tells of the row."""

import numpy as np

from ..explore import Explorer
from .pictures import shown_classes

__all__ = ["map_explorer", "models_explorer"]

MOST_SHOWN = 2000
MOST_COLUMNS = 6  # that the hover text tells of


def map_explorer(found, table, columns, call):
    """The maps that know the true target, none, and a shuffled one."""
    one, names = found.true, ("true", "none", "shuffled")
    kept = np.flatnonzero(np.isin(one.rows, found.plain.rows))[:MOST_SHOWN]
    rows, positions = one.rows[kept], {}
    for name, each in zip(names, (one, found.plain, found.shuffled), strict=True):
        where = {row: k for k, row in enumerate(each.rows.tolist())}
        positions[name] = each.Z[[where[row] for row in rows.tolist()]]
    errors = dict(zip(names, (one, found.plain, found.shuffled), strict=True))
    percent = found.task.percent

    def show(target):
        each = errors[target]
        said = f"error: held out {percent(each.error)} ± {percent(each.standard_error)}"
        said += f", fitted {percent(each.fitted_error)}"
        return {"Z": positions[target], "status": f"{said}; chance {percent(found.task.chance())}"}

    return Explorer(
        show,
        {"target": list(names)},
        **_classes(found.task, table, rows),
        sides=one.sides[kept],
        hover=_hover(table, rows, columns, one.sides[kept]),
        title="The map and the target that it was told",
        caption="Colours are the true target; outlines made the map, filled marks were placed on it.",
        code=f"import toolkit\n\n{call}.map_  # .true, .plain or .shuffled; shown: {{target}}",
    )


def models_explorer(models, seen, table, columns, call):
    """The models in one plane."""
    rows = seen.true.rows[: seen.true.n_fitted]
    by_name = {one.name: one for one in models}

    def show(model):
        one = by_name[model]
        rows = "held-out rows" if one.is_held_out else "rows that it may have been fitted to"
        said = f"error at {rows} {one.task.percent(one.error)} ± {one.task.percent(one.standard_error)}"
        return one.decision_map.frame(said)

    return Explorer(
        show,
        {"model": list(by_name)},
        **_classes(seen.task, table, rows),
        hover=_hover(table, rows, columns, ["fitted"] * len(rows)),
        title="What the models say",
        caption="Background: what the model says there. Rings: rows for which the picture shows another answer.",
        code=f"import toolkit\n\n{call}.models_  # shown: {{model}}",
        align=False,
    )


def _classes(task, table, rows):
    """Class and names of the samples; of a value its quarter."""
    y = shown_classes(task)
    if y.dtype.kind == "f":
        cuts = np.quantile(y, [0.25, 0.5, 0.75])
        names = ["lowest quarter", "second quarter", "third quarter", "highest quarter"]
        codes = np.searchsorted(cuts, y, side="left")
        return {"labels": codes[rows], "label_names": [names[c] for c in np.unique(codes[rows])]}
    return {"labels": y[rows], "label_names": np.unique(y[rows]).tolist()}


def _hover(table, rows, columns, sides):
    """The name of each row, whether it was fitted, its value, and the columns that go best with the target."""
    part, texts = table.features.iloc[rows][columns[:MOST_COLUMNS]], []
    for k, (row, side) in enumerate(zip(rows.tolist(), sides, strict=True)):
        told = [f"{name}: {_short(value)}" for name, value in part.iloc[k].items()]
        if table.task == "value":
            told.insert(0, f"{table.target}: {table.y[row]:.4g}")
        texts.append("\n".join([f"{table.ids[row]}, {side}", *told]))
    return texts


def _short(value):
    return f"{value:.6g}" if isinstance(value, float) else str(value).removesuffix(" 00:00:00")[:40]
