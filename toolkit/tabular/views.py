"""What a look shows: pictures with a finding as heading, sentences with tables, and explorers whose tips tell of a row.

Each picture has the number that holds out, and a text for those who do not see it.
"""

import base64
import html

import numpy as np

from ..core.labels import label_sets
from ..explorer import Explorer
from ..plots import (
    MapDisplay,
    MapsDisplay,
    TargetDisplay,
    panels,
    publish,
    write_heading,
)
from ..plots.pictures import figure_png
from ..plots.style import file_dpi
from . import text
from .findings import Findings
from .models import MOST_LISTED
from .text import RichText, and_list
from .validation import most_related

MOST_SETS = 9  # sets of labels that have a colour of their own
RATIO = 0.72  # height of the frames of models over their width
RINGS = (
    "Background: what the model says there. Rings: rows for which the picture shows"
    " another answer."
)
MOST_SHOWN = 2000
MOST_COLUMNS = 12  # that the tips tell of

CODE = """import numpy as np
import toolkit
{call}
true, plain = seen.map_.true, seen.map_.plain
Z = true.Z[np.isin(true.rows, plain.rows)][:{most}]
"""
ALIGNMENT = """
from scipy.linalg import orthogonal_procrustes

other = seen.map_.{name}.Z[:{most}]  # of the same rows, turned as the first map lies
R, _ = orthogonal_procrustes(other - other.mean(axis=0), Z - Z.mean(axis=0))
(other - other.mean(axis=0)) @ R + Z.mean(axis=0)"""


class Picture:
    """A figure with a heading, a caption and a text that says what it shows; in a notebook it displays itself.

    Parameters
    ----------
    figure : matplotlib Figure, kept as `figure_`
    name, finding, below, caption, alt : str, with two lines of the heading

    Examples
    --------
    >>> figure, _ = panels(1)
    >>> Picture(figure, "empty", "Nothing", "to see", "An empty frame.", "an empty frame").alt
    'an empty frame'
    """

    def __init__(self, figure, name, finding, below, caption, alt):
        self.figure_, self.name, self.caption, self.alt = figure, name, caption, alt
        write_heading(figure, finding, below)

    def _ipython_display_(self):
        publish(self.figure_, self.name, self.caption, self.alt)

    def png(self):
        """The picture in base64; the figure is closed, as `publish` does it."""
        from matplotlib import pyplot as plt

        data = figure_png(self.figure_, file_dpi(self.figure_))
        plt.close(self.figure_)
        return base64.b64encode(data).decode("ascii")


class Look(Findings):
    """A table looked at; `look` makes one. Everything is computed when it is first asked for.

    Attributes
    ----------
    table_ : Table, what is in the table, and what was left out and why
    leaks_ : dict of str to float, columns that predict the target alone
    separation_ : Separation, errors of simple models beside chance and permuted targets
    map_ : MapComparison, the map that knows the target, the plain one and that of a shuffled target
    linear_map_ : LinearMap or None, a plane with arrows of columns; None of a single column
    bounds_ : Features or None, which of the d columns matter; None of a matrix of shape (n, n)
    models_ : list of ModelResult, in the plane; empty for several labels
    decision_map_ : DecisionMap or None, of the first of these, which is the user's own model if there is one
    beliefs_ : list of str, what one may believe
    code_ : str, Python that makes these numbers and pictures from the file
    """

    def show_table(self):
        """What is in the table, and what was left out and why."""
        return RichText(self.table_.notes, self.table_.overview())

    def show_separation(self):
        """Whether there is anything to see: errors beside chance and permuted targets."""
        return RichText(
            text.about_separation(self.separation_),
            self.separation_.to_frame().round(3),
        )

    def show_map(self):
        """The map that knows the target, with the held-out rows placed on it."""
        task = self._task
        target = self.table_.target
        one = self.map_.true
        shown = _colour_classes(task)[one.rows]
        figure, (ax,) = panels(1, ratio=RATIO)
        if task.is_value:
            TargetDisplay(one.Z, shown, target).plot(ax, number=one.errors)
            caption = (
                f"Colour: {target}. A quarter of the rows or more was placed"
                " afterwards, without the target."
            )
        else:
            display = MapDisplay(one.Z, shown, sides=one.sides)
            display.plot(ax, number=one.errors, name_classes=len(display.names) > 6)
            display.legend()
            caption = (
                "Outlines made the map; filled marks were placed on it afterwards,"
                " without their target."
            )
        finding = (
            f"{self._what()}: held-out rows have an error of {task.percent(one.error)}"
            " in the map"
        )
        below = f"{self.map_.method}; chance {task.percent(task.chance())}"
        alt = f"Map of {len(one.rows)} rows by {target or 'labels'}. {one.errors}."
        return Picture(figure, "00_map", _capital(finding), below, caption, alt)

    def show_maps(self):
        """That map between the plain one and that of a shuffled target."""
        found = self.map_
        task = self._task
        maps = {
            "without the target": found.plain,
            "with the target": found.true,
            "with a shuffled target": found.shuffled,
        }
        # with the same colours
        both = _colour_classes(task.of(np.concatenate([task.y, found.shuffled.y])))
        y = [both[found.plain.rows], both[found.true.rows], both[len(task.y) :]]
        if task.is_value:
            figure, axes = panels(3, ratio=0.9)
            options = {"color_bar": False, "limits": np.percentile(task.y, [2, 98])}
            for ax, (title, one), values in zip(axes, maps.items(), y, strict=True):
                display = TargetDisplay(one.Z, values, self.table_.target)
                display.plot(ax, title=title, number=one.errors, **options)
        else:
            compared = np.isin(found.true.rows, found.plain.rows)
            y[1] = y[1][compared]
            positions = {title: one.Z for title, one in maps.items()}
            positions["with the target"] = found.true.Z[compared]
            numbers = [one.errors for one in maps.values()]
            figure = (
                MapsDisplay(positions, y, numbers=numbers, sides=found.plain.sides)
                .plot()
                .figure_
            )
        finding = _capital(text.what_helps(found))
        below = f"{task.error_name}; chance {task.percent(task.chance())}"
        numbers = "; ".join(f"{title}: {one.errors}" for title, one in maps.items())
        caption = (
            "What is apart on the left is in the columns; what is apart on the right"
            " was painted by the method."
        )
        alt = f"Three maps of {len(found.plain.rows)} rows. {numbers}."
        return Picture(figure, "00_maps", finding, below, caption, alt)

    def explore_map(self):
        """The same three maps one after the other; tips tell of the row."""
        found = self.map_
        true = found.true
        # in the order of the rows of the others
        both = np.isin(true.rows, found.plain.rows)
        first = CODE.format(call=self._call(), most=MOST_SHOWN)
        # by the target that they were told: what they are, their positions, the end of
        # their code
        maps = {
            "true": (true, true.Z[both], "Z"),
            "none": (
                found.plain,
                found.plain.Z,
                ALIGNMENT.format(name="plain", most=MOST_SHOWN),
            ),
            "shuffled": (
                found.shuffled,
                found.shuffled.Z,
                ALIGNMENT.format(name="shuffled", most=MOST_SHOWN),
            ),
        }
        chance = self._task.percent(self._task.chance())

        def show(target):
            one, Z, _ = maps[target]
            return {"Z": Z[:MOST_SHOWN], "status": f"{one.errors}; chance {chance}"}

        return Explorer(
            show,
            {"target": list(maps)},
            **self._about(true.rows[both][:MOST_SHOWN]),
            sides=true.sides[both][:MOST_SHOWN],
            title="The map and the target that it was told",
            caption=(
                "Colours are the true target; outlines made the map, filled marks were"
                " placed on it."
            ),
            code=lambda target: first + maps[target][2],
        )

    def show_linear_map(self):
        """The linear map with arrows of columns."""
        found = self.linear_map_
        if found is None:
            return RichText(["A single column spans no plane."])
        if self.is_matrix:
            return RichText(
                [
                    "A matrix of similarities or distances has no columns whose arrows"
                    " could be drawn."
                ]
            )
        display = found.display(self._data.X)
        display.samples.name = self.table_.target if self._task.is_value else ""
        figure, (ax,) = panels(1, ratio=RATIO)
        display.plot(ax, number=found.map.errors)
        names = [display.feature_names[j] for j in display.shown_]
        below = f"{found.method}; {self._task.error_name}"
        caption = (
            "An arrow points where a row moves when this column grows, the others"
            " equal. "
        )
        caption += "What pulls need not matter."
        alt = f"Linear map. {found.map.errors}. Arrows: {', '.join(names)}."
        return Picture(
            figure, "00_linear", f"{and_list(names[:3])} pull most", below, caption, alt
        )

    def show_bounds(self):
        """Bounds on the weights of the columns, beside noise."""
        found = self.bounds_
        if found is None:
            return RichText(
                ["A matrix of similarities or distances has no columns to ask about."]
            )
        needed = found.of("needed")
        finding = (
            f"Needed: {and_list(needed, 5)}"
            if needed
            else "No column is needed: others can take its place"
        )
        display = found.plot()
        below = (
            "least and largest weight in linear models that predict alike, and noise"
        )
        kinds = "; ".join(
            f"{kind}: {', '.join(found.of(kind)) or 'none'}"
            for kind in ("needed", "replaceable")
        )
        caption = (
            "White: the weight that every equivalent model gives. Black: the most that"
            " one gives. "
        )
        caption += "The kinds also count a forest, and the error without the column."
        alt = f"Bounds of {len(display.lower)} columns. {kinds}."
        return Picture(display.figure_, "00_features", finding, below, caption, alt)

    def list_columns(self):
        """The columns, grouped into needed, replaceable and without evidence."""
        if self.bounds_ is None:
            return RichText()
        return RichText(
            text.about_features(self.bounds_), self.bounds_.to_frame().round(3)
        )

    def show_models(self):
        """The models in the plane."""
        if not self.models_:
            return RichText(
                [
                    "Models are shown for one target: look at one of the labels, with"
                    " it as the target."
                ]
            )
        task = self._task
        figure, axes = panels(len(self.models_), ratio=RATIO)
        has_classes = self.models_[0].agreement.labels is not None
        options = {"name_classes": False} if has_classes else {"color_bar": False}
        numbers = []
        for ax, seen in zip(axes, self.models_, strict=True):
            agreement = seen.agreement
            agrees = (
                f"picture = model: {agreement.labels:.0%}"
                if has_classes
                else f"r = {agreement.predictions:.2f}"
            )
            number = f"error {task.percent(seen.error)}, {agrees}"
            display = seen.decision_map.plot(
                ax, title=seen.name, number=number, **options
            )
            numbers.append(f"{seen.name}: {number}")
        first = self.models_[0]
        x0, x1, y0, y1 = first.decision_map.extent_
        x, y = (x0 + x1) / 2, (y0 + y1) / 2
        half = max(x1 - x0, (y1 - y0) / RATIO) / 2
        # one plane, in one scale, which the shape of the frames makes equal on both
        # axes
        for ax in axes:
            ax.set(
                aspect="auto",
                xlim=(x - half, x + half),
                ylim=(y - RATIO * half, y + RATIO * half),
            )
        if has_classes:
            display.legend()
        new = first.is_held_out
        error = (
            f"error {task.percent(first.error)} at"
            f" {'held-out rows' if new else 'rows that it may know'}"
        )
        rows = "held-out rows" if new else "rows that the model may know"
        what = (
            f"at {rows}: {task.error_name}, and where the picture says what the model"
            " does"
        )
        finding = f"{_capital(first.name)}: {error}"
        return Picture(
            figure,
            "00_models",
            finding,
            what,
            RINGS,
            f"Decision maps. {'; '.join(numbers)}.",
        )

    def explore_models(self):
        """The models one after the other; tips tell of the row."""
        if not self.models_:
            return RichText()
        by_name = {one.name: one for one in self.models_}
        true = self.map_.true
        call = self._call()
        percent = self._task.percent

        def show(model):
            one = by_name[model]
            error = f"{percent(one.error)} ± {percent(one.standard_error)}"
            return one.decision_map.frame(f"error at {one.rows} {error}")

        def code(model):
            shown = (
                f"shown = next(one for one in seen.models_ if one.name == {model!r})"
            )
            return f"import toolkit\n{call}\n{shown}\nshown.decision_map.embedding_"

        about = self._about(true.rows[: true.n_fitted])
        title = "What the models say"
        return Explorer(
            show,
            {"model": list(by_name)},
            **about,
            title=title,
            caption=RINGS,
            code=code,
            align=False,
        )

    def list_classes(self):
        """Of each class how many of the held-out rows the first model gets right."""
        if not self.models_ or self.models_[0].by_class is None:
            return RichText()
        first = self.models_[0]
        found = first.by_class
        cut = f"the {MOST_LISTED} of {len(found)} classes that come off worst"
        classes = cut if len(found) > MOST_LISTED else "each class"
        said = [
            f"{first.name}, {first.rows} of {classes}: how many are right, and what"
            " most others are taken for."
        ]
        if len(never := found["class"][found["right"] == 0]):
            said.append(f"Never right: {and_list(never)}.")
        return RichText(said, found[:MOST_LISTED])

    def list_wrong(self):
        """Held-out rows that the first model gets wrong, by their names."""
        if not self.models_:
            return RichText()
        first = self.models_[0]
        if first.wrong.empty:
            return RichText([f"{first.name} gets none of the rows asked wrong."])
        what = (
            f"its worst {first.rows}"
            if self._task.is_value
            else f"{first.rows} that it gets wrong"
        )
        return RichText(
            [f"{first.name}, {what}, {len(first.wrong)} at most."], first.wrong
        )

    def show_beliefs(self):
        """What one may believe, in plain words."""
        return RichText(self.beliefs_)

    def show_code(self):
        """The same without `look`: Python that reads the file and makes these numbers and pictures."""
        return RichText(code=self.code_)

    def report(self, path, title="A table of one's own"):
        """Write all of this as one page that needs no network; returns the path."""
        from .command import write_report

        return write_report(self, path, title)

    def _about(self, rows):
        """What tips and colours of an explorer tell of rows; columns that go best with the target come first."""
        table = self.table_
        columns = {}
        if not self.is_matrix:
            order = np.argsort(
                -most_related(self._data, self._data.X, self._task.y), kind="stable"
            )
            names = [self._data.columns[j] for j in order[:MOST_COLUMNS]]
            columns = {name: table.features[name].iloc[rows] for name in names}
        if self._task.is_value:
            about = {
                "color_by": table.target,
                "columns": {table.target: table.y[rows]} | columns,
            }
        else:
            y = _colour_classes(self._task)[rows]
            about = {
                "labels": y,
                "label_names": np.unique(y).tolist(),
                "columns": columns,
            }
        return about | {"names": table.ids[rows]}

    def _call(self):
        """Code that makes this, as `seen`; of a matrix it has to be there."""
        if self.is_matrix:
            return ""
        told = self.arguments
        options = {
            "target": self.table_.target,
            **told["options"],
            "rows": told["rows"],
            "test": told["test"],
        }
        given = [
            repr(told["file"]),
            *(f"{name}={value!r}" for name, value in options.items() if value),
        ]
        if self.user_model is not None:
            given.append("model=model")
        if self.seed:
            given.append(f"random_state={self.seed}")
        return f"\nseen = toolkit.look({', '.join(given)})"

    def _what(self):
        table = self.table_
        if table.task == "value":
            return str(table.target)
        return f"{len(table.label_names)} {table.task}" + (
            f" of {table.target}" if table.task == "classes" else ""
        )

    def _repr_html_(self):
        """The map, and what one may believe."""
        picture = self.show_map()
        image = (
            f'<img src="data:image/png;base64,{picture.png()}"'
            f' alt="{html.escape(picture.alt)}" width="640">'
        )
        return image + self.show_beliefs()._repr_html_()

    def __repr__(self):
        n, d = self.table_.features.shape
        return (
            f"<Look: {n:,} rows, {d} columns, {self._what()}; {len(self._held_out):,}"
            " rows held out>"
        )


def _colour_classes(task):
    """Class (n,) of each row as colours show it: of several labels the frequent sets, of a value the value."""
    if task.y.ndim == 1:
        return task.y
    _, index, set_names = label_sets(task.y, task.names)
    names = np.array(set_names)[index]
    sets, counts = np.unique(names, return_counts=True)
    frequent = sets[np.argsort(-counts, kind="stable")[:MOST_SETS]]
    return np.where(np.isin(names, frequent), names, "other sets")


def _capital(text):
    return text[0].upper() + text[1:]
