"""L-BFGS over several arrays at once."""

import numpy as np
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from .estimators import warn
from .progress import progress


def lbfgs(
    objective,
    start,
    *,
    tol,
    max_iter,
    record=None,
    bounds=None,
    relative=False,
    verbose=False,
    what="L-BFGS",
):
    """Minimise over several arrays at once.

    Parameters
    ----------
    objective : callable
        (arrays) -> (value, gradients, whatever else `record` wants)
    start : list of ndarray
    tol : float
        Stops when no entry of the gradient is larger, or a step lowers the value by a
        fraction below tol^2 / 100.
    max_iter : int
    record : callable
        (value, arrays, what `objective` returned besides) -> what to keep of the start
        and of each iteration; None: the value and what was returned besides.
    bounds : list of (low, high) or None, one for all entries of each array
    relative : bool, default=False
        Stop instead when a step lowers the value by a fraction below `tol`.
    verbose : bool, default=False
        Show a bar named `what` of the iterations, of `max_iter` at the most.

    Returns
    -------
    arrays : list of ndarray
    steps : list, what `record` kept

    Notes
    -----
    The cost of GLVQ has kinks where another prototype wins; there the steps may become
    useless although the gradient is larger than `tol`. That ends the descent as well,
    without a warning.

    Examples
    --------
    >>> [x], steps = lbfgs(lambda a: (float(a[0] @ a[0]), [2 * a[0]], None), [np.ones(2)], tol=1e-6, max_iter=9)
    >>> bool(np.abs(x).max() < 1e-6), steps[0]
    (True, (2.0, None))
    """
    shapes = [a.shape for a in start]
    ends = np.cumsum([a.size for a in start])[:-1]
    latest, steps = {}, []

    def unpack(flat):
        return [
            part.reshape(shape)
            for part, shape in zip(np.split(flat, ends), shapes, strict=True)
        ]

    def function(flat):
        value, gradients, further = objective(unpack(flat))
        latest.update(flat=flat.copy(), value=value, further=further)
        return value, np.concatenate([g.ravel() for g in gradients])

    def keep(flat):
        if not np.array_equal(flat, latest.get("flat")):
            function(flat)
        value, further = latest["value"], latest["further"]
        steps.append(
            (value, further) if record is None else record(value, unpack(flat), further)
        )

    flat = np.concatenate([a.ravel() for a in start])
    limits = (
        None
        if bounds is None
        else [b for b, a in zip(bounds, start, strict=True) for _ in range(a.size)]
    )
    limit = (
        {"gtol": 1e-9, "ftol": tol} if relative else {"gtol": tol, "ftol": tol**2 / 100}
    )
    with progress(max_iter, what, verbose) as done:
        keep(flat)

        def callback(intermediate_result):
            keep(intermediate_result.x)
            done()

        options = {**limit, "maxiter": max_iter, "maxfun": 20 * max_iter}
        result = minimize(
            function,
            flat,
            jac=True,
            method="L-BFGS-B",
            bounds=limits,
            callback=callback,
            options=options,
        )
    if result.status == 1:
        warn(
            f"`max_iter`={max_iter}: the limit ended the descent before `tol`={tol:g}"
            f" was met (largest entry of the gradient: {np.abs(result.jac).max():.1e})."
            " Raise either, or standardise features whose units differ.",
            ConvergenceWarning,
        )
    return unpack(result.x), steps
