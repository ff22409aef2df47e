"""The pictures of a table: a finding as heading, the number that holds out, a text for those who do not see them."""

import base64

import numpy as np

from ..plots import MapDisplay, MapsDisplay, TargetDisplay, panels, publish, write_heading
from ..plots.pictures import figure_png
from ..plots.style import file_dpi
from .words import listed

__all__ = [
    "Picture",
    "features_picture",
    "linear_picture",
    "map_picture",
    "maps_picture",
    "models_picture",
    "shown_classes",
]

MOST_SETS = 9  # sets of labels that have a colour of their own
MOST_BARS = 25
RATIO = 0.72  # height of the frames of models over their width


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


def shown_classes(task):
    """Class (n,) of each row as colours show it: of several labels the frequent sets, of a value the value."""
    if task.y.ndim == 1:
        return task.y
    names = np.array([" + ".join(np.array(task.names)[row > 0]) or "none" for row in task.y], dtype=object)
    sets, counts = np.unique(names, return_counts=True)
    frequent = sets[np.argsort(-counts, kind="stable")[:MOST_SETS]]
    return np.where(np.isin(names, frequent), names, "other sets").astype(str)


def map_picture(found, target, finding, point_names=None):
    """All rows on the map that knows the target."""
    one, task = found.true, found.task
    shown, number = shown_classes(task)[one.rows], _numbers(task, one)
    figure, (ax,) = panels(1, ratio=0.72)
    if shown.dtype.kind == "f":
        TargetDisplay(one.Z, shown, target).plot(ax, number=number)
    else:
        display = MapDisplay(one.Z, shown, sides=one.sides)
        display.plot(ax, number=number, name_classes=len(display.names) > 6)
        display.legend()
    write_heading(figure, finding, f"{found.method}; chance {task.percent(task.chance())}")
    caption = "Outlines made the map; filled marks were placed on it afterwards, without their target."
    if shown.dtype.kind == "f":
        caption = f"Colour: {target}. A quarter of the rows or more was placed afterwards, without the target."
    return Picture(figure, "00_map", caption, f"Map of {len(one.rows)} rows by {target or 'labels'}. {number}.")


def maps_picture(found, target, finding):
    """The map between the plain one and that of a shuffled target."""
    task, titles = found.task, ("without the target", "with the target", "with a shuffled target")
    maps, few = (found.plain, found.true, found.shuffled), len(found.plain.rows)
    both = shown_classes(type(task)(np.concatenate([task.y, found.shuffled.y]), task.names))  # with the same colours
    truth, told = both[: len(task.y)], both[len(task.y) :]
    y = [truth[found.plain.rows], truth[found.true.rows], told]
    numbers = [_numbers(task, one) for one in maps]
    if task.y.dtype.kind == "f":
        figure, axes = panels(3, ratio=0.9)
        for ax, one, values, title, number in zip(axes, maps, y, titles, numbers, strict=True):
            limits = np.percentile(task.y, [2, 98])
            TargetDisplay(one.Z, values, target).plot(ax, title=title, number=number, color_bar=False, limits=limits)
    else:
        compared = np.isin(found.true.rows, found.plain.rows)
        positions = [found.plain.Z, found.true.Z[compared], found.shuffled.Z]
        y[1] = y[1][compared]
        display = MapsDisplay(dict(zip(titles, positions, strict=True)), y, numbers=numbers, sides=found.plain.sides)
        figure = display.plot().figure_
    write_heading(figure, finding, f"{task.error_name}; chance {task.percent(task.chance())}")
    alt = "; ".join(f"{title}: {number}" for title, number in zip(titles, numbers, strict=True))
    caption = "What is apart on the left is in the columns; what is apart on the right was painted by the method."
    return Picture(figure, "00_maps", caption, f"Three maps of {few} rows. {alt}.")


def linear_picture(found, X, target):
    """The linear map with arrows of features."""
    display = found.display(X)
    display.samples.name = target if isinstance(display.samples, TargetDisplay) else ""
    figure, (ax,) = panels(1, ratio=0.72)
    number = _numbers(found.task, found.map)
    display.plot(ax, number=number)
    names = [display.feature_names[j] for j in display.shown_]
    write_heading(figure, f"{listed(names[:3])} pull most", f"{found.method}; {found.task.error_name}")
    arrows = ", ".join(names)
    caption = "An arrow points where a row moves when this column grows, the others equal. What pulls need not matter."
    return Picture(figure, "00_linear", caption, f"Linear map. {number}. Arrows: {arrows}.")


def features_picture(found, finding):
    """Bounds on the weights of the columns, the largest first."""
    display = found.plot(MOST_BARS)
    write_heading(display.figure_, finding, "least and largest weight in linear models that predict alike, and noise")
    kinds = "; ".join(f"{kind}: {', '.join(found.of(kind)) or 'none'}" for kind in ("needed", "replaceable"))
    caption = "White: the weight that every equivalent model gives. Black: the most that one gives. "
    caption += "The kinds also count a forest, and the error without the column."
    return Picture(display.figure_, "00_features", caption, f"Bounds of {len(display.lower)} columns. {kinds}.")


def models_picture(models, finding):
    """Up to three models in the plane."""
    figure, axes = panels(len(models), ratio=RATIO)
    numbers = []
    for ax, seen in zip(axes, models, strict=True):
        agreed = seen.agreement.labels
        agrees = f"picture = model: {agreed:.0%}" if agreed is not None else f"r = {seen.agreement.predictions:.2f}"
        numbers.append(f"error {seen.task.percent(seen.error)}, {agrees}")
        options = {"color_bar": False} if agreed is None else {"name_classes": False}
        display = seen.decision_map.plot(ax, title=seen.name, number=numbers[-1], **options)
    x0, x1, y0, y1 = models[0].decision_map.extent_
    half = max(x1 - x0, (y1 - y0) / RATIO) / 2
    for ax in axes:  # one plane, in one scale, which the shape of the frames makes equal on both axes
        ax.set_aspect("auto")
        ax.set(xlim=((x0 + x1) / 2 - half, (x0 + x1) / 2 + half))
        ax.set(ylim=((y0 + y1) / 2 - RATIO * half, (y0 + y1) / 2 + RATIO * half))
    if models[0].agreement.labels is not None:
        display.legend()
    held = "held-out rows" if models[0].is_held_out else "rows that the model may know"
    write_heading(
        figure, finding, f"at {held}: {models[0].task.error_name}, and where the picture says what the model does"
    )
    alt = "; ".join(f"{seen.name}: {number}" for seen, number in zip(models, numbers, strict=True))
    caption = "Background: what the model says there. Rings: rows for which the picture shows another answer."
    return Picture(figure, "00_models", caption, f"Decision maps. {alt}.")


def _numbers(task, one):
    held_out = f"{task.percent(one.error)} ± {task.percent(one.standard_error)}"
    return f"error: held out {held_out}, fitted {task.percent(one.fitted_error)}"
