"""The pictures of a look: a finding as heading, the number that holds out, a text for those who do not see them; and
the maps and the models with a choice to make, whose tips tell of the row."""

import base64

import numpy as np

from ..explore import Explorer
from ..plots import MapDisplay, MapsDisplay, TargetDisplay, panels, publish, write_heading
from ..plots.pictures import figure_png
from ..plots.style import file_dpi
from .wording import named

__all__ = [
    "Picture", "features_picture", "linear_picture", "map_explorer", "map_picture", "maps_picture", "models_explorer",
    "models_picture",
]  # fmt: skip

MOST_SETS = 9  # sets of labels that have a colour of their own
MOST_BARS = 25
RATIO = 0.72  # height of the frames of models over their width
RINGS = "Background: what the model says there. Rings: rows for which the picture shows another answer."
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


class Picture:
    """A figure with a caption and a text that says what it shows; in a notebook it displays itself.

    Parameters
    ----------
    figure : matplotlib Figure, kept as `figure_`
    name, caption, alt : str

    Examples
    --------
    >>> figure, _ = panels(1)
    >>> Picture(figure, "empty", "Nothing to see.", "an empty frame").alt
    'an empty frame'
    """

    def __init__(self, figure, name, caption, alt):
        self.figure_, self.name, self.caption, self.alt = figure, name, caption, alt

    def _ipython_display_(self):
        publish(self.figure_, self.name, self.caption, self.alt)

    def png(self):
        """The picture in base64; the figure is closed, as `publish` does it."""
        from matplotlib import pyplot as plt

        data = figure_png(self.figure_, file_dpi(self.figure_))
        plt.close(self.figure_)
        return base64.b64encode(data).decode("ascii")


def _shown_classes(task):
    """Class (n,) of each row as colours show it: of several labels the frequent sets, of a value the value."""
    if task.y.ndim == 1:
        return task.y
    names = np.array([" + ".join(np.array(task.names)[row > 0]) or "none" for row in task.y], dtype=object)
    sets, counts = np.unique(names, return_counts=True)
    frequent = sets[np.argsort(-counts, kind="stable")[:MOST_SETS]]
    return np.where(np.isin(names, frequent), names, "other sets").astype(str)


def _numbers(task, one):
    held_out = f"{task.percent(one.error)} ± {task.percent(one.standard_error)}"
    return f"error: held out {held_out}, fitted {task.percent(one.fitted_error)}"


def _capital(text):
    return text[0].upper() + text[1:]


def map_picture(found, target, finding):
    """All rows on the map that knows the target."""
    one, task = found.true, found.task
    shown, number = _shown_classes(task)[one.rows], _numbers(task, one)
    figure, (ax,) = panels(1, ratio=RATIO)
    if task.is_value:
        TargetDisplay(one.Z, shown, target).plot(ax, number=number)
        caption = f"Colour: {target}. A quarter of the rows or more was placed afterwards, without the target."
    else:
        display = MapDisplay(one.Z, shown, sides=one.sides)
        display.plot(ax, number=number, name_classes=len(display.names) > 6)
        display.legend()
        caption = "Outlines made the map; filled marks were placed on it afterwards, without their target."
    write_heading(figure, _capital(finding), f"{found.method}; chance {task.percent(task.chance())}")
    return Picture(figure, "00_map", caption, f"Map of {len(one.rows)} rows by {target or 'labels'}. {number}.")


def maps_picture(found, target, finding):
    """The map between the plain one and that of a shuffled target."""
    task, titles = found.task, ("without the target", "with the target", "with a shuffled target")
    maps = found.plain, found.true, found.shuffled
    both = _shown_classes(task.of(np.concatenate([task.y, found.shuffled.y])))  # with the same colours
    y = [both[found.plain.rows], both[found.true.rows], both[len(task.y) :]]
    numbers = [_numbers(task, one) for one in maps]
    if task.is_value:
        figure, axes = panels(3, ratio=0.9)
        limits = np.percentile(task.y, [2, 98])
        for ax, one, values, title, number in zip(axes, maps, y, titles, numbers, strict=True):
            TargetDisplay(one.Z, values, target).plot(ax, title=title, number=number, color_bar=False, limits=limits)
    else:
        compared = np.isin(found.true.rows, found.plain.rows)
        y[1] = y[1][compared]
        positions = dict(zip(titles, [found.plain.Z, found.true.Z[compared], found.shuffled.Z], strict=True))
        figure = MapsDisplay(positions, y, numbers=numbers, sides=found.plain.sides).plot().figure_
    write_heading(figure, _capital(finding), f"{task.error_name}; chance {task.percent(task.chance())}")
    alt = "; ".join(f"{title}: {number}" for title, number in zip(titles, numbers, strict=True))
    caption = "What is apart on the left is in the columns; what is apart on the right was painted by the method."
    return Picture(figure, "00_maps", caption, f"Three maps of {len(found.plain.rows)} rows. {alt}.")


def linear_picture(found, X, target):
    """The linear map with arrows of features."""
    display, number = found.display(X), _numbers(found.task, found.map)
    display.samples.name = target if found.task.is_value else ""
    figure, (ax,) = panels(1, ratio=RATIO)
    display.plot(ax, number=number)
    names = [display.feature_names[j] for j in display.shown_]
    write_heading(figure, f"{named(names[:3])} pull most", f"{found.method}; {found.task.error_name}")
    caption = "An arrow points where a row moves when this column grows, the others equal. What pulls need not matter."
    return Picture(figure, "00_linear", caption, f"Linear map. {number}. Arrows: {', '.join(names)}.")


def features_picture(found, finding):
    """Bounds on the weights of the columns, the largest first."""
    display = found.plot(MOST_BARS)
    write_heading(display.figure_, finding, "least and largest weight in linear models that predict alike, and noise")
    kinds = "; ".join(f"{kind}: {', '.join(found.of(kind)) or 'none'}" for kind in ("needed", "replaceable"))
    caption = "White: the weight that every equivalent model gives. Black: the most that one gives. "
    caption += "The kinds also count a forest, and the error without the column."
    return Picture(display.figure_, "00_features", caption, f"Bounds of {len(display.lower)} columns. {kinds}.")


def models_picture(models):
    """Up to three models in the plane."""
    figure, axes = panels(len(models), ratio=RATIO)
    first, numbers = models[0], []
    has_classes = first.agreement.labels is not None
    for ax, seen in zip(axes, models, strict=True):
        agreement = seen.agreement
        agrees = f"picture = model: {agreement.labels:.0%}" if has_classes else f"r = {agreement.predictions:.2f}"
        numbers.append(f"error {seen.task.percent(seen.error)}, {agrees}")
        options = {"name_classes": False} if has_classes else {"color_bar": False}
        display = seen.decision_map.plot(ax, title=seen.name, number=numbers[-1], **options)
    x0, x1, y0, y1 = first.decision_map.extent_
    half = max(x1 - x0, (y1 - y0) / RATIO) / 2
    for ax in axes:  # one plane, in one scale, which the shape of the frames makes equal on both axes
        ax.set_aspect("auto")
        ax.set(xlim=((x0 + x1) / 2 - half, (x0 + x1) / 2 + half))
        ax.set(ylim=((y0 + y1) / 2 - RATIO * half, (y0 + y1) / 2 + RATIO * half))
    if has_classes:
        display.legend()
    held = "held-out rows" if first.is_held_out else "rows that the model may know"
    error = f"error {first.task.percent(first.error)} at {held.replace('the model', 'it')}"
    what = f"at {held}: {first.task.error_name}, and where the picture says what the model does"
    write_heading(figure, f"{_capital(first.name)}: {error}", what)
    alt = "; ".join(f"{seen.name}: {number}" for seen, number in zip(models, numbers, strict=True))
    return Picture(figure, "00_models", RINGS, f"Decision maps. {alt}.")


def map_explorer(found, table, columns, call):
    """The maps that know the true target, none, and a shuffled one; `columns` are named first that go best with it.

    `call` is the code that makes the Look, as `seen`.
    """
    true, percent = found.true, found.task.percent
    both = np.isin(true.rows, found.plain.rows)  # in the order of the rows of the others
    rows, sides = true.rows[both][:MOST_SHOWN], true.sides[both][:MOST_SHOWN]
    positions = {"true": true.Z[both], "plain": found.plain.Z, "shuffled": found.shuffled.Z}

    def show(target):
        status = f"{_numbers(found.task, getattr(found, TARGETS[target]))}; chance {percent(found.task.chance())}"
        return {"Z": positions[TARGETS[target]][:MOST_SHOWN], "status": status}

    def code(target):
        first = CODE.format(call=call, most=MOST_SHOWN)
        return first + ("Z" if target == "true" else TURNED.format(name=TARGETS[target], most=MOST_SHOWN))

    return Explorer(
        show,
        {"target": list(TARGETS)},
        **_about(found.task, table, rows, columns),
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
        error = f"{one.task.percent(one.error)} ± {one.task.percent(one.standard_error)}"
        return one.decision_map.frame(f"error at {one.rows} {error}")

    def code(model):
        shown = f"shown = next(one for one in seen.models_ if one.name == {model!r})"
        return f"import toolkit\n{call}\n{shown}\nshown.decision_map.embedding_"

    about = _about(seen.task, table, rows, columns)
    title = "What the models say"
    return Explorer(show, {"model": list(by_name)}, **about, title=title, caption=RINGS, code=code, align=False)


def _about(task, table, rows, columns):
    """What colours the samples: their class, or the value of their target; their names and columns."""
    features = table.features.iloc[rows]
    shown = {name: features[name] for name in columns[:MOST_COLUMNS]}
    if task.is_value:
        about = {"color_by": table.target, "columns": {table.target: table.y[rows]} | shown}
    else:
        y = _shown_classes(task)[rows]
        about = {"labels": y, "label_names": np.unique(y).tolist(), "columns": shown}
    return about | {"names": table.ids[rows]}
