"""Parameters and attributes of what users call that no other fast test names."""

import functools

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.collections import PathCollection
from matplotlib.text import Text
from numpy.random import default_rng
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.svm import SVC

import toolkit
from toolkit.decisionmap import DecisionMap
from toolkit.explorer import Explorer
from toolkit.kernelmap import InverseMap
from toolkit.lvq import RSLVQ
from toolkit.tabular import as_table
from toolkit.tabular.validation import separation

X = default_rng(0).normal(size=(60, 3))
Y = (X[:, 0] + X[:, 1] > 0).astype(int)


def seen(model, y=Y, **options):
    options = {"embedder": PCA(2), "grid": 9, "cv": None} | options
    return DecisionMap.from_estimator(model.fit(X, y), X, y, **options)


# ---- tables and looks ----


def test_a_table_has_the_notes_that_are_known_and_the_numbers_of_its_rows():
    frame = pd.DataFrame(X, columns=list("uvw")).assign(kind=np.where(Y, "ripe", "raw"))
    frame.loc[4, "kind"] = None
    table = as_table(frame, "kind", notes=["Read with care."])
    assert table.notes[0] == "Read with care." and table.rows.tolist() == [
        i for i in range(60) if i != 4
    ]


def test_a_look_has_errors_and_a_kind_of_each_column_and_bars_where_it_is_to(
    bars, monkeypatch
):
    for name in ("features.COLUMNS_OF_NOISE", "features.TREES", "targets.TREES"):
        monkeypatch.setattr(f"toolkit.tabular.{name}", 10)
    monkeypatch.setattr(
        "toolkit.tabular.findings.separation",
        functools.partial(separation, n_permutations=0),
    )
    for verbose in (False, True):
        one = toolkit.look(
            X, np.where(X[:, 0] > 0, "ripe", "raw"), n_jobs=1, verbose=verbose
        )
        assert set(one.separation_.errors) == {
            "linear model",
            "5 nearest neighbours",
            "random forest",
        }
        assert one.bounds_.of("needed") == ["X1"] and len(one.bounds_.names) == 3
        assert (len(bars) > 0) == verbose


# ---- explorers ----


def test_images_of_the_samples_are_shown():
    images = default_rng(0).integers(0, 256, size=(60, 4, 5))
    shown = toolkit.show(X, Y, map="PCA", images=images)
    assert shown.image_shape == [4, 5] and len(shown.images) == 60 * 20


def explorer(**options):
    return Explorer(lambda k: X[:, :2], {"k": [1]}, **options)


def test_axes_may_have_scales_of_their_own():
    assert (
        explorer(equal_aspect=True).equal_aspect
        and not explorer(equal_aspect=False).equal_aspect
    )


def test_marks_may_have_a_size_and_an_opacity():
    shown = explorer(size=3, opacity=0.5)
    assert (shown.size, shown.opacity) == (3, 0.5)


def test_anchors_take_the_colour_of_their_class():
    def frame(k):
        return {"Z": X[:, :2], "anchors": X[:2, :2]}

    shown = Explorer(
        frame, {"k": [1]}, labels=Y, anchor_names=["a", "b"], anchor_classes=[1, 0]
    )
    assert shown.anchor_styles == [shown.styles[1], shown.styles[0]]


def test_linked_explorers_zoom_together_where_they_are_to():
    for view in (False, True):
        one, other = explorer(), explorer()
        one.link(other, view=view)
        assert one.together is other.together is view


# ---- decision maps ----


def test_two_classes_have_signed_certainties_in_picture_and_model():
    shown = seen(LogisticRegression(), cv=3)
    assert ((shown.signed_ > 0) == (shown.predicted_ == 1)).all()
    assert ((shown.grid_signed_ > 0) == (shown.grid_values_ == 1)).all()
    assert shown.signed_correlation_ > 0.8


def test_the_inverse_map_may_be_given():
    own, given = seen(SVC()), seen(SVC(), inverse=InverseMap())
    assert not np.allclose(
        own.inverse_transform(own.embedding_), given.inverse_transform(own.embedding_)
    )


def test_another_seed_is_another_map():
    one, other = (seen(SVC(), max_samples=40, random_state=seed) for seed in (0, 1))
    assert one.sample_.tolist() != other.sample_.tolist()


def test_threads_change_nothing_and_a_bar_is_shown(bars):
    one = seen(SVC(), cv=3)
    assert not bars
    other = seen(SVC(), cv=3, n_jobs=2, verbose=True)
    assert len(bars) == 1 and (one.grid_values_ == other.grid_values_).all()


def test_a_picture_has_names_of_classes_or_of_the_target_and_prototypes():
    model = RSLVQ(random_state=0)
    figure, ax = plt.subplots()
    assert (
        seen(model).plot(ax=ax, class_names=["raw", "ripe"]).legend().figure_ is figure
    )
    assert {"raw", "ripe"} <= {text.get_text() for text in figure.findobj(Text)}
    value = seen(Ridge(), X[:, 0]).plot(name="length").figure_
    assert "length" in [axes.get_ylabel() for axes in value.axes]
    with_prototypes, without = (
        seen(model).plot(prototypes=prototypes).ax_ for prototypes in ("auto", None)
    )
    assert marks(with_prototypes) == marks(without) + len(model.prototypes_)


def marks(ax):
    return sum(len(one.get_offsets()) for one in ax.findobj(PathCollection))
