"""How the numbers of a page were measured, and the code that measures them again."""

from ..richtext import RichText
from .errors import errors_of_page
from .samples import MOST_IN_TIPS

DEFINITIONS = [
    "Rows: errors are measured on all rows; of more than 20,000 rows, or 1,000,000"
    " numbers in the columns, on a sample of so many, but at least 1,000 rows. For"
    " 100,000 rows and 50 columns that takes 90 seconds of one processor or less. Tests"
    " use at most 1,000 rows. Samples contain at least 20 rows of each class, or all"
    " that there are; errors are weighted to the proportions of all rows.",
    "Baseline: error of the best constant prediction on the same rows. Held-out rows"
    " may have other proportions of the classes, as equal rows stay on one side.",
    "Area under the ROC curve, of two classes and of each class with less than 5 % of"
    " the rows, and average precision: by out-of-fold probabilities of the model that"
    " is named. Interval: DeLong's on the logit scale, wider because of common training"
    " rows, and not narrower than Newcombe's.",
    "Missing cells: numbers and dates have the median, and a column that marks where"
    " one is missing; a missing word is a category.",
    "ROC AUC of more than two classes: mean of each class against the rest, without an"
    " interval.",
    "Maps: axes of t-SNE have no unit; only which rows are near is meant. Tips and"
    f" lists show the {MOST_IN_TIPS} columns that are most related to the target.",
    "Rows: the page contains names and values of rows; `--no-rows` (`no_rows=True`)"
    " leaves them out.",
    "Intervals: Wilson's for classes, of a bootstrap otherwise, 15 % wider, because"
    " folds have common training rows. Those of several models hold together.",
    "p-value: the Brier score (squared error of values) of the best model, compared"
    " with that for at most 19 permuted targets, or 39 in each of two ways; the test"
    " stops when five are as good.",
    "Dependent rows: rows that follow each other in the file, near duplicates, and"
    " columns that name groups, each at level 0.01 (columns that are coarser than one"
    " that is found at 0.05). Words name groups where rows of"
    " equal words are alike in the target and in other columns. Whole numbers do where"
    " means of one of the two jump between neighbouring numbers.",
    "Strongly relevant: the best model, or your own, predicts worse if it is fitted"
    " anew with the column permuted (Holm's correction over all columns). What other"
    " columns predict of the column stays in its permuted copies. Weakly relevant:"
    " associated with the target, or above the null level of permuted columns in linear"
    " models or in a random forest.",
    "Watson and Wright (2021), Testing conditional independence in supervised learning"
    " algorithms: comparison with copies that other columns predict as well.",
    "Kohavi and John (1997), Wrappers for feature subset selection: strong and weak"
    " relevance.",
    "Goepfert et al. (2018), Interpretation of linear classifiers by means of feature"
    " relevance bounds: equivalent linear models.",
    "Gisbrecht, Schulz and Hammer (2015), Parametric nonlinear dimensionality reduction"
    " using kernel t-SNE: Fisher distances and projection of held-out rows.",
    "Phipson and Smyth (2010), Permutation p-values should never be zero.",
]


def show_method(look):
    """Every error of the page with its rows, protocol and classifier."""
    return RichText(
        [f"Unit of the errors: {look.task.error_name}.", *DEFINITIONS],
        errors_of_page(look),
        fold="All errors of this page; references",
    )


def show_code(look):
    """The equivalent code without `look`: Python that reads the file."""
    return RichText(code=look.code_, fold="Equivalent code")
