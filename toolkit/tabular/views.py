"""Output of `look`: sentences with tables, explorers with tips on rows, pictures."""

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from ..core import (
    and_list,
    as_frame,
    capital,
    count_phrase,
    label_sets,
    largest,
    number_phrase,
    percent,
)
from ..explorer import Explorer, SampleInfo
from ..plots import (
    CurvesDisplay,
    MapDisplay,
    TargetDisplay,
    panels,
    publish,
    write_heading,
)
from ..plots.pictures import as_base64, figure_png
from ..plots.style import file_dpi
from ..validation.intervals import INTERVAL_LEVEL, SMALLEST_P
from . import text
from .features import KINDS, MOST_ROWS
from .features import LEVEL as LEVEL_OF_COLUMNS
from .findings import Findings
from .generated_code import command_of, keywords
from .labels import label_table
from .richtext import RichText, as_read
from .separation import ALPHA

MOST_SETS = 9  # sets of labels that have a colour of their own
RATIO = 0.72  # height of a map over its width
RINGS = (
    "Background: prediction of the model at this position, pale where it is uncertain."
    " Marks: training rows. Rings: rows for which map and model differ."
)
MOST_COLUMNS = 12  # in the tips
MOST_FIRST = 5  # rows that are listed
NO_ROWS = "Names and values of rows are left out (`no_rows`)."
IN_MAP = "5 nearest neighbours in the map"
DEFINITIONS = [
    "Rows: errors are measured on all rows; of more than 20,000 rows, or 1,000,000"
    " numbers in the columns, on a sample of so many, but at least 1,000 rows. For"
    " 100,000 rows and 50 columns that takes 90 seconds of one processor or less. Tests"
    " use at most 1,000 rows. Samples contain at least 20 rows of each class, or all"
    " that there are; errors are weighted to the proportions of all rows.",
    "Baseline: error of the best constant prediction on the same rows. Held-out rows"
    " may have other proportions of the classes, as equal rows stay on one side.",
    "Area under the ROC curve, of two classes and of each class with less than 5 % of"
    " the rows, and average precision: by out-of-fold probabilities of the model that"
    " is named. Interval: DeLong's on the logit scale, wider because of common training"
    " rows, and not narrower than Newcombe's.",
    "Missing cells: numbers and dates have the median, and a column that marks where"
    " one is missing; a missing word is a category.",
    "ROC AUC of more than two classes: mean of each class against the rest, without an"
    " interval.",
    "Maps: axes of t-SNE have no unit; only which rows are near is meant. Tips and"
    f" lists show the {MOST_COLUMNS} columns that are most related to the target.",
    "Rows: the page contains names and values of rows; `--no-rows` (`no_rows=True`)"
    " leaves them out.",
    "Intervals: Wilson's for classes, of a bootstrap otherwise, 15 % wider, because"
    " folds have common training rows. Those of several models hold together.",
    "p-value: the Brier score (squared error of values) of the best model, compared"
    " with that for at most 19 permuted targets, or 39 in each of two ways; the test"
    " stops when five are as good.",
    "Dependent rows: rows that follow each other in the file, near duplicates, and"
    " columns that name groups, each at level 0.01 (columns that are coarser than one"
    " that is found at 0.05). Words name groups where rows of"
    " equal words are alike in the target and in other columns. Whole numbers do where"
    " means of one of the two jump between neighbouring numbers.",
    "Strongly relevant: the best model, or your own, predicts worse if it is fitted"
    " anew with the column permuted (Holm's correction over all columns). What other"
    " columns predict of the column stays in its permuted copies. Weakly relevant:"
    " associated with the target, or above the null level of permuted columns in linear"
    " models or in a random forest.",
    "Watson and Wright (2021), Testing conditional independence in supervised learning"
    " algorithms: comparison with copies that other columns predict as well.",
    "Kohavi and John (1997), Wrappers for feature subset selection: strong and weak"
    " relevance.",
    "Goepfert et al. (2018), Interpretation of linear classifiers by means of feature"
    " relevance bounds: equivalent linear models.",
    "Gisbrecht, Schulz and Hammer (2015), Parametric nonlinear dimensionality reduction"
    " using kernel t-SNE: Fisher distances and projection of held-out rows.",
    "Phipson and Smyth (2010), Permutation p-values should never be zero.",
]
MOST_SHOWN = 2000
PERMUTED = "a permuted target"
LEAST_AGREEMENT = 0.9  # of a decision map with its model

CODE = """import toolkit
{call}
Z = seen.map_.common.Z[:{most}]
"""
ALIGNMENT = """
from scipy.linalg import orthogonal_procrustes

other = seen.map_.{name}.Z[:{most}]  # of the same rows, aligned with the supervised map
R, _ = orthogonal_procrustes(other - other.mean(axis=0), Z - Z.mean(axis=0))
(other - other.mean(axis=0)) @ R + Z.mean(axis=0)"""


@dataclass
class Picture:
    """A figure with a finding, a caption and a text; in a notebook it displays itself.

    Parameters
    ----------
    figure_ : matplotlib Figure
        The figure, to which the heading is added.
    name, finding, below, caption, alt : str
        Name of its file, two lines of the heading, caption and alternative text.

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

    def _repr_mimebundle_(self, **kwargs):
        from matplotlib import pyplot as plt

        data = figure_png(self.figure_, file_dpi(self.figure_))
        # as by `publish`
        plt.close(self.figure_)
        texts = {"alt": self.alt, "caption": self.caption}
        return {"image/png": as_base64(data)}, {"image/png": texts}


class Look(Findings):
    """Findings on a table; `look` makes one. Each is computed when it is first used.

    Parameters
    ----------
    table : Table
        Features and target.
    data : NumericTable
        Columns of the table as numbers.
    arguments : dict
        Arguments of `look`, with names of files.
    frame : DataFrame or dict of columns or array of shape (n_rows, n_columns), optional
        All rows and columns as they were read; None for a matrix.
    is_test : ndarray of bool, shape (n_rows,), optional
        Rows to be held out.
    shows_rows : bool, default=True
        Whether names and values of single rows are shown.
    **options
        ``seed``, ``n_jobs`` and ``verbose``.

    Attributes
    ----------
    table_ : Table
        Content of the table, and what was left out and why.
    leaks_ : dict of str to float
        Columns that predict the target alone, and their error.
    separation_ : Separation
        Error of the best of simple models, its interval and p-value, and the baseline.
    dependence_ : Dependence
        Whether rows depend on each other, and the error on independent rows.
    map_ : MapComparison
        The supervised map, the unsupervised one and the one of permuted targets.
    linear_map_ : LinearMap or None
        A linear projection with loadings; None for a single column.
    bounds_ : Features or None
        Relevance of the d columns; None for a matrix of shape (n, n).
    models_ : list of ModelResult
        Models with decision maps; empty for several labels.
    decision_map_ : DecisionMap or None
        Decision map of the first model, which is the user's own if there is one.
    conclusions_ : list of str
        The findings of the page, as sentences.
    beliefs_ : list of str
        Former name of `conclusions_`.
    code_ : str
        Python that computes these numbers and pictures from the file.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from toolkit.tabular import look
    >>> seen = look(load_iris(as_frame=True).frame, "target", verbose=False)
    >>> isinstance(seen, Look), seen.is_matrix
    (True, False)
    """

    def show_summary(self):
        """Show whether there is a relation, and the four figures to report.

        Returns
        -------
        text : RichText
            Sentences and a table.
        """
        self.compute()
        table = self.table_
        percent = self._task.percent
        found = self.separation_
        one = self.map_.supervised
        bounds = self.bounds_
        n, d = table.features.shape
        size, subject = f", {count_phrase(d, 'column')}", "columns"
        if self.is_matrix:
            size, subject = "", "similarities or distances"
        facts = (
            f"{Path(self.arguments['file']).name}:"
            f" {count_phrase(n, 'row')}{size}; target: {self._target_and_classes()};"
            f" random seed {self.seed}."
        )
        unit = self._task.error_name
        auc = found.choice.auc
        has_mean = auc > 0 and found.area is None  # of more than two classes
        with_label = " (those with a label)" if self._n_unlabelled() else ""
        rows = f"{found.n_rows:,} of {count_phrase(n, 'row')}"
        tested = f"{found.n_tested:,} of {count_phrase(n, 'row')}"
        leading = found.leading
        # The error that the verdict uses comes first, then that of known rows.
        lines = text.lines_elsewhere(found, unit)
        where = f", {leading.known_rows}" if found.unlike else ""
        if not found.unlike or not found.is_judged(leading):
            lines |= text.ranking_lines(found, where)
        lines |= {
            f"Cross-validated error, {unit}{where}": (
                percent(found.error),
                f"90 % interval {self._task.span(found.interval)}",
                percent(found.baseline),
                f"{rows}, best of {len(found.errors)} models"
                + (f"; ROC AUC {number_phrase(auc, 2)}" if has_mean else ""),
            )
        }
        lines |= text.area_line(found, where)
        lines |= {
            f"p-value{where}": (
                f"{found.p_value:.2f}" if found.p_values else "too few groups",
                f"level {ALPHA}; smallest possible {SMALLEST_P:.2g}",
                "permuted targets",
                f"permutation test on {tested}",
            ),
            f"Held-out error of the map, {unit}": (
                percent(one.error),
                f"90 % interval {self._task.span(one.interval)}",
                percent(self.map_.task.baseline()),
                f"{one.measured_on}{with_label}, {IN_MAP}",
            ),
        }
        if bounds is not None:
            strong, weak, _ = map(bounds.of, KINDS)
            n_strong = f"{len(strong)} of {len(bounds.names)}"
            named = f"{and_list(strong, 2)} ({n_strong})"
            if weak and not strong:
                named += f"; associated: {len(weak)}"
            lines["Strongly relevant columns"] = (
                named if found.columns_are_judged else "not judged",
                f"level {ALPHA} for all columns together",
                "",
                f"{tested}, {bounds.model}",
            )
        names = ["value", "interval or level", "baseline", "measured on"]
        target = f"`{table.target}`" if table.target else "the labels"
        sentences = [facts, text.verdict(found, subject, target)]
        return RichText(
            sentences, as_frame(lines, names).T.rename_axis("figure")
        )

    def show_notes(self):
        """Show the reasons to doubt these figures, each with its remedy.

        Returns
        -------
        text : RichText
            Warnings and notes.
        """
        notes = text.notes_on(
            self.separation_,
            self.dependence_,
            self.map_,
            self.table_.row_names,
            self.is_declared,
            partial(command_of, self),
        )
        return RichText(notes=notes)

    def explore_map(self):
        """Show the supervised map, the unsupervised and the control map; tips on rows.

        Returns
        -------
        explorer : Explorer
            Interactive picture; a list chooses the target that the map was fitted to.
        """
        found = self.map_
        common = found.common
        # by what they were fitted to: method, name in `map_`, colour
        maps = {
            "the target": (common, found.method, "", ""),
            "no target": (
                found.unsupervised,
                "t-SNE without the target",
                "unsupervised",
                "",
            ),
            PERMUTED: (
                found.permuted,
                f"{found.method}, permuted target",
                "permuted",
                PERMUTED,
            ),
        }
        percent = self._task.percent

        def show(fitted_to):
            one, method, _, colour = maps[fitted_to]
            status = f"{method}: {one.errors}; {found.task.chance_phrase()}"
            return {
                "Z": one.Z[:MOST_SHOWN],
                "status": status,
                "color_by": colour,
            }

        def code(fitted_to):
            lines = CODE.format(call=self._call(), most=MOST_SHOWN)
            _, _, name, _ = maps[fitted_to]
            if not name:
                return f"{lines}Z"
            return lines + ALIGNMENT.format(name=name, most=MOST_SHOWN)

        tips = self._tips(common.rows[:MOST_SHOWN], common.sides[:MOST_SHOWN])
        mixed = _colour_classes(self._task.of(found.permuted.y))[:MOST_SHOWN]
        tips["samples"].columns[PERMUTED] = mixed
        return Explorer(
            show,
            {"fitted_to": list(maps)},
            **tips,
            title=f"Supervised map: held-out error {percent(common.error)};"
            f" unsupervised map: {percent(found.unsupervised.error)}",
            caption=f"Outlines: {common.n_fitted:,} training rows; filled marks:"
            " held-out rows, projected. The list chooses what the map was fitted to."
            " The colour is the target; on the map that was fitted to the permuted"
            f" target it is that. Brackets: 90 % interval.{self._unlabelled()}",
            code=code,
            rescale=["fitted_to"],
        )

    def show_maps(self):
        """Show the errors of the supervised, the unsupervised and the control map.

        Returns
        -------
        text : RichText
            Sentences and a table.
        """
        frame = self._errors()
        return RichText(
            text.about_maps(self.map_), frame[frame["classifier"] == IN_MAP]
        )

    def show_map(self):
        """Show the supervised map as a static picture.

        Returns
        -------
        picture : Picture
            Figure with its finding, caption and text.
        """
        task = self._task
        target = self.table_.target
        one = self.map_.supervised
        classes = _colour_classes(task)[one.rows]
        width, height = np.ptp(one.Z, axis=0)
        figure, (ax,) = panels(
            1, ratio=np.clip(height / max(width, 1e-9), 0.4, RATIO)
        )
        if task.is_value:
            TargetDisplay(one.Z, classes, target).plot(ax, number=one.errors)
            caption = f"Colour: {target}."
        else:
            display = MapDisplay(one.Z, classes, sides=one.sides)
            display.plot(
                ax, number=one.errors, name_classes=len(display.names) > 6
            )
            display.legend()
            caption = (
                "Outlines: training rows. Filled marks: held-out rows, projected."
                f"{self._unlabelled()}"
            )
        # the finding as heading, the method below
        finding = (
            f"{self._target_phrase()}: held-out error of the map"
            f" {task.percent(one.error)}"
        )
        below = (
            f"{self.map_.method}; {self.map_.task.chance_phrase()}; brackets: 90 %"
            " interval"
        )
        alt = f"Map of {len(one.rows)} rows by {target or 'labels'}: {one.errors}."
        return Picture(figure, "00_map", finding, below, caption, alt)

    def show_linear_map(self):
        """Show the linear projection with the loadings of columns as arrows.

        Returns
        -------
        picture : Picture or RichText
            Figure with its finding, caption and text; a sentence if there is no plane.
        """
        found = self.linear_map_
        if found is None or self.is_matrix:
            return RichText(
                ["A matrix or a single column spans no plane of columns."]
            )
        display = found.display(self._data.X)
        display.samples.name = self.table_.target if self._task.is_value else ""
        figure, (ax,) = panels(1, ratio=RATIO)
        display.plot(ax, number=found.map.errors)
        names = [display.feature_names[j] for j in display.visible_]
        return Picture(
            figure,
            "00_linear",
            f"Linear projection: the largest loadings are {and_list(names[:3])}",
            f"{found.method}; {self._task.error_name}, in brackets the 90 % interval",
            "Arrows: the direction in which a row moves if the column increases and the"
            " others stay constant. A long arrow does not imply a relevant column.",
            f"Linear projection. {found.map.errors}. Arrows: {', '.join(names)}.",
        )

    def show_bounds(self):
        """Show the measures of relevance of each column, with their null levels.

        Returns
        -------
        picture : Picture or RichText
            Figure with its finding, caption and text; a sentence for a matrix.
        """
        found = self.bounds_
        if found is None:
            return RichText(
                ["A matrix of similarities or distances has no columns."]
            )
        finding = "No column is strongly relevant"
        if not self.separation_.columns_are_judged:
            finding = "Which columns are relevant is not judged"
        if strong := found.of(KINDS[0]):
            finding = f"Strongly relevant: {and_list(strong, 5)}"
        display = found.plot()
        above = int(np.any(list(found.criteria.values()), axis=0).sum())
        n = len(found.names)
        shown = (
            ""
            if n == len(display.names)
            else f" ({len(display.names)} are shown)"
        )
        above = f"above a null level: {above} of {count_phrase(n, 'column')}"
        return Picture(
            display.figure_,
            "00_features",
            finding,
            f"{above}{shown}; measured on at most {MOST_ROWS:,} rows",
            "Marks: measures of a column, over their null levels (line), which noise"
            f" exceeds by chance in {percent(LEVEL_OF_COLUMNS)} of tables. Strongly"
            f" relevant: error of the {found.model} if the column is permuted; weakly:"
            " any other measure.",
            f"Measures of {len(display.names)} columns, {above}. {finding}.",
        )

    def list_columns(self):
        """List the columns: strongly relevant, weakly relevant and not significant.

        Returns
        -------
        text : RichText
            Sentences and a table; empty for a matrix.
        """
        found = self.bounds_
        if found is None:
            return RichText()
        frame = found.to_frame()
        name = found.heading
        frame[name] = frame[name].map(self._task.percent, na_action="ignore")
        flags = frame.select_dtypes(bool).columns
        frame[flags] = np.where(frame[flags], "yes", "no")
        sentences = text.about_features(found, self.separation_)
        return RichText(sentences, frame)

    def explore_models(self):
        """Show decision maps of the models; tips on rows.

        Returns
        -------
        explorer : Explorer or RichText
            Interactive picture; an empty text if there are no models.
        """
        models = {one.name: one for one in self.models_}
        if not models:
            return RichText()

        def show(model):
            one = models[model]
            agreement = text.agreement_phrase(one.agreement)
            return one.decision_map.frame(
                f"error on {one.rows} {one.phrase}; {agreement}"
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
            **self._tips(self._fitted),
            title=f"Decision maps of the models{self._disagreement()}",
            caption=RINGS,
            code=code,
            align=False,
        )

    def _show_labels(self):
        """How well each label is predicted, and on which rows."""
        found = self.separation_
        _, task, groups = self._problem
        rows = found.rows
        table = label_table(task[rows], found.choice.predictions, groups[rows])
        return RichText(
            [
                f"Each label, predicted by the {found.best} in cross-validation of"
                f" {count_phrase(len(rows), 'row')}; brackets: 90 % intervals, each for"
                " one label.",
                "Decision maps need a single target: give one label as `target`.",
            ],
            table,
        )

    def _n_unlabelled(self):
        """Number of rows without any of several labels; these are in no map."""
        if self.table_.task != "labels":
            return 0
        return int(np.sum(~self._task.y.any(axis=1)))

    def _unlabelled(self):
        n = self._n_unlabelled()
        if not n:
            return ""
        return f" {count_phrase(n, 'row')} without a label: not drawn."

    def _disagreement(self):
        """Which decision maps show another class than the model for many rows."""
        differing = {
            one.name: 1 - one.agreement.labels
            for one in self.models_
            if one.agreement.labels is not None
            and one.agreement.labels < LEAST_AGREEMENT
        }
        if not differing:
            return ""
        rates = and_list(f"{percent(v)} ({k})" for k, v in differing.items())
        return f"; background and model differ for {rates} of the rows"

    def show_models(self):
        """Show the confusion matrix of the model with the smallest error.

        Of several labels, how well each of them is predicted.

        Returns
        -------
        text : RichText
            Sentences and a table.
        """
        if not self.models_:
            return self._show_labels()
        first = self.models_[0]
        sentences = list(text.about_models(self.models_))
        if first.by_class is not None:
            sentences.append(
                f"Confusion matrix of {first.name} on {first.rows}:"
            )
        return RichText(sentences, first.by_class, shaded=True)

    def show_calibration(self):
        """Show the calibration curve, if only probabilities are better than chance.

        Returns
        -------
        picture : Picture or RichText
            Figure with its finding, caption and text; otherwise an empty text.
        """
        models = [one for one in self.models_ if one.calibration is not None]
        found = self.separation_
        is_judged = found.is_judged(found.leading)
        if not models or not is_judged or "probabilities" not in found.verdict:
            why = (
                "it is shown where an error below the baseline is not shown, and only"
                " the predicted probabilities are better than chance"
            )
            if self._task.kind != "classes":
                why = "it needs predicted probabilities of one class"
            return RichText([f"No calibration curve: {why}."])
        first = models[0]
        table = first.calibration
        curves = table[["observed", "predicted"]].to_numpy()
        bands = np.stack([curves, curves])
        bands[:, :, 0] = table["from"], table["to"]
        figure, (ax,) = panels(1, ratio=RATIO)
        CurvesDisplay(
            table["predicted"].to_numpy(),
            curves,
            [first.name, "perfect calibration"],
            bands=bands,
        ).plot(
            ax,
            xlabel=f"predicted probability of {table.index.name}",
            ylabel="observed fraction",
            marks=True,
        )
        ends = table["observed"].agg(["min", "max"])
        span = " to ".join(map(percent, ends))
        return Picture(
            figure,
            "00_calibration",
            f"Observed fraction of {table.index.name} by predicted probability: {span}",
            f"{first.name}, {table['rows'].sum():,} {first.rows}",
            "Each mark: a fifth of the rows, ordered by predicted probability. Band:"
            f" {percent(INTERVAL_LEVEL)} interval.",
            f"Calibration curve of {first.name}: {span} observed.",
        )

    def list_errors(self):
        """List misclassified rows of the first model, the most confident first.

        For a real value these are the rows with the largest errors.

        Returns
        -------
        text : RichText
            A sentence and a table; empty if there are no models.
        """
        if not self.models_:
            return RichText()
        first = self.models_[0]
        if first.wrong.empty:
            return RichText(
                [
                    f"{capital(first.name)}: no error on {first.n_rows} {first.rows}."
                ]
            )
        if not self.shows_rows:
            return RichText(
                [f"{capital(first.name)}: {first.n_wrong:,} errors. {NO_ROWS}"]
            )
        what = f"of {first.n_wrong:,} misclassified rows"
        if self._task.is_value:
            what = "rows with the largest errors"
        elif "probability" in first.wrong:
            what += ", the most confident first"
        return RichText(
            [f"{capital(first.name)}: {len(first.wrong)} {what}."],
            first.wrong.map(as_read),
        )

    def show_table(self):
        """Show all columns, whether they are used, and what was left out and why.

        Returns
        -------
        text : RichText
            Sentences and a table.
        """
        table = self.table_
        n, d = table.features.shape
        missing = table.features.isna().to_numpy().sum()
        finding = (
            f"{count_phrase(n, 'row')} and {count_phrase(d, 'column')} are used;"
            f" {count_phrase(missing, 'cell')} missing."
        )
        overview = table.overview()
        notes = table.notes
        if not self.shows_rows:
            # the smallest value of a column is that of a row
            overview = overview.drop(columns="values")
            for names in table.rows_left_out.values():
                listed = f": {and_list(names)}."
                notes = [note.replace(listed, ".") for note in notes]
        return RichText([finding, *notes], overview)

    def show_rows(self):
        """Show the first five rows, as they are used.

        Returns
        -------
        text : RichText
            A sentence and a table.
        """
        table = self.table_
        if not self.shows_rows:
            return RichText([NO_ROWS])
        if self.is_matrix:
            return RichText(["Rows of a matrix are not listed."])
        first = table.features.head(MOST_FIRST)
        targets = np.reshape(table.y[: len(first)], (len(first), -1))
        names = [table.target] if table.target else table.label_names
        for name, values in zip(names, targets.T, strict=True):
            first.insert(0, name, values, allow_duplicates=True)
        first.index = table.ids[: len(first)]
        return RichText(
            [f"The first {count_phrase(len(first), 'row')}:"],
            first.rename_axis("row").map(as_read),
        )

    def show_method(self):
        """Show every error of the page with its rows, protocol and classifier.

        Returns
        -------
        text : RichText
            Definitions and a table.
        """
        return RichText(
            [f"Unit of the errors: {self._task.error_name}.", *DEFINITIONS],
            self._errors(),
            fold="All errors of this page; references",
        )

    def show_code(self):
        """Show the equivalent code without `look`: Python that reads the file.

        Returns
        -------
        text : RichText
            The code.
        """
        return RichText(code=self.code_, fold="Equivalent code")

    def _errors(self):
        """Every error of the page, as a DataFrame."""
        found = self.separation_
        models = and_list(found.errors)
        choices = {"chosen on other folds": found, **self.dependence_.evidence}
        rows = {}
        for kind, one in choices.items():
            n_repeats, n = one.choice.predictions.shape[:2]
            protocol = "cross-validation, up to 5 folds"
            if n_repeats > 1:
                protocol += f", {n_repeats} times"
            if one is not found:
                protocol += f"; {kind}: linked rows in one fold"
            rows[f"best model, {kind}"] = one, n, protocol, models
        comparison = self.map_
        maps = {
            "supervised map": comparison.supervised,
            "unsupervised map": comparison.unsupervised,
            "map of permuted targets": comparison.permuted,
        }
        if self.linear_map_ is not None:
            maps["linear projection"] = self.linear_map_.map
        for name, one in maps.items():
            training = self._task.percent(one.training_error)
            split = f"{one.protocol}; training error {training}"
            rows[name] = one, len(one.losses), split, IN_MAP
        for one in self.models_:
            rows[f"{one.name}, decision map"] = (
                one,
                one.n_rows,
                one.rows,
                one.name,
            )
        lines = {
            name: (
                self._task.percent(one.error),
                self._task.span(one.interval),
                percent(getattr(one, "level", INTERVAL_LEVEL)),
                *others,
            )
            for name, (one, *others) in rows.items()
        }
        names = ["error", "interval", "level", "rows", "protocol", "classifier"]
        return as_frame(lines, names).T.rename_axis("error of")

    @property
    def conclusions_(self):
        """Findings of the page, as sentences."""
        parts = (
            self.show_summary,
            self.show_maps,
            self.list_columns,
            self.show_models,
        )
        sentences = [
            one
            for part in parts
            for one in part().sentences
            if not one.endswith(":")  # what a table stands below
        ]
        return sentences + [note for _, note in self.show_notes().notes]

    beliefs_ = conclusions_  # their former name

    def report(self, path, title="Your data"):
        """Write all of this as one page that needs no network.

        Parameters
        ----------
        path : str or Path
            File to write, with the suffix ``.html``.
        title : str, default="Your data"
            Title of the page.

        Returns
        -------
        path : Path
            The page.
        """
        from .command import write_report

        return write_report(self, path, title)

    def _tips(self, rows, sides=None):
        """What tips and colours of an explorer show of rows, as options.

        Columns that are most related to the target come first.
        """
        table = self.table_
        task = self._task
        names = table.ids[rows] if self.shows_rows else None
        info = SampleInfo(names=names, columns={}, sides=sides)
        tips = {"samples": info}
        if task.is_value:
            info.color_by = table.target
            info.columns[table.target] = table.y[rows]
        else:
            tips["labels"] = _colour_classes(task)[rows]
        if self.shows_rows and not self.is_matrix:
            # the most related first
            order = np.argsort(-self._data.relatedness(task.y), kind="stable")
            shown = table.features.iloc[rows, order[:MOST_COLUMNS]]
            info.columns |= shown.items()
        return tips

    def _call(self):
        """Code that makes this, as `seen`; of a matrix it has to be there."""
        if self.is_matrix:
            return ""
        given = self.arguments
        code = repr(given["file"])
        code += keywords({"target": self.table_.target, **given["options"]})
        code += keywords(given, "rows", "sheet", "encoding", "test")
        code += keywords({"random_state": self.seed})
        for name in ("model", "map"):
            if given[name] is not None:
                code += f", {name}={name}"
        return f"\nseen = toolkit.look({code})"

    def _target_and_classes(self):
        table = self.table_
        if table.task == "value":
            return f"{table.target} (a number)"
        of = table.target or f"{len(table.label_names)} {table.task}"
        return f"{of} ({and_list(table.label_names, MOST_SETS)})"

    def _target_phrase(self):
        table = self.table_
        if table.task == "value":
            return table.target
        of = f" of {table.target}" if table.target else ""
        return f"{len(table.label_names)} {table.task}{of}"

    def __repr__(self):
        n, d = self.table_.features.shape
        return (
            f"<Look: {n:,} rows, {d} columns, {self._target_phrase()};"
            f" {len(self._held_out):,} rows held out>"
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
    frequent = sets[largest(counts, MOST_SETS)]
    return np.where(np.isin(names, frequent), names, "other sets")
