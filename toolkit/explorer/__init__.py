"""Interactive explorers: sliders over one call and one picture.

They work in notebooks and, without a kernel, in reports.

In a notebook, `toolkit.show` gives maps to choose from. Hovering shows a sample, the
legend hides classes, and shift-drag selects samples. The method ``save`` of an
`Explorer` writes it as a page that needs neither Python nor a network:

>>> import tempfile
>>> from pathlib import Path
>>> import toolkit
>>> from sklearn.datasets import load_iris
>>> X, y = load_iris(return_X_y=True)
>>> with tempfile.TemporaryDirectory() as folder:
...     page = toolkit.show(X[::2], y[::2]).save(Path(folder) / "map.html")
"""

from .explorer import Explorer
from .samples import SampleInfo, Style

__all__ = ["Explorer", "SampleInfo", "Style"]
