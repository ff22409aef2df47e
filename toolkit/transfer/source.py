"""The map of the source samples, which the target samples are laid on.

A method by its name, an estimator of any kind, or coordinates; new samples are mapped
by the method itself or else by the out-of-sample extension.
"""

import numpy as np
from sklearn.decomposition import PCA
from sklearn.utils import get_tags

from ..core import (
    check_part,
    check_same_length,
    check_table,
    fix_signs,
    require,
    suppress_scale_warning,
)
from ..embed import TSNE
from ..kernelmap import KernelMap


def map_source(source, X, y, *, n_components, perplexity, rng, verbose):
    """Coordinates (n, n_components) of source samples X (n, d), and a map of new ones.

    `y` are labels, or None. `perplexity` is that of "tsne".
    """
    if y is not None:
        check_same_length(X, np.atleast_1d(y), ("X_source", "y_source"))
    is_name = isinstance(source, str)
    is_pca = is_name and source == "pca"
    if is_pca:
        source = PCA(n_components, svd_solver="full")
    elif is_name and source == "tsne":
        source = TSNE(
            n_components,
            perplexity=perplexity,
            random_state=rng.randint(2**31 - 1),
            verbose=verbose,
        )
    else:
        require(
            not is_name and source is not None,
            "source",
            '"pca", "tsne", an estimator with `fit_transform`, or coordinates',
            source,
        )
    coordinates = source
    if hasattr(source, "fit"):
        with suppress_scale_warning():
            source, coordinates = _fit(source, X, y)
        if is_pca:
            # scikit-learn leaves the sign to rounding where two features weigh the
            # same.
            signs = fix_signs(source.components_.T)
            source.components_ *= signs[:, None]
            coordinates = coordinates * signs
    shape = len(X), n_components
    coordinates = check_table(coordinates, "source", shape=shape)
    coordinates = np.ascontiguousarray(coordinates)
    # A method without `transform` gets the out-of-sample extension.
    if not hasattr(source, "transform"):
        source = KernelMap().fit(X, coordinates)
    return coordinates, source


def _fit(source, X, y):
    """A clone of an estimator, fitted to the source samples, and their coordinates."""
    source = check_part(source, "source", "fit_transform", optional=False)
    class_name = type(source).__name__
    samples = [X]
    if y is not None:
        samples.append(y)
    elif get_tags(source).target_tags.required:
        raise ValueError(
            "`y_source` must hold labels of the source samples, which"
            f" {class_name} needs; got None."
        )
    try:
        return source, source.fit_transform(*samples)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"`source` must be able to map the {len(X)} samples of `X_source`, but"
            f" {class_name} says: {error}"
        ) from error
