"""The matrix of the shares of votes, once it is known that votes say enough of every pair."""

from __future__ import annotations

from typing import Literal

import numpy as np

from duelbench.errors import UserError
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.tournament import groups
from duelbench.sources import voted

Unseen = Literal["bradley-terry", "half"]
"""What stands for pairs that nobody has voted on: a Bradley–Terry model of the others, or 1/2."""
NAMED = 5
"""How many pairs or arms a sentence names."""


def shares(counts: PairCounts, unseen: Unseen | None, source: str) -> PreferenceMatrix:
    """Return the matrix of the shares of votes won, a tie being half a win for both.

    ``unseen`` says what to take for pairs without votes, None that there may be none. ``source`` names the matrix in
    errors.

    Raises:
        UserError: pairs without votes and nothing to take, or a model that votes say nothing about.
    """
    missing = unseen_pairs(counts)
    if missing and unseen is None:
        raise UserError(
            f"{len(missing):,} of {counts.arms * (counts.arms - 1) // 2:,} pairs have no votes "
            f"({pair_names(counts, missing)}): take a model of the other pairs for them (--unseen bradley-terry), or "
            "1/2 (--unseen half), or fewer arms (--arms)",
            source=source,
        )
    if missing and unseen == "bradley-terry":
        apart = groups(counts.votes)
        if len(apart) > 1:
            some = ", ".join(counts.names[arm] for arm in apart[1][:NAMED])
            raise UserError(
                f"no votes connect {some}{' …' if len(apart[1]) > NAMED else ''} with {counts.names[apart[0][0]]}, "
                "neither directly nor through others, so no model can compare them: say --unseen half, or take fewer "
                "arms (--arms)",
                source=source,
            )
    return voted.shares(counts, unseen, source)


def unseen_pairs(counts: PairCounts) -> list[tuple[int, int]]:
    """Return the pairs (i, j), i < j, that nobody has voted on."""
    return [(int(i), int(j)) for i, j in np.argwhere(np.triu(counts.votes == 0, 1))]


def pair_names(counts: PairCounts, pairs: list[tuple[int, int]]) -> str:
    """Return the first pairs by the names of their arms."""
    some = ", ".join(f"{counts.names[i]} – {counts.names[j]}" for i, j in pairs[:NAMED])
    return some + (", …" if len(pairs) > NAMED else "")
