"""Sets of the thesis that only claims use, from its words and what is assumed here."""

import numpy as np
from sklearn.utils import Bunch


def noisy_copies(random_state, n=150, n_features=10, noise=0.25):
    """Three classes in two features; the others are copies, each with more noise.

    Data set 3 of section 4.2.5 of the thesis, which gives the number of features only.
    Assumed: Gaussians of standard deviation 1 around the corners of an equilateral
    triangle, 3 from the origin; features 3, 5, 7 ... are copies of feature 1, features
    4, 6, 8 ... of feature 2, with noise of standard deviation `noise` (j - 2) on
    feature j. With the defaults, copies correlate with their originals by 0.99 to 0.77.
    """
    rng = np.random.RandomState(random_state)
    y = rng.permutation(np.arange(n) % 3)
    angle = np.pi / 2 + 2 * np.pi * np.arange(3) / 3
    corners = np.column_stack([3 * np.cos(angle), 3 * np.sin(angle)])
    clean = corners[y] + rng.randn(n, 2)
    j = np.arange(n_features)
    deviation = noise * np.maximum(j - 1, 0)
    X = clean[:, j % 2] + deviation * rng.randn(n, n_features)
    return Bunch(data=X, target=y)


def bimodal_class(random_state, n=200):
    """Three classes in three features; the first has a mode on each side of the second.

    The multimodal data of section 4.2.5 of the thesis, which gives no numbers. Assumed:
    Gaussians of standard deviation 1, a quarter of the samples each, around (0, 0, 5)
    and (0, 0, -5), class 1, (0.2, 2, 0), class 2, and (0, 6, 0), class 3. Feature 1 is
    irrelevant, feature 2 separates the classes, feature 3 the modes of class 1. Linear
    discriminant analysis takes feature 2 and then feature 1, by the 0.2 (left to
    chance, one draw in six would show feature 3; therefore modes have their centres as
    exact means along feature 1). In that plane classes 1 and 2 overlap, though in the
    data they hardly do.
    """
    rng = np.random.RandomState(random_state)
    mode = rng.permutation(np.arange(n) % 4)
    centers = np.array([[0, 0, 5], [0, 0, -5], [0.2, 2, 0], [0, 6, 0]])
    X = rng.randn(n, 3)
    # exact means along feature 1
    X[:, 0] -= (np.bincount(mode, X[:, 0]) / np.bincount(mode))[mode]
    return Bunch(data=X + centers[mode], target=np.maximum(mode - 1, 0))
