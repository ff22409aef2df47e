"""`toolkit.show`: labelled data at a first glance, as maps with a held-out error."""

from collections.abc import Mapping
from itertools import compress

import numpy as np

from ..core import check_flag, check_integer, check_option, refuse_lazy
from ..explorer import Explorer, SampleInfo
from ..plots import voronoi_segments
from ..quality import nearest_label
from ..validation import LEVEL
from ..validation.targets import N_NEIGHBORS
from .catalogue import MAPS, Linear
from .generated_code import imports_of
from .rows import read_rows
from .splits import fitted_rows
from .targets import read_target
from .text import short_list

MOST_FITTED = 1000  # samples of a map that takes time
MOST_COLUMNS = 40  # that colours, search and files know; tips tell twelve
QUICK = ("linear", "PCA")
FEWEST = 5  # fitted samples, for the other maps to be in the list


def show(
    X,
    y=None,
    *,
    map=None,
    scale=True,
    label_names=None,
    names=None,
    columns=None,
    hover=None,
    images=None,
    random_state=0,
):
    """Show samples in the plane, by supervised and by unsupervised maps.

    A third of the samples is kept out of every fit and placed on the map afterwards.
    The line below the picture tells first how many of these have the label that most of
    their five nearest fitted samples have, then the same of the fitted samples, which
    says nothing of new ones: a map that is told labels separates any. The interval is
    one of 90 %, and holds for the best of the maps of a list. The baseline is what the
    most frequent label gives. Of several labels each counts. Of values it is the root
    mean squared error, over the standard deviation of the fitted ones. Samples equal to
    a fitted one are not counted.

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
    label_names : sequence of str, optional
        Names of the classes in sorted order, or of the labels.
    names : sequence of n str, optional
        Of the samples; the index of a DataFrame by default.
    columns : mapping of str to n values, or DataFrame, optional
        What tips tell, search finds and colours can show; by default the first 40
        columns of a DataFrame.
    hover : sequence of n str, optional
        Further text of the tips.
    images : array-like of shape (n, h, w), optional
        Grey values 0 to 255.
    random_state : int, default=0
        Which third is kept out.

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
    _check_target(X, y)
    rows = read_rows(X)
    target, reading, colours = read_target(y, len(rows.numbers), label_names)
    choice = MAPS[target.kind]
    check_option(map, "map", (None, *choice))
    check_integer(random_state, "random_state", 0, 2**32 - 1)
    # 1. two thirds of the samples to fit, as numbers and targets
    most = None if map in QUICK else MOST_FITTED
    fitted = fitted_rows(target.y, most, random_state)
    A, encoding = rows.encode(fitted, check_flag(scale, "scale"))
    code = [
        *rows.code,
        *reading,
        f"fitted = fitted_rows(y, {most}, random_state={random_state})",
        *encoding,
    ]
    target = _fitted_target(target, fitted, code)
    # 2. the maps, each fitted when it is first shown
    offered = [map]
    if map is None:
        offered = [
            name for name in choice if name in QUICK or fitted.sum() >= FEWEST
        ]
    maps = {
        name: choice[name](A, target.y, target.kind, fitted, random_state)
        for name in offered
    }
    has_cells = choice.get(map) is Linear
    frame, code_of = _pictures(maps, map, target, fitted, A, has_cells, code)
    # 3. the explorer
    axes = {"map": offered} if map is None else maps[map].sliders
    return Explorer(
        frame,
        axes,
        **_tips(X, y, target, names, columns, hover, images, fitted),
        **colours,
        anchor_names=target.names if has_cells else (),
        caption=_caption(maps, target, rows),
        code=code_of,
        start={} if map is None else maps[map].start,
        align=False,
        precompute=False,
        rescale=[name for name in axes if name not in ("axes", "variance")],
    )


def _fitted_target(target, fitted, code):
    """The target, if fitted samples differ in it, of labels those that they have."""
    if target.kind == "labels":
        target, used = target.of_used(fitted)
        if not used.all():
            code.append("y = y[:, y[fitted].any(axis=0)]")
    if target.kind == "values" and not np.ptp(target.y[fitted]):
        raise ValueError(
            "`y` must hold values that differ among the samples that a map is fitted"
            f" to; all are {target.y[0]:g}. Give classes, or another `random_state`."
        )
    return target


def _pictures(maps, map, target, fitted, A, has_cells, code):
    """Functions of a setting: what the explorer shows of it, and its code."""
    head = ["import numpy as np", *imports_of("\n".join(code))]
    # new is what is not equal to a fitted sample; there are no negative zeros
    cells = [row.tobytes() for row in A + 0.0]
    known = set(compress(cells, fitted))
    is_new = np.array([row not in known for row in cells])

    def frame(map=map, **setting):
        one = maps[map]
        frame = one.frame(**(setting or one.start))
        Z = frame["Z"]
        anchors = frame.pop("anchors", None)
        rate = frame.pop("rate", None)
        told = axes_have = ""
        if has_cells:
            box = np.quantile(Z, [0, 1], axis=0).T.ravel().tolist()
            segments = voronoi_segments(anchors, box)
            frame |= {"anchors": anchors, "segments": segments}
            axes_have = f" The axes have {rate:.0%} of the singular values."
        else:
            anchors = None
        error = _errors(target, Z, fitted, is_new, anchors, len(maps))
        if target.kind:
            told = ", told y" if one.is_supervised else ", not told y"
        others = "" if fitted.all() else ", the others placed"
        status = (
            f"{error}{axes_have} {one.name}{told}; fitted to {fitted.sum():,} of"
            f" {len(A):,}{others}."
        )
        return frame | {"status": status.strip()}

    def code_of(map=map, **setting):
        one = maps[map]
        lines = one.code(**(setting or one.start))
        ours = [
            "from toolkit.tabular import fitted_rows",
            *imports_of(lines),
            "",
        ]
        return "\n".join([*head, *ours, *code, lines])

    return frame, code_of


def _errors(target, Z, fitted, kept_out, anchors, n_maps):
    """What a map Z (n, 2) tells of rows kept out and of fitted ones, in words.

    By their nearest fitted rows, or by the label points whose cells they lie in. Of
    several maps the intervals hold together.
    """
    if target.kind is None:
        return ""
    y = target.y
    n = len(y)
    loss = np.empty(n)
    how = f"by the {N_NEIGHBORS} nearest"
    rows = kept_out if kept_out.any() else fitted
    baseline = target.of(y[rows]).baseline()
    if anchors is None:
        answers = target.near(Z, fitted, kept_out)
        for side, answer in zip((fitted, kept_out), answers, strict=True):
            loss[side] = target.wrong(y[side], answer)
    else:
        how = "by the cell"
        Y = y if target.kind == "labels" else y[:, None] == target.classes
        loss = 1.0 - Y[np.arange(n), nearest_label(Z, anchors)]
        baseline = 1.0 - Y[rows].mean(axis=0).max()

    def phrase(error):
        return target.percent(error if target.is_value else 1 - error)

    what = "Error" if target.is_value else "Right"
    kept = (
        "no others that differ from the fitted: nothing is known of new samples"
    )
    if kept_out.any():
        new = target.error(loss[kept_out], y[kept_out])
        level = 1 - (1 - LEVEL) / n_maps
        ends = target.interval(
            loss[kept_out], y[kept_out], np.arange(kept_out.sum()), level
        )
        if not target.is_value:
            ends = 1 - ends[1], 1 - ends[0]
        of = f" for the best of {n_maps} maps" if n_maps > 1 else ""
        kept = (
            f"kept out {phrase(new)} of {kept_out.sum():,} ({LEVEL:.0%}"
            f" interval{of} {target.span(ends)})"
        )
    own = phrase(target.error(loss[fitted], y[fitted]))
    return (
        f"{what} {how}: {kept}; fitted {own} of {fitted.sum():,};"
        f" baseline {phrase(baseline)}."
    )


def _caption(maps, target, rows):
    """What marks and colours are, and which columns have no part in the map."""
    caption = "Outlines were fitted, filled marks placed on the map afterwards."
    # which of the maps the labels had a part in
    supervised = [name for name, one in maps.items() if one.is_supervised]
    if len(maps) > 1 and target.kind:
        caption += f" Told y: {', '.join(supervised)}."
    if target.kind == "values":
        caption += " Colours are the values of y."
    if rows.left_out:
        left_out = [f"{name} ({why})" for name, why in rows.left_out.items()]
        caption += f" Not in the map: {short_list(left_out)}."
    return caption


def _tips(X, y, target, names, columns, hover, images, fitted):
    """The title of an explorer, classes, and what is known of samples, as options."""
    name = getattr(y, "name", None)
    title = "Samples in the plane"
    if y is not None:
        title = f"Samples and {target.kind if name is None else name}"
    if columns is None:
        shown = list(getattr(X, "columns", ()))[:MOST_COLUMNS]
        columns = {column: X[column] for column in shown}
    color_by = None
    if target.kind == "values":
        name = "y" if name is None else str(name)
        color_by = name
        # others are refused by the explorer
        if isinstance(columns, Mapping) or hasattr(columns, "columns"):
            # first of all, in place of a column of its name
            columns = {name: None} | dict(columns) | {name: target.y}
    if names is None and hasattr(X, "columns") and hasattr(X, "index"):
        # but not of an index that only counts
        if list(map(str, X.index)) != list(map(str, range(len(X)))):
            names = list(map(str, X.index))
    samples = SampleInfo(
        names=names,
        columns=columns,
        color_by=color_by,
        hover=hover,
        images=images,
        sides=np.where(fitted, "fitted", "kept out"),
    )
    return {"title": title, "samples": samples}


def _check_target(X, y):
    """Refuse a table that still holds the target, and the name of a target."""
    if isinstance(y, str):
        raise ValueError(
            f"`y` must hold the class, labels or value of each sample; got {y!r}. Of a"
            f" table, give X.drop(columns={y!r}) and X[{y!r}]."
        )
    name = getattr(y, "name", None)
    if name is not None and name in getattr(X, "columns", ()):
        if list(map(str, X[name])) == list(map(str, y)):
            raise ValueError(
                f"`X` must not hold the target; its column {name!r} is `y`. Give"
                f" X.drop(columns={name!r})."
            )
