"""Seeing labelled data and models in two dimensions."""

__version__ = "0.1.0"
