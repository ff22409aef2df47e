"""Which columns of a table are features, and why others are none."""

from dataclasses import dataclass, field

from ..core import and_list, count_phrase, import_pandas
from .column import Exclusion, Reason
from .same_rows import codes_of_rows


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnUse:
    """A column, and whether it is a feature of the rows with a target.

    Attributes
    ----------
    column : Column
        The column.
    values : Series of length n, or None
        Its values in these rows if it is a feature.
    exclusion : Exclusion or None
        Why it is no feature.
    notes : list of str
        Sentences about how it was read and decided.
    """

    column: object
    values: object = None
    exclusion: Exclusion | None = None
    notes: list = field(default_factory=list)


def column_uses(columns, rows, exclusions):
    """Decide which columns are features, one after the other.

    Parameters
    ----------
    columns : dict of str to Column
        Columns that may be features.
    rows : ndarray of int, shape (n,)
        Numbers of the rows with a target.
    exclusions : dict of str to Exclusion
        Columns that are none, as the caller says.

    Yields
    ------
    name : str
        Name of the column.
    use : ColumnUse
        Its use.
    """
    first_of_content = {}
    for name, column in columns.items():
        if name in exclusions:
            use = ColumnUse(column=column, exclusion=exclusions[name])
            yield name, use
            continue
        notes = [*column.notes]
        exclusion = column.exclusion(rows)
        values = None
        if exclusion is None:
            notes += column.feature_notes(rows)
            values = column.feature_values(rows)
            content = column.kind, codes_of_rows(values).to_numpy().tobytes()
            first = first_of_content.setdefault(content, name)
            if first != name:
                values = None
                exclusion = Exclusion(Reason.COPY, f"a copy of `{first}`")
        use = ColumnUse(
            column=column, values=values, exclusion=exclusion, notes=notes
        )
        yield name, use


def features_of(uses):
    """The features among some columns as a DataFrame (n, d); at least one.

    Parameters
    ----------
    uses : dict of str to ColumnUse
        The columns by name.
    """
    pd = import_pandas()
    features = {
        name: use.values for name, use in uses.items() if use.exclusion is None
    }
    if not features:
        raise ValueError(
            "`data` must have other columns than the target; left out:"
            f" {reasons_phrase(sentences_of(uses))}. Add columns that vary."
        )
    return pd.DataFrame(features)


def sentences_of(uses):
    """Why columns are no features, in words, by name."""
    return {
        name: use.exclusion.sentence
        for name, use in uses.items()
        if use.exclusion is not None
    }


def overview_of(columns, use_phrases):
    """One row for each column of the given table: kind, values and use.

    Parameters
    ----------
    columns : dict of str to Column
        Columns of the table.
    use_phrases : dict of str to str
        Use of each column in words.
    """
    pd = import_pandas()
    lines = []
    for name, column in columns.items():
        distinct = column.values.dropna().astype(str)
        extent, bars = column.summary()
        lines.append(
            {
                "kind": column.kind,
                "missing": column.values.isna().sum(),
                "distinct": distinct.nunique(),
                "values": extent,
                "distribution": bars,
                "used": use_phrases[name],
            }
        )
    return pd.DataFrame(lines, pd.Index(columns, name="column"))


def reasons_phrase(left_out):
    """Columns with the sentences that say why they are left out."""
    return and_list(
        [f"`{name}` ({sentence})" for name, sentence in left_out.items()]
    )


def exclusion_notes(rows, columns):
    """Sentences about rows and columns left out.

    Parameters
    ----------
    rows : dict of str to list of str
        Names of rows by the reason.
    columns : dict of str to str
        Reason by the name of the column.

    Returns
    -------
    notes : list of str
        Sentences.
    """
    notes = []
    for reason, names in rows.items():
        rows_phrase = count_phrase(len(names), "row")
        notes.append(f"{rows_phrase} left out, {reason}: {and_list(names)}.")
    if columns:
        notes.append(
            f"{count_phrase(len(columns), 'column')} left out:"
            f" {reasons_phrase(columns)}."
        )
    return notes
