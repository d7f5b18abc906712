"""The matrix of the shares of votes, once it is known that votes say enough of every pair."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

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

    ``unseen`` says what to take for pairs without votes; with None they are an error. ``source`` names the matrix in
    errors.

    Raises:
        UserError: pairs without votes and nothing to take, or a model that votes say nothing about.
    """
    missing = unseen_pairs(counts)
    if len(missing) and unseen is None:
        some = ", ".join(f"{counts.names[i]} – {counts.names[j]}" for i, j in missing[:NAMED])
        more = ", …" if len(missing) > NAMED else ""
        pairs = counts.arms * (counts.arms - 1) // 2
        raise UserError(
            f"{len(missing):,} of {pairs:,} pairs have no votes ({some}{more}): take for them a model of the others "
            "(--unseen bradley-terry) or 1/2 (--unseen half), or take fewer arms (--arms)",
            source=source,
        )
    if len(missing) and unseen == "bradley-terry":
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


def unseen_pairs(counts: PairCounts) -> NDArray[np.intp]:
    """Return the pairs (i, j), i < j, that nobody has voted on, shape (pairs, 2)."""
    return np.argwhere(np.triu(counts.votes == 0, 1))
