"""`toolkit.show`: labelled data at a first glance, as maps that say what they tell of samples that they do not know."""

from collections.abc import Mapping

import numpy as np

from ..core.arrays import refuse_lazy
from ..core.checks import check_flag, check_integer, check_option
from ..explore import Explorer
from ..plots import voronoi_segments
from .firstmaps import MAPS, Samples
from .rows import read_rows
from .splits import fitted_rows
from .targets import read_target

__all__ = ["show"]

MOST_FITTED = 1000  # samples of a map that takes time
MOST_COLUMNS = 40  # that colours, search and files know; tips tell twelve
MOST_NAMED = 5  # columns in the caption
QUICK = ("linear", "PCA")
FEWEST = 5  # fitted samples, for the other maps to be in the list


def show(
    X, y=None, *, map=None, scale=True, label_names=None, names=None, columns=None, hover=None, images=None,
    random_state=0,
):  # fmt: skip
    """Show samples in the plane, by maps that are told the labels and maps that are not.

    A third of the samples is kept out of every fit and placed on the map afterwards. The line below the picture tells
    first how many of these have the label that most of their five nearest fitted samples have, then the same of the
    fitted samples, which says nothing of new ones: a map that is told labels separates any. Chance is what the most
    frequent label gives. Of values it is the root mean squared error, over the standard deviation of the fitted ones.
    Samples equal to a fitted one are not counted.

    Parameters
    ----------
    X : array-like, sparse matrix or DataFrame of shape (n, d)
        Of a DataFrame, columns of numbers and flags are used, and those of at most 20 kinds of words, a gap being one,
        as 0/1 columns. Others (dates, free text) are shown, but have no part in the map; the caption names them.
        Missing numbers are refused by the name of their column.
    y : array-like of shape (n,) or (n, l), optional
        Classes, or 0/1 indicators of labels, or values: numbers that are not whole, or of more than 30 kinds and more
        than one for three samples. ``y.astype(str)`` makes classes of such numbers.
    map : str, optional
        None: a list of maps to choose from, each computed when it is first reached. A name gives that map alone, with
        sliders: "linear" (SL-A with its label points and cells; of values partial least squares), "SLE-ML" (of
        classes and labels), "Fisher t-SNE" (of classes and values), "PCA" and "t-SNE" (not told `y`).
    scale : bool, default=True
        Standardise the numbers. False: they have one unit, as pixels do.
    label_names : sequence of str, optional, names of the classes in sorted order, or of the labels
    names : sequence of n str, optional, of the samples; the index of a DataFrame by default
    columns : mapping of str to n values, or DataFrame, optional
        What tips tell, search finds and colours can show; by default the first 40 columns of a DataFrame.
    hover : sequence of n str, optional, further text of the tips
    images : array-like of shape (n, h, w), optional, grey values 0 to 255
    random_state : int, which third is kept out

    Returns
    -------
    Explorer
        ``selected_``, the samples selected; ``embedding_`` (n, 2), the positions shown; ``code_``, code that computes
        these from X and y; ``save("map.html")``.

    Notes
    -----
    The list of maps is fitted to at most about 1,000 samples, drawn in proportion to the classes, which all maps share;
    "linear" and "PCA" alone to two thirds of all. Everything else is placed: by the linear map itself, by neighbours
    (SLE-ML), by a kernel map (both kinds of t-SNE).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> explorer = show(*load_iris(return_X_y=True, as_frame=True))
    >>> explorer.set(map="PCA")
    >>> explorer.setting_, explorer.embedding_.shape
    ({'map': 'PCA'}, (150, 2))
    """
    refuse_lazy(X, "X")
    _check_apart(X, y)
    rows = read_rows(X)
    n = len(rows.numbers)
    target = read_target(y, n, label_names)
    choice = MAPS[target.kind]
    check_option(map, "map", (None, *choice))
    check_integer(random_state, "random_state", 0, 2**32 - 1)
    most = None if map in QUICK else MOST_FITTED
    fitted = fitted_rows(target.y, most, random_state)
    A, prepared = rows.prepared(fitted, check_flag(scale, "scale"))
    read = [*rows.code, *target.code, f"fitted = fitted_rows(y, {most}, random_state={random_state})", *prepared]
    target, more = target.of_fitted(fitted)
    if target.kind == "values" and not np.ptp(target.y[fitted]):
        rule = "`y` must hold values that differ among the samples that a map is fitted to"
        raise ValueError(f"{rule}; all are {target.y[0]:g}. Give classes, or another `random_state`.")
    counted = ~fitted & ~_repeats(A, fitted)
    offered = [map] if map else list(choice) if fitted.sum() >= FEWEST else [name for name in choice if name in QUICK]
    samples = Samples(A, target.y, target.kind, fitted, random_state)
    maps = {name: choice[name](samples) for name in offered}
    has_cells = map == "linear" and target.kind in ("classes", "labels")

    def of(map=map, **setting):
        """The map of a setting, and the setting of the map."""
        return maps[map], setting or maps[map].start

    def view(**setting):
        one, setting = of(**setting)
        Z = one.positions(**setting)
        frame = {"Z": Z, "axis_names": one.axis_names(**setting)}
        if has_cells:
            frame["anchors"] = anchors = one.anchors(**setting)
            frame["segments"] = voronoi_segments(anchors, np.quantile(Z, [0, 1], axis=0).T.ravel().tolist())
            rate = f" The axes have {one.rate(**setting):.0%} of the singular values."
            said = target.told_by_cells(Z, anchors, fitted, counted) + rate
        else:
            said = target.told(Z, fitted, counted)
        knows = "" if y is None else ", told y" if one.is_told else ", not told y"
        placed = f"fitted to {fitted.sum():,} of {n:,}{'' if fitted.all() else ', the others placed'}"
        return frame | {"status": f"{said} {one.name}{knows}; {placed}.".strip()}

    def written(**setting):
        one, setting = of(**setting)
        imports, _, lines = one.code(**setting).partition("\n\n")
        head = ["import numpy as np", "from toolkit.tabular import fitted_rows", imports, ""]
        used = [name for name in ("OneHotEncoder", "StandardScaler") if any(name in line for line in read)]
        if used:
            head.insert(1, f"from sklearn.preprocessing import {', '.join(used)}")
        return "\n".join([*head, *read, *more, lines])

    axes = {"map": list(maps)} if map is None else maps[map].sliders
    return Explorer(
        view,
        axes,
        **target.colours,
        anchor_names=target.names if has_cells else (),
        sides=np.where(fitted, "fitted", "kept out"),
        names=_names(X) if names is None else names,
        columns=_columns(X, y, target, columns),
        color_by=_name_of(y, "y") if target.kind == "values" else None,
        hover=hover,
        images=images,
        title="Samples in the plane" if y is None else f"Samples and {_name_of(y, target.kind)}",
        caption=_caption(maps, rows.left_out, target.kind),
        code=written,
        start={} if map is None else maps[map].start,
        align=False,
        precompute=False,
        rescale=[name for name in axes if name not in ("axes", "variance")],
    )


def _check_apart(X, y):
    """Refuse a table that still holds the target, and the name of a target."""
    if isinstance(y, str):
        remedy = f"Of a table, give X.drop(columns={y!r}) and X[{y!r}]"
        raise ValueError(f"`y` must hold the class, labels or value of each sample; got {y!r}. {remedy}.")
    name = getattr(y, "name", None)
    if name is not None and name in getattr(X, "columns", ()) and list(map(str, X[name])) == list(map(str, y)):
        raise ValueError(f"`X` must not hold the target; its column {name!r} is `y`. Give X.drop(columns={name!r}).")


def _repeats(A, fitted):
    """Which samples A (n, p) are equal to a fitted one."""
    keys = [row.tobytes() for row in A + 0.0]  # no negative zeros
    known = {key for key, is_fitted in zip(keys, fitted, strict=True) if is_fitted}
    return np.array([key in known for key in keys])


def _names(X):
    """The index of a data frame, unless it counts from 0."""
    names = [str(name) for name in X.index] if hasattr(X, "columns") and hasattr(X, "index") else []
    return None if names == [str(i) for i in range(len(names))] else names


def _name_of(y, otherwise):
    name = getattr(y, "name", None)
    return otherwise if name is None else str(name)


def _columns(X, y, target, columns):
    """What tips tell: values of the target, and the columns given, or the first of a data frame."""
    if columns is None:
        columns = {name: X[name] for name in list(getattr(X, "columns", ()))[:MOST_COLUMNS]}
    if target.kind != "values" or not (isinstance(columns, Mapping) or hasattr(columns, "columns")):
        return columns  # others are refused by the explorer
    return {_name_of(y, "y"): target.y} | {name: columns[name] for name in columns if name != _name_of(y, "y")}


def _caption(maps, left_out, kind):
    """What the marks mean, which maps know the target, and what has no part in them."""
    caption = "Outlines were fitted, filled marks placed on the map afterwards."
    if len(maps) > 1 and kind is not None:
        caption += f" Told y: {', '.join(name for name, one in maps.items() if one.is_told)}."
    if kind == "values":
        caption += " Colours are the values of y."
    if left_out:
        some = ", ".join(f"{name} ({why})" for name, why in list(left_out.items())[:MOST_NAMED])
        others = f" and {len(left_out) - MOST_NAMED} more" if len(left_out) > MOST_NAMED else ""
        caption += f" Not in the map: {some}{others}."
    return caption
