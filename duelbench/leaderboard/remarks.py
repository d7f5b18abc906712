"""What stands out on the board, computed from it."""

from __future__ import annotations

from duelbench.leaderboard.board import Board


def remarks(board: Board) -> list[str]:
    """Return sentences about the board."""
    return []
