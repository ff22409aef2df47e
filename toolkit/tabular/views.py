"""What `look` returns: findings on a table, with the sections of their page."""

from . import sections
from .findings import Findings
from .sections.maps import show_map
from .sections.samples import target_phrase

# Sections whose sentences, with the notes, are the conclusions.
CONCLUDING = (
    sections.show_summary,
    sections.show_maps,
    sections.list_columns,
    sections.show_models,
)


class Look(Findings):
    """Findings on a table; `look` makes one. Each is computed when it is first used.

    Parameters
    ----------
    table : Table
        Features and target.
    data : NumericTable
        Columns of the table as numbers.
    arguments : dict
        Arguments of `look`, with names of files.
    frame : DataFrame or dict of columns or array of shape (n_rows, n_columns), optional
        All rows and columns as they were read; None for a matrix.
    is_test : ndarray of bool, shape (n_rows,), optional
        Rows to be held out.
    shows_rows : bool, default=True
        Whether names and values of single rows are shown.
    **options
        ``seed``, ``n_jobs`` and ``verbose``.

    Attributes
    ----------
    table_ : Table
        Content of the table, and what was left out and why.
    leaks_ : dict of str to float
        Columns that predict the target alone, and their error.
    separation_ : Separation
        Error of the best of simple models, its interval and p-value, and the baseline.
    dependence_ : Dependence
        Whether rows depend on each other, and the error on independent rows.
    map_ : MapComparison
        The supervised map, the unsupervised one and the one of permuted targets.
    linear_map_ : LinearMap or None
        A linear projection with loadings; None for a single column.
    bounds_ : Features or None
        Relevance of the d columns; None for a matrix of shape (n, n).
    models_ : list of ModelResult
        Models with decision maps; empty for several labels.
    decision_map_ : DecisionMap or None
        Decision map of the first model, which is the user's own if there is one.
    conclusions_ : list of str
        The findings of the page, as sentences.
    code_ : str
        Python that computes these numbers and pictures from the file.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from toolkit.tabular import look
    >>> seen = look(load_iris(as_frame=True).frame, "target", verbose=False)
    >>> isinstance(seen, Look), seen.is_matrix
    (True, False)
    """

    def show_summary(self):
        """Show whether there is a relation, and the four figures to report.

        Returns
        -------
        text : RichText
            Sentences and a table.
        """
        return sections.show_summary(self)

    def show_notes(self):
        """Show the reasons to doubt these figures, each with its remedy.

        Returns
        -------
        text : RichText
            Warnings and notes.
        """
        return sections.show_notes(self)

    def explore_map(self):
        """Show the supervised map, the unsupervised and the control map; tips on rows.

        Returns
        -------
        explorer : Explorer
            Interactive picture; a list chooses the target that the map was fitted to.
        """
        return sections.explore_map(self)

    def show_maps(self):
        """Show the errors of the supervised, the unsupervised and the control map.

        Returns
        -------
        text : RichText
            Sentences and a table.
        """
        return sections.show_maps(self)

    def show_map(self):
        """Show the supervised map as a static picture.

        Returns
        -------
        picture : Picture
            Figure with its finding, caption and text.
        """
        return show_map(self)

    def show_linear_map(self):
        """Show the linear projection with the loadings of columns as arrows.

        Returns
        -------
        picture : Picture or RichText
            Figure with its finding, caption and text; a sentence if there is no plane.
        """
        return sections.show_linear_map(self)

    def show_bounds(self):
        """Show the measures of relevance of each column, with their null levels.

        Returns
        -------
        picture : Picture or RichText
            Figure with its finding, caption and text; a sentence for a matrix.
        """
        return sections.show_bounds(self)

    def list_columns(self):
        """List the columns: strongly relevant, weakly relevant and not significant.

        Returns
        -------
        text : RichText
            Sentences and a table; empty for a matrix.
        """
        return sections.list_columns(self)

    def explore_models(self):
        """Show decision maps of the models; tips on rows.

        Returns
        -------
        explorer : Explorer or RichText
            Interactive picture; an empty text if there are no models.
        """
        return sections.explore_models(self)

    def show_models(self):
        """Show the confusion matrix of the model with the smallest error.

        Of several labels, how well each of them is predicted.

        Returns
        -------
        text : RichText
            Sentences and a table.
        """
        return sections.show_models(self)

    def show_calibration(self):
        """Show the calibration curve, if only probabilities are better than chance.

        Returns
        -------
        picture : Picture or RichText
            Figure with its finding, caption and text; otherwise an empty text.
        """
        return sections.show_calibration(self)

    def list_errors(self):
        """List misclassified rows of the first model, the most confident first.

        For a real value these are the rows with the largest errors.

        Returns
        -------
        text : RichText
            A sentence and a table; empty if there are no models.
        """
        return sections.list_errors(self)

    def show_table(self):
        """Show all columns, whether they are used, and what was left out and why.

        Returns
        -------
        text : RichText
            Sentences and a table.
        """
        return sections.show_table(self)

    def show_rows(self):
        """Show the first five rows, as they are used.

        Returns
        -------
        text : RichText
            A sentence and a table.
        """
        return sections.show_rows(self)

    def show_method(self):
        """Show every error of the page with its rows, protocol and classifier.

        Returns
        -------
        text : RichText
            Definitions and a table.
        """
        return sections.show_method(self)

    def show_code(self):
        """Show the equivalent code without `look`: Python that reads the file.

        Returns
        -------
        text : RichText
            The code.
        """
        return sections.show_code(self)

    @property
    def conclusions_(self):
        """Findings of the page, as sentences."""
        conclusions = []
        for part in CONCLUDING:
            for sentence in part(self).sentences:
                # A colon announces a table, which is not listed.
                if not sentence.endswith(":"):
                    conclusions.append(sentence)
        for _, note in self.show_notes().remarks:
            conclusions.append(note)
        return conclusions

    def report(self, path, title="Your data"):
        """Write all of this as one page that needs no network.

        Parameters
        ----------
        path : str or Path
            File to write, with the suffix ``.html``.
        title : str, default="Your data"
            Title of the page.

        Returns
        -------
        path : Path
            The page.
        """
        from .page import write_page

        return write_page(self, path, title)

    def __repr__(self):
        n, d = self.table_.features.shape
        return (
            f"<Look: {n:,} rows, {d} columns, {target_phrase(self.table_)};"
            f" {len(self.held_out):,} rows held out>"
        )
