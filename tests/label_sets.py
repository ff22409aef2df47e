"""Samples with sets of labels, for tests."""

import numpy as np


def multilabel_gaussians(n_samples, n_features=10, noise=0.5):
    """Features (n, d) and 0/1 labels (n, 4): samples around label centres, those with two labels half way between."""
    rng = np.random.RandomState(0)
    first = np.arange(n_samples) % 4  # every label occurs
    second = (first + rng.randint(1, 4, size=n_samples)) % 4
    composite = (rng.uniform(size=n_samples) < 0.3) & (
        np.arange(n_samples) >= 4
    )
    Y = np.eye(4, dtype=int)[first]
    Y[composite, second[composite]] = 1
    X = (Y @ np.eye(4, n_features)) / Y.sum(
        1, keepdims=True
    ) + noise * rng.normal(size=(n_samples, n_features))
    return X, Y
