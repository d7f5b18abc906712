"""Regret: seven kinds that sum over duels, as tables over pairs of arms, and two kinds of whole sequences of duels.

=================  ================================  ===================================================
kind               regret of the duel (i, j)         used by
=================  ================================  ===================================================
``copeland``       ``ζ* − (ζ[i] + ζ[j]) / 2``        Wu & Liu (2016); Komiyama et al. (2016);
                                                     Zoghi et al. (2015) report twice this
``condorcet``      ``(Δ[c, i] + Δ[c, j]) / 2``       Zoghi et al. (2014); Komiyama et al. (2015);
                                                     Agarwal et al. (2022)
``weak``           ``min(Δ[c, i], Δ[c, j])``         Yue et al. (2012); Chen & Frazier (2017)
``strong``         ``max(Δ[c, i], Δ[c, j])``         Yue et al. (2012); Chen & Frazier (2017)
``borda``          ``b* − (b[i] + b[j]) / 2``        Urvoy et al. (2013)
``binary-weak``    1 unless c is one of i, j         Chen & Frazier (2017); Kolpaczki et al. (2022)
``binary-strong``  1 unless both i and j are c       Chen & Frazier (2017); Kolpaczki et al. (2022)
=================  ================================  ===================================================

ζ is the normalised Copeland score (a tie is not a win), b the Borda score, c the Condorcet winner and
``Δ[c, i] = P[c, i] − 1/2``; a star marks the best value. If P changes, the regret of a duel uses the matrix of its
round (dynamic regret). Two more kinds compare all duels up to t with the single arm k that is best in hindsight. Each
is the largest of K sums over duels, and may decrease:

=====================  =====================================  ==============================================
kind                   regret of all duels (i_s, j_s), s ≤ t   used by
=====================  =====================================  ==============================================
``adversarial``        ``max_k Σ_s (Δ_s[k, i] + Δ_s[k, j])/2``  Saha & Gaillard (2022); Gajane et al. (2015)
                                                              report twice this
``adversarial-borda``  ``max_k Σ_s b_s[k] − (b_s[i]+b_s[j])/2``  Saha, Koren & Mansour (2021)
=====================  =====================================  ==============================================
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from duelbench.errors import UserError, did_you_mean
from duelbench.preferences.matrix import PreferenceMatrix

KINDS = ("copeland", "condorcet", "weak", "strong", "borda", "binary-weak", "binary-strong")
ADVERSARIAL = ("adversarial", "adversarial-borda")


def needs_condorcet_winner(kind: str) -> bool:
    """Return whether a kind of regret is undefined on a matrix without a Condorcet winner."""
    return kind not in ("copeland", "borda", *ADVERSARIAL)


def regret_table(matrix: PreferenceMatrix, kind: str) -> NDArray[np.float64]:
    """Return the (K, K) array of the regret of one duel (i, j).

    It is symmetric and non-negative, and exactly 0 for a self-duel of a best arm. Renumbering the arms permutes the
    table without changing a bit.

    Raises UserError if the kind is unknown, or needs a Condorcet winner and the matrix has none.
    """
    if kind in ADVERSARIAL:
        raise ValueError(f"{kind} regret is not a sum over duels: see regret_tables")
    if kind not in KINDS:
        known = (*KINDS, *ADVERSARIAL)
        raise UserError(f"unknown kind of regret {kind!r}{did_you_mean(kind, known)}: choose among {', '.join(known)}")
    loss = _loss(matrix, kind)
    first, second = loss[:, None], loss[None, :]
    table: NDArray[np.float64]
    match kind:
        case "weak" | "binary-weak":
            table = np.minimum(first, second)
        case "strong" | "binary-strong":
            table = np.maximum(first, second)
        case _:
            table = (first + second) / 2
    return table


def regret_tables(matrix: PreferenceMatrix, kind: str) -> NDArray[np.float64]:
    """Return (tables, K, K) arrays; the regret is the largest of their sums over duels.

    Most kinds have the single array of ``regret_table``. An adversarial kind has one array per arm k: the gain of k
    over the duel, which may be negative. Raises as ``regret_table``.
    """
    if kind not in ADVERSARIAL:
        return regret_table(matrix, kind)[None]
    if kind == "adversarial":
        over = matrix.P - 0.5
    else:
        scores = matrix.borda_scores()
        over = scores[:, None] - scores
    tables: NDArray[np.float64] = (over[:, :, None] + over[:, None, :]) / 2
    return tables


def by_kind(tables: NDArray[np.float64], kinds: Sequence[str], arms: int) -> NDArray[np.float64]:
    """Return the (kinds, …) regret of each kind from the (tables, …) sums over the tables of ``regret_tables``."""
    regrets, first = [], 0
    for kind in kinds:
        last = first + (arms if kind in ADVERSARIAL else 1)
        regrets.append(tables[first:last].max(axis=0))
        first = last
    return np.array(regrets)


def _loss(matrix: PreferenceMatrix, kind: str) -> NDArray[np.float64]:
    """Return the distance of each arm from the best, shape (K,), exactly 0 for the best."""
    loss: NDArray[np.float64]
    if kind == "copeland":
        wins = matrix.wins()
        # Subtract integers, so that scores that differ by one win always differ by the same float.
        loss = (wins.max() - wins) / (matrix.arms - 1)
    elif kind == "borda":
        scores = matrix.borda_scores()
        loss = scores.max() - scores
    else:
        winner = matrix.condorcet_winner()
        if winner is None:
            possible = " or ".join(k for k in KINDS if not needs_condorcet_winner(k))
            raise UserError(
                f"{kind} regret needs a Condorcet winner (an arm that beats every other) and {matrix.source} has none: "
                f"ask for {possible} regret"
            )
        if kind.startswith("binary"):
            loss = (np.arange(matrix.arms) != winner).astype(np.float64)
        else:
            loss = matrix.P[winner] - 0.5
    return loss
