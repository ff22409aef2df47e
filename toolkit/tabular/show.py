"""`toolkit.show`: labelled data at a first glance, as maps that say what they tell of samples that they do not know."""

from collections.abc import Mapping

import numpy as np

from ..core.arrays import refuse_lazy
from ..core.checks import check_flag, check_integer, check_option
from ..explorer import Explorer
from ..plots import voronoi_segments
from .catalogue import MAPS
from .generated_code import imports_of
from .rows import read_rows
from .targets import read_target
from .text import short_list
from .validation import fitted_rows

MOST_FITTED = 1000  # samples of a map that takes time
MOST_COLUMNS = 40  # that colours, search and files know; tips tell twelve
QUICK = ("linear", "PCA")
FEWEST = 5  # fitted samples, for the other maps to be in the list


def show(
    X, y=None, *, map=None, scale=True, label_names=None, names=None, columns=None, hover=None, images=None,
    random_state=0,
):  # fmt: skip
    """Show samples in the plane, by maps that are told the labels and maps that are not.

    A third of the samples is kept out of every fit and placed on the map afterwards.
    The line below the picture tells first how many of these have the label that most of
    their five nearest fitted samples have, then the same of the fitted samples, which
    says nothing of new ones: a map that is told labels separates any. Chance is what
    the most frequent label gives. Of values it is the root mean squared error, over the
    standard deviation of the fitted ones. Samples equal to a fitted one are not
    counted.

    Parameters
    ----------
    X : array-like, sparse matrix or DataFrame of shape (n, d)
        Of a DataFrame, columns of numbers and flags are used, and those of at most 20
        kinds of words, a gap being one, as 0/1 columns. Others (dates, free text) are
        shown, but have no part in the map; the caption names them. Missing numbers are
        refused by the name of their column.
    y : array-like of shape (n,) or (n, l), optional
        Classes, or 0/1 indicators of labels, or values: numbers that are not whole, or
        of more than 30 kinds and more than one for three samples. ``y.astype(str)``
        makes classes of such numbers.
    map : str, optional
        None: a list of maps to choose from, each computed when it is first reached. A
        name gives that map alone, with sliders: "linear" (SL-A with its label points
        and cells; of values partial least squares), "SLE-ML" (of classes and labels),
        "Fisher t-SNE" (of classes and values), "PCA" and "t-SNE" (not told `y`).
    scale : bool, default=True
        Standardise the numbers. False: they have one unit, as pixels do.
    label_names : sequence of str, optional, names of the classes in sorted order, or of the labels
    names : sequence of n str, optional, of the samples; the index of a DataFrame by default
    columns : mapping of str to n values, or DataFrame, optional
        What tips tell, search finds and colours can show; by default the first 40
        columns of a DataFrame.
    hover : sequence of n str, optional, further text of the tips
    images : array-like of shape (n, h, w), optional, grey values 0 to 255
    random_state : int, which third is kept out

    Returns
    -------
    Explorer
        ``selected_``, the samples selected; ``embedding_`` (n, 2), the positions shown;
        ``code_``, code that computes these from X and y; ``save("map.html")``.

    Notes
    -----
    The list of maps is fitted to at most about 1,000 samples, drawn in proportion to
    the classes, which all maps share; "linear" and "PCA" alone to two thirds of all.
    Everything else is placed: by the linear map itself, by neighbours (SLE-ML), by a
    kernel map (both kinds of t-SNE).

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
    A, prepared = rows.encode(fitted, check_flag(scale, "scale"))
    read = [
        *rows.code,
        *target.code,
        f"fitted = fitted_rows(y, {most}, random_state={random_state})",
        *prepared,
    ]
    target, more = target.restrict(fitted)
    if target.kind == "values" and not np.ptp(target.y[fitted]):
        rule = (
            "`y` must hold values that differ among the samples that a map is fitted to"
        )
        raise ValueError(
            f"{rule}; all are {target.y[0]:g}. Give classes, or another `random_state`."
        )
    known = {row.tobytes() for row in A[fitted] + 0.0}  # no negative zeros
    counted = ~fitted & [row.tobytes() not in known for row in A + 0.0]
    offered = (
        [map]
        if map
        else [name for name in choice if name in QUICK or fitted.sum() >= FEWEST]
    )
    maps = {
        name: choice[name](A, target.y, target.kind, fitted, random_state)
        for name in offered
    }
    has_cells = map == "linear" and target.kind in ("classes", "labels")

    def view(map=map, **setting):
        one = maps[map]
        frame = one.frame(**(setting or one.start))
        Z = frame["Z"]
        anchors, rate = (frame.pop(name, None) for name in ("anchors", "rate"))
        if has_cells:
            frame["anchors"] = anchors
            frame["segments"] = voronoi_segments(
                anchors, np.quantile(Z, [0, 1], axis=0).T.ravel().tolist()
            )
            said = target.describe_cell_error(Z, anchors, fitted, counted)
            said += f" The axes have {rate:.0%} of the singular values."
        else:
            said = target.describe_error(Z, fitted, counted)
        knows = "" if y is None else ", told y" if one.is_supervised else ", not told y"
        placed = (
            f"fitted to {fitted.sum():,} of"
            f" {n:,}{'' if fitted.all() else ', the others placed'}"
        )
        return frame | {"status": f"{said} {one.name}{knows}; {placed}.".strip()}

    def written(map=map, **setting):
        lines = maps[map].code(**(setting or maps[map].start))
        ours = ["from toolkit.tabular import fitted_rows", *imports_of(lines), ""]
        return "\n".join(
            [
                "import numpy as np",
                *imports_of("\n".join(read)),
                *ours,
                *read,
                *more,
                lines,
            ]
        )

    axes = {"map": list(maps)} if map is None else maps[map].sliders
    caption = "Outlines were fitted, filled marks placed on the map afterwards."
    if len(maps) > 1 and y is not None:
        caption += f" Told y: {', '.join(name for name, one in maps.items() if one.is_supervised)}."
    if target.kind == "values":
        caption += " Colours are the values of y."
    if rows.left_out:
        caption += (
            " Not in the map:"
            f" {short_list(f'{name} ({why})' for name, why in rows.left_out.items())}."
        )
    return Explorer(
        view,
        axes,
        **_about(X, y, target, names, columns),
        anchor_names=target.names if has_cells else (),
        sides=np.where(fitted, "fitted", "kept out"),
        hover=hover,
        images=images,
        caption=caption,
        code=written,
        start={} if map is None else maps[map].start,
        align=False,
        precompute=False,
        rescale=[name for name in axes if name not in ("axes", "variance")],
    )


def _about(X, y, target, names, columns):
    """The title of an explorer, and its names, columns and colours of the samples, as options."""
    name = getattr(y, "name", None)
    if columns is None:
        columns = {
            column: X[column]
            for column in list(getattr(X, "columns", ()))[:MOST_COLUMNS]
        }
    about = {
        "title": (
            "Samples in the plane"
            if y is None
            else f"Samples and {target.kind if name is None else name}"
        )
    }
    if target.kind == "values":
        name = "y" if name is None else str(name)
        about["color_by"] = name
        # others are refused by the explorer
        if isinstance(columns, Mapping) or hasattr(columns, "columns"):
            columns = {name: target.y} | {
                column: columns[column] for column in columns if column != name
            }
    if names is None and hasattr(X, "columns") and hasattr(X, "index"):
        names = [str(name) for name in X.index]
        if names == [str(i) for i in range(len(names))]:  # it only counts
            names = None
    return about | target.colours | {"names": names, "columns": columns}


def _check_apart(X, y):
    """Refuse a table that still holds the target, and the name of a target."""
    if isinstance(y, str):
        remedy = f"Of a table, give X.drop(columns={y!r}) and X[{y!r}]"
        raise ValueError(
            f"`y` must hold the class, labels or value of each sample; got {y!r}."
            f" {remedy}."
        )
    name = getattr(y, "name", None)
    if (
        name is not None
        and name in getattr(X, "columns", ())
        and list(map(str, X[name])) == list(map(str, y))
    ):
        raise ValueError(
            f"`X` must not hold the target; its column {name!r} is `y`. Give"
            f" X.drop(columns={name!r})."
        )
