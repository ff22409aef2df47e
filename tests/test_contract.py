"""Every estimator of the package does what `contract.py` asks for."""

import inspect
import pickle
import re
from contextlib import nullcontext
from functools import cache

import numpy as np
import pandas as pd
from contract import (
    CHECKS,
    ESTIMATORS,
    OTHER_SETTINGS,
    TESTED_ELSEWHERE,
    scale_warnings,
    two_sets,
)
from pytest import mark, raises, skip
from refusals import REFUSALS, RULES, violations
from registry import estimators, public_objects
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator
from test_docs import doc_entries

from toolkit.core import memory
from toolkit.core.parameters import table
from toolkit.embed import MDS
from toolkit.tabular import LinearFisher, Logistic
from toolkit.validation import ProjectedMap

PUBLIC = public_objects()


def each_case(cases=ESTIMATORS):
    """Parametrise a test by cases."""
    names = [f"{i}-{case.name}" for i, case in enumerate(cases)]
    return mark.parametrize("case", cases, ids=names)


@mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@each_case()
def test_contract(case, check):
    if reason := case.spared.get(check.__name__):
        skip(reason)
    check(case)


# of each class; its other settings are slow
FIRST = {case.name: case for case in reversed(ESTIMATORS)}


# the samples of these checks are often too few, too odd or without noise
@mark.filterwarnings("ignore")
@each_case(FIRST.values())
def test_scikit_learn(case):
    """With the defaults."""
    if reason := case.spared.get("check_scikit_learn"):
        skip(reason)
    model = case.estimator
    if case.name != "ModelFisher":  # which needs a model
        model = type(model)()
    check_estimator(model, expected_failed_checks=case.excused)


@mark.filterwarnings("ignore")
@mark.parametrize(
    "model", [ProjectedMap(MDS()), Logistic(), LinearFisher()], ids=str
)
def test_scikit_learn_with_models_of_look(model):
    check_estimator(model)


@mark.slow
@mark.filterwarnings("ignore")
@each_case([c for c in ESTIMATORS if c is not FIRST[c.name]] + OTHER_SETTINGS)
def test_scikit_learn_with_other_settings(case):
    model = case.copy(**case.quick)
    check_estimator(model, expected_failed_checks=case.excused)


def test_every_estimator_is_in_the_list():
    """All that are public have cases, but those that are tested elsewhere."""
    assert sorted(estimators()) == sorted([*FIRST, *TESTED_ELSEWHERE])


@each_case(
    [c for c in ESTIMATORS if len(c.data()) > 1 and c.data is not two_sets]
)
def test_other_numbers_of_samples_are_an_error(case):
    X, *rest = case.data()
    with raises(ValueError, match="number of samples|length|samples|rows"):
        case.fitted(X, *(a[:-1] for a in rest))


@each_case()
def test_parameters(case):
    """Each parameter refuses what is against its rules, and names itself, the rule and the value."""
    for name in case.estimator.get_params(deep=False):
        for rule, wrong in rules(case, name):
            says = f"`{name}` must .*{rule}.*(got|shape|sample)"
            for value in (object(), *wrong):
                with raises((TypeError, ValueError), match=says):
                    case.fitted(**{name: value})


def rules(case, name):
    """[(what the message says, values against it)] of a parameter: of the table of its class, and of `RULES`."""
    check = table(case.estimator).get(name)
    found = [violations(check)] if check and violations(check) else []
    for key in (f"{case.name}.{name}", name):
        if rows := [row[:2] for row in RULES if key in row[2]]:
            return found + rows
    return found or [RULES[-1][:2]]


REFUSED = [
    f"{type(estimator).__name__}: {says}" for estimator, _, says in REFUSALS
]


@mark.parametrize("estimator, change, says", REFUSALS, ids=REFUSED)
def test_refusals(estimator, change, says):
    """The message, and the model keeps what it learnt from other samples before."""
    case = next(
        case for case in ESTIMATORS if type(case.estimator) is type(estimator)
    )
    given = case.data()
    model = clone(estimator)
    vars(model).update(results_before(ESTIMATORS.index(case)))
    if isinstance(change, dict):
        model.set_params(**change)
    else:
        given = change(*given)
    before = pickle.dumps(results(model))
    with raises((TypeError, ValueError), match=says):
        model.fit(*given)
    assert pickle.dumps(results(model)) == before


@cache
def results_before(index):
    """From five samples fewer, and one feature fewer where features are given."""
    case = ESTIMATORS[index]
    X, *rest = case.data()
    features = slice(-5 if case.is_square else -1)
    return results(case.fitted(X[:-5, features], *(a[:-5] for a in rest)))


def results(model):
    """What a model has beside its parameters."""
    return {k: v for k, v in vars(model).items() if k not in model.get_params()}


SCALE_FREE = """BlockNeighbors FDA FeatureLabelEigenmap InverseMap ModelFisher SampleLabelMap SharedKernelEmbedding
    SharedLinearEmbedding""".split()


@each_case([case for case in ESTIMATORS if not case.is_square])
def test_scales_are_told_once_and_only_in_fit(case):
    """Of a feature in a much smaller unit than the others; standardised ones and indicators are fine."""
    X, *rest = case.data()
    model = case.copy(**case.quick)
    unscaled = pd.DataFrame(X * [1, 1, 1, 1, 1000], columns=list("abcde"))
    messages = scale_warnings(lambda: model.fit(unscaled, *rest))
    assert len(messages) == (case.name not in SCALE_FREE)
    assert all(
        '"e" has about' in says and "StandardScaler" in says
        for says in messages
    )
    assert not scale_warnings(lambda: case.result_of(model, unscaled, *rest))
    both = StandardScaler().fit_transform(X)
    both[:, 4] = np.arange(len(X)) % 2
    assert not scale_warnings(lambda: clone(model).fit(both, *rest))


# than no step at all
LONGER = {"RSLVQ": {"sigma2": 50.0}}


@each_case([case for case in ESTIMATORS if hasattr(case.estimator, "verbose")])
def test_bars_only_where_asked_for(case, capfd, bars):
    settings = LONGER.get(case.name, {}) | case.quick
    silent = case.result_for(**settings)
    assert capfd.readouterr() == ("", "") and not bars
    np.testing.assert_array_equal(
        case.result_for(verbose=True, **settings), silent
    )
    assert bars and capfd.readouterr().err
    may_end_before = {"max_iter", "starts"} & case.estimator.get_params().keys()
    for done, total in bars:
        if total > 1:  # a single step shows the time alone
            assert 0 < done <= total if may_end_before else done == total, bars


FEW_NUMBERS = """LPP LFDA SELFMap SampleLabelMap SampleLabelEigenmap FeatureLabelEigenmap ConstraintScoreMap FDA LMNN GLVQ GMLVQ
    RSLVQ ParzenFisher ModelFisher SharedKernelEmbedding SharedLinearEmbedding BlockNeighbors""".split()


@each_case([case for case in ESTIMATORS if case.name not in FEW_NUMBERS])
def test_steps_over_all_pairs_look_at_the_memory_first(case, monkeypatch):
    if case.name in ("MDS", "TSNE") and not case.is_square:
        skip("no array of all pairs")
    monkeypatch.setattr(memory, "available_memory", lambda: 1e4)
    remedy = "Fit a sample|Give|Lower|Map a sample.*KernelMap|Take|fit a sample.*KernelMap"
    with raises(
        ValueError,
        match=rf"needs .* for 45 x \d+ numbers, more than half .*({remedy})",
    ):
        case.fitted()


METHODS = """transform transform_source transform_target transform_labels inverse_transform predict predict_proba
    decision_function distances knn_distances matrix factors path""".split()


@each_case()
def test_a_model_that_is_not_fitted_says_so(case):
    model = case.copy()
    for name in METHODS:
        if hasattr(model, name):
            with raises(NotFittedError):
                getattr(model, name)(case.data()[0])


@each_case()
def test_tags_say_what_fit_takes(case):
    """What scikit-learn's search and validation ask: square input, and of pipelines' steps what kind of target."""
    tags = get_tags(case.estimator)
    X, *rest = case.data()
    assert tags.input_tags.pairwise == case.is_square
    methods = "fit_transform", "predict"
    if not rest or not any(hasattr(case.estimator, name) for name in methods):
        return
    assert tags.target_tags.multi_output or rest[0].ndim == 1
    refuses = (
        raises((TypeError, ValueError))
        if tags.target_tags.required
        else nullcontext()
    )
    with refuses:
        case.fitted(X)


def parameter_types(thing):
    """{parameter: what stands behind its name} in a docstring, of a class also those of its bases.

    ``a, b : int`` is of both; ``a : as in :class:`Other``` leads there.
    """
    results = {}
    bases = (
        reversed(inspect.getmro(thing)) if inspect.isclass(thing) else [thing]
    )
    for documented in bases:
        for entry in doc_entries(
            inspect.getdoc(documented) or "", ["Parameters"]
        ):
            names, _, text = entry.splitlines()[0].partition(" : ")
            names = names.split(", ")
            if other := re.match(
                r"as (?:in|for) :class:`~?[\w.]*?(\w+)`", text
            ):
                others = parameter_types(PUBLIC[other[1]])
                results |= {
                    name: others[name] for name in names if name in others
                }
                continue
            kind, _, default = text.partition(", default=")
            default = re.split(r", [a-z]|;|$", default)[0]
            values = (
                default.split(", ")
                if len(names) > 1
                else [default] * len(names)
            )
            for name, value in zip(names, values, strict=len(values) > 1):
                results[name] = kind, value
    return results


@mark.parametrize("name", sorted(PUBLIC))
def test_defaults_are_those_of_the_docstring(name):
    """``a, b : int, default=1, 2``"""
    signature = inspect.signature(PUBLIC[name]).parameters
    for key, (_, default) in parameter_types(PUBLIC[name]).items():
        if default and key in signature:
            assert signature[key].default == eval(default, {}, PUBLIC), key


@each_case(FIRST.values())
def test_docstrings_state_the_rules(case):
    """Each parameter with a rule in the table has an entry with its kind, limits and default."""
    types = parameter_types(type(case.estimator))
    missing = []
    for name, check in table(case.estimator).items():
        kind, default = types.get(name, ("", ""))
        patterns = rule_patterns(check)
        missing += [f"{name}: {p}" for p in patterns if not re.search(p, kind)]
        if not default and not re.search("None|optional", kind):
            missing.append(f"{name}: default")
        ends = {check.keywords.get(key, 1) for key in ("low", "high")}
        numbers = map(float, re.findall(r"\d[\d.]*(?:e-?\d+)?", kind))
        # the limits of what can be squared go without saying
        ends = {end for end in ends if end == 0 or 1e-99 < abs(end) < 1e99}
        missing += [f"{name}: {end:g}" for end in ends - {1, *numbers}]
    assert not missing, missing


def rule_patterns(check):
    """What stands behind the name of a parameter with such a rule, its limits apart."""
    limits = check.keywords
    options = limits.get("options", ())
    if limits.get("optional"):
        options = [None]
    kinds = {
        "check_integer": [r"\bint\b"],
        "check_positive": ["float", ">= 0" if limits.get("zero") else "> [01]"],
        "check_number": ["float"],
        "check_fraction": ["float", r"in [\[(]0, 1[\])]"],
        "check_flag": ["bool"],
        "check_seed": ["int, RandomState( instance)? or None"],
        "check_jobs": ["int or None"],
        "check_part": ["estimator"],
    }
    # a rule of one class has a sentence of its own
    patterns = kinds.get(check.func.__name__, [])
    return patterns + [
        "None|optional" if o is None else f'"{o}"' for o in options
    ]
