"""Sliders and a picture that answers: the explorer, its frames, and how it is played without a kernel."""

from .explorer import Explorer

__all__ = ["Explorer"]
