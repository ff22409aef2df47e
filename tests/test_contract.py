"""Every estimator of the package does what `contract.py` asks for."""

import inspect
import pickle
import re
from functools import cache

import pytest
from contract import CHECKS, ESTIMATORS, OTHER_SETTINGS, SQUARE, check_scikit_learn
from refusals import OF_ALL, REFUSALS
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags

import toolkit.bounds
import toolkit.discriminant
import toolkit.eigenmaps
import toolkit.embed
import toolkit.fisher
import toolkit.kernelmap
import toolkit.lmnn
import toolkit.lvq
import toolkit.multilabel
import toolkit.quality
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


FIRST = {type(case.estimator): case for case in reversed(ESTIMATORS)}  # of each class; its other settings are slow
BY_CLASS = [pytest.param(c, marks=[] if c is FIRST[type(c.estimator)] else pytest.mark.slow) for c in ESTIMATORS]


@pytest.mark.filterwarnings("ignore")  # the samples of these checks are often too few, too odd or without noise
@pytest.mark.parametrize("case", BY_CLASS, ids=NAMES)
def test_scikit_learn(case):
    if reason := case.spared.get("check_scikit_learn"):
        pytest.skip(reason)
    check_scikit_learn(case)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", OTHER_SETTINGS, ids=[f"{i}-{case.name}" for i, case in enumerate(OTHER_SETTINGS)])
def test_scikit_learn_with_other_settings(case):
    check_scikit_learn(case)


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


REFUSED = [f"{type(estimator).__name__}: {says}" for estimator, _, says in REFUSALS]


@pytest.mark.parametrize("estimator, change, says", REFUSALS, ids=REFUSED)
def test_refusals(estimator, change, says):
    """The message, and the model keeps what it learnt from other samples before."""
    case = next(case for case in ESTIMATORS if type(case.estimator) is type(estimator))
    given, model = case.data(), clone(estimator)
    vars(model).update(learnt_before(ESTIMATORS.index(case)))
    if isinstance(change, dict):
        model.set_params(**change)
    else:
        given = change(*given)
    before = pickle.dumps(learnt(model))
    with pytest.raises((TypeError, ValueError), match=says):
        model.fit(*given)
    assert pickle.dumps(learnt(model)) == before


@cache
def learnt_before(index):
    """From five samples fewer, and one feature fewer where features are given."""
    case = ESTIMATORS[index]
    X, *rest = case.data()
    features = slice(-5 if case.data in SQUARE else -1)
    return learnt(case.fitted(X[:-5, features], *(a[:-5] for a in rest)))


def learnt(model):
    return {name: value for name, value in vars(model).items() if name not in model.get_params()}


METHODS = ["transform", "transform_source", "transform_target", "transform_labels", "inverse_transform", "predict"]
METHODS += ["predict_proba", "decision_function", "distances", "knn_distances", "matrix", "factors", "path"]


@pytest.mark.parametrize("case", ESTIMATORS, ids=NAMES)
def test_a_model_that_is_not_fitted_says_so(case):
    found = [getattr(clone(case.estimator), name) for name in METHODS if hasattr(case.estimator, name)]
    for method in found:
        with pytest.raises(NotFittedError):
            method(case.data()[0])


@pytest.mark.parametrize("case", ESTIMATORS, ids=NAMES)
def test_tags_say_what_fit_takes(case):
    """What scikit-learn's search and validation ask: square input, and of pipelines' steps what kind of target."""
    tags, given = get_tags(case.estimator), case.data()
    assert tags.input_tags.pairwise == (case.data in SQUARE)
    if len(given) == 1 or not (hasattr(case.estimator, "fit_transform") or hasattr(case.estimator, "predict")):
        return
    assert tags.target_tags.multi_output or given[1].ndim == 1
    if tags.target_tags.required:
        with pytest.raises((TypeError, ValueError)):
            case.fitted(given[0])
    else:
        case.fitted(given[0])


PUBLIC = {name: getattr(folder, name) for folder in FOLDERS for name in folder.__all__}
PUBLIC |= {name: getattr(other, name) for other in (toolkit.bounds, toolkit.quality) for name in other.__all__}


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_defaults_are_those_of_the_docstring(name):
    """``a, b : int, default=1, 2``, or ``a : as in :class:`Other```."""
    has = {key: entry.default for key, entry in inspect.signature(PUBLIC[name]).parameters.items()}
    parameters = re.split(r"^\w+\n-{3,}\n", inspect.getdoc(PUBLIC[name]), flags=re.MULTILINE)[1:2]
    for names, text in re.findall(r"^(\w[\w, ]*?) : (.*)$", "".join(parameters), flags=re.MULTILINE):
        keys = [key for key in names.split(", ") if key in has]
        if other := re.search(r"as in :class:`~?[\w.]*?(\w+)`", text):
            others = inspect.signature(PUBLIC[other[1]]).parameters
            assert {key: has[key] for key in keys} == {key: others[key].default for key in keys if key in others}
        elif stated := re.search(r"default=(.+?)(?=, [a-z]|;|$)", text):
            given = eval(stated[1], {}, PUBLIC)
            assert [has[key] for key in keys] == (list(given) if len(keys) > 1 else [given])
