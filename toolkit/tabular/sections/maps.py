"""Supervised, unsupervised and control map, and the linear projection."""

from dataclasses import dataclass

import numpy as np

from ...core import and_list
from ...explorer import Explorer
from ...plots import MapDisplay, TargetDisplay, panels
from ...validation.map_validation import VISIBLE_FRACTION
from ..generated_code import call_of
from ..maps import MapResult
from ..pictures import HEIGHT_OVER_WIDTH, Picture
from ..richtext import RichText
from .errors import errors_of_page
from .samples import (
    IN_MAP,
    colour_classes,
    target_phrase,
    tips,
    unlabelled_phrase,
)

MOST_EXPLORED = 2000  # rows of an explorer
PERMUTED = "a permuted target"
CODE_OF_EXPLORED_MAP = """import toolkit
{call}
Z = seen.map_.common.Z[:{n}]
"""
CODE_OF_ALIGNMENT = """
from scipy.linalg import orthogonal_procrustes

other = seen.map_.{name}.Z[:{n}]  # of the same rows, aligned with the supervised map
R, _ = orthogonal_procrustes(other - other.mean(axis=0), Z - Z.mean(axis=0))
(other - other.mean(axis=0)) @ R + Z.mean(axis=0)"""


@dataclass(frozen=True, kw_only=True)
class ExploredMap:
    """A map of the explorer.

    Attributes
    ----------
    result : MapResult
        The map.
    method : str
        Its method in words.
    name : str, default=""
        Its name in a `MapComparison`; "" of the map that the others are aligned with.
    color_by : str, default=""
        The column that colours its rows; "" for the target.
    """

    result: MapResult
    method: str
    name: str = ""
    color_by: str = ""


def explore_map(look):
    """The supervised map, the unsupervised and the control map; tips on rows."""
    comparison = look.map_
    common = comparison.common
    map_fitted_to = {
        "the target": ExploredMap(result=common, method=comparison.method),
        "no target": ExploredMap(
            result=comparison.unsupervised,
            method="t-SNE without the target",
            name="unsupervised",
        ),
        PERMUTED: ExploredMap(
            result=comparison.permuted,
            method=f"{comparison.method}, permuted target",
            name="permuted",
            color_by=PERMUTED,
        ),
    }
    chance = comparison.task.chance_phrase()

    def frame(fitted_to):
        explored = map_fitted_to[fitted_to]
        return {
            "Z": explored.result.Z[:MOST_EXPLORED],
            "status": f"{explored.method}: {explored.result.errors}; {chance}",
            "color_by": explored.color_by,
        }

    def code(fitted_to):
        name = map_fitted_to[fitted_to].name
        lines = CODE_OF_EXPLORED_MAP.format(call=call_of(look), n=MOST_EXPLORED)
        if not name:
            return f"{lines}Z"
        return lines + CODE_OF_ALIGNMENT.format(name=name, n=MOST_EXPLORED)

    options = tips(
        look, common.rows[:MOST_EXPLORED], common.sides[:MOST_EXPLORED]
    )
    permuted_task = look.task.of(comparison.permuted.y)
    permuted_classes = colour_classes(permuted_task)[:MOST_EXPLORED]
    options["samples"].columns[PERMUTED] = permuted_classes
    error = look.task.percent(common.error)
    unsupervised_error = look.task.percent(comparison.unsupervised.error)
    return Explorer(
        frame,
        {"fitted_to": list(map_fitted_to)},
        **options,
        title=f"Supervised map: held-out error {error}; unsupervised map:"
        f" {unsupervised_error}",
        caption=f"Outlines: {common.n_fitted:,} training rows; filled marks:"
        " held-out rows, projected. The list chooses what the map was fitted to."
        " The colour is the target; on the map that was fitted to the permuted"
        f" target it is that. Brackets: 90 % interval.{unlabelled_phrase(look)}",
        code=code,
        rescale=["fitted_to"],
    )


def show_maps(look):
    """The errors of the supervised, the unsupervised and the control map."""
    errors = errors_of_page(look)
    of_maps = errors[errors["classifier"] == IN_MAP]
    return RichText(about_maps(look.map_), of_maps)


def about_maps(comparison):
    """Sentences on a `MapComparison`."""
    task = comparison.task
    control = comparison.permuted
    control_finding = "no separation, as it should be"
    overfits_below = (1 - VISIBLE_FRACTION) * control.training.baseline()
    if control.training_error < overfits_below:
        control_finding = (
            "it separates even these on the training rows, which is overfitting"
        )
    yield f"{what_helps(comparison)}."
    training_error = task.percent(control.training_error)
    error = task.percent(control.error)
    yield (
        "Fitted to permuted targets, the same method has an error of"
        f" {training_error} on training rows and of {error} on held-out rows:"
        f" {control_finding}."
    )


def what_helps(comparison):
    """What the errors of the supervised and the unsupervised map say."""
    baseline = comparison.task.baseline()
    supervised_by_chance = comparison.supervised.interval[1] >= baseline
    unsupervised_by_chance = comparison.unsupervised.interval[1] >= baseline
    _, (low, high) = comparison.gain
    if supervised_by_chance and unsupervised_by_chance:
        return (
            "Neither map is shown to predict held-out rows better than chance"
        )
    if low > 0:
        return "The supervised map predicts held-out rows better than the unsupervised"
    if high < 0:
        return "The unsupervised map predicts held-out rows better than the supervised"
    if unsupervised_by_chance:
        return "Whether the map gains from the target is not decided"
    if supervised_by_chance:
        return (
            "The unsupervised map predicts held-out rows better than chance; of the"
            " supervised one this is not shown"
        )
    return (
        "Both maps predict held-out rows better than chance; which one does it better"
        " is not decided"
    )


def show_map(look):
    """The supervised map as a static picture."""
    task = look.task
    target = look.table_.target
    supervised = look.map_.supervised
    classes = colour_classes(task)[supervised.rows]
    width, height = np.ptp(supervised.Z, axis=0)
    ratio = np.clip(height / max(width, 1e-9), 0.4, HEIGHT_OVER_WIDTH)
    figure, (ax,) = panels(1, ratio=ratio)
    if task.is_value:
        display = TargetDisplay(supervised.Z, classes, target)
        display.plot(ax, number=supervised.errors)
        caption = f"Colour: {target}."
    else:
        display = MapDisplay(supervised.Z, classes, sides=supervised.sides)
        display.plot(
            ax, number=supervised.errors, name_classes=len(display.names) > 6
        )
        display.legend()
        caption = (
            "Outlines: training rows. Filled marks: held-out rows, projected."
            f"{unlabelled_phrase(look)}"
        )
    error = task.percent(supervised.error)
    chance = look.map_.task.chance_phrase()
    colour = "labels"
    if target:
        colour = target
    alt = (
        f"Map of {len(supervised.rows)} rows by {colour}: {supervised.errors}."
    )
    return Picture(
        figure,
        name="00_map",
        finding=f"{target_phrase(look.table_)}: held-out error of the map {error}",
        below=f"{look.map_.method}; {chance}; brackets: 90 % interval",
        caption=caption,
        alt=alt,
    )


def show_linear_map(look):
    """The linear projection with the loadings of columns as arrows."""
    linear_map = look.linear_map_
    if linear_map is None or look.is_matrix:
        return RichText(
            ["A matrix or a single column spans no plane of columns."]
        )
    display = linear_map.display(look.data.X)
    display.samples.name = ""
    if look.task.is_value:
        display.samples.name = look.table_.target
    figure, (ax,) = panels(1, ratio=HEIGHT_OVER_WIDTH)
    display.plot(ax, number=linear_map.map.errors)
    columns = [display.feature_names[j] for j in display.visible_]
    return Picture(
        figure,
        name="00_linear",
        finding=f"Linear projection: the largest loadings are {and_list(columns[:3])}",
        below=f"{linear_map.method}; {look.task.error_name}, in brackets the 90 %"
        " interval",
        caption="Arrows: the direction in which a row moves if the column increases"
        " and the others stay constant. A long arrow does not imply a relevant column.",
        alt=f"Linear projection. {linear_map.map.errors}. Arrows:"
        f" {', '.join(columns)}.",
    )
