"""Where the user's cache is."""

from __future__ import annotations

from pathlib import Path

import platformdirs

NOWHERE = "~"
"""What the path of the cache begins with for a user without a home directory; it is none to be made."""


def user_cache() -> Path:
    """Return duelbench's place in the user's cache, below ``NOWHERE`` if the user has none."""
    try:
        return platformdirs.user_cache_path("duelbench", False)
    except (RuntimeError, KeyError):  # older versions return it with the ~
        return Path(NOWHERE, ".cache", "duelbench")


def is_nowhere(directory: Path) -> bool:
    """Tell whether a directory is in the cache of a user who has none."""
    return directory.parts[:1] == (NOWHERE,)
