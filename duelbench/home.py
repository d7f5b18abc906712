"""The location of the user's cache."""

from __future__ import annotations

from pathlib import Path

import platformdirs

NOWHERE = "~"
"""The beginning of the path of the cache for a user without a home directory; this directory is never created."""


def user_cache() -> Path:
    """Return duelbench's directory in the user's cache, below ``NOWHERE`` if the user has no home directory."""
    try:
        return platformdirs.user_cache_path("duelbench", False)
    except (RuntimeError, KeyError):  # older versions of Python return the path with the ~
        return Path(NOWHERE, ".cache", "duelbench")


def is_nowhere(directory: Path) -> bool:
    """Return whether a path is below ``NOWHERE``."""
    return directory.parts[:1] == (NOWHERE,)
