"""The warning about scales: known answers, and that what is fine stays silent."""

import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from joblib import delayed
from pytest import mark, warns
from sklearn.preprocessing import StandardScaler

from toolkit.core.progress import results
from toolkit.core.scaling import suppress_scale_warning, warn_of_scales

rng = np.random.default_rng(0)
ONE = rng.normal(size=(500, 1))
RARE = (np.arange(500) < 3).astype(float)[:, None]


@mark.parametrize(
    "X",
    [
        np.hstack([ONE, 50 * ONE[::-1]]),  # below the limit
        # an indicator beside standardised numbers, however rare
        np.hstack([ONE, RARE]),
        np.hstack([ONE, StandardScaler().fit_transform(RARE)]),
        # constant features, up to rounding
        np.hstack([ONE, np.full_like(ONE, 1e6), 1e8 + 1e-9 * ONE]),
        # one outlier
        np.hstack(
            [ONE, np.where(np.arange(500)[:, None] == 7, 1e9, ONE[::-1])]
        ),
        1e5 * ONE,  # a single feature
        np.zeros((3, 2)),
    ],
)
def test_silent(X):
    with warnings.catch_warnings(action="error"):
        warn_of_scales(X)


@mark.parametrize("ratio", [200, 1e3, 1e9, 1e60])
def test_the_warning_names_the_features(ratio):
    X = pd.DataFrame(
        {
            "hue": ONE.ravel(),
            "proline": ratio * ONE.ravel(),
            "ash": 2 * ONE.ravel(),
        }
    )
    says = '`X`: "proline" has about .* deviation of "hue".*StandardScaler'
    with warns(UserWarning, match=says):
        warn_of_scales(X.to_numpy(), X)
    with warns(
        UserWarning, match='`X_source`: "X2" has about .* deviation of "X1"'
    ):
        warn_of_scales(X.to_numpy(), name="X_source")


@given(arrays(float, (12, 3), elements=st.floats(-1e6, 1e6)))
def test_standardised_data_never_warn(X):
    Z = StandardScaler().fit_transform(X)
    with warnings.catch_warnings(action="error"):
        warn_of_scales(Z)


def gives_a_warning(X):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_of_scales(X)
    return len(caught) > 0


def test_the_warning_is_suppressed_in_tasks_but_not_in_other_threads():
    X = np.random.default_rng(0).normal(size=(30, 2)) * [1.0, 1e4]
    with suppress_scale_warning(), ThreadPoolExecutor(1) as pool:
        assert not gives_a_warning(X)
        assert pool.submit(gives_a_warning, X).result()
        for prefer in ("threads", "processes"):
            assert (
                list(results([delayed(gives_a_warning)(X)] * 2, 2, prefer))
                == [False] * 2
            )
    assert gives_a_warning(X) and list(
        results([delayed(gives_a_warning)(X)])
    ) == [True]
