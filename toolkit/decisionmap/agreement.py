"""Agreement of a picture with its model at samples (thesis, section 3.4.3)."""

from dataclasses import dataclass, field

import numpy as np
from sklearn.metrics import cohen_kappa_score

from ..core import as_frame, magnitude, root_mean_square, unit_of, warn


@dataclass(frozen=True)
class Agreement:
    """Agreement of a decision map and the model at the positions of samples.

    Parameters
    ----------
    labels : float or None, default=None
        Fraction of samples with the same class in both; None for a regressor.
    certainty : float or None, default=None
        Correlation (3.4) of the certainties r >= 0; NaN where one of them is constant.
    signed : float or None, default=None
        Correlation of the signed certainties; None unless there are two classes.
    predictions : float or None, default=None
        For a regressor, the correlation of the predictions.
    error : float or None, default=None
        For a regressor, root mean squared difference over the standard deviation of the
        model's predictions, or NaN.
    majority : float or None, default=None
        Fraction of the class that the model predicts most: the majority-class baseline.
    kappa : float or None, default=None
        Cohen's kappa, agreement beyond chance; 0 if the model predicts one class.
    model_score, picture_score : float or None, default=None, None
        Accuracy or R^2 of the model, and of the decision map, if the target was given.
    folds : dict of ndarray of shape (n_folds,), default={}
        The first five measures in each fold by name.

    Examples
    --------
    >>> Agreement(labels=0.75).labels
    0.75
    """

    labels: float | None = None
    certainty: float | None = None
    signed: float | None = None
    predictions: float | None = None
    error: float | None = None
    majority: float | None = None
    kappa: float | None = None
    model_score: float | None = None
    picture_score: float | None = None
    folds: dict = field(default_factory=dict, repr=False)

    def to_frame(self):
        """Return the measures as a DataFrame: over all samples, and in each fold.

        Returns
        -------
        frame : DataFrame of shape (n_measures, n_folds + 1)
            One row per measure; columns "value", of all samples, "fold 1", ...
        """
        known = {
            name: value
            for name, value in vars(self).items()
            if value is not None
        }
        folds = known.pop("folds")
        columns = {"value": known}
        for k, values in enumerate(zip(*folds.values(), strict=True), 1):
            columns[f"fold {k}"] = dict(zip(folds, values, strict=True))
        return as_frame(columns, list(known), "measure")


def agreement(true, picture, folds=None, *, classifies=True):
    """Compare the predictions of a model and of its decision map at samples.

    Parameters
    ----------
    true, picture : Predictions
        Predictions of the model for the samples, and for the points of the data space
        that belong to their positions.
    folds : list of ndarray of int, optional
        Indices of the samples of each fold.
    classifies : bool, default=True
        Whether values are classes; otherwise numbers.

    Returns
    -------
    agreement : Agreement
        Measures over all samples; `folds` holds the same for each fold.

    Examples
    --------
    >>> from toolkit.decisionmap.certainty import Predictions
    >>> a = Predictions(np.array([0, 0, 1, 1]), np.array([1.0, 2.0, 1.0, 2.0]))
    >>> b = Predictions(np.array([0, 0, 1, 0]), np.array([1.0, 3.0, 1.0, 3.0]))
    >>> result = agreement(a, b)
    >>> result.labels, round(result.certainty, 3), result.kappa
    (0.75, 1.0, 0.5)
    """
    compare = _of_classes if classifies else _of_numbers
    # over all samples, then in each fold
    measures = compare(true, picture)
    by_fold = [compare(true.of(rows), picture.of(rows)) for rows in folds or ()]
    in_folds = {name: np.array([m[name] for m in by_fold]) for name in measures}
    if classifies:
        both = [true.values, picture.values]
        codes = np.unique(both, return_inverse=True)[1].reshape(2, -1)
        measures["majority"] = float(np.bincount(codes[0]).max() / len(codes.T))
        # agreement beyond that of independent answers, 0 of one class alone
        measures["kappa"] = float(
            cohen_kappa_score(*codes) if codes.any() else 0
        )
    return Agreement(**measures, folds=in_folds if by_fold else {})


def warn_out_of_distribution(P, mapped):
    """Warn where most new samples P (m, d) are unlike those mapped (n, d).

    By half as much again as any mapped sample, in standard deviations, no sample of the
    same kind is distant from their mean.
    """
    scale = mapped.std(axis=0)
    scale[scale == 0] = np.inf  # constant features do not count
    # beyond all numbers is outside, too
    with np.errstate(over="ignore", invalid="ignore"):
        reach, lengths = (
            np.linalg.norm((A - mapped.mean(axis=0)) / scale, axis=1)
            for A in (mapped, P)
        )
    outside = int(np.sum(lengths > 1.5 * reach.max()))
    # a few such samples are no sign of another scale
    if 2 * outside > len(P):
        warn(
            f"`X`: {outside} of {len(P)} samples are outside the range of those that"
            " were mapped. Their agreement is unreliable. Were they scaled as the first"
            " ones?"
        )


def _of_numbers(true, picture):
    a = true.values
    b = picture.values
    error = np.nan
    if _varies(a):
        # so that no square over- or underflows
        unit = max(magnitude(a), magnitude(b))
        error = root_mean_square(a / unit - b / unit) / (a / unit).std()
    return {"predictions": correlation(a, b), "error": float(error)}


def _of_classes(true, picture):
    measures = {"labels": float(np.mean(true.values == picture.values))}
    for name in ("certainty", "signed"):
        of_model = getattr(true, name)
        if of_model is not None:
            measures[name] = correlation(of_model, getattr(picture, name))
    return measures


def _varies(a):
    """Whether numbers differ by more than rounding."""
    return np.ptp(a / unit_of(a)) > 1e-12


def correlation(a, b):
    """Pearson's correlation of a, b (m,); NaN where one of them is constant."""
    if not (_varies(a) and _varies(b)):
        return np.nan
    # Eq. (3.4), in units in which no square overflows
    a, b = (v / magnitude(v) for v in (a, b))
    return float(np.corrcoef(a, b)[0, 1])
