"""The project's folder, and atomic writing: no reader finds an incomplete file."""

import contextlib
import hashlib
import json
import os
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]


def project_root():
    """The project's folder if the package is in it, None for an installed wheel."""
    root = PACKAGE.parent
    return root if (root / "pyproject.toml").is_file() else None


def write_bytes(path, content):
    """Write atomically: an interrupt or a full disk leaves the old file or the new."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content)
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def write_text(path, text):
    """Write a text as UTF-8, atomically."""
    write_bytes(path, text.encode("utf-8"))


def write_json(path, content):
    """Write an object as JSON, with sorted keys; the folder is made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(
        path,
        json.dumps(
            content,
            indent=1,
            sort_keys=True,
            ensure_ascii=False,
            allow_nan=False,
        )
        + "\n",
    )


def read_json(path):
    """The object that a file holds, an empty dict where it is missing or damaged."""
    with contextlib.suppress(OSError, ValueError, RecursionError):
        content = json.loads(path.read_text("utf-8"))
        return content if isinstance(content, dict) else {}
    return {}


def digest(*texts):
    """Twelve hex digits of some texts, not the same for "a", "b" as for "ab"."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]
