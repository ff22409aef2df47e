"""Descents: L-BFGS on the whole cost, and the stochastic descent of the paper."""

import math

import numpy as np
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from ..contract import warn

__all__ = ["lbfgs", "stochastic"]


def lbfgs(objective, start, *, tol, max_iter, watch, bounds=None):
    """Minimise over several arrays at once.

    Parameters
    ----------
    objective : callable
        (arrays) -> (value, gradients, whatever `watch` wants)
    start : list of ndarray
    tol : float
        Stops when no entry of the gradient is larger, or a step lowers the value by a share below tol^2 / 100.
    max_iter : int
    watch : callable
        (value, arrays, what `objective` said besides), called at the start and after each iteration.
    bounds : list of (low, high) or None, one for all entries of each array

    Returns
    -------
    list of ndarray

    Notes
    -----
    The cost of GLVQ has kinks where another prototype wins; there the steps may become useless although the gradient
    is larger than `tol`. That ends the descent as well, without a warning.

    Examples
    --------
    >>> [x] = lbfgs(lambda a: (float(a[0] @ a[0]), [2 * a[0]], None), [np.ones(2)], tol=1e-6, max_iter=9,
    ...             watch=lambda *step: None)
    >>> bool(np.abs(x).max() < 1e-6)
    True
    """
    shapes = [a.shape for a in start]
    ends = np.cumsum([a.size for a in start])[:-1]
    latest = {}

    def unpack(flat):
        return [part.reshape(shape) for part, shape in zip(np.split(flat, ends), shapes, strict=True)]

    def function(flat):
        value, gradients, further = objective(unpack(flat))
        latest.update(flat=flat.copy(), value=value, further=further)
        return value, np.concatenate([g.ravel() for g in gradients])

    def step(intermediate_result):
        flat = intermediate_result.x
        if not np.array_equal(flat, latest["flat"]):
            function(flat)
        watch(latest["value"], unpack(flat), latest["further"])

    flat = np.concatenate([a.ravel() for a in start])
    function(flat)
    watch(latest["value"], start, latest["further"])
    limits = None if bounds is None else [b for b, a in zip(bounds, start, strict=True) for _ in range(a.size)]
    result = minimize(
        function,
        flat,
        jac=True,
        method="L-BFGS-B",
        bounds=limits,
        callback=step,
        options={"gtol": tol, "ftol": tol**2 / 100, "maxiter": max_iter, "maxfun": 20 * max_iter},
    )
    if result.status == 1:
        warn(
            f"`max_iter`={max_iter}: the limit ended the descent while the largest entry of the gradient was "
            f"{np.abs(result.jac).max():.1e}, above `tol`={tol:g}. Raise either, or "
            "standardise features whose units differ.",
            ConvergenceWarning,
        )
    return unpack(result.x)


def stochastic(samples, W, w_codes, Omega, *, mu, eta_w, eta, n_epochs, rng, watch):
    """Stochastic descent (7), (9), (11): one sample a step, Omega normalised after each.

    Parameters
    ----------
    samples : Samples
    W : ndarray of shape (p, r), changed in place
    w_codes : ndarray of int, shape (p,)
    Omega : ndarray of shape (r, M), sum of squares 1
    mu, eta_w, eta : float
    n_epochs : int
        In each all samples come once, in random order; with class weights a step is longer or shorter.
    rng : RandomState
    watch : callable (W, Omega), called at the start and after each epoch

    Returns
    -------
    W, Omega

    Raises
    ------
    ValueError
        Where the rates are so large that numbers overflow.
    """
    X = samples.inside(samples.X)
    steps, codes = samples.shares * len(X), samples.codes
    others = [np.flatnonzero(w_codes != c).tolist() for c in range(w_codes.max() + 1)]
    own = [np.flatnonzero(w_codes == c).tolist() for c in range(w_codes.max() + 1)]
    overflow = f"`eta_w`={eta_w:g} and `eta`={eta:g} made the descent overflow; lower them."
    inverse = np.linalg.inv if Omega.shape[0] == Omega.shape[1] else np.linalg.pinv
    watch(W, Omega)
    for _ in range(n_epochs):
        for i in rng.permutation(len(X)):  # an overflow is found at the end of the epoch
            differences = X[i] - W  # (p, r)
            V = differences @ Omega  # (p, M)
            d = np.einsum("ij,ij->i", V, V)
            c = codes[i]
            J, K = min(own[c], key=d.__getitem__), min(others[c], key=d.__getitem__)
            d_J, d_K = d[J], d[K]
            total = d_J + d_K
            if total == 0:
                continue
            towards, away = 2 * steps[c] * d_K / total**2, 2 * steps[c] * d_J / total**2
            v_J, v_K = V[J], V[K]
            change = 2 * towards * (differences[J][:, None] * v_J)  # Biehl2012 Eq. (8)
            change -= 2 * away * (differences[K][:, None] * v_K)
            W[J] += 2 * eta_w * towards * (Omega @ v_J)  # Biehl2012 Eq. (7)
            W[K] -= 2 * eta_w * away * (Omega @ v_K)
            if mu:
                try:
                    change -= mu * inverse(Omega).T
                except np.linalg.LinAlgError:
                    raise ValueError(overflow) from None
            Omega = Omega - eta * change  # Biehl2012 Eq. (9), (11)
            Omega /= math.sqrt(Omega.ravel() @ Omega.ravel())
        if not (np.all(np.isfinite(W)) and np.all(np.isfinite(Omega))):
            raise ValueError(overflow)
        watch(W, Omega)
    return W, Omega
