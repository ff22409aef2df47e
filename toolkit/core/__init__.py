"""Shared parts of all methods; private: import paths here may change."""
