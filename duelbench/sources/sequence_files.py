"""Sequences of matrices in a user's file: an ``.npz`` with an array of matrices and an array of rounds."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np

from duelbench.errors import UserError
from duelbench.files import regular
from duelbench.preferences.changing import Changing
from duelbench.sources.files import NPZ_KEY, read_plain

ROUNDS = "rounds"
"""The array of the first rounds of the matrices, (blocks,), increasing from 1."""
MOST_NUMBERS = 1 << 25
"""The largest number of entries of all matrices: 256 MB."""
MOST_MATRICES = 100_000
"""The largest number of matrices, which takes some seconds to read."""
_LIMIT = f"a sequence has at most {MOST_NUMBERS:,} numbers"


def is_sequence(path: Path) -> bool:
    """Return whether a file is an ``.npz`` with ``rounds``; False if it cannot be read."""
    if path.suffix.lower() != ".npz":
        return False
    try:
        with regular(path).open("rb") as stream, zipfile.ZipFile(stream) as archive:
            return f"{ROUNDS}.npy" in archive.namelist()
    except (OSError, UserError, zipfile.BadZipFile):
        return False


def load_sequence(path: Path) -> Changing:
    """Read the (blocks, K, K) matrices ``PMat`` of an ``.npz`` and their first rounds, ``rounds``.

    Raises:
        UserError: arrays that are missing, have other shapes, or are no preference matrices; ``source`` is the path.
    """
    try:
        with path.open("rb") as stream, zipfile.ZipFile(stream) as archive:
            if f"{NPZ_KEY}.npy" not in archive.namelist():
                raise UserError(f"the array {NPZ_KEY} with the matrices is missing", source=str(path))
            with archive.open(f"{ROUNDS}.npy") as member:
                rounds = read_plain(member, path, "iuf", MOST_NUMBERS, _LIMIT)
            if rounds.size > MOST_MATRICES:
                raise UserError(
                    f"a sequence has at most {MOST_MATRICES:,} matrices, not {rounds.size:,}: use fewer changes, "
                    "or write a rule as the 'changes' of a dataset",
                    source=str(path),
                )
            with archive.open(f"{NPZ_KEY}.npy") as member:
                matrices = read_plain(member, path, "biuf", MOST_NUMBERS, _LIMIT)
    except UserError:
        raise
    except Exception:  # what the parsers of headers and of compressed data raise on nonsense has no end
        raise UserError("this is not a NumPy file of plain numbers", source=str(path)) from None
    if matrices.ndim != 3 or rounds.shape != matrices.shape[:1]:
        raise UserError(
            f"{NPZ_KEY} must have one (K, K) matrix for each of the {ROUNDS}, not {matrices.shape} and {rounds.shape}",
            source=str(path),
        )
    segments = []
    for begin, matrix in zip(rounds.tolist(), matrices, strict=True):
        if not float(begin).is_integer():
            raise UserError(f"the first round of a matrix must be a whole number, not {begin}", source=str(path))
        segments.append((int(begin), np.asarray(matrix, np.float64)))
    try:
        return Changing(segments)
    except UserError as error:
        where = f"matrix {error.key[0]} (counted from 0): " if error.key else ""
        raise UserError(f"{where}{error.message}", source=str(path)) from None
