"""L-BFGS over an array of any shape, or several at once."""

import numpy as np
from scipy.optimize import minimize

from .matrices import magnitude
from .progress import progress
from .warning import warn_convergence


def descend(cost, start, *, bounds=None, callback=None, **options):
    """L-BFGS over one array: where it ends, and SciPy's result.

    `cost` takes an array of the shape of `start` and returns value and gradient.

    Examples
    --------
    >>> Z, result = descend(lambda Z: (np.sum(Z**2), 2 * Z), np.ones((2, 2)), maxiter=9)
    >>> Z.round(6).tolist(), result.nit
    ([[0.0, 0.0], [0.0, 0.0]], 2)
    """

    def function(flat):
        value, gradient = cost(flat.reshape(start.shape))
        return value, gradient.ravel()

    result = minimize(
        function,
        start.ravel(),
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        callback=callback,
        options=options,
    )
    return result.x.reshape(start.shape), result


def lbfgs(
    estimator, objective, start, *, record=None, bounds=None, relative=False
):
    """Minimise over several arrays at once.

    Parameters
    ----------
    estimator : object with `tol`, `max_iter` and `verbose`
        The descent stops when no entry of the gradient is larger than `tol`, or a step
        lowers the value by a fraction below tol^2 / 100; after `max_iter` iterations
        (1000 for None) at the most, shown by a bar if `verbose`.
    objective : callable
        (arrays) -> (value, gradients, whatever else `record` takes)
    start : list of ndarray
    record : callable
        (value, arrays, what `objective` returned besides) -> what to keep of the start
        and of each iteration; None: the value and what was returned besides.
    bounds : list of (low, high) or None, default=None
        One for all entries of each array.
    relative : bool, default=False
        Stop instead when a step lowers the value by a fraction below `tol`.

    Returns
    -------
    arrays : list of ndarray
    steps : list
        What `record` returned.

    Notes
    -----
    The cost of GLVQ has kinks where another prototype wins; there the steps may become
    useless although the gradient is larger than `tol`. That ends the descent as well,
    without a warning.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> def objective(arrays):
    ...     return float(arrays[0] @ arrays[0]), [2 * arrays[0]], None
    >>> limits = SimpleNamespace(tol=1e-6, max_iter=9, verbose=False)
    >>> [x], steps = lbfgs(limits, objective, [np.ones(2)])
    >>> bool(np.abs(x).max() < 1e-6), steps[0]
    (True, (2.0, None))
    """
    shapes = [a.shape for a in start]
    sizes = [a.size for a in start]
    ends = np.cumsum(sizes)[:-1]
    latest = {}
    steps = []

    def unpack(flat):
        parts = zip(np.split(flat, ends), shapes, strict=True)
        return [part.reshape(shape) for part, shape in parts]

    def function(flat):
        value, gradients, further = objective(unpack(flat))
        latest.update(flat=flat.copy(), value=value, further=further)
        return value, np.concatenate([g.ravel() for g in gradients])

    def keep(flat):
        if not np.array_equal(flat, latest.get("flat")):
            function(flat)
        value = latest["value"]
        further = latest["further"]
        if record is None:
            steps.append((value, further))
        else:
            steps.append(record(value, unpack(flat), further))

    flat = np.concatenate([a.ravel() for a in start])
    if bounds is not None:
        bounds = np.repeat(bounds, sizes, axis=0)
    tol = estimator.tol
    if relative:
        gradient_tol = 1e-9
        value_tol = tol
    else:
        gradient_tol = tol
        value_tol = tol**2 / 100
    max_iter = estimator.max_iter
    if max_iter is None:
        max_iter = 1000
    name = type(estimator).__name__
    with progress(max_iter, name, estimator.verbose) as done:
        keep(flat)

        def callback(intermediate_result):
            keep(intermediate_result.x)
            done()

        flat, result = descend(
            function,
            flat,
            bounds=bounds,
            callback=callback,
            gtol=gradient_tol,
            ftol=value_tol,
            maxiter=max_iter,
            maxfun=20 * max_iter,
        )
    if result.status == 1:
        warn_convergence(
            f"`max_iter`={max_iter}: the limit ended the descent before `tol`={tol:g}"
            f" was met (largest entry of the gradient: {magnitude(result.jac):.1e})."
            " Raise either, or standardise features whose units differ."
        )
    return unpack(flat), steps
