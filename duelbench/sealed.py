"""The digests that a manifest has of the tables beside it: what somebody has edited is not what the runs have given."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from duelbench.errors import UserError

DIGESTS = "digests"
"""The key of the manifest under which they are, by the names of the files."""


def digests(tables: Mapping[str, str]) -> dict[str, str]:
    """Return, ready for the manifest, the digests of texts by the names of their files."""
    return {name: _digest(text.encode("utf-8", "backslashreplace")) for name, text in tables.items()}


def check_seal(path: Path, manifest: Mapping[str, Any]) -> None:
    """Raise UserError when the file is not the table that its manifest was written with, and OSError without a file.

    The ends of lines may be those of another system.
    """
    known = manifest.get(DIGESTS)
    if not isinstance(known, dict) or known.get(path.name) != _digest(path.read_bytes()):
        raise UserError(
            "is not what the runs have given, by the manifest beside it: `duelbench run` the spec again to rewrite it",
            source=str(path),
        )


def _digest(content: bytes) -> str:
    return hashlib.sha256(content.replace(b"\r\n", b"\n")).hexdigest()
