"""Stochastic gradient descent as in the paper, Biehl2012 (7), (9), (11)."""

import math

import numpy as np

from ..core.progress import progress

__all__ = ["stochastic"]


def stochastic(samples, W, w_codes, Omega, *, mu, eta_w, eta, n_epochs, rng, record, verbose=False):
    """Prototypes (p, r), Omega (M, r) at the end, and what `record` (W, Omega) kept of the start and of each epoch.

    In an epoch all samples come once, in random order, one per step; with class weights a step is longer or shorter.
    """
    X = samples.inside(samples.X)
    lengths, codes = samples.weights * len(X), samples.codes
    others = [np.flatnonzero(w_codes != c).tolist() for c in range(w_codes.max() + 1)]
    own = [np.flatnonzero(w_codes == c).tolist() for c in range(w_codes.max() + 1)]
    overflow = f"`eta_w`={eta_w:g} and `eta`={eta:g} made the descent overflow; lower them."
    inverse = np.linalg.inv if Omega.shape[0] == Omega.shape[1] else np.linalg.pinv
    W, Omega = W.copy(), np.array(Omega, order="F")  # feature by feature, as products with X read it
    epochs = [record(W, Omega)]
    with np.errstate(all="ignore"), progress(n_epochs, "GMLVQ", verbose) as done:
        for _ in range(n_epochs):
            for i in rng.permutation(len(X)):  # an overflow is found at the end of the epoch
                differences = X[i] - W  # (p, r)
                V = differences @ Omega.T  # (p, M)
                d = np.einsum("ij,ij->i", V, V)
                c = codes[i]
                J, K = min(own[c], key=d.__getitem__), min(others[c], key=d.__getitem__)
                d_J, d_K = d[J], d[K]
                total = d_J + d_K
                if total == 0:
                    continue
                towards, away = 2 * lengths[c] * d_K / total**2, 2 * lengths[c] * d_J / total**2
                v_J, v_K = V[J], V[K]
                change = 2 * towards * (v_J[:, None] * differences[J])  # (8) of one sample
                change -= 2 * away * (v_K[:, None] * differences[K])
                W[J] += 2 * eta_w * towards * (Omega.T @ v_J)  # Biehl2012 Eq. (7)
                W[K] -= 2 * eta_w * away * (Omega.T @ v_K)
                if mu:
                    try:
                        change -= mu * inverse(Omega.T)
                    except np.linalg.LinAlgError:
                        raise ValueError(overflow) from None
                Omega -= eta * change  # Biehl2012 Eq. (9), (11)
                Omega /= math.sqrt(Omega.ravel("K") @ Omega.ravel("K"))
            if not (np.all(np.isfinite(W)) and abs(np.sum(Omega**2) - 1) < 1e-6):
                raise ValueError(overflow)
            epochs.append(record(W, Omega))
            done()
    return W, Omega, epochs
