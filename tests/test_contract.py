"""Every estimator of the package does what `contract.py` asks for."""

import inspect
import re

import pytest
from contract import CHECKS, ESTIMATORS
from refusals import OF_ALL, REFUSALS
from sklearn.base import BaseEstimator, clone

import toolkit.discriminant
import toolkit.eigenmaps
import toolkit.embed
import toolkit.fisher
import toolkit.kernelmap
import toolkit.lmnn
import toolkit.lvq
import toolkit.multilabel
import toolkit.relevance
import toolkit.transfer

FOLDERS = [toolkit.discriminant, toolkit.eigenmaps, toolkit.embed, toolkit.fisher, toolkit.kernelmap, toolkit.lmnn]
FOLDERS += [toolkit.lvq, toolkit.multilabel, toolkit.relevance, toolkit.transfer]

NAMES = [f"{i}-{case.name}" for i, case in enumerate(ESTIMATORS)]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("case", ESTIMATORS, ids=NAMES)
def test_contract(case, check):
    if reason := case.spared.get(check.__name__):
        pytest.skip(reason)
    check(case)


def test_every_estimator_is_in_the_list():
    listed = {type(case.estimator) for case in ESTIMATORS}
    for folder in FOLDERS:
        for name in folder.__all__:
            found = getattr(folder, name)
            if inspect.isclass(found) and issubclass(found, BaseEstimator) and not inspect.isabstract(found):
                assert found in listed, f"add {folder.__name__}.{name} to ESTIMATORS in tests/contract.py"


@pytest.mark.parametrize("case", ESTIMATORS, ids=NAMES)
@pytest.mark.parametrize("change, says", OF_ALL, ids=["NaN", "infinity", "empty", "one axis", "words"])
def test_what_no_estimator_takes(case, change, says):
    with pytest.raises(ValueError, match=says):
        case.fitted(*change(*case.data()))


@pytest.mark.parametrize("case", [case for case in ESTIMATORS if len(case.data()) > 1], ids=lambda case: case.name)
def test_other_numbers_of_samples_are_refused(case):
    if case.data.__name__ == "two_sets":
        pytest.skip("two sets have a size each")
    X, *rest = case.data()
    with pytest.raises(ValueError, match="number of samples|length|samples|rows"):
        case.fitted(X, *(a[:-1] for a in rest))


@pytest.mark.parametrize("estimator, change, says", REFUSALS, ids=lambda part: re.sub(" at 0x.*", "", str(part))[:60])
def test_refusals(estimator, change, says):
    given = next(case.data for case in ESTIMATORS if isinstance(case.estimator, type(estimator)))()
    if isinstance(change, dict):
        model = type(estimator)(**estimator.get_params() | change)
    else:
        model, given = clone(estimator), change(*given)
    before = set(vars(model))
    with pytest.raises(ValueError, match=says):
        model.fit(*given)
    assert set(vars(model)) == before  # nothing half fitted stays behind
