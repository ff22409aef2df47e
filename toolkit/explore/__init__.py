"""Interactive explorers: sliders over one call and one picture, in notebooks and, without a kernel, in reports."""

from .explorer import Explorer

__all__ = ["Explorer"]
