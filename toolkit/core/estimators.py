"""Helpers for estimators: check samples, process blocks."""

import copy
import functools

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from .arrays import TABLE, is_lazy, reading
from .frames import check_columns
from .matrices import check_magnitude
from .progress import progress
from .scaling import warn_of_scales


def training_samples(estimator, X, *, min_samples=2, **options):
    """Samples (n, d) that an estimator is fitted to, as floats.

    It sets `n_features_in_` and the names of the features.
    `options` are those of :func:`new_samples`.
    """
    X = _samples(estimator, X, "X", ensure_min_samples=min_samples, **options)
    by_pairs = get_tags(estimator).input_tags.pairwise
    if estimator._compares_samples and not by_pairs:
        warn_of_scales(X, estimator)
    return X


def new_samples(estimator, X, name="X", **options):
    """Samples (m, d) for a fitted estimator, checked against what `fit` has seen.

    Sparse ones stay sparse where the tags of the estimator allow it, or
    ``accept_sparse="csr"`` does. Other `options` are `magnitude=True` (or "squares")
    and `rule`, as of :func:`core.arrays.check_table`.
    """
    check_is_fitted(estimator)
    check_columns(getattr(X, "columns", None), estimator, name)
    return _samples(estimator, X, name, reset=False, **options)


def _samples(estimator, X, name, *, magnitude=True, rule=TABLE, **options):
    """Samples checked by scikit-learn's `validate_data`, which takes the `options`."""
    takes_sparse = get_tags(estimator).input_tags.sparse
    defaults = {
        "accept_sparse": "csr" if takes_sparse else False,
        "dtype": np.float64,
    }
    with reading(name, X, rule):
        A = validate_data(estimator, X, **(defaults | options))
    if magnitude:
        check_magnitude(A, name, squares=magnitude == "squares")
    return A


class Estimator(BaseEstimator):
    """Base of estimators whose tags follow from attributes of the class.

    They say whether `fit` needs labels, whether it takes a matrix of them, and whether
    samples may be sparse: True, or "precomputed" for those that are given by pairs, as
    the parameter named `_kind` says. Where distances between samples enter, features of
    very different scales warn.
    """

    _labels_required = False
    _multilabel = False
    _accepts_sparse = False
    _compares_samples = True  # but for those that are given by pairs
    _kind = "metric"

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        kind = getattr(self, self._kind, None)
        tags.input_tags.pairwise |= kind == "precomputed"
        tags.input_tags.sparse |= self._accepts_sparse in (True, kind)
        tags.target_tags.required |= self._labels_required
        tags.target_tags.multi_output |= self._multilabel
        return tags

    def _bar(self, title, total=1):
        """The bar of a loop, or of one long step, if the estimator is `verbose`."""
        return progress(total, title, self.verbose)


class MapEstimator(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator
):
    """Base of maps: `fit_transform`, and names of coordinates."""


class EmbeddingMap(MapEstimator):
    """Base of maps that keep the positions of their samples as `embedding_`."""

    def fit_transform(self, X, y=None):
        """Fit the map and return the positions of the samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples; or the distances or similarities of all pairs, where the map is
            fitted to these.
        y : array-like of shape (n_samples,), default=None
            Target, for the maps that use one.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            Positions of the samples on the map, the attribute `embedding_`.
        """
        return self.fit(X, y).embedding_

    @property
    def _n_features_out(self):
        return self.embedding_.shape[1]


def by_blocks(method):
    """Decorator of a method whose argument X may also be a Dask array or data frame.

    The result is then a lazy Dask array with the same blocks of rows. It is computed by
    the fitted estimator as it is at the call. An error within a block names the rows of
    the block.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn.datasets import load_iris
    >>> from toolkit.discriminant import LFDA
    >>> X, y = load_iris(return_X_y=True)
    >>> lfda = LFDA().fit(X, y)
    >>> Z = lfda.transform(da.from_array(X, chunks=(40, 4)))
    >>> Z.chunks, bool(np.allclose(Z, lfda.transform(X)))
    (((40, 40, 40, 30), (2,)), True)
    """

    @functools.wraps(method)
    def wrapper(self, *args, **kwargs):
        X = next(iter([*args, *kwargs.values()]), None)
        if not is_lazy(X):
            return method(self, *args, **kwargs)
        # The estimator may be fitted again before the blocks are computed.
        answer = functools.partial(method, copy.copy(self))
        is_frame = hasattr(X, "columns")
        if is_frame:
            rows = X.head(2, npartitions=-1)
        else:
            rows = np.zeros((2, *X.shape[1:]))
        empty = np.asarray(answer(rows))[:0]
        options = {"answer": answer, "empty": empty, "meta": empty}
        if is_frame:
            return X.map_partitions(_of_block, **options)
        # Each further axis of the result is one chunk.
        further_chunks = [(length,) for length in empty.shape[1:]]
        new_axes = list(range(1, empty.ndim))
        return X.rechunk({1: -1}).map_blocks(
            _of_block,
            chunks=(X.chunks[0], *further_chunks),
            drop_axis=1,
            new_axis=new_axes if new_axes else None,
            **options,
        )

    return wrapper


def _of_block(X, answer, empty, block_info=None, partition_info=None):
    """The result for a block; `empty` for one without rows, which estimators refuse.

    `answer` is the method without blocks. Dask gives `block_info` and `partition_info`,
    which say where in the table the rows X are.
    """
    if len(X) == 0:
        return empty
    try:
        return np.asarray(answer(X))
    except ValueError as error:
        block = "a partition"
        if partition_info:
            block = f"partition {partition_info['number']}"
        if block_info:
            start, stop = block_info[0]["array-location"][0]
            block = f"rows {start} to {stop - 1}"
        raise ValueError(f"In {block}: {error}") from None


class ScoreClassifier(ClassifierMixin):
    """Classifier that predicts the class with the largest score.

    Subclasses give the scores (n_samples, n_classes) by `_scores`.
    """

    @by_blocks
    def predict(self, X):
        """Predict the class of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y_pred : ndarray of shape (n_samples,)
            Predicted classes.
        """
        # The scores come first, for they say that a model is not fitted.
        scores = self._scores(X)
        return self.classes_[scores.argmax(axis=1)]
