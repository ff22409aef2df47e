"""Notebooks as offline HTML: the commands `report`, `measure` and `equations`."""
