"""Fisher distances of a real-valued target from similarities alone (kernel matrices).

The thesis leaves it open (chapter 6). A Gaussian process sees squared distances only,
and these are s_ii + s_jj - 2 s_ij: so it can work in coordinates whose scalar products
are the similarities, S = V diag(values) V^T.
"""

import numpy as np

from toolkit.core.linalg import symmetric_eigenpairs
from toolkit.core.scaling import suppress_scale_warning


def fit_similarities(process, S, y):
    """A GPFisher, fitted to coordinates with the scalar products S (n, n) and targets y
    (n,).
    """
    values, V = symmetric_eigenpairs(S)
    kept = values > 1e-12 * np.abs(values).max()
    with suppress_scale_warning():  # these axes are no features
        return process.fit(V[:, kept] * np.sqrt(values[kept]), y)
