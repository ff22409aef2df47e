"""Samples with a shape that an alignment can recognise."""

import numpy as np


def mixture(rng, n=60):
    """Three groups of different sizes and shapes in the plane, with no symmetry."""
    sizes = [n // 2, n // 3, n - n // 2 - n // 3]
    centers = [[0, 0], [4, 0.3], [0.8, 1.9]]
    widths = [[0.7, 0.1], [0.2, 0.3], [0.2, 0.2]]
    return np.vstack(
        [
            rng.normal(c, w, size=(m, 2))
            for m, c, w in zip(sizes, centers, widths, strict=True)
        ]
    )


def noisy_image(rng, n, d):
    """Such samples (n, d) by a random matrix, with a little noise."""
    image = mixture(rng, n) @ rng.normal(size=(2, d))
    return image + 0.05 * rng.normal(size=(n, d))
