"""A table, a similarity matrix or a model of one's own, looked at from all sides: `toolkit.look`, and its command.

Each question has a file: what can be seen (`separation`, `maps`, `linear`), which columns matter (`features`), what
models do (`models`), what one may believe (`words`).
"""

from .look import Look, look

__all__ = ["Look", "look"]
