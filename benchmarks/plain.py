"""Plain forms of computations, as formulas say them: what the benchmarks compare with."""

import time

import numpy as np
import scipy.linalg
from scipy.optimize import linprog
from scipy.spatial.distance import cdist
from scipy.special import logsumexp

LITERAL_SECONDS = 5.0
"""How long the programs of one problem may take in their literal form."""


class LiteralBounds:
    """Relevance bounds by the programs as the thesis prints them, (4.18) and (4.19).

    They have 2D + 1 constraints on D + (D - I) variables, and there are three of them a
    feature: alpha is free, |w| has variables of its own.
    """

    def __init__(self, w, V, mu, seconds=LITERAL_SECONDS):
        d, m = V.shape
        self.w, self.V = w, V
        self.d, self.m = d, m
        self.end = time.perf_counter() + seconds
        length = np.append(np.ones(d), np.zeros(m))
        above = np.hstack([-np.eye(d), V])
        below = np.hstack([-np.eye(d), -V])
        self.A = np.vstack([length, above, below])
        self.b = np.concatenate([[mu], -w, w])
        lengths = [(0, None) for _ in range(d)]
        coefficients = [(None, None) for _ in range(m)]
        self.limits = lengths + coefficients

    def _solve(self, c, A, b):
        left = max(0.1, self.end - time.perf_counter())
        limit = {"time_limit": left}
        program = linprog(c, A, b, bounds=self.limits, options=limit)
        if program.status == 1 or time.perf_counter() > self.end:
            raise TimeoutError
        return program

    def _lower(self, j):
        c = np.eye(self.d + self.m)[j]
        return self._solve(c, self.A, self.b).fun

    def _upper(self, j):
        upper = 0.0
        for sign in (1.0, -1.0):
            row = np.append(np.zeros(self.d), sign * self.V[j])
            A = np.vstack([self.A, -row])
            b = np.append(self.b, sign * self.w[j])
            program = self._solve(-row, A, b)
            if program.status == 0:
                upper = max(upper, sign * self.w[j] - program.fun)
        return upper

    def of(self, features):
        """Bounds (2, k) of the first k of the features for which the seconds suffice."""
        bounds = []
        for j in features:
            try:
                bounds.append((self._lower(j), self._upper(j)))
            except TimeoutError:
                break
        return np.array(bounds).reshape(-1, 2).T


def pair_scatter(W, X):
    """1/2 sum_ij W_ij (x_i - x_j)(x_i - x_j)^T with all n x n x d differences."""
    differences = X[:, None] - X
    S = np.einsum("ij,ijk,ijl->kl", W, differences, differences, optimize=True)
    return S / 2


def dense_eigenmap(graph, y, lam, n_pairs=None):
    """Both terms of SLE as n x n arrays; the dense eigenproblem for all pairs, or some."""
    same_class = y[:, None] == y
    W = lam * graph.toarray() + (1 - lam) * same_class
    np.fill_diagonal(W, 0)
    D = np.diag(W.sum(axis=1))
    pairs = None if n_pairs is None else [0, n_pairs - 1]
    return scipy.linalg.eigh(D - W, D, subset_by_index=pairs)


def fisher_lines(X, y, sigma, pairs, T=4):
    """(2.18) with (2.20) at each point of each line between pairs, in both directions."""
    classes = np.unique(y)

    def matrix(x):
        squared = np.sum((x - X) ** 2, axis=1)
        weights = np.exp(-squared / (2 * sigma**2))
        sums = np.array([weights[y == c].sum() for c in classes])
        moments = np.array([weights[y == c] @ X[y == c] for c in classes])
        mean = weights @ X / weights.sum()
        b = moments / sums[:, None] - mean
        posterior = sums / weights.sum()
        return (b.T * posterior) @ b / sigma**4

    def length(a, b):
        u = (b - a) / T
        return sum(np.sqrt(u @ matrix(a + t * u) @ u) for t in range(T))

    lengths = []
    for i, j in pairs:
        total = length(X[i], X[j]) + length(X[j], X[i])
        lengths.append(total / 2)
    return np.array(lengths)


def margin_cost(X, Omega, codes, targets, push):
    """Cost and gradient of LMNN, triple by triple."""
    value = 0.0
    G = np.zeros((X.shape[1], X.shape[1]))
    for i, row in enumerate(targets):
        impostors = np.flatnonzero(codes != codes[i])
        for j in row[row >= 0]:
            difference_to_target = X[i] - X[j]
            pull = np.outer(difference_to_target, difference_to_target)
            target_distance = np.sum((Omega @ (X[i] - X[j])) ** 2)
            value += (1 - push) * target_distance
            G += (1 - push) * pull
            for k in impostors:
                difference = X[i] - X[k]
                distance = np.sum((Omega @ difference) ** 2)
                excess = 1 + target_distance - distance
                if excess > 0:
                    value += push * excess
                    G += push * (pull - np.outer(difference, difference))
    return value, 2 * Omega @ G


def glvq_cost(X, codes, W, w_codes, Omega):
    """Cost (6) of GMLVQ and its gradients (4), (8), sample by sample."""
    value = 0.0
    grad_W = np.zeros_like(W)
    grad_Omega = np.zeros_like(Omega)
    for x, c in zip(X, codes, strict=True):
        differences = x - W
        d = np.sum((differences @ Omega.T) ** 2, axis=1)
        J = np.where(w_codes == c, d, np.inf).argmin()
        K = np.where(w_codes == c, np.inf, d).argmin()
        total = d[J] + d[K]
        value += (d[J] - d[K]) / total
        for L, factor in ((J, 2 * d[K] / total**2), (K, -2 * d[J] / total**2)):
            outer = np.outer(differences[L], differences[L])
            grad_Omega += 2 * factor * Omega @ outer
            step = Omega.T @ (Omega @ differences[L])
            grad_W[L] -= 2 * factor * step
    n = len(X)
    return value / n, grad_W / n, grad_Omega / n


def sample_label_map(X, Y):
    """SL-A: sphering by the covariance and its inverse root, the map from the full matrix."""
    Xc = X - X.mean(axis=0)
    covariance = Xc.T @ Xc / len(X)
    root = scipy.linalg.fractional_matrix_power(covariance, -0.5).real
    return np.linalg.svd((Xc @ root).T @ Y / len(X))


def sample_label_eigenmap(X, Y):
    """SL-B: W as printed, with the weights of the estimator's defaults; a dense problem."""
    alpha = Y.sum() / (len(X) * np.sum(X**2))
    samples = alpha * X @ X.T
    W = np.block([[samples, Y], [Y.T, Y.T @ Y]])
    n = len(W)
    D = np.diag(W.sum(axis=1))
    return scipy.linalg.eigh(W, D, subset_by_index=[n - 3, n - 1])


def expectation(source, target, bandwidth):
    """Weights and pulls of the target, (5.4), by three arrays of all pairs."""
    squared = cdist(source, target, "sqeuclidean")
    norm = np.log(2 * np.pi * bandwidth**2 * len(target))
    log_joint = -squared / (2 * bandwidth**2) - norm
    log_evidence = logsumexp(log_joint, axis=1, keepdims=True)
    gamma = np.exp(log_joint - log_evidence)
    return gamma.sum(axis=0), gamma.T @ source


def maximisation(source, design, gamma, ridge):
    """(5.5) as a least-squares problem with a row for each pair."""
    n, p = len(source), design.shape[1]
    root = np.sqrt(gamma).ravel()[:, None]
    rows = np.tile(design, (n, 1)) * root
    A = np.vstack([rows, np.sqrt(ridge) * np.eye(p)])
    values = np.repeat(source, len(design), axis=0) * root
    b = np.vstack([values, np.zeros((p, source.shape[1]))])
    return np.linalg.lstsq(A, b, rcond=None)[0]
