"""The stochastic descent of the paper, Biehl2012 Eq. (7), (9), (11)."""

import math

import numpy as np

__all__ = ["stochastic"]


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
