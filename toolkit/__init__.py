"""Labelled data and models in two dimensions: supervised dimensionality reduction.

What do you want to do?

- look at labelled data at once, by several maps: `toolkit.show`
- see samples, features and several labels per sample in one plane: `toolkit.multilabel`
- map a neighbourhood graph with edges to labels (Laplacian eigenmaps):
  `toolkit.eigenmaps`
- find linear directions that separate classes, with few labels (FDA, LPP, LFDA, SELF):
  `toolkit.discriminant`
- classify by prototypes and learn the metric (learning vector quantisation):
  `toolkit.lvq`
- learn a metric for nearest neighbours: `toolkit.lmnn`
- map vectors or distances (t-SNE, MDS, Isomap, MVU, SOM, GTM, NeRV): `toolkit.embed`
- search the nearest neighbours of very many samples: `toolkit.neighbors`; which method
  for how many samples, and how to use several machines: ``docs/scale.md``
- put new samples on a map, and map its points back to the data space:
  `toolkit.kernelmap`
- measure distances that grow where the labels change (Fisher metric), and check for
  overfitting: `toolkit.fisher`
- draw decision maps of classifiers and regressors: `toolkit.decisionmap`
- bound the relevance of features in equivalent linear models: `toolkit.bounds`
- find the features that a map shows: `toolkit.relevance`
- bring data sets with different features into one plane: `toolkit.transfer`
- measure the quality of a map (neighbourhood preservation, errors): `toolkit.quality`;
  evaluate any map on held-out rows and permuted targets: `toolkit.validate_map`, of
  `toolkit.validation`
- draw a map: `toolkit.plots`; move a map with sliders: `toolkit.explorer`
- load data, or make synthetic data: `toolkit.datasets`
- look at a table, similarities or your own model: `toolkit.look`, made of
  `toolkit.tabular`; read such a table: `toolkit.tabular`
- read the table of reproduced claims: `toolkit.claims`; check answers to exercises:
  `toolkit.course`

Behind ``make`` and ``python -m toolkit`` is `toolkit.report`: notebooks as pages, the
equation table; `toolkit.arguments` reads the options. Code common to the methods is in
`toolkit.core`, which is private.
"""

import importlib

__version__ = "0.1.0"

SUBPACKAGES = (
    "bounds claims course datasets decisionmap discriminant eigenmaps embed explorer"
    " fisher kernelmap lmnn lvq multilabel neighbors plots quality relevance report"
    " tabular transfer validation"
).split()

# the functions for which most users come, by the subpackage that has each
FUNCTIONS = {"look": "tabular", "show": "tabular", "validate_map": "validation"}
__all__ = ["__version__", *FUNCTIONS]


def __getattr__(name):
    """Import a subpackage when it is first used, such as ``toolkit.lvq``."""
    # importing all of them would take seconds
    if name in FUNCTIONS:
        return getattr(__getattr__(FUNCTIONS[name]), name)
    if name in SUBPACKAGES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(
        f"module 'toolkit' has no attribute {name!r}; it has {', '.join(__dir__())}"
    )


def __dir__():
    return sorted([*__all__, *SUBPACKAGES])
