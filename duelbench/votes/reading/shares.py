"""The matrix of the shares of votes, with the entries of pairs without votes."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from duelbench.errors import UserError
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.votes import matrices
from duelbench.votes.ranking.tournament import groups

Unseen = Literal["bradley-terry", "half"]
"""The entries of pairs without votes: from a Bradley–Terry model of the other pairs, or 1/2."""
NAMED = 5
"""The largest number of pairs or arms to name in a sentence."""


def shares(counts: PairCounts, unseen: Unseen | None, source: str) -> PreferenceMatrix:
    """Return the matrix of the shares of votes won, a tie being half a win for both.

    ``unseen`` defines the entries of pairs without votes; with None such pairs are an error. ``source`` names the
    matrix in errors.

    Raises:
        UserError: pairs without votes and no ``unseen``, or a model that the votes do not determine.
    """
    missing = unseen_pairs(counts)
    if len(missing) and unseen is None:
        some = ", ".join(f"{counts.names[i]} – {counts.names[j]}" for i, j in missing[:NAMED])
        more = ", …" if len(missing) > NAMED else ""
        pairs = counts.arms * (counts.arms - 1) // 2
        raise UserError(
            f"{len(missing):,} of {pairs:,} pairs have no votes ({some}{more}): fill them in from a model of the "
            "others (--unseen bradley-terry) or with 1/2 (--unseen half), or keep fewer arms (--arms)",
            source=source,
        )
    if len(missing) and unseen == "bradley-terry":
        apart = groups(counts.votes)
        if len(apart) > 1:
            some = ", ".join(counts.names[arm] for arm in apart[1][:NAMED])
            raise UserError(
                f"no votes connect {some}{' …' if len(apart[1]) > NAMED else ''} with {counts.names[apart[0][0]]}, "
                "neither directly nor through others, so no model can compare them: use --unseen half, or keep fewer "
                "arms (--arms)",
                source=source,
            )
    return matrices.shares(counts, unseen, source)


def unseen_pairs(counts: PairCounts) -> NDArray[np.intp]:
    """Return the pairs (i, j), i < j, without votes, shape (pairs, 2)."""
    return np.argwhere(np.triu(counts.votes == 0, 1))
