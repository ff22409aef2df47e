"""Synthetic data with a known truth, by chapter; import it from `toolkit.datasets`."""
