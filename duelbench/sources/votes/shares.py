"""From the votes on each pair to a preference matrix: the share of votes that each arm has won."""

from __future__ import annotations

from typing import Literal

import numpy as np

from duelbench.errors import UserError
from duelbench.preferences.bradley_terry import fit
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.tournament import groups

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
    votes = counts.votes
    missing = unseen_pairs(counts)
    if missing and unseen is None:
        raise UserError(
            f"{len(missing):,} of {counts.arms * (counts.arms - 1) // 2:,} pairs have no votes "
            f"({pair_names(counts, missing)}): take a model of the other pairs for them (--unseen bradley-terry), or "
            "1/2 (--unseen half), or fewer arms (--arms)",
            source=source,
        )
    P = np.divide(counts.halved(), votes, out=np.full(votes.shape, 0.5), where=votes > 0)
    if missing and unseen == "bradley-terry":
        apart = groups(votes)
        if len(apart) > 1:
            some = ", ".join(counts.names[arm] for arm in apart[1][:NAMED])
            raise UserError(
                f"no votes connect {some}{' …' if len(apart[1]) > NAMED else ''} with {counts.names[apart[0][0]]}, "
                "neither directly nor through others, so no model can compare them: say --unseen half, or take fewer "
                "arms (--arms)",
                source=source,
            )
        strength = fit(counts)
        model = 1.0 / (1.0 + np.exp(strength[None, :] - strength[:, None]))
        P = np.where(votes > 0, P, model)
    # The share of the upper triangle is the one that counts; the lower may be a rounding away from its complement.
    upper = np.triu(P, 1)
    return PreferenceMatrix(upper + np.tril(1 - upper.T, -1) + np.eye(counts.arms) / 2, source, counts.names)


def unseen_pairs(counts: PairCounts) -> list[tuple[int, int]]:
    """Return the pairs (i, j), i < j, that nobody has voted on."""
    return [(int(i), int(j)) for i, j in np.argwhere(np.triu(counts.votes == 0, 1))]


def pair_names(counts: PairCounts, pairs: list[tuple[int, int]]) -> str:
    """Return the first pairs by the names of their arms."""
    some = ", ".join(f"{counts.names[i]} – {counts.names[j]}" for i, j in pairs[:NAMED])
    return some + (", …" if len(pairs) > NAMED else "")
