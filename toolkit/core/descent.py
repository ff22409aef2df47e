"""L-BFGS over several arrays at once."""

import numpy as np
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from .estimators import warn

__all__ = ["lbfgs"]


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
