"""Relevant columns: their measures as a picture, and their list."""

import numpy as np

from ...core import and_list, count_phrase, percent
from ..features import EVIDENCE_KINDS, FEW_COLUMNS, MOST_ROWS, RELEVANCE_LEVEL
from ..pictures import Picture
from ..richtext import RichText


def show_bounds(look):
    """The measures of relevance of each column, with their null levels."""
    features = look.bounds_
    if features is None:
        return RichText(
            ["A matrix of similarities or distances has no columns."]
        )
    finding = "No column is strongly relevant"
    if not look.separation_.columns_are_judged:
        finding = "Which columns are relevant is not judged"
    strong = features.of(EVIDENCE_KINDS[0])
    if strong:
        finding = f"Strongly relevant: {and_list(strong, 5)}"
    display = features.plot()
    n_columns = len(features.names)
    n_drawn = len(display.names)
    is_above = np.any(list(features.criteria.values()), axis=0)
    columns = count_phrase(n_columns, "column")
    above = f"above a null level: {is_above.sum()} of {columns}"
    drawn = ""
    if n_drawn < n_columns:
        drawn = f" ({n_drawn} are shown)"
    return Picture(
        display.figure_,
        name="00_features",
        finding=finding,
        below=f"{above}{drawn}; measured on at most {MOST_ROWS:,} rows",
        caption="Marks: measures of a column, over their null levels (line), which"
        f" noise exceeds by chance in {percent(RELEVANCE_LEVEL)} of tables. Strongly"
        f" relevant: error of the {features.model} if the column is permuted; weakly:"
        " any other measure.",
        alt=f"Measures of {n_drawn} columns, {above}. {finding}.",
    )


def list_columns(look):
    """The columns: strongly relevant, weakly relevant and not significant."""
    features = look.bounds_
    if features is None:
        return RichText()
    frame = features.to_frame()
    errors = frame[features.heading]
    frame[features.heading] = errors.map(look.task.percent, na_action="ignore")
    flags = frame.select_dtypes(bool).columns
    frame[flags] = np.where(frame[flags], "yes", "no")
    return RichText(about_features(features, look.separation_), frame)


def about_features(features, separation):
    """Sentences on `Features`, if there is a `Separation` for the rows that matter."""
    if not separation.columns_are_judged:
        yield _not_judged_phrase(separation)
        return
    n = len(features.names)
    columns = count_phrase(n, "column")
    strong = features.of(EVIDENCE_KINDS[0])
    weak = features.of(EVIDENCE_KINDS[1])
    not_significant = features.of(EVIDENCE_KINDS[2])
    if weak and not strong:
        yield (
            f"Associated with the target: {len(weak)} of {columns}"
            f" ({and_list(weak, 5)}); none is shown to be needed in addition to the"
            " others."
        )
    yield (
        f"Strongly relevant: {len(strong)} of {columns} ({and_list(strong, 5)}); weakly"
        f" relevant: {len(weak)}; not significant: {len(not_significant)}."
    )
    error = separation.task.percent(features.error)
    yield (
        f"For comparison: with all columns as they are the {features.model}, chosen on"
        f" the same rows, has an error of {error}."
    )
    if not_significant:
        pairs = ""
        if n > FEW_COLUMNS:
            pairs = (
                f" With more than {FEW_COLUMNS} columns, two that predict only together"
                " are rarely found."
            )
        yield (
            "Not significant is no evidence of no effect: a larger sample or another"
            f" model may use these columns.{pairs}"
        )
    if features.not_evaluated:
        yield (
            f"Not tested, because {n} others are more related to the target:"
            f" {and_list(features.not_evaluated, 4)}."
        )


def _not_judged_phrase(separation):
    """Why columns are not judged."""
    leading = separation.leading
    reason = f"no relation is shown for {leading.new_rows}"
    if not separation.is_judged(leading):
        reason = (
            f"for {leading.new_rows} there are too few independent parts or"
            " groups"
        )
    return f"Which columns are relevant is not judged: {reason}."
