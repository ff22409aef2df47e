"""Golden results: the stored numbers of every public method, which no cleaning of the code may move.

`python -m tests.golden` compares, `--renew` stores anew.
"""
