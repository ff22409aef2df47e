"""Models: errors, decision maps, calibration, and the rows that they misclassify."""

import numpy as np

from ...core import and_list, capital, count_phrase, percent
from ...explorer import Explorer
from ...plots import CurvesDisplay, panels
from ...validation.intervals import INTERVAL_LEVEL
from ..evidence import Conclusion
from ..generated_code import call_of
from ..models import label_table
from ..pictures import HEIGHT_OVER_WIDTH, Picture
from ..richtext import RichText, as_read
from .samples import NO_ROWS, tips

LEAST_AGREEMENT = 0.9  # of a decision map with its model
RINGS = (
    "Background: prediction of the model at this position, pale where it is uncertain."
    " Marks: training rows. Rings: rows for which map and model differ."
)
CODE_OF_EXPLORED_MODEL = """import toolkit
{call}
shown = next(one for one in seen.models_ if one.name == {name!r})
shown.decision_map.embedding_"""


def show_models(look):
    """The confusion matrix of the model with the smallest error.

    Of several labels, how well each of them is predicted.
    """
    if not look.models_:
        return _show_labels(look)
    first_model = look.models_[0]
    sentences = [about_models(look.models_)]
    if first_model.by_class is not None:
        sentences.append(
            f"Confusion matrix of {first_model.name} on {first_model.rows}:"
        )
    return RichText(sentences, first_model.by_class, shaded=True)


def about_models(models):
    """Say which model of the decision maps has the least error, and the largest."""
    first_model = models[0]
    last_model = models[-1]
    sentence = (
        f"{capital(first_model.name)}: error of {first_model.phrase}, on"
        f" {first_model.rows}"
    )
    if len(models) == 1:
        return f"{sentence}."
    if last_model.error == first_model.error:
        return f"{sentence}; that of the others is the same."
    error = last_model.task.percent(last_model.error)
    difference = last_model.task.difference_phrase(*last_model.excess)
    sentence += (
        f", the smallest of {len(models)}; that of the {last_model.name} is the"
        f" largest, {error}, {difference}"
    )
    _, (low, _) = last_model.excess
    if low <= 0:
        sentence += ": the order may be chance"
    return f"{sentence}."


def _show_labels(look):
    """How well each label is predicted, and on which rows."""
    separation = look.separation_
    rows = separation.rows
    predictions = separation.choice.predictions
    table = label_table(look.task[rows], predictions, look.groups[rows])
    return RichText(
        [
            f"Each label, predicted by the {separation.best} in cross-validation of"
            f" {count_phrase(len(rows), 'row')}; brackets: 90 % intervals, each for"
            " one label.",
            "Decision maps need a single target: give one label as `target`.",
        ],
        table,
    )


def explore_models(look):
    """Decision maps of the models; tips on rows."""
    model_of = {model.name: model for model in look.models_}
    if not model_of:
        return RichText()

    def frame(model):
        result = model_of[model]
        agreement = agreement_phrase(result.agreement)
        return result.decision_map.frame(
            f"error on {result.rows} {result.phrase}; {agreement}"
        )

    def code(model):
        return CODE_OF_EXPLORED_MODEL.format(call=call_of(look), name=model)

    return Explorer(
        frame,
        {"model": list(model_of)},
        **tips(look, look.fitted),
        title=f"Decision maps of the models{disagreement(look.models_)}",
        caption=RINGS,
        code=code,
        align=False,
    )


def agreement_phrase(agreement):
    """How well a decision map shows the predictions of its model."""
    if agreement.labels is not None:
        rate = percent(agreement.labels)
        majority = percent(agreement.majority)
        return (
            f"map and model agree on {rate} of these rows (a constant:"
            f" {majority})"
        )
    if np.isnan(agreement.predictions):
        return "the prediction of the model is constant"
    return f"correlation of map and model {agreement.predictions:.2f}"


def disagreement(models):
    """Which decision maps show another class than the model for many rows."""
    rates = []
    for model in models:
        agreement = model.agreement.labels
        if agreement is not None and agreement < LEAST_AGREEMENT:
            rates.append(f"{percent(1 - agreement)} ({model.name})")
    if not rates:
        return ""
    return f"; background and model differ for {and_list(rates)} of the rows"


def show_calibration(look):
    """The calibration curve, if only probabilities are better than chance."""
    models = [model for model in look.models_ if model.calibration is not None]
    if not models or not _only_ranks(look.separation_):
        condition = (
            "it is shown where an error below the baseline is not shown, and only the"
            " predicted probabilities are better than chance"
        )
        if look.task.kind != "classes":
            condition = "it needs predicted probabilities of one class"
        return RichText([f"No calibration curve: {condition}."])
    first_model = models[0]
    table = first_model.calibration
    class_name = table.index.name
    curves = table[["observed", "predicted"]].to_numpy()
    bands = np.stack([curves, curves])
    bands[:, :, 0] = table["from"], table["to"]
    figure, (ax,) = panels(1, ratio=HEIGHT_OVER_WIDTH)
    display = CurvesDisplay(
        table["predicted"].to_numpy(),
        curves,
        [first_model.name, "perfect calibration"],
        bands=bands,
    )
    display.plot(
        ax,
        xlabel=f"predicted probability of {class_name}",
        ylabel="observed fraction",
        marks=True,
    )
    smallest = percent(table["observed"].min())
    largest = percent(table["observed"].max())
    observed = f"{smallest} to {largest}"
    finding = (
        f"Observed fraction of {class_name} by predicted probability:"
        f" {observed}"
    )
    n_rows = table["rows"].sum()
    return Picture(
        figure,
        name="00_calibration",
        finding=finding,
        below=f"{first_model.name}, {n_rows:,} {first_model.rows}",
        caption="Each mark: a fifth of the rows, ordered by predicted probability."
        f" Band: {percent(INTERVAL_LEVEL)} interval.",
        alt=f"Calibration curve of {first_model.name}: {observed} observed.",
    )


def _only_ranks(separation):
    """Whether a relation is judged and shown, but no error below the baseline."""
    if not separation.is_judged(separation.leading):
        return False
    return separation.conclusion is Conclusion.IN_PROBABILITIES


def list_errors(look):
    """Misclassified rows of the first model, the most confident first.

    For a real value these are the rows with the largest errors.
    """
    if not look.models_:
        return RichText()
    first_model = look.models_[0]
    name = capital(first_model.name)
    if first_model.wrong.empty:
        return RichText(
            [f"{name}: no error on {first_model.n_rows} {first_model.rows}."]
        )
    if not look.shows_rows:
        return RichText([f"{name}: {first_model.n_wrong:,} errors. {NO_ROWS}"])
    rows = f"of {first_model.n_wrong:,} misclassified rows"
    if look.task.is_value:
        rows = "rows with the largest errors"
    elif "probability" in first_model.wrong:
        rows += ", the most confident first"
    return RichText(
        [f"{name}: {len(first_model.wrong)} {rows}."],
        first_model.wrong.map(as_read),
    )
