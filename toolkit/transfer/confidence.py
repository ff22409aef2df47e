"""Confidence of an alignment without labels, from two independent sources of evidence.

The likelihood depends on the shapes of the two sets in the shared space; the structural
coupling depends on the distances within each data space. Where the best different
alignment is much less likely, and where the coupling puts the target samples near the
same positions, nine alignments in ten are right. Where several orientations are about
as likely, no method can decide, and the confidence is low.

The weights of linear maps were fitted to 232 alignments whose labels were known: halves
of iris, wine and breast cancer through random matrices, halves of iris with a class
missing on one side, COIL objects and digits with parts of the images. Fitted to one
half of these, nine in ten of the other half's alignments with a confidence of 0.75 or
more were right, and three in five of those below. Right means: a linear classifier of
the source coordinates has more target samples right than midway between the largest
class and its score on the source. Near-duplicate samples, classes that one side lacks,
few target samples, and sides that measure different things make the confidence too
high: that both hold the same mixture is assumed, not tested.

Those of nonlinear maps come from 52 alignments of the same sets without a missing
class, by t-SNE and Fisher t-SNE; leaving out one at a time, 28 of 32 with 0.75 or more
were right, and eight of 20 below.
"""

import numpy as np
from scipy.special import expit
from sklearn.svm import SVC

from ..core import about_mean, root_mean_square

# Alignments further from each other, in root mean squares of the source, are different
# ones.
DISTINCT_DISTANCE = 0.5
# The difference of log likelihoods over samples counts as varying by this much at
# least; mirror images differ by rounding.
MIN_DEVIATION = 0.01
# More standard errors of the gap add nothing.
MAX_ERRORS = 5.0

# Logistic weights: offset, per standard error of the gap, per root mean square of
# distance from the coupling. `benchmarks/confidence.py` fits those of linear maps
# anew. For 52 nonlinear ones the gap carried no information: a flexible map
# finds a likely alignment in many ways.
LINEAR_WEIGHTS = 0.3, 1.0, -1.15
KERNEL_WEIGHTS = 2.0, 0.0, -1.35


def linear_svm(source_map, y_source, coordinates):
    """Labels of coordinates by a linear support vector machine fitted to the source.

    One class versus one, as in section 5.3 of the thesis.
    """
    machine = SVC(kernel="linear").fit(source_map, y_source)
    return machine.predict(coordinates)


def confidence_evidence(
    candidates, *, pairs, source, reference, ranked_by, weights
):
    """Compute the evidence for the first of the candidates, the best.

    Parameters
    ----------
    candidates : list of Candidate
        Candidates, the best first.
    pairs : ndarray of shape (n_source, n_target) or None
        Structural coupling.
    source : ndarray of shape (n_source, n_components)
        Source coordinates in their unit.
    reference : float
        Mean leave-one-out log likelihood of the source.
    ranked_by : {"log_likelihood", "objective"}
        Quantity that ranks the candidates.
    weights : tuple of three floats
        `LINEAR_WEIGHTS` or `KERNEL_WEIGHTS`.

    Returns
    -------
    evidence : dict of float
        ``gap``: log likelihood (or objective) less that of the best different
        alignment, over the number of source samples; inf if all starts agree; nan for a
        single start and for targets that collapse. ``gap_in_errors``: the gap over its
        standard error, as in Vuong's test of models none of which contains another.
        ``structure``: distance of the target positions from those the structural
        coupling gives them, in root mean squares of the source; nan without the
        coupling. ``deficit``: by how much the source explains itself better than the
        target does. ``starts_alike``: fraction of the starts that end in the same
        alignment. ``confidence``: in [0, 1].
    """
    best = candidates[0]
    # Other alignments, and whether there is anything to compare with
    are_alike = []
    different_candidates = []
    for candidate in candidates:
        distance = root_mean_square(candidate.positions - best.positions)
        is_alike = distance <= DISTINCT_DISTANCE
        are_alike.append(is_alike)
        if not is_alike:
            different_candidates.append(candidate)
    deviation = root_mean_square(about_mean(best.positions))
    gap = np.nan
    gap_in_errors = 0.0
    if len(candidates) > 1 and deviation > DISTINCT_DISTANCE / 2:
        gap = np.inf
        gap_in_errors = MAX_ERRORS
        if different_candidates:
            # Vuong's test: the gap over its standard error
            runner_up = different_candidates[0]
            gap = getattr(best, ranked_by) - getattr(runner_up, ranked_by)
            difference = best.rows - runner_up.rows
            standard_deviation = max(float(difference.std()), MIN_DEVIATION)
            # Few target samples are no more evidence than few of the source.
            n = min(len(best.rows), len(best.positions))
            gap_in_errors = gap / standard_deviation * np.sqrt(n)
    # Distance from the positions by the coupling, 1 (undecided) without it
    structure = np.nan
    from_coupling = 1.0
    if pairs is not None:
        mass = np.maximum(pairs.sum(axis=0), 1e-300)
        coupled_positions = pairs.T @ source / mass[:, None]
        structure = root_mean_square(coupled_positions - best.positions)
        from_coupling = structure
    offset, per_error, per_distance = weights
    score = offset + per_error * min(gap_in_errors, MAX_ERRORS)
    score += per_distance * from_coupling
    return {
        "confidence": float(expit(score)),
        "gap": gap,
        "gap_in_errors": float(gap_in_errors),
        "structure": structure,
        "deficit": float(reference - best.log_likelihood),
        "starts_alike": float(np.mean(are_alike)),
    }
