"""Samples of rows that have rows of each class, and the weights that correct this."""

import numpy as np

from ..core import import_pandas

# Up to so many rows, samples are drawn without regard to classes.
MOST_AS_THEY_ARE = 1000
# Rows that a sample of more has of each class, if there are so many.
FEWEST_OF_CLASS = 20


def ranks_in_classes(strata):
    """How many rows before each one are of its class, (n,).

    Examples
    --------
    >>> ranks_in_classes(np.array(["a", "b", "a"])).tolist()
    [0, 0, 1]
    """
    pd = import_pandas()
    return pd.Series(strata).groupby(strata).cumcount().to_numpy()


def draw_sample(strata, n_rows, most_rows, seed):
    """Draw rows at random, and with them rows of each class.

    Parameters
    ----------
    strata : ndarray of shape (n_rows,) or None
        Classes of the rows, if there are any.
    n_rows : int
        Number of rows.
    most_rows : int
        Largest number of rows to draw.
    seed : int or numpy Generator
        Seed of the random number generator, or the generator.

    Returns
    -------
    rows : ndarray of int, shape (m,)
        Numbers of the rows, sorted.
    """
    order = np.random.default_rng(seed).permutation(n_rows)
    if strata is not None and n_rows > MOST_AS_THEY_ARE:
        strata = strata[order]
        n_classes = len(np.unique(strata))
        n_of_class = min(FEWEST_OF_CLASS, most_rows // n_classes)
        is_needed = ranks_in_classes(strata) < n_of_class
        # The sample stays as it is drawn where it has these rows.
        if is_needed[most_rows:].any():
            order = np.concatenate([order[is_needed], order[~is_needed]])
    return np.sort(order[:most_rows])


def class_weights(strata, rows):
    """Weights of all rows by which a sample has the proportions of the classes.

    Parameters
    ----------
    strata : ndarray of shape (n,) or None
        Classes of all rows, if there are any.
    rows : ndarray of int, shape (m,)
        Numbers of the rows of the sample.

    Returns
    -------
    weights : ndarray of shape (n,) or None
        Proportion of each row's class in all rows over that in the sample; None where
        no weights are needed.
    """
    _, codes, counts = np.unique(
        strata, return_inverse=True, return_counts=True
    )
    expected_counts = counts * len(rows) / len(codes)
    if expected_counts.min() >= FEWEST_OF_CLASS:
        return None
    sampled_counts = np.bincount(codes[rows], minlength=len(counts))
    ratios = expected_counts / np.maximum(sampled_counts, 1)
    return ratios[codes]
