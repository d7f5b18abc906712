"""The directories of shipped matrices and specs: in the wheel, or beside the package in a checkout."""

from pathlib import Path


def shipped(kind: str) -> Path:
    """Return the directory of shipped ``"datasets"`` or ``"configs"``."""
    package = Path(__file__).parent
    inside_wheel = package / "shipped_files" / kind
    return inside_wheel if inside_wheel.is_dir() else package.parent / kind
