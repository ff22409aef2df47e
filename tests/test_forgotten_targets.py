"""Who learns from a target says that it is missing, in one voice."""

import numpy as np
import pytest

from toolkit.discriminant import FDA, LFDA, SELF, GraphLabelRegression
from toolkit.eigenmaps import CCDR, SLE, SLEML, ConstraintScoreMap, SLapEig
from toolkit.fisher import GPFisher, KernelFisher, KernelGPFisher, ModelFisher, ParzenFisher
from toolkit.kernelmap import KernelMap
from toolkit.lmnn import LMNN
from toolkit.lvq import GLVQ, GMLVQ, RSLVQ, ClasswiseGMLVQ
from toolkit.multilabel import FeatureLabelEigenmap, KernelSampleLabelMap, SampleLabelEigenmap, SampleLabelMap
from toolkit.relevance import NeRVMetric, NeRVRelevance

LEARNERS = [
    *(FDA(), LFDA(), SELF(), GraphLabelRegression()),
    *(CCDR(), SLE(), SLEML(), ConstraintScoreMap(), SLapEig()),
    *(GPFisher(), KernelFisher(), KernelGPFisher(), ModelFisher(GMLVQ()), ParzenFisher()),
    *(KernelMap(), LMNN(), GLVQ(), GMLVQ(), RSLVQ(), ClasswiseGMLVQ()),
    *(FeatureLabelEigenmap(), KernelSampleLabelMap(), SampleLabelEigenmap(), SampleLabelMap()),
    *(NeRVMetric(), NeRVRelevance()),
]


@pytest.mark.parametrize("method", ["fit", "fit_transform"])
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_a_forgotten_target_is_named(learner, method):
    X = np.random.default_rng(0).normal(size=(20, 3))
    if type(learner).__name__ in ("KernelFisher", "KernelGPFisher"):  # which take similarities
        X = X @ X.T
    if hasattr(learner, method):
        with pytest.raises(ValueError, match="^`[yY]`( .the map Z.| .the positions Z.)? is missing"):
            getattr(learner, method)(X)
