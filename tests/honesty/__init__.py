"""Tables with a known truth, and what `toolkit.look` says of them: ``python -m tests.honesty``."""
