"""What a look shows: pictures, sentences with tables, explorers with tips of rows."""

import base64
from dataclasses import dataclass, field

import numpy as np

from ..core import label_sets
from ..explorer import Explorer, SampleInfo
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
from .features import KINDS
from .findings import Findings
from .models import MOST_LISTED
from .text import RichText, and_list, capital

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


@dataclass
class Picture:
    """A figure with a finding, a caption and a text; in a notebook it displays itself.

    Parameters
    ----------
    figure_ : matplotlib Figure
    name, finding, below, caption, alt : str
        Name of its file, two lines of the heading, and two texts.

    Examples
    --------
    >>> figure, _ = panels(1)
    >>> Picture(figure, "empty", "Nothing", "to see", "A frame.", "an empty frame").alt
    'an empty frame'
    """

    figure_: object = field(repr=False)
    name: str
    finding: str
    below: str
    caption: str
    alt: str

    def __post_init__(self):
        write_heading(self.figure_, self.finding, self.below)

    def _ipython_display_(self):
        publish(self.figure_, self.name, self.caption, self.alt)

    def png(self):
        """The picture in base64; the figure is closed, as `publish` does it."""
        from matplotlib import pyplot as plt

        data = figure_png(self.figure_, file_dpi(self.figure_))
        plt.close(self.figure_)
        return base64.b64encode(data).decode("ascii")


class Look(Findings):
    """A table looked at; `look` makes one. All is computed when it is first asked for.

    Attributes
    ----------
    table_ : Table
        What is in the table, and what was left out and why.
    leaks_ : dict of str to float
        Columns that predict the target alone.
    separation_ : Separation
        Error of the best of simple models, its interval and p-value, and the baseline.
    dependence_ : Dependence
        Whether rows depend on each other, and the error without these.
    map_ : MapComparison
        The supervised map, the plain one and that of a shuffled target.
    linear_map_ : LinearMap or None
        A plane with arrows of columns; None of a single column.
    bounds_ : Features or None
        Which of the d columns matter; None of a matrix of shape (n, n).
    models_ : list of ModelResult
        In the plane; empty for several labels.
    decision_map_ : DecisionMap or None
        Of the first of these, which is the user's own model if there is one.
    beliefs_ : list of str
        What one may believe.
    code_ : str
        Python that makes these numbers and pictures from the file.
    """

    def show_table(self):
        """What is in the table, and what was left out and why."""
        return RichText(self.table_.notes, self.table_.overview())

    def show_separation(self):
        """Whether the models predict better than chance and than permuted targets."""
        found = self.separation_
        groups_named = self.is_declared or self.is_matrix
        sentences = [
            *text.about_separation(found),
            *text.about_dependence(self.dependence_, found, groups_named),
        ]
        return RichText(sentences, found.to_frame().round(3))

    def show_map(self):
        """The map that knows the target, with the held-out rows placed on it."""
        task = self._task
        target = self.table_.target
        one = self.map_.true
        classes = _colour_classes(task)[one.rows]
        figure, (ax,) = panels(1, ratio=RATIO)
        if task.is_value:
            TargetDisplay(one.Z, classes, target).plot(ax, number=one.errors)
            caption = (
                f"Colour: {target}. A quarter of the rows or more was placed"
                " afterwards, without the target."
            )
        else:
            display = MapDisplay(one.Z, classes, sides=one.sides)
            display.plot(
                ax, number=one.errors, name_classes=len(display.names) > 6
            )
            display.legend()
            caption = (
                "Outlines made the map; filled marks were placed on it afterwards,"
                " without their target."
            )
        # the finding as heading, the method below
        finding = (
            f"{self._target_phrase()}: held-out rows have an error of"
            f" {task.percent(one.error)} in the map"
        )
        below = f"{self.map_.method}; {task.chance_phrase()}; brackets: 90 % interval"
        alt = f"Map of {len(one.rows)} rows by {target or 'labels'}. {one.errors}."
        return Picture(figure, "00_map", capital(finding), below, caption, alt)

    def show_maps(self):
        """That map between the plain one and that of a shuffled target."""
        found = self.map_
        task = self._task
        maps = {
            "without the target": found.plain,
            "with the target": found.common,
            "with a shuffled target": found.shuffled,
        }
        if task.is_value:
            figure, axes = panels(3, ratio=0.9)
            options = {
                "color_bar": False,
                "limits": np.percentile(task.y, [2, 98]),
            }
            # of values all rows of the true map
            true = maps | {"with the target": found.true}
            for ax, (title, one) in zip(axes, true.items(), strict=True):
                display = TargetDisplay(one.Z, one.y, self.table_.target)
                display.plot(ax, title=title, number=one.errors, **options)
        else:
            # one colouring of true and shuffled targets
            targets = np.concatenate([task.y, found.shuffled.y])
            classes = _colour_classes(task.of(targets))
            n = len(task.y)
            display = MapsDisplay(
                {title: one.Z for title, one in maps.items()},
                [classes[found.plain.rows]] * 2 + [classes[n:]],
                numbers=[one.errors for one in maps.values()],
                sides=found.plain.sides,
            )
            figure = display.plot().figure_
        numbers = "; ".join(
            f"{title}: {one.errors}" for title, one in maps.items()
        )
        return Picture(
            figure,
            "00_maps",
            capital(text.what_helps(found)),
            f"{task.error_name}, in brackets the 90 % interval; {task.chance_phrase()}",
            "What is apart on the left is in the columns; what is apart on the right"
            " was painted by the method.",
            f"Three maps of {len(found.plain.rows)} rows. {numbers}.",
        )

    def explore_map(self):
        """The same three maps one after the other; tips tell of the row."""
        found = self.map_
        true = found.common
        # by the target that they were fitted to
        maps = {"true": true, "none": found.plain, "shuffled": found.shuffled}

        def show(target):
            one = maps[target]
            status = f"{one.errors}; {self._task.chance_phrase()}"
            return {"Z": one.Z[:MOST_SHOWN], "status": status}

        def code(target):
            lines = CODE.format(call=self._call(), most=MOST_SHOWN)
            if target == "true":
                return f"{lines}Z"
            name = "plain" if target == "none" else target
            return lines + ALIGNMENT.format(name=name, most=MOST_SHOWN)

        return Explorer(
            show,
            {"target": list(maps)},
            **self._tips(true.rows[:MOST_SHOWN], true.sides[:MOST_SHOWN]),
            title="The map and the target that it was told",
            caption=(
                "Colours are the true target; outlines made the map, filled marks were"
                " placed on it."
            ),
            code=code,
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
        return Picture(
            figure,
            "00_linear",
            f"{and_list(names[:3])} pull most",
            f"{found.method}; {self._task.error_name}, in brackets the 90 % interval",
            "An arrow points where a row moves when this column grows, the others"
            " equal. What pulls need not matter.",
            f"Linear map. {found.map.errors}. Arrows: {', '.join(names)}.",
        )

    def show_bounds(self):
        """Bounds on the weights of the columns, and those of noise."""
        found = self.bounds_
        if found is None:
            return RichText(
                [
                    "A matrix of similarities or distances has no columns to ask about."
                ]
            )
        finding = "No column is strongly relevant"
        if strong := found.of(KINDS[0]):
            finding = f"Strongly relevant: {and_list(strong, 5)}"
        display = found.plot()
        kinds = "; ".join(
            f"{kind}: {', '.join(found.of(kind)) or 'none'}"
            for kind in KINDS[:2]
        )
        return Picture(
            display.figure_,
            "00_features",
            finding,
            "least and largest weight in linear models that predict alike, and noise",
            "White: the weight that every equivalent model gives. Black: the most that"
            " one gives. The kinds also count a forest, the association of the column"
            " alone, and the score without it.",
            f"Bounds of {len(display.lower)} columns. {kinds}.",
        )

    def list_columns(self):
        """The columns: strongly relevant, weakly relevant and not significant."""
        found = self.bounds_
        if found is None:
            return RichText()
        return RichText(text.about_features(found), found.to_frame().round(3))

    def show_models(self):
        """The models in the plane."""
        if not self.models_:
            return RichText(
                [
                    "Models are shown for one target: look at one of the labels, with"
                    " it as the target."
                ]
            )
        percent = self._task.percent
        first = self.models_[0]
        figure, axes = panels(len(self.models_), ratio=RATIO)
        has_classes = first.agreement.labels is not None
        options = (
            {"name_classes": False} if has_classes else {"color_bar": False}
        )
        # one panel for each model, best first
        numbers = []
        for ax, model in zip(axes, self.models_, strict=True):
            agreement = model.agreement
            if has_classes:
                agrees = f"picture = model: {agreement.labels:.0%}"
            else:
                agrees = f"r = {agreement.predictions:.2f}"
            number = f"error {percent(model.error)}, {agrees}"
            display = model.decision_map.plot(
                ax, title=model.name, number=number, **options
            )
            numbers.append(f"{model.name}: {number}")
        _equal_scales(axes, first.decision_map.extent_)
        if has_classes:
            display.legend()
        finding = f"{capital(first.name)}: error {percent(first.error)} at "
        if len(self.models_) > 1:
            finding = (
                f"Best of {len(self.models_)} at these rows: {first.name}, error"
                f" {percent(first.error)} at "
            )
        rows = known = "held-out rows"
        if not first.is_held_out:
            rows = "rows that it may know"
            known = "rows that the model may know"
        return Picture(
            figure,
            "00_models",
            finding + rows,
            f"at {known}: {self._task.error_name}, and where the picture says what the"
            " model does",
            RINGS,
            f"Decision maps. {'; '.join(numbers)}.",
        )

    def explore_models(self):
        """The models one after the other; tips tell of the row."""
        models = {one.name: one for one in self.models_}
        if not models:
            return RichText()
        true = self.map_.true

        def show(model):
            one = models[model]
            error = one.task.phrase(one.error, one.interval)
            return one.decision_map.frame(
                f"error at {one.rows} {error}, in brackets the {one.level:.0%} interval"
            )

        def code(model):
            return (
                f"import toolkit\n{self._call()}\n"
                f"shown = next(one for one in seen.models_ if one.name == {model!r})\n"
                "shown.decision_map.embedding_"
            )

        return Explorer(
            show,
            {"model": list(models)},
            **self._tips(true.rows[: true.n_fitted]),
            title="What the models say",
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
        classes = "each class"
        if len(found) > MOST_LISTED:
            classes = (
                f"the {MOST_LISTED} of {len(found)} classes that come off worst"
            )
        sentences = [
            f"{first.name}, {first.rows} of {classes}: how many are right, and what"
            " most others are taken for."
        ]
        if len(never := found["class"][found["right"] == 0]):
            sentences.append(f"Never right: {and_list(never)}.")
        return RichText(sentences, found[:MOST_LISTED])

    def list_wrong(self):
        """Held-out rows that the first model gets wrong, by their names."""
        if not self.models_:
            return RichText()
        first = self.models_[0]
        if first.wrong.empty:
            return RichText(
                [f"{first.name} gets none of the rows asked wrong."]
            )
        what = f"{first.rows} that it gets wrong"
        if self._task.is_value:
            what = f"its worst {first.rows}"
        sentence = f"{first.name}, {what}, {len(first.wrong)} at most."
        return RichText([sentence], first.wrong)

    def show_beliefs(self):
        """What one may believe, in plain words."""
        return RichText(self.beliefs_)

    def show_code(self):
        """The equivalent code without `look`: Python that reads the file."""
        return RichText(code=self.code_)

    def report(self, path, title="A table of one's own"):
        """Write all of this as one page that needs no network; returns the path."""
        from .command import write_report

        return write_report(self, path, title)

    def _tips(self, rows, sides=None):
        """What tips and colours of an explorer show of rows, as options.

        Columns that are most related to the target come first.
        """
        table = self.table_
        data = self._data
        task = self._task
        info = SampleInfo(names=table.ids[rows], columns={}, sides=sides)
        tips = {"samples": info}
        if task.is_value:
            info.color_by = table.target
            info.columns[table.target] = table.y[rows]
        else:
            tips["labels"] = _colour_classes(task)[rows]
            tips["label_names"] = np.unique(tips["labels"]).tolist()
        if not self.is_matrix:
            # the most related first
            order = np.argsort(-data.relatedness(task.y), kind="stable")
            for j in order[:MOST_COLUMNS]:
                name = data.columns[j]
                info.columns[name] = table.features[name].iloc[rows]
        return tips

    def _call(self):
        """Code that makes this, as `seen`; of a matrix it has to be there."""
        if self.is_matrix:
            return ""
        given = self.arguments
        options = {"target": self.table_.target, **given["options"]}
        options |= {name: given[name] for name in ("rows", "test")}
        code = repr(given["file"])
        for name, value in options.items():
            if value:
                code += f", {name}={value!r}"
        if self.user_model is not None:
            code += ", model=model"
        if self.user_map is not None:
            code += ", map=map"
        if self.seed:
            code += f", random_state={self.seed}"
        return f"\nseen = toolkit.look({code})"

    def _target_phrase(self):
        table = self.table_
        if table.task == "value":
            return table.target
        of = f" of {table.target}" if table.task == "classes" else ""
        return f"{len(table.label_names)} {table.task}{of}"

    def __repr__(self):
        n, d = self.table_.features.shape
        return (
            f"<Look: {n:,} rows, {d} columns, {self._target_phrase()};"
            f" {len(self._held_out):,} rows held out>"
        )


def _equal_scales(axes, extent):
    """One plane in one scale, equal on both axes by the shape of the frames."""
    x0, x1, y0, y1 = extent
    x = (x0 + x1) / 2
    y = (y0 + y1) / 2
    half = max(x1 - x0, (y1 - y0) / RATIO) / 2
    for ax in axes:
        ax.set(
            aspect="auto",
            xlim=(x - half, x + half),
            ylim=(y - RATIO * half, y + RATIO * half),
        )


def _colour_classes(task):
    """Class (n,) of each row as colours show it.

    Of several labels the frequent sets, of a value the value.
    """
    if task.y.ndim == 1:
        return task.y
    _, index, set_names = label_sets(task.y, task.names)
    names = np.array(set_names)[index]
    sets, counts = np.unique(names, return_counts=True)
    frequent = sets[np.argsort(-counts, kind="stable")[:MOST_SETS]]
    return np.where(np.isin(names, frequent), names, "other sets")
