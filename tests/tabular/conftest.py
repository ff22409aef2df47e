"""What tests of looks share."""

from functools import partial

from pytest import MonkeyPatch, fixture
from sklearn.base import clone

from toolkit.embed import TSNE
from toolkit.tabular import features, placing, targets


@fixture(scope="module")
def quick():
    """Looks, and the code that they give, with small forests, few columns of noise and fewer steps of t-SNE."""
    with MonkeyPatch.context() as patch:
        patch.setattr(features, "COLUMNS_OF_NOISE", 10)
        for module in (features, targets):
            patch.setattr(module, "TREES", 10)
        for task in (targets.Classes, targets.Value):
            patch.setattr(task, "forest", clone(task.forest).set_params(n_estimators=10))
        patch.setattr(placing, "TSNE", partial(TSNE, max_iter=400))
        yield
