"""How many examples a property test draws; what a map of them may be."""

import os

import numpy as np

__all__ = ["check_finite_or_refused", "examples"]


def examples(most):
    """`most` where slow tests are run, too (``make test SLOW=1``); a quarter of that by default, at least ten."""
    return most if os.environ.get("SLOW") else max(10, most // 4)


def check_finite_or_refused(estimator, *given):
    """Hostile samples and labels have a finite map, of new samples too, or a message."""
    try:
        Z = estimator.fit(*given).embedding_
    except ValueError as error:
        assert len(str(error)) > 30
    else:
        assert len(Z) == len(given[0]) and np.isfinite(Z).all()
        assert np.isfinite(estimator.transform(given[0])).all()
