"""`toolkit.show`: several maps of labelled data, with held-out errors."""

from dataclasses import dataclass

import numpy as np
from sklearn.decomposition import PCA

from ..core import (
    and_list,
    check_integer,
    check_same_order,
    label_sets,
    percent,
    refuse_lazy,
)
from ..eigenmaps import SLEML
from ..explorer import Explorer, SampleInfo
from ..validation import INTERVAL_LEVEL, Target, as_target, simultaneous_level
from .columns import categories_of
from .embedders import fisher_tsne, metrics_of, unsupervised_tsne
from .generated_code import code_of
from .linear import linear_estimator
from .maps import MOST_MAPPED, MapRows, measure_map
from .roles import reasons_phrase
from .rows import read_rows
from .splits import split
from .table import FEWEST_ROWS_OF_TABLE

HELD_OUT = 1 / 3
MOST_TIP_COLUMNS = 40  # for colours, search and files; tips have twelve
UNSUPERVISED_MAPS = ("PCA", "t-SNE")

CODE_OF_MAP = """import numpy as np
{imports}
from toolkit.tabular import read_samples
from toolkit.validation import fit_map

samples = read_samples(X, y, random_state={seed})
A, fitted = samples.A, samples.fitted
held_out = np.setdiff1d(np.arange(len(A)), fitted)
Z = np.empty((len(A), 2))
Z[fitted], fitted_map = fit_map({call}, A[fitted], samples.task.y[fitted])
Z[held_out] = fitted_map.transform(A[held_out])
Z"""


def show(X, y=None, *, label_names=None, images=None, random_state=0):
    """Show samples in the plane, by supervised and by unsupervised maps.

    A third of the samples is held out of every map and projected with `transform`. The
    line below the picture has the held-out error, by the five nearest training samples
    in the map. Its 90 % interval holds for the best of the maps. Then follow the
    training error, which is optimistic, since a flexible supervised map can separate
    any labels, and the error of the best constant prediction. Equal samples stay on one
    side.

    Parameters
    ----------
    X : array-like, sparse matrix or DataFrame of shape (n_samples, n_features)
        Samples: numbers, which are standardised. The columns of a DataFrame are read as
        `look` reads them; free text is shown, but is not used by the map; the caption
        names it. The index has the names of the samples.
    y : array-like of shape (n_samples,) or (n_samples, n_labels), optional
        Target: classes, or 0/1 indicators of labels, or values. Numbers are values if
        some are not whole, or if they have more than 5 different values and are no
        classes of five samples each: at most 20, or the codes 0 to k - 1 or 1 to k.
        ``y.astype(str)`` makes classes of such numbers.
    label_names : sequence of str, optional
        Names of the classes in sorted order, or of the labels.
    images : array-like of shape (n_samples, height, width), optional
        Grey values 0 to 255, one image per sample.
    random_state : int, default=0
        Seed of the random number generator that draws the held-out samples.

    Returns
    -------
    explorer : Explorer
        Interactive picture with a list of maps to choose from, each computed when it is
        first chosen. ``selected_`` holds the samples selected, ``embedding_`` the
        positions shown, of shape (n_samples, 2). ``code_`` is code that computes these
        from X and y; ``save("map.html")`` writes a page.

    Notes
    -----
    The maps are fitted to at most 1,000 samples. All others are projected: by the
    linear maps themselves, by neighbours (SLE-ML), by a kernel map (t-SNE).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> explorer = show(*load_iris(return_X_y=True, as_frame=True))
    >>> explorer.set(map="PCA")
    >>> explorer.setting_, explorer.embedding_.shape
    ({'map': 'PCA'}, (150, 2))
    """
    _check_target(X, y)
    samples = read_samples(X, y, label_names, random_state)
    A = samples.A
    task = samples.task
    fitted = samples.fitted
    held_out = np.setdiff1d(np.arange(len(A)), fitted)
    estimators = _maps(A, task, random_state)
    level = simultaneous_level(len(estimators))
    rows = MapRows(
        X=A,
        groups=samples.groups,
        fitted=fitted,
        held_out=held_out,
        level=level,
    )

    # The explorer calls these two with the name of the map as `map`.
    def frame(**setting):
        name = setting["map"]
        result, _ = measure_map(estimators[name], task, rows)
        Z = np.empty_like(result.Z)
        Z[result.rows] = result.Z
        status = f"fitted to {len(fitted):,} of {len(A):,}"
        if task.kind:
            kind = "unsupervised" if name in UNSUPERVISED_MAPS else "supervised"
            baseline = task.with_sample(held_out)[held_out].chance_phrase()
            status = f"{result.errors}; {baseline}; {kind}, {status}"
        return {"Z": Z, "status": status}

    def code(**setting):
        imports, call = code_of(estimators[setting["map"]])
        return CODE_OF_MAP.format(imports=imports, call=call, seed=random_state)

    sides = np.full(len(A), "held out")
    sides[fitted] = "training"
    tips = _tips(X, y, task, images, sides)
    return Explorer(
        frame,
        {"map": list(estimators)},
        **tips,
        caption=_caption(samples, sides),
        code=code,
        align=False,
        precompute=False,
        rescale=["map"],
    )


@dataclass(frozen=True, kw_only=True)
class Samples:
    """Samples as numbers, with their target, and those that maps are fitted to.

    Attributes
    ----------
    A : ndarray of shape (n_samples, p)
        Numbers on comparable scales, p >= 2.
    task : Target
        Target with classes as numbers; only labels that a fitted sample has.
    fitted : ndarray of int, shape (m,)
        Numbers of the training samples.
    groups : ndarray of int, shape (n_samples,)
        Groups of the samples; equal samples are in one group.
    left_out : dict of str to str
        Reason why a column is not used in `A`.
    kinds : dict of str to str
        Kinds of the other columns.
    """

    A: np.ndarray
    task: object
    fitted: np.ndarray
    groups: np.ndarray
    left_out: dict
    kinds: dict

    def __iter__(self):
        """Yield the six values in this order, for code that unpacks them."""
        return iter(vars(self).values())


def read_samples(X, y=None, label_names=None, random_state=0):
    """Convert samples to numbers, and choose those that maps are fitted to.

    Parameters
    ----------
    X : array-like, sparse matrix or DataFrame of shape (n_samples, n_features)
        Samples, as for :func:`show`.
    y : array-like of shape (n_samples,) or (n_samples, n_labels), optional
        Target, as for :func:`show`.
    label_names : sequence of str, optional
        Names of the classes in sorted order, or of the labels.
    random_state : int, default=0
        Seed of the random number generator that draws the held-out samples.

    Returns
    -------
    samples : Samples
        With attributes `A`, ndarray of shape (n_samples, p), the numbers on comparable
        scales; `task`, the target; `fitted` (m,), the numbers of the training samples;
        `groups` (n_samples,), of equal samples; `left_out` and `kinds` of columns.

    Examples
    --------
    >>> samples = read_samples(np.eye(12), [0, 1] * 6)
    >>> samples.A.shape, samples.task.kind, len(samples.fitted)
    ((12, 12), 'classes', 8)
    """
    check_integer(random_state, "random_state", 0, 2**32 - 1)
    refuse_lazy(X, "X")
    numeric = read_rows(X)
    A = numeric.A
    groups = np.unique(A, axis=0, return_inverse=True)[1]
    n_different = groups.max() + 1
    if n_different < FEWEST_ROWS_OF_TABLE:
        raise ValueError(
            f"`X` must hold at least {FEWEST_ROWS_OF_TABLE} samples that differ in"
            f" numbers, dates or few kinds of words; got {n_different}, and left out:"
            f" {reasons_phrase(numeric.left_out)}. Add samples or columns."
        )
    n = len(A)
    task = Target(np.zeros(n)) if y is None else as_target(y, n, label_names)
    strata = task.strata()
    if strata is not None:
        # Classes are numbered by their first samples, whatever their names are.
        _, first_samples, codes = np.unique(
            strata, return_index=True, return_inverse=True
        )
        strata = first_samples[codes]
    fitted, _ = split(strata, groups, MOST_MAPPED, random_state, HELD_OUT)
    fitted_y = task.y[fitted]
    if y is not None and np.all(fitted_y == fitted_y[0]):
        raise ValueError(
            "`y` must hold targets that differ among the samples that a map is fitted"
            f" to; all are {fitted_y[0]}. Add samples, or give another `random_state`."
        )
    if task.kind == "labels":
        task, _ = task.of_used(fitted)
    return Samples(
        A=A,
        task=task,
        fitted=fitted,
        groups=groups,
        left_out=numeric.left_out,
        kinds=numeric.kinds,
    )


def _maps(A, task, seed):
    """The maps that are offered, not fitted, by name."""
    maps = {}
    # A single column spans no plane.
    if task.kind and A[:, 1:].any():
        maps["linear"] = linear_estimator(task)[0]
    if task.kind in ("classes", "labels"):
        maps["SLE-ML"] = SLEML(lam=0.5)
    if task.kind in ("classes", "values"):
        model_metric, _ = metrics_of(task)
        maps["Fisher t-SNE"] = fisher_tsne(model_metric.metric, seed)
    return maps | {
        "PCA": PCA(2, random_state=seed),
        "t-SNE": unsupervised_tsne(seed),
    }


def _caption(samples, sides):
    """What marks and colours are, and what became of columns that are no numbers."""
    caption = (
        f"Outlines: {sides[0]} samples. Filled marks: the others. Held-out samples are"
        f" projected; brackets: {percent(INTERVAL_LEVEL)} interval for the best of the"
        " maps."
    )
    if samples.task.is_value:
        caption += " Colours are the values of y."
    word_columns = categories_of(samples.kinds)
    if word_columns:
        caption += f" One indicator for each word: {and_list(word_columns)}."
    if samples.left_out:
        names = reasons_phrase(samples.left_out).replace("`", "")
        caption += f" Not in the map: {names}."
    return caption


def _tips(X, y, task, images, sides):
    """The title of an explorer, classes, and what is known of samples, as options."""
    name = getattr(y, "name", None)
    title = "Samples in the plane"
    if y is not None:
        title = f"Samples and {task.kind if name is None else name}"
    names = list(getattr(X, "columns", ()))[:MOST_TIP_COLUMNS]
    columns = {column: X[column] for column in names}
    info = SampleInfo(columns=columns, images=images, sides=sides)
    tips = {"title": title, "samples": info}
    if task.is_value:
        # The value comes first of all, in place of a column of its name.
        info.color_by = "y" if name is None else str(name)
        values = {info.color_by: task.y}
        info.columns = values | info.columns | values
    elif task.kind == "labels":
        _, tips["labels"], tips["label_names"] = label_sets(task.y, task.names)
    elif task.kind:
        tips |= {"labels": task.y, "label_names": task.names}
    # Names are in the index, but for one that only counts.
    if hasattr(X, "iloc") and not np.array_equal(X.index, range(len(X))):
        info.names = [str(name) for name in X.index]
    return tips


def _check_target(X, y):
    """Refuse a table that still holds the target, and the name of a target."""
    if isinstance(y, str):
        raise ValueError(
            f"`y` must hold the class, labels or value of each sample; got {y!r}. Of a"
            f" table, give X.drop(columns={y!r}) and X[{y!r}]."
        )
    check_same_order(X, y, labels=True)
    name = getattr(y, "name", None)
    if name is not None and name in getattr(X, "columns", ()):
        column = [str(value) for value in X[name]]
        if column == [str(value) for value in y]:
            raise ValueError(
                f"`X` must not hold the target; its column {name!r} is `y`. Give"
                f" X.drop(columns={name!r})."
            )
