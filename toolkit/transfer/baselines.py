"""Labels that a map carries from one space to the other."""

from sklearn.svm import SVC


def linear_svm(source_map, y_source, coordinates):
    """Labels by a linear support vector machine, one class versus one, as in section 5.3 of the thesis."""
    return SVC(kernel="linear").fit(source_map, y_source).predict(coordinates)
