"""What one may believe, in plain words computed from the numbers."""

import numpy as np

__all__ = ["about_features", "about_linear", "about_map", "about_models", "about_separation", "listed"]


def listed(names, most=8):
    """Names in a sentence; of more than `most` how many others there are.

    Examples
    --------
    >>> listed(["age", "size", "hue"]), listed("abcd", most=2)
    ('age, size and hue', 'a, b and 2 others')
    """
    names = [str(name) for name in names]
    if len(names) > most:
        names = [*names[:most], f"{len(names) - most} other{'s' * (len(names) > most + 1)}"]
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else "none"


def about_separation(found):
    """Sentences on a `Separation`."""
    task, best = found.task, found.best
    error, noise, chance = (task.percent(value) for value in (found.errors[best], found.noise, found.chance))
    measured = (
        f"{best} {error} (± {task.percent(found.standard_errors[best])}), cross-validated on {found.n_rows:,} rows"
    )
    n = len(found.permuted)
    beside = f"chance {chance}, and at best {noise} with the target permuted {n} times"
    if found.is_signal:
        sure = found.errors[best] + 2 * found.standard_errors[best] < min(found.noise, found.chance)
        what = "something" if sure else "hardly anything"
        yield f"There is {what} to see. Error ({task.error_name}): {measured}; {beside}."
    else:
        yield (
            f"There is nothing to see that chance would not show, too. Error ({task.error_name}): {measured}; {beside}."
            " Do not read anything into the maps."
        )
    for column, alone in found.leaks.items():
        what = (
            f"One column does it all: `{column}` alone predicts the target (error {task.percent(alone)}, all columns "
        )
        what += f"together {error})"
        if task.y.ndim == 2:
            what = f"Suspected leak: `{column}` goes with one of the labels (correlation {1 - alone:.2f})"
        yield (
            f"{what}. If it is not known before the target is, leave it out: all "
            f"that follows rests on it (`--drop {column}`)."
        )
    if found.without_leaks:
        rest = min(found.without_leaks.values())
        yield f"Without {listed(found.leaks)} the error is {task.percent(rest)}."
    if task.y.ndim == 1 and task.y.dtype.kind != "f" and found.chance < 0.2:
        share = np.unique(task.y, return_counts=True)[1].max() / len(task.y)
        yield f"One class has {share:.0%} of the rows: an error is small already if the others are never found."


def about_map(found):
    """Sentences on a `TrueMap`."""
    task, true, plain, shuffled = found.task, found.true, found.plain, found.shuffled
    new, old = task.percent(true.error), task.percent(true.fitted_error)
    if len(true.rows) > 4 * true.n_fitted:
        yield (
            f"There are more rows than a map takes: {true.n_fitted:,} made it, drawn at random with the shares of the "
            "classes kept; all others were placed on it."
        )
    yield (
        f"In the map, {len(true.rows) - true.n_fitted:,} held-out rows that were placed on it have an error of {new}, "
        f"the {true.n_fitted:,} rows that made it {old}. Believe the first."
    )
    noise, chance = np.hypot(true.standard_error, plain.standard_error), task.chance()
    if all(one.error + 2 * one.standard_error > chance for one in (true, plain)):
        words = "so neither map tells more of a new row than chance"
    elif true.error >= plain.error - noise and plain.error + 2 * plain.standard_error > chance:
        words = "so it is open whether the target helps"
    elif true.error < plain.error - noise:
        words = "so the target helps to see what a map of the features alone hides"
    elif true.error > plain.error + noise:
        words = "so the plain map is the better one here"
    else:
        words = "so what is apart in the map is apart in the features themselves"
    yield f"A map that does not know the target has {task.percent(plain.error)} at held-out rows, {words}."
    painted = task.percent(shuffled.fitted_error)
    much = "That much order it paints by itself" if shuffled.fitted_error < 0.9 * chance else "It paints no order"
    yield (
        f"Told a shuffled target, the same method has {task.percent(shuffled.error)} at held-out rows and {painted} at "
        f"its own; chance is {task.percent(chance)}. {much}."
    )


def about_linear(found, separation):
    """Sentences on a `LinearMap`, and on what models know that no plane shows."""
    error, best = found.task.percent(found.map.error), separation.best
    yield f"In a plane that is linear in the columns ({found.method}) held-out rows have an error of {error}."
    noise = np.hypot(separation.standard_errors[best], found.map.standard_error)
    if separation.is_signal and separation.errors[best] < found.map.error - 2 * noise:
        known = found.task.percent(separation.errors[best])
        yield f"The {best} ({known}) knows more than that plane can show."


def about_features(found):
    """Sentences on `Features`."""
    needed, others, none = (found.of(kind) for kind in ("needed", "replaceable", "no evidence"))
    if needed:
        yield (
            f"Needed: {listed(needed)}. Without one of these the error of the {found.model} grows by more than chance "
            "would have it, or every linear model that predicts alike gives it more weight than noise gets."
        )
    if others:
        yield (
            f"Above noise, but not missed where it alone is left out: {listed(others)}. Other columns know the same, "
            "or it adds little to them."
        )
    if not needed and not others:
        yield "No column has more relevance than noise reaches."
    if none:
        yield (
            f"No evidence for {listed(none)}: columns of noise reach as much. That is no proof that they carry nothing "
            "in more rows or for another model."
        )
    if found.not_asked:
        better = f"{len(found.names)} others go better with the target (chosen on other rows than those asked)"
        yield f"Not asked, because {better}: {listed(found.not_asked, 4)}."


def about_models(models):
    """Sentences on the models seen in the plane."""
    for seen in models:
        error = f"{seen.task.percent(seen.error)} (± {seen.task.percent(seen.standard_error)})"
        rows = "held-out rows" if seen.is_held_out else "rows that it may have been fitted to"
        if seen.agreement.labels is None and np.isnan(seen.agreement.predictions):
            picture = "it answers all of them alike, and so does the picture"
        elif seen.agreement.labels is None:
            picture = f"the picture's values correlate with the model's by {seen.agreement.predictions:.2f}"
        else:
            one = f"one colour alone would for {seen.agreement.majority:.0%}"
            picture = f"the picture says what the model says for {seen.agreement.labels:.0%} of them ({one})"
        yield f"{seen.name[0].upper()}{seen.name[1:]}: error {error} at {rows}; {picture}."
