"""Where the tests find the project."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
"""The folder of the project, with `toolkit`, `docs` and `notebooks`."""
