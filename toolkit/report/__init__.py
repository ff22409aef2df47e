"""Notebooks executed and written as offline HTML: the commands `report`, `measure` and `equations`."""
