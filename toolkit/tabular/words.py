"""What one may believe, in plain words computed from the numbers."""

import numpy as np

from .wording import named


def about_separation(found):
    """Sentences on a `Separation`."""
    task = found.task
    lowest = found.errors[found.best]
    deviation = found.standard_errors[found.best]
    error, noise, chance = map(task.percent, (lowest, found.noise, found.chance))
    measured = (
        f"{found.best} {error} (± {task.percent(deviation)}), cross-validated on"
        f" {found.n_rows:,} rows"
    )
    beside = (
        f"chance {chance}, and at best {noise} with the target permuted"
        f" {len(found.permuted)} times"
    )
    said = f"Error ({task.error_name}): {measured}; {beside}."
    if found.is_signal:
        sure = lowest + 2 * deviation < min(found.noise, found.chance)
        yield f"There is {'something' if sure else 'hardly anything'} to see. {said}"
    else:
        yield (
            f"There is nothing to see that chance would not show, too. {said} Do not"
            " read anything into the maps."
        )
    for column, alone in found.leaks.items():
        what = f"One column does it all: `{column}` alone predicts the target"
        what += f" (error {task.percent(alone)}, all columns together {error})"
        if task.y.ndim == 2:
            what = (
                f"Suspected leak: `{column}` goes with one of the labels (correlation"
                f" {1 - alone:.2f})"
            )
        yield (
            f"{what}. If it is not known before the target is, leave it out: all "
            f"that follows rests on it (`--drop {column}`)."
        )
    if found.without_leaks:
        yield (
            f"Without {named(found.leaks)} the error is"
            f" {task.percent(min(found.without_leaks.values()))}."
        )
    if task.y.ndim == 1 and not task.is_value and found.chance < 0.2:
        most = f"{1 - task.chance():.0%}"
        yield (
            f"One class has {most} of the rows: an error is small already if the others"
            " are never found."
        )


def about_map(found):
    """Sentences on a `TrueMap`."""
    true, plain, shuffled = found.true, found.plain, found.shuffled
    percent = found.task.percent
    n = true.n_fitted
    if len(true.rows) > 4 * n:
        yield (
            f"There are more rows than a map takes: {n:,} made it, drawn at random with"
            " the shares of the classes kept; all others were placed on it."
        )
    yield (
        f"In the map, {len(true.rows) - n:,} held-out rows that were placed on it have"
        f" an error of {percent(true.error)}, the {n:,} rows that made it"
        f" {percent(true.fitted_error)}. Believe the first."
    )
    plainly = (
        f"A map that does not know the target has {percent(plain.error)} at held-out"
        " rows"
    )
    yield f"{plainly}, so {what_helps(found)}."
    painted = shuffled.fitted_error
    chance = found.task.chance()
    much = (
        "That much order it paints by itself"
        if painted < 0.9 * chance
        else "It paints no order"
    )
    yield (
        f"Told a shuffled target, the same method has {percent(shuffled.error)} at"
        f" held-out rows and {percent(painted)} at its own; chance is"
        f" {percent(chance)}. {much}."
    )


def what_helps(found):
    """What the errors of the map of a `TrueMap` and of the plain one say of the target."""
    true, plain, chance = found.true, found.plain, found.task.chance()
    noise = np.hypot(true.standard_error, plain.standard_error)
    if all(one.error + 2 * one.standard_error > chance for one in (true, plain)):
        return "neither map tells more of a new row than chance"
    if (
        true.error >= plain.error - noise
        and plain.error + 2 * plain.standard_error > chance
    ):
        return "it is open whether the target helps"
    if true.error < plain.error - noise:
        return "the target helps to see what a map of the features alone hides"
    if true.error > plain.error + noise:
        return "the plain map is the better one here"
    return "what is apart in the map is apart in the features themselves"


def about_linear(found, separation):
    """Sentences on a `LinearMap` or None, and on what models know that no plane shows."""
    if found is None:
        return
    error = found.map.error
    best = separation.best
    yield (
        f"In a plane that is linear in the columns ({found.method}) held-out rows have"
        f" an error of {found.task.percent(error)}."
    )
    noise = np.hypot(separation.standard_errors[best], found.map.standard_error)
    if separation.is_signal and separation.errors[best] < error - 2 * noise:
        yield (
            f"The {best} ({found.task.percent(separation.errors[best])}) knows more"
            " than that plane can show."
        )


def about_features(found):
    """Sentences on `Features`, or None."""
    if found is None:
        return
    needed, others, none = (
        found.of(kind) for kind in ("needed", "replaceable", "no evidence")
    )
    if needed:
        those = "one of these" if len(needed) > 1 else "it"
        yield (
            f"Needed: {named(needed)}. Without {those} the error of the {found.model}"
            " grows by more than chance would have it, or every linear model that"
            " predicts alike gives it more weight than noise gets."
        )
    if others:
        yield (
            f"Above noise, but not missed where it alone is left out: {named(others)}."
            " Other columns know the same, or it adds little to them."
        )
    if not needed and not others:
        yield "No column has more relevance than noise reaches."
    if none:
        yield (
            f"No evidence for {named(none)}: columns of noise reach as much. That is no"
            " proof that they carry nothing in more rows or for another model."
        )
    if found.not_asked:
        better = (
            f"{len(found.names)} others go better with the target (chosen on other rows"
            " than those asked)"
        )
        yield f"Not asked, because {better}: {named(found.not_asked, 4)}."


def about_models(models):
    """Sentences on the models seen in the plane."""
    for seen in models:
        agreement = seen.agreement
        if agreement.labels is not None:
            picture = (
                f"the picture says what the model says for {agreement.labels:.0%} of"
                " them"
            )
            picture += f" (one colour alone would for {agreement.majority:.0%})"
        elif np.isnan(agreement.predictions):
            picture = "it answers all of them alike, and so does the picture"
        else:
            picture = (
                "the picture's values correlate with the model's by"
                f" {agreement.predictions:.2f}"
            )
        error = (
            f"{seen.task.percent(seen.error)} (±"
            f" {seen.task.percent(seen.standard_error)})"
        )
        yield (
            f"{seen.name[0].upper()}{seen.name[1:]}: error {error} at {seen.rows};"
            f" {picture}."
        )
