"""A refused `fit` leaves the model that was there."""

import functools

__all__ = ["keeps_old_model"]


def keeps_old_model(fit):
    """Decorator of `fit`: where it raises, all attributes are those from before.

    Examples
    --------
    >>> class Model:
    ...     @keeps_old_model
    ...     def fit(self, X):
    ...         self.size_ = len(X)
    ...         if not self.size_:
    ...             raise ValueError("`X` is empty.")
    >>> model = Model()
    >>> model.fit([1, 2])
    >>> try:
    ...     model.fit([])
    ... except ValueError:
    ...     print(model.size_)
    2
    """

    @functools.wraps(fit)
    def guarded(self, *args, **kwargs):
        before = dict(vars(self))
        try:
            return fit(self, *args, **kwargs)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return guarded
