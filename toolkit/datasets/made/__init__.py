"""Synthetic data with a known truth, by chapter; import it from `toolkit.datasets`.

Every maker takes `random_state` (int, RandomState or None) and returns a Bunch with ``data`` (n, d), ``target``,
``feature_names``, for classes ``target_names``, and what it says of the truth.
"""
