"""Notebooks to pages that need no network: the commands `report`, `measure` and `equations`."""
