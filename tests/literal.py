"""Formulas word for word, slow and without any shortcut: what several test files compare the package with."""

from itertools import combinations

import numpy as np
import scipy.linalg
from numpy.random import default_rng
from scipy.optimize import linprog

from toolkit.datasets import load


def relative_error(A, B):
    """Difference of two arrays by the length of the second."""
    return float(np.linalg.norm(A - B) / np.linalg.norm(B))


def squared(X):
    """Squared distances of all pairs (n, n)."""
    return np.sum((X[:, None] - X) ** 2, -1)


def laplacian(W):
    """Laplacian of a dense graph (n, n)."""
    return np.diag(W.sum(1)) - W


def shuffled_scene():
    """Features and 0/1 labels of Scene in random order; where it is unavailable, a test of a claim is skipped."""
    bunch = load("scene")
    order = default_rng(0).permutation(len(bunch.data))
    return bunch.data[order], np.asarray(bunch.target)[order].astype(float)


def relative(A, B):
    """Largest difference to B, as a fraction of its largest entry."""
    return float(np.abs(A - B).max() / np.abs(B).max())


def gradient(function, x, h=1e-3):
    """Central differences of fourth order, rows: outputs."""

    def slope(s):
        return (
            8 * (function(x + s) - function(x - s))
            - function(x + 2 * s)
            + function(x - 2 * s)
        ) / (12 * h)

    return np.array([slope(s) for s in h * np.eye(len(x))]).T


def central_differences(function, x, h=1e-6):
    """Gradient of a number by an array, in its shape."""
    return gradient(
        lambda flat: function(flat.reshape(x.shape)), x.ravel(), h
    ).reshape(x.shape)


def bhattacharyya_bound(P, i, j):
    """Lower bound on Fisher lengths of pairs i, j (k,), from probabilities P (n, c)."""
    return 2 * np.arccos(np.clip(np.sum(np.sqrt(P[i] * P[j]), axis=1), -1, 1))


def curved_target():
    """Samples (40, 3) and a smooth target of two of their features."""
    X = default_rng(0).normal(size=(40, 3))
    return X, np.sin(X[:, 0]) + 0.5 * X[:, 1] ** 2


def vertices(R, w, slack):
    """Bounds by all vertices of {(p, n, s) >= 0: R (p - n) = R w, sum p + n + s = slack mu}, these, and mu.

    A linear function has its extremes there; |w_j| has the smallest 0 where the weight
    changes sign.
    """
    d = len(w)

    def corners(A, b):
        columns = np.array(list(combinations(range(A.shape[1]), len(A))))
        B = A[:, columns].transpose(1, 0, 2)
        sound = np.linalg.cond(B) < 1e12
        x = np.linalg.solve(B[sound], b[:, None])[..., 0]
        full = np.zeros((len(x), A.shape[1]))
        np.put_along_axis(full, columns[sound], x, axis=1)
        full = full[x.min(1) >= -1e-11]
        return full[:, :d] - full[:, d : 2 * d]

    A = np.hstack([R, -R])
    mu = np.abs(corners(A, R @ w)).sum(1).min()
    A = np.vstack([np.column_stack([A, np.zeros(len(R))]), np.ones(2 * d + 1)])
    C = corners(A, np.append(R @ w, slack * mu))
    low, high = C.min(0), C.max(0)
    return (
        (np.maximum(0, np.maximum(low, -high)), np.maximum(high, -low)),
        C,
        mu,
    )


def printed_programs(w, N, slack):
    """(4.15) and (4.18), (4.19) as printed, in |w_k| and alpha, on the null space N (d, k): bounds, mu, their size.

    Three programs per feature; `slack` must leave room for the solver's rounding.
    """
    d, k = N.shape
    A = np.block([[-np.eye(d), N], [-np.eye(d), -N]])
    b = np.concatenate([-w, w])
    norm = np.append(np.ones(d), np.zeros(k))
    free = [(None, None)] * (d + k)
    mu = linprog(norm, A, b, bounds=free).fun
    A = np.vstack([A, norm])
    b = np.append(b, slack * mu)
    lower, upper = np.empty((2, d))
    for j in range(d):
        lower[j] = linprog(np.eye(d + k)[j], A, b, bounds=free).fun
        change = np.append(np.zeros(d), N[j])
        ends = []
        for sign in (1, -1):
            # its sign is given
            constraint = (
                np.vstack([A, -sign * change]),
                np.append(b, sign * w[j]),
            )
            found = linprog(-sign * change, *constraint, bounds=free)
            ends.append(sign * w[j] - found.fun if found.status == 0 else 0.0)
        upper[j] = max(ends)
    return (lower, upper), mu, A.shape


def printed_weights(X, Y, alpha, beta, gamma):
    """W of Kudo2016 III-B literally, samples before labels."""
    return np.block(
        [[alpha * X @ X.T + gamma * Y @ Y.T, Y], [Y.T, beta * Y.T @ Y]]
    )


def dense_slb(X, Y, alpha, beta, gamma):
    """The problem (D, W) solved."""
    W = printed_weights(X, Y, alpha, beta, gamma)
    values, U = scipy.linalg.eigh(W, np.diag(W.sum(1)))
    return W, values[::-1], U[:, ::-1]
