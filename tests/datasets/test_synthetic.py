"""Synthetic sets refuse what makes no set, and have the property they are made for.

Each property is looked for once, here or by a claim that rests on it; that no number
has changed is what the golden results say.
"""

import inspect
import itertools
from functools import partial

import numpy as np
import pandas as pd
from numpy.linalg import norm
from pytest import mark, raises
from scipy.sparse.csgraph import connected_components
from sklearn.neighbors import kneighbors_graph

from toolkit import datasets

NONSENSE = (
    np.nan,
    np.inf,
    "abc",
    {},
    [np.nan],
    [1, [2]],
    1j,
    pd.NA,
    10**400,
    1e308,
)
# Of each maker the most samples that are too few, and beyond the ends of the other
# arguments; makers share the rules of arguments of one name.
BOUNDS = {
    "make_two_modes": (2, {"std": 0}),
    "make_ball_with_tube": (
        0,
        {"tube_radius": 0, "noise_below": -1e101, "gap": 1.0},
    ),
    "make_torus": (
        0,
        {
            "n_noise": -1,
            "n_classes": 0,
            "noise_scale": -1,
            "jitter": -1,
            "radii": (3, 0),
        },
    ),
    "make_clusters": (0, {"clusters_per_class": 0}),
    "make_hidden_moons": (
        5,
        {"n_features": 1, "n_labelled": 167, "placement": "right"},
    ),
    "make_enclosed_class": (2, {"std": [1, -1, 1], "centers": [[0, 0, 0]]}),
    "make_plate_in_ring": (2, {"outlier": 2}),
    "make_stacked_discs": (2, {}),
    "make_labelled_cube": (0, {"n_features": 2}),
    "make_stacked_clusters": (2, {}),
    "make_two_clusters_with_outlier": (2, {}),
    "make_three_clusters": (2, {}),
    "make_stacked_gaussians": (2, {}),
    "make_xor_copies": (3, {"fraction": 1}),
}
MAKERS = [name for name in datasets.__all__ if name.startswith("make_")]
each_maker = mark.parametrize(
    "maker", [getattr(datasets, name) for name in MAKERS], ids=MAKERS
)


@each_maker
def test_each_argument_refuses_nonsense_and_what_makes_no_set_by_its_name(
    maker,
):
    too_few, beyond = BOUNDS[maker.__name__]
    beyond = beyond | {"n_samples": too_few, "random_state": -1}
    wrong = [*itertools.product(inspect.signature(maker).parameters, NONSENSE)]
    for parameter, value in [*wrong, *beyond.items()]:
        with raises((ValueError, TypeError), match=f"^`{parameter}` must "):
            maker(**{parameter: value})


@each_maker
def test_sets_have_their_size_and_are_the_same_again(maker):
    fewest = BOUNDS[maker.__name__][0] + 1
    if maker is datasets.make_hidden_moons:
        maker = partial(maker, n_labelled=1)
    for n in (fewest, 301):
        bunch = maker(n, random_state=2)
        again = maker(n, random_state=np.random.RandomState(2))
        assert len(bunch.data) == len(bunch.target) == n
        assert np.isfinite(bunch.data).all()
        np.testing.assert_equal(dict(bunch), dict(again))
    assert not np.array_equal(bunch.data, maker(301, random_state=3).data)


def test_sizes_beyond_any_memory_are_refused():
    message = (
        "`n_features` must be an integer between 2 and 1000000; got 1000000000"
    )
    with raises(ValueError, match=message):
        datasets.make_hidden_moons(n_features=10**9)


def test_a_ball_is_filled_and_holds_a_tube_of_full_length_but_for_the_gap():
    ball = datasets.make_ball_with_tube(4000, random_state=1)
    radius = norm(ball.data, axis=1)
    assert radius.max() <= 1
    # half of the volume
    assert abs(np.mean(radius < 0.5 ** (1 / 3)) - 0.5) < 0.03
    assert np.histogram(ball.along[ball.clean == 1], 10, (0, 1))[0].min() > 10
    gapped = datasets.make_ball_with_tube(4000, gap=0.2, random_state=1)
    assert not gapped.clean[np.abs(gapped.along - 0.5) < 0.1].any()


@mark.parametrize("n", [3, 301])
def test_plate_lies_in_its_ring_and_one_sample_off(n):
    bunch = datasets.make_plate_in_ring(n, random_state=1)
    radius = norm(bunch.data[:, :2], axis=1)
    ring = bunch.target == 1
    assert abs(np.sum(ring) - np.sum(~ring)) <= 1
    assert bunch.outlier == n - 1 and bunch.target[-1] == 0
    # in the ring, upper right
    assert 1.6 < radius[-1] < 2.4 and bunch.data[-1, :2].min() > 0
    assert radius[:-1][~ring[:-1]].max() <= 1
    assert 1.6 <= radius[ring].min() and radius[ring].max() <= 2.4


@mark.parametrize(
    "maker, lowest",
    [(datasets.make_stacked_discs, -1), (datasets.make_stacked_clusters, 1)],
)
def test_stacked_layers_do_not_touch_and_are_wider_than_high(maker, lowest):
    bunch = maker(random_state=0)
    heights = [bunch.data[bunch.cluster == c, 2] for c in range(3)]
    assert np.allclose(
        [np.median(z) for z in heights], np.arange(3) + lowest, atol=0.1
    )
    lowest_gap, gap = (
        b.min() - a.max() for a, b in itertools.pairwise(heights)
    )
    assert 0.5 < lowest_gap < gap  # the noise brings the lowest nearer
    _, _, axes = np.linalg.svd(bunch.data - bunch.data.mean(axis=0))
    # what the first two components leave out is the height
    assert abs(axes[2, 2]) > 0.99
    graph = kneighbors_graph(bunch.data, 5)
    n_components, component = connected_components(graph, directed=False)
    assert maker is datasets.make_stacked_clusters or n_components == 3
    # no graph joins two layers
    assert len(set(zip(component, bunch.cluster, strict=True))) == n_components
    target = bunch.cluster == 1 if lowest < 0 else bunch.data[:, 2] ** 2
    assert np.array_equal(bunch.target, target)


def test_labelled_cube_has_planes_a_gap_and_one_matrix_a_seed():
    cube = datasets.make_labelled_cube(2000, random_state=1)
    assert cube.clean.min() >= 0 and cube.clean.max() <= 1
    above = (cube.clean.sum(axis=1) - 1.5) / np.sqrt(3)
    assert np.abs(above).min() >= 0.04
    assert np.array_equal(cube.target[:, 0], above > 0)
    assert np.array_equal(
        cube.target[:, 1], np.abs(cube.clean[:, 0] - 0.5) < 1 / 6
    )
    assert (
        np.abs(np.corrcoef(cube.target[:, 2], cube.clean.T)[0, 1:]).max() < 0.1
    )
    assert np.linalg.matrix_rank(cube.data) == 3
    other = datasets.make_labelled_cube(20, random_state=1)
    assert np.array_equal(other.matrix, cube.matrix)


def test_xor_copies_have_four_clusters_and_none_is_empty():
    toy = datasets.make_xor_copies(random_state=0)
    assert np.array_equal(toy.data[:, 4], toy.data[:, 5])
    assert np.array_equal(toy.data[:, 3], toy.clean[:, 1])
    assert np.array_equal(
        toy.target == 0, toy.clean[:, 0] * toy.clean[:, 1] > 0
    )
    for fraction in (0.001, 0.999):  # no cluster is empty
        toy = datasets.make_xor_copies(9, fraction=fraction, random_state=0)
        assert np.bincount(toy.cluster, minlength=4).min() == 1
