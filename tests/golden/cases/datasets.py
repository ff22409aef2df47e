"""Data sets: what the makers draw, and what is loaded, in short."""

import numpy as np
import scipy.sparse

from toolkit.datasets import DatasetUnavailable, load

from ..harness import case, each


def draw(maker, n_samples=12, random_state=0, **options):
    """A case of few samples."""
    case(
        f"datasets.make_{maker}",
        n_samples=n_samples,
        random_state=random_state,
        **options,
    )


for maker in (
    "two_modes", "torus", "clusters", "enclosed_class", "plate_in_ring", "stacked_discs", "labelled_cube",
    "stacked_clusters", "three_clusters", "stacked_gaussians", "xor_copies",
):  # fmt: skip
    draw(maker)
draw("two_modes", 10, 1, std=1.5)
draw("ball_with_tube", 20)
draw("ball_with_tube", 20, tube_radius=0.5, noise_below=-1, gap=0.4)
draw("ball_with_tube", 20, noise_below=0.2)
draw(
    "torus",
    n_noise=2,
    n_classes=3,
    radii=(2.0, 0.5),
    noise_scale=0.5,
    jitter=0.1,
)
draw(
    "clusters",
    n_noise=1,
    n_classes=2,
    clusters_per_class=3,
    std=0.3,
    noise_scale=2.0,
)
draw("hidden_moons", n_features=6, n_labelled=2)
draw(
    "hidden_moons",
    20,
    n_features=3,
    n_labelled=2,
    noise=0.1,
    jitter=0.2,
    placement="one-sided",
)
draw("hidden_moons", 20, n_features=3, n_labelled=3, labels_state=3)
draw(
    "enclosed_class",
    centers=[[0, 0, 1], [0, 2, 0], [3, 0, 0]],
    std=(0.1, 0.2, 0.3),
)
draw("plate_in_ring", outlier=False)
draw("labelled_cube", 12, 5, n_features=4)
draw("two_clusters_with_outlier", 13)
draw("xor_copies", std=0.4, noise=0.5, fraction=0.2)


def in_short(bunch):
    """Shape, means and deviations of the first columns, and the target."""
    X = (
        bunch.data.toarray()
        if scipy.sparse.issparse(bunch.data)
        else np.asarray(bunch.data, float)
    )
    columns = X.reshape(len(X), -1)[:, :20]
    means = np.nanmean(columns, 0)
    results = {
        "shape": X.shape,
        "means": means,
        "deviations": np.nanstd(columns, 0),
    }
    y = bunch.get("target")
    if y is not None:
        results["target"] = (
            np.bincount(y)
            if y.dtype.kind in "iu" and y.ndim == 1
            else y.mean(0)
        )
    return results


def either_in_short(result):
    return in_short(result[0]), result[1]


def as_numbers(checksum):
    return [int(checksum[i : i + 8], 16) for i in range(0, 64, 8)]


def shapes(rows):
    return [row["shape"] for row in rows]


def load_small_set(name):
    """`load` on a machine that has few sets."""
    if name in ("votes", "tecator"):
        return load(name)
    raise DatasetUnavailable(name)


SHIPPED = "boston", "landsat", "letter", "tecator", "votes"
OF_SKLEARN = "iris", "digits", "wine", "diabetes", "breast_cancer"
# Not santa_fe, whose orbit is chaotic.
OTHERS = each(
    "scene", "medical", "usps", "coil20", "ida_heart", "ida_banana", "ida_german", "adrenal", "voting", "phoneme",
    "wine_spectra", "poland_electricity", "votes",
)  # fmt: skip
SILENT = {
    "toolkit.datasets.substitutes.load": load_small_set,
    "toolkit.datasets.substitutes._substituted": set(),
    "toolkit.datasets.substitutes.print": lambda *words: None,
}
case("datasets.load", name=each(*SHIPPED, *OF_SKLEARN), taken=in_short)
case(
    "datasets.load_or_substitute",
    name=OTHERS,
    lowered=SILENT,
    taken=either_in_short,
)
case("datasets.checksums", name=each("iris", "votes"), taken=as_numbers)
case("datasets.list_datasets", taken=shapes)
