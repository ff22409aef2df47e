"""`toolkit.look`: analysis of a table, a similarity matrix or a model."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..core import (
    and_list,
    check_flag,
    check_integer,
    check_jobs,
    require,
    short_repr,
    stack_rows,
)
from .cells import Notation
from .reading import read_file
from .rows import prepare_rows
from .squares import table_of_matrix
from .table import FEWEST_ROWS_OF_TABLE, as_table
from .views import Look


def look(
    data,
    target=None,
    *,
    labels=None,
    similarities=False,
    distances=False,
    classes=None,
    model=None,
    map=None,
    test=None,
    task=None,
    drop=(),
    id=None,
    groups=None,
    keep=(),
    rows=None,
    sheet=None,
    encoding=None,
    decimal=None,
    thousands=None,
    dates=None,
    no_rows=False,
    random_state=0,
    n_jobs=-1,
    verbose=True,
):
    """Analyse a table, matrix or model: prediction, maps, relevant columns.

    Parameters
    ----------
    data : str, Path, DataFrame, dict of columns or array of shape (n_rows, n_columns)
        Table, or the name of a file with one (CSV, TSV, Excel, Parquet, ARFF, NumPy).
    target : str or array-like of shape (n_rows,)
        Name of the column to be predicted, or its values: classes or numbers.
    labels : list of str, optional
        In place of `target`: columns of 0 and 1, several of which may hold for a row.
    similarities, distances : bool, default=False
        Whether `data` is a square matrix of these, with names in its first row or
        column if it is a file.
    classes : str, Path or array-like of shape (n_rows,), optional
        For such a matrix: the classes, or a file with them.
    model : classifier or regressor of scikit-learn's kind, optional
        Your own model, fitted or not. It is evaluated on the columns of `data` as they
        are; a pipeline may prepare them. To tell which columns are strongly relevant,
        clones of it are fitted 15 times for each column.
    map : estimator, or class of one, optional
        Your own map, in place of the supervised one: with `fit` and `transform`, or
        `fit_transform`. It gets the columns as numbers, of standard deviation 1.
    test : str, Path or DataFrame, optional
        Rows to be held out; otherwise a quarter of the rows is.
    task : "classes" or "value", optional
        Kind of `target`.
    drop : list of str, default=()
        Columns to leave out.
    id : str, optional
        The column that names the rows.
    groups : str, optional
        The column whose equal values must stay on the same side of every split.
    keep : list of str, default=()
        Columns whose values are fixed, such as the occupations or sites that there are:
        statements are about rows with these values, not with new ones.
    rows : int, optional
        Largest number of rows of a file to read, drawn at random.
    sheet : str or int, optional
        Sheet of an Excel file, by name or number from 1; by default the first.
    encoding : str, optional
        Encoding of a text that is neither UTF-8 nor Windows-1252, such as "cp1251".
    decimal, thousands : str, optional
        The decimal mark, and what separates thousands, where a table holds only numbers
        such as 1.234 or 1,234.
    dates : "day", "month" or "year", optional
        First part of dates that can be read in two ways.
    no_rows : bool, default=False
        Whether pages, tips and lists leave out names and values of single rows, before
        the page is passed on. Positions and classes of the rows stay in its maps.
    random_state : int, default=0
        Seed of the random number generator.
    n_jobs : int, default=-1
        Number of parallel processes of joblib; -1 means all cores.
    verbose : bool, default=True
        Whether to show progress bars.

    Returns
    -------
    look : Look
        Findings, each computed when it is first used.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> seen = look(load_iris(as_frame=True).frame, "target", verbose=False)
    >>> seen.table_.task, seen.table_.features.shape
    ('classes', (150, 4))
    """
    # 1. arguments
    seed = check_integer(random_state, "random_state", 0, 2**32 - 1)
    settings = {
        "seed": seed,
        "n_jobs": check_jobs(n_jobs),
        "verbose": check_flag(verbose, "verbose"),
    }
    shows_rows = not check_flag(no_rows, "no_rows")
    check_integer(rows, "rows", FEWEST_ROWS_OF_TABLE, optional=True)
    options = {
        "labels": labels,
        "task": task,
        "drop": np.ravel(drop).tolist(),
        "id": id,
        "groups": groups,
        "keep": np.ravel(keep).tolist(),
        "decimal": decimal,
        "thousands": thousands,
        "dates": dates,
    }
    file_options = {"rows": rows, "sheet": sheet, "encoding": encoding}
    other_arguments = {"model": model, "map": map, "test": test} | file_options
    # 2. A matrix: its columns are coordinates
    check_flag(similarities, "similarities")
    if check_flag(distances, "distances") or similarities:
        if similarities and distances:
            raise ValueError(
                "`similarities` and `distances` must not both be True; got both. Choose"
                " what `data` holds."
            )
        _check_matrix_only(options | other_arguments, target, classes)
        if target is not None:
            classes = target
        table, numbers = table_of_matrix(data, classes, distances)
        arguments = {
            "file": _file(data, "matrix.csv"),
            "classes": _file(classes, "classes.csv"),
            "distances": distances,
        }
        return Look(
            table, numbers, arguments, shows_rows=shows_rows, **settings
        )
    if classes is not None:
        raise ValueError(
            "`classes` must be None of a table. Name its `target`, or say what matrix"
            " `data` is."
        )
    # 3. A table, features and target as numbers
    all_rows = _read(data, test, file_options, options, seed)
    options["decimal"] = all_rows.decimal
    table = as_table(all_rows.frame, target, **options, notes=all_rows.notes)
    arguments = other_arguments | {
        "file": _file(data, "table.csv"),
        "is_file": isinstance(data, str | Path),
        "test": _file(test, "test.csv"),
        "target": target,
        "options": options,
    }
    is_test = None
    if test is not None:
        is_test = table.rows >= all_rows.n_rows
    return Look(
        table,
        prepare_rows(table.features, table.kinds),
        arguments,
        all_rows.frame,
        is_test,
        shows_rows=shows_rows,
        **settings,
    )


@dataclass(frozen=True, kw_only=True)
class _Rows:
    """All rows that are given.

    Attributes
    ----------
    frame : DataFrame or dict of columns or array of shape (n, d)
        The rows of the table, and behind them those to be held out.
    n_rows : int or None
        Number of rows of the table; None if none are given to be held out.
    notes : list of str
        What was decided while reading.
    decimal : str or None
        The decimal mark of the table, which holds for both.
    """

    frame: object
    n_rows: int | None
    notes: list
    decimal: str | None


def _read(data, test, file_options, options, seed):
    """The rows of a table and of a test, from files or from Python."""
    decimal = options["decimal"]
    notes = []
    if isinstance(data, str | Path):
        table = read_file(
            data,
            random_state=seed,
            notation=Notation(decimal, options["thousands"]),
            **file_options,
        )
        frame = table.frame
        notes = table.notes
        if table.mark == "," or table.mark and test is not None:
            decimal = table.mark
    else:
        frame = data
        for name, value in file_options.items():
            require(value is None, name, "None of a table from Python", value)
    if test is None:
        return _Rows(frame=frame, n_rows=None, notes=notes, decimal=decimal)
    test_frame = test
    if isinstance(test, str | Path):
        like_table = {}
        # A file of the same kind as that of the table is read in the same way.
        is_like_table = (
            isinstance(data, str | Path)
            and Path(data).suffix == Path(test).suffix
        )
        if is_like_table:
            like_table = file_options | {"rows": None}
        test_table = read_file(
            test,
            random_state=seed,
            notation=Notation(decimal, options["thousands"]),
            **like_table,
        )
        test_frame = test_table.frame
        notes = notes + test_table.notes
    table_and_test = _with_test(frame, test_frame)
    notes = [*notes, f"{len(test_frame):,} rows are given to be held out."]
    unused = [str(name) for name in test_frame if name not in table_and_test]
    if unused:
        notes.append(f"`test` has other columns, left out: {and_list(unused)}.")
    return _Rows(
        frame=table_and_test, n_rows=len(frame), notes=notes, decimal=decimal
    )


def _file(data, name):
    """The name of a file that was given; of what came from Python one to be written."""
    if isinstance(data, str | Path):
        return str(data)
    if data is None:
        return None
    return name


def _with_test(frame, test_frame):
    """Both tables in one, the rows to be held out last."""
    if not hasattr(frame, "columns") or not hasattr(test_frame, "columns"):
        raise ValueError(
            "`test` must be a table with the columns of `data`, both with names. Give"
            " DataFrames or files."
        )
    missing = [
        str(name) for name in frame.columns if name not in test_frame.columns
    ]
    if missing:
        raise ValueError(
            "`test` must have the columns of `data`; not there:"
            f" {and_list(missing)}. Add what is missing."
        )
    return stack_rows(frame, test_frame)


def _check_matrix_only(options, target, classes):
    """Refuse what has no meaning for a matrix."""
    for name, value in options.items():
        if value is not None and value != []:
            raise ValueError(
                f"`{name}` must not be given with a matrix, which has no columns. Leave"
                " it out."
            )
    if isinstance(target, str) or not (target is None or classes is None):
        raise ValueError(
            "`target` must not name a column of a matrix, nor be given with"
            f" `classes`; got {short_repr(target)}. Give `classes` alone."
        )
