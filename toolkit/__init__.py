"""Seeing labelled data and models in two dimensions.

Subpackages: `multilabel` (samples, features and labels in one plane), `datasets`, `plots`, `quality`, `explore`
(sliders), `claims` (the ledger of published numbers), `report` (notebooks to pages).
"""

__version__ = "0.1.0"
__all__ = ["__version__", "show"]


def show(X, y, **options):
    """One line to a map with sliders: :func:`toolkit.explore.show.show`, loaded when it is called.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> show(*load_iris(return_X_y=True)).setting_
    {'axes': '1 and 2', 'variance': 1}
    """
    from .explore.show import show

    return show(X, y, **options)
