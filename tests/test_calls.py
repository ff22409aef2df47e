"""Parameters and attributes of what users call that no other fast test names."""

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
from toolkit.explorer import Explorer, Style
from toolkit.kernelmap import InverseMap
from toolkit.lvq import RSLVQ
from toolkit.tabular import as_table
from toolkit.validation import significance

X = default_rng(0).normal(size=(60, 3))
Y = (X[:, 0] + X[:, 1] > 0).astype(int)


def decision_map(model, y=Y, **options):
    options = {"embedder": PCA(2), "grid": 9, "cv": None} | options
    return DecisionMap.from_estimator(model.fit(X, y), X, y, **options)


def explorer(**options):
    return Explorer(lambda k: X[:, :2], {"k": [1]}, **options)


# ---- tables and looks ----


def test_a_table_has_the_notes_that_are_known_and_the_numbers_of_its_rows():
    frame = pd.DataFrame(X, columns=list("uvw")).assign(
        kind=np.where(Y, "ripe", "raw")
    )
    frame.loc[4, "kind"] = None
    table = as_table(frame, "kind", notes=["Read with care."])
    assert table.notes[0] == "Read with care."
    assert table.rows.tolist() == [*range(4), *range(5, 60)]


def test_a_look_has_errors_and_a_kind_of_each_column_and_bars_where_it_is_to(
    bars, monkeypatch
):
    for name in (
        "tabular.features.COLUMNS_OF_NOISE",
        "tabular.features.TREES",
        "validation.models.FOREST_TREES",
    ):
        monkeypatch.setattr(f"toolkit.{name}", 10)
    options = {"n_permutations": 0}
    monkeypatch.setattr(
        significance, "__kwdefaults__", significance.__kwdefaults__ | options
    )
    for verbose in (False, True):
        y = np.where(X[:, 0] > 0, "ripe", "raw")
        look_result = toolkit.look(X, y, n_jobs=1, verbose=verbose)
        models = {"linear model", "5 nearest neighbours", "random forest"}
        assert set(look_result.separation_.errors) == models
        assert (
            look_result.bounds_.of("strongly relevant") == ["X1"]
            and len(look_result.bounds_.names) == 3
        )
        assert (len(bars) > 0) == verbose


def test_maps_and_all_errors_of_a_look_are_shown(monkeypatch):
    monkeypatch.setattr("toolkit.tabular.features.COLUMNS_OF_NOISE", 10)
    y = np.where(X[:, 0] > 0, "ripe", "raw")
    look = toolkit.look(X, y, n_jobs=1, verbose=False)
    maps = look.show_maps()
    every_error = look.show_method()
    assert maps.sentences and set(maps.frame["classifier"]) == {
        "5 nearest neighbours in the map"
    }
    assert set(maps.frame.index) < set(every_error.frame.index)
    axes = look.show_map().figure_.axes[0]
    n_points = sum(len(c.get_offsets()) for c in axes.collections)
    assert n_points >= 60


# ---- explorers ----


def test_an_explorer_shows_images_of_the_samples():
    images = default_rng(0).integers(0, 256, size=(60, 4, 5))
    shown = toolkit.show(X, Y, images=images)
    assert shown.image_shape == [4, 5] and len(shown.images) == 60 * 20


def test_axes_may_have_scales_of_their_own():
    for equal in (False, True):
        assert explorer(style=Style(equal_aspect=equal)).equal_aspect is equal


def test_anchors_take_the_colour_of_their_class():
    explorer = Explorer(
        lambda k: {"Z": X[:, :2], "anchors": X[:2, :2]},
        {"k": [1]},
        labels=Y,
        anchor_names=["a", "b"],
        style=Style(anchor_classes=[1, 0]),
    )
    assert explorer.anchor_styles == explorer.styles[1::-1]


# ---- decision maps ----


def test_two_classes_have_signed_certainties_in_picture_and_model():
    view = decision_map(LogisticRegression(), cv=3)
    assert ((view.signed_ > 0) == (view.predicted_ == 1)).all()
    assert ((view.grid_signed_ > 0) == (view.grid_values_ == 1)).all()
    assert view.signed_correlation_ > 0.8


def test_a_decision_map_takes_an_inverse_map():
    own_view = decision_map(SVC())
    given_view = decision_map(SVC(), inverse=InverseMap())
    Z = own_view.embedding_
    assert not np.allclose(
        own_view.inverse_transform(Z), given_view.inverse_transform(Z)
    )


def test_another_seed_is_another_map():
    view = decision_map(SVC(), max_samples=40, random_state=0)
    other = decision_map(SVC(), max_samples=40, random_state=1)
    assert view.sample_.tolist() != other.sample_.tolist()


def test_threads_change_nothing_and_show_a_bar(bars):
    view = decision_map(SVC(), cv=3)
    assert not bars
    other = decision_map(SVC(), cv=3, n_jobs=2, verbose=True)
    assert len(bars) == 1 and (view.grid_values_ == other.grid_values_).all()


def test_a_picture_has_names_of_classes_or_of_the_target_and_prototypes():
    model = RSLVQ(random_state=0)
    figure, ax = plt.subplots()
    view = decision_map(model)
    assert (
        view.plot(ax=ax, class_names=["raw", "ripe"]).legend().figure_ is figure
    )
    assert {"raw", "ripe"} <= {text.get_text() for text in figure.findobj(Text)}
    value = decision_map(Ridge(), X[:, 0]).plot(name="length").figure_
    assert "length" in [axes.get_ylabel() for axes in value.axes]
    counts = [count_marks(each.plot().ax_) for each in (view.display(), view)]
    assert np.diff(counts) == len(model.prototypes_)


def count_marks(ax):
    return sum(len(one.get_offsets()) for one in ax.findobj(PathCollection))
