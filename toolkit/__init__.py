"""Labelled data and models in two dimensions: supervised dimensionality reduction.

What do you want to do?

- look at labelled data at once, by several maps: `toolkit.show`
- see samples, features and several labels per sample in one plane: `toolkit.multilabel`
- map a neighbourhood graph with edges to labels (Laplacian eigenmaps):
  `toolkit.eigenmaps`
- find linear directions that separate classes, with few labels (FDA, LPP, LFDA, SELF):
  `toolkit.discriminant`
- classify by prototypes and learn the metric (learning vector quantisation):
  `toolkit.lvq`
- learn a metric for nearest neighbours: `toolkit.lmnn`
- map vectors or distances (t-SNE, MDS, Isomap, MVU, SOM, GTM, NeRV): `toolkit.embed`
- search the nearest neighbours of very many samples: `toolkit.neighbors`; which method
  for how many samples, and how to use several machines: ``docs/scale.md``
- put new samples on a map, and map its points back to the data space:
  `toolkit.kernelmap`
- measure distances that grow where the labels change (Fisher metric), and check for
  overfitting: `toolkit.fisher`
- draw decision maps of classifiers and regressors: `toolkit.decisionmap`
- bound the relevance of features in equivalent linear models: `toolkit.bounds`
- find the features that a map shows: `toolkit.relevance`
- bring data sets with different features into one plane: `toolkit.transfer`
- measure the quality of a map (neighbourhood preservation, errors): `toolkit.quality`;
  evaluate any map on held-out rows and permuted targets: `toolkit.validate_map`, of
  `toolkit.validation`
- draw a map: `toolkit.plots`; move a map with sliders: `toolkit.explorer`
- load data, or make synthetic data: `toolkit.datasets`
- look at a table, similarities or your own model: `toolkit.look`, made of
  `toolkit.tabular`; read such a table: `toolkit.tabular`
- read the table of reproduced claims: `toolkit.claims`; check answers to exercises:
  `toolkit.course`

Behind ``make`` and ``python -m toolkit`` is `toolkit.report`: notebooks as pages, the
equation table; `toolkit.arguments` reads the options. Code common to the methods is in
`toolkit.core`, which is private.
"""

import importlib

__version__ = "0.1.0"
__all__ = ["__version__", "look", "show", "validate_map"]

SUBPACKAGES = (
    "bounds claims course datasets decisionmap discriminant eigenmaps embed explorer"
    " fisher kernelmap lmnn lvq multilabel neighbors plots quality relevance report"
    " tabular transfer validation"
).split()


def show(X, y=None, **options):
    """Show samples in the plane, by supervised and by unsupervised maps.

    A third of the samples is held out from each map.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,) or (n_samples, n_labels), optional
        Target: class labels, a 0/1 label matrix, or values.
    **options
        ``label_names``, ``images`` and ``random_state``, described in
        ``toolkit.tabular.show``.

    Returns
    -------
    Explorer
        Interactive picture, with ``selected_``, ``embedding_`` of shape (n_samples, 2),
        ``code_`` and ``save``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> show(X, y).setting_
    {'map': 'linear'}
    """
    from .tabular import show

    return show(X, y, **options)


def look(data, target=None, **options):
    """Analyse a table: columns, separation, relevance, conclusions.

    Parameters
    ----------
    data : str, Path, DataFrame, dict of columns or array of shape (n_rows, n_columns)
        Table, or the name of a file that holds one.
    target : str or array-like of shape (n_rows,)
        Name of the column to be predicted, or its values: classes or numbers.
    **options
        ``labels``, ``similarities``, ``distances``, ``classes``, ``model``, ``map``,
        ``test``, ``task``, ``drop``, ``id``, ``groups``, ``rows``, ``sheet``,
        ``encoding``, ``decimal``, ``thousands``, ``dates``, ``random_state``,
        ``n_jobs`` and ``verbose``, described in ``toolkit.tabular.look``.

    Returns
    -------
    Look
        Findings, with ``table_``, ``separation_``, ``dependence_``, ``map_``,
        ``linear_map_``, ``bounds_``, ``models_`` and ``conclusions_``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> look(load_iris(as_frame=True).frame, "target", verbose=False)
    <Look: 150 rows, 4 columns, 3 classes of target; 38 rows held out>
    """
    from .tabular import look

    return look(data, target, **options)


def validate_map(map, X, y, **options):
    """Evaluate a map on held-out rows and on permuted targets.

    Parameters
    ----------
    map : estimator, class of one, or dict of these by name
        Map with `fit` and `transform`, or with `fit_transform` alone; or a metric of
        `toolkit.fisher` with an ``embedder``.
    X : array-like or DataFrame of shape (n_samples, n_features)
        Samples; or similarities or distances (n_samples, n_samples), for a map of
        these.
    y : array-like of shape (n_samples,) or (n_samples, n_labels)
        Target: classes, values, or labels as 0 and 1.
    **options
        ``embedder``, ``groups``, ``cv``, ``X_test``, ``y_test``, ``n_neighbors``,
        ``n_splits``, ``n_repeats``, ``n_permutations``, ``max_rows``,
        ``random_state``, ``n_jobs`` and ``verbose``, described in
        ``toolkit.validation.validate_map``.

    Returns
    -------
    MapValidation, or dict of these
        Result with ``error``, ``interval``, ``p_value``, ``verdict`` and ``summary()``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.decomposition import PCA
    >>> X, y = load_iris(return_X_y=True)
    >>> validate_map(PCA(2), X, y, verbose=False).verdict
    'separates held-out rows about as drawn'
    """
    from .validation import validate_map

    return validate_map(map, X, y, **options)


def __getattr__(name):
    """Import a subpackage when it is first used, such as ``toolkit.lvq``."""
    # importing all of them would take seconds
    if name in SUBPACKAGES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(
        f"module 'toolkit' has no attribute {name!r}; it has {', '.join(__dir__())}"
    )


def __dir__():
    return sorted([*__all__, *SUBPACKAGES])
