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
        measures = {}
        for name, value in vars(self).items():
            if value is not None and name != "folds":
                measures[name] = value
        columns = {"value": measures}
        for k, values in enumerate(zip(*self.folds.values(), strict=True), 1):
            columns[f"fold {k}"] = dict(zip(self.folds, values, strict=True))
        return as_frame(columns, list(measures), "measure")


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
    measures = compare(true, picture)
    measures_in_folds = {}
    if folds:
        by_fold = [compare(true.of(rows), picture.of(rows)) for rows in folds]
        for name in measures:
            values = [measures_of_fold[name] for measures_of_fold in by_fold]
            measures_in_folds[name] = np.array(values)
    if classifies:
        predictions = [true.values, picture.values]
        _, codes = np.unique(predictions, return_inverse=True)
        of_model, of_picture = codes.reshape(2, -1)
        counts = np.bincount(of_model)
        measures["majority"] = float(counts.max() / len(of_model))
        # Kappa is agreement beyond that of independent answers, 0 of a single class.
        measures["kappa"] = 0.0
        if codes.any():
            measures["kappa"] = float(cohen_kappa_score(of_model, of_picture))
    return Agreement(**measures, folds=measures_in_folds)


def warn_out_of_distribution(P, mapped):
    """Warn where most new samples P (m, d) are unlike those mapped (n, d).

    By half as much again as any mapped sample, in standard deviations, no sample of the
    same kind is distant from their mean.
    """
    mean = mapped.mean(axis=0)
    scale = mapped.std(axis=0)
    scale[scale == 0] = np.inf  # constant features do not count
    # Distances beyond all numbers are outside, too.
    with np.errstate(over="ignore", invalid="ignore"):
        mapped_distances = np.linalg.norm((mapped - mean) / scale, axis=1)
        distances = np.linalg.norm((P - mean) / scale, axis=1)
    outside = int(np.sum(distances > 1.5 * mapped_distances.max()))
    # A few such samples are no sign of another scale.
    if 2 * outside > len(P):
        warn(
            f"`X`: {outside} of {len(P)} samples are outside the range of those that"
            " were mapped. Their agreement is unreliable. Were they scaled as the first"
            " ones?"
        )


def _of_numbers(true, picture):
    """Measures by name, of the Predictions of numbers by a model and by its map."""
    a = true.values
    b = picture.values
    error = np.nan
    if _varies(a):
        # No square over- or underflows in this unit.
        unit = max(magnitude(a), magnitude(b))
        a_scaled = a / unit
        error = root_mean_square(a_scaled - b / unit) / a_scaled.std()
    return {"predictions": correlation(a, b), "error": float(error)}


def _of_classes(true, picture):
    """Measures by name, of the Predictions of classes by a model and by its map."""
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
    # No square overflows in these units.
    a = a / magnitude(a)
    b = b / magnitude(b)
    return float(np.corrcoef(a, b)[0, 1])  # Eq. (3.4)
