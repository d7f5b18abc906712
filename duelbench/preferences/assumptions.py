"""Check whether a preference matrix meets the assumptions of an algorithm.

The assumptions are a text such as "total order, SST, STI": keys of ``CONDITIONS``, separated by commas. Sort the arms
such that none beats an earlier one, and let ``ε_ij = P[i, j] − 1/2``. For all i before j before k, the conditions are:

    SST            ε_ik ≥ max(ε_ij, ε_jk), strong stochastic transitivity
    γ-SST          γ ε_ik ≥ max(ε_ij, ε_jk)
    relaxed SST    γ-SST only if i is the best arm (Yue & Joachims, ICML 2011, section 2)
    STI            ε_ik ≤ ε_ij + ε_jk, the stochastic triangle inequality; with "relaxed SST" only if i is the best arm

Tied arms may come in either order; among arms that no remaining arm beats, the one with the best Borda score is first.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from duelbench.preferences.matrix import TOLERANCE, PreferenceMatrix


class _Case(NamedTuple):
    """A matrix, the parameters of the algorithm, and all its assumptions."""

    matrix: PreferenceMatrix
    parameters: Mapping[str, Any]
    assumptions: tuple[str, ...]


def unmet(matrix: PreferenceMatrix, assumes: str, parameters: Mapping[str, Any]) -> list[str]:
    """Return the conditions in ``assumes`` that a matrix does not meet, in the order of the text.

    Conditions such as "no pair within h of 1/2" refer to the ``parameters`` of the algorithm. Raises KeyError for a
    condition that is not in ``CONDITIONS``.
    """
    assumptions = tuple(assumes.split(", "))
    case = _Case(matrix, parameters, assumptions)
    return [condition for condition in assumptions if not CONDITIONS[condition](case)]


def ranking(matrix: PreferenceMatrix) -> list[int] | None:
    """Return an order of the arms in which none beats an earlier one, or None if a cycle prevents it."""
    beats, scores = matrix.P > 0.5, matrix.borda_scores()
    left, order = list(range(matrix.arms)), []
    while left:
        unbeaten = [arm for arm in left if not beats[left, arm].any()]
        if not unbeaten:
            return None
        order.append(max(unbeaten, key=lambda arm: scores[arm]))
        left.remove(order[-1])
    return order


def _known_gap(case: _Case) -> bool:
    winner = case.matrix.condorcet_winner()
    return winner is not None and bool(
        np.delete(case.matrix.P[winner], winner).min() >= 0.5 + case.parameters["gap"] - TOLERANCE
    )


def _variant_of_savage(case: _Case) -> bool:
    """Whether the matrix suits the variant of SAVAGE; never for "argmax", whose baseline (arm 0) it cannot show."""
    variant = case.parameters.get("variant")
    return variant != "argmax" and (variant != "condorcet" or case.matrix.condorcet_winner() is not None)


def _beta_below_the_odds(case: _Case) -> bool:
    """Whether β < p / (1 − p) for every p = P[i, j] above 1/2 (Chen & Frazier, ICML 2017)."""
    P = case.matrix.P
    p = P[P > 0.5]
    return bool((case.parameters["beta"] * (1 - p) < p).all())


def _sst(case: _Case, factor: float = 1.0, of_the_best: bool = False) -> bool:
    return _triples(case, lambda ij, jk, ik: factor * ik >= np.maximum(ij, jk), of_the_best)


def _sti(case: _Case) -> bool:
    return _triples(case, lambda ij, jk, ik: ik <= ij + jk, of_the_best="relaxed SST" in case.assumptions)


def _triples(case: _Case, holds: Callable[..., NDArray[np.bool_]], of_the_best: bool = False) -> bool:
    """Return whether ``holds(ε_ij, ε_jk, ε_ik)`` for all i before j before k, within the rounding of printed tables."""
    order = ranking(case.matrix)
    if order is None:
        return False
    gap = case.matrix.P[np.ix_(order, order)] - 0.5
    first = 1 if of_the_best else len(order)
    for j in range(1, len(order) - 1):
        firsts = slice(0, min(j, first))
        ij, jk, ik = gap[firsts, j, None], gap[None, j, j + 1 :], gap[firsts, j + 1 :]
        if not (holds(ij, jk, ik) | holds(ij, jk, ik + TOLERANCE) | holds(ij, jk, ik - TOLERANCE)).all():
            return False
    return True


def _one_borda_winner(case: _Case) -> bool:
    scores = case.matrix.borda_scores()
    return int(np.count_nonzero(scores == scores.max())) == 1


def _scores(case: _Case) -> bool:
    """Whether the log odds are differences of scores: the Bradley–Terry model, and Luce's model for two arms."""
    P = case.matrix.P
    if (P <= 0).any():
        return False
    odds = np.log(P / P.T)
    return _differences(odds, P, lambda between: 1 / (1 + np.exp(-between)))


def _probits(case: _Case) -> bool:
    """Whether the probits are differences of scores: Thurstone's model, case V."""
    from scipy.special import ndtr, ndtri

    P = case.matrix.P
    return not (P <= 0).any() and _differences(ndtri(P), P, ndtr)


def _utilities(case: _Case) -> bool:
    """Whether P[i, j] is 1/2 plus a difference."""
    P = case.matrix.P
    return _differences(P - 0.5, P, lambda between: 0.5 + between)


def _differences(
    between: NDArray[np.float64], P: NDArray[np.float64], link: Callable[[NDArray[np.float64]], NDArray[np.float64]]
) -> bool:
    scores = between.mean(axis=1)
    return bool((np.abs(link(scores[:, None] - scores) - P) <= TOLERANCE).all())


CONDITIONS: dict[str, Callable[[_Case], bool]] = {
    "nothing": lambda _: True,
    "Condorcet winner": lambda case: case.matrix.condorcet_winner() is not None,
    "Condorcet winner by a known gap": _known_gap,
    "depends on the variant": _variant_of_savage,
    "arm 0 is a baseline": lambda _: False,  # a matrix cannot show this, and runs renumber arms
    "β < p / (1 − p)": _beta_below_the_odds,
    "no ties": lambda case: case.matrix.smallest_gap() > 0,
    "no pair at 1/2": lambda case: case.matrix.smallest_gap() > 0,
    "no pair within h of 1/2": lambda case: case.matrix.smallest_gap() >= case.parameters["h"] - TOLERANCE,
    "total order": lambda case: ranking(case.matrix) is not None,
    "SST": _sst,
    "γ-SST": lambda case: _sst(case, case.parameters["gamma"]),
    "relaxed SST": lambda case: _sst(case, case.parameters["gamma"], of_the_best=True),
    "STI": _sti,
    "Borda winner": lambda _: True,  # every matrix has one
    "one Borda winner": _one_borda_winner,
    "sparsity": lambda _: True,  # SECS: few opponents decide between two arms; how few is not specified
    "Plackett–Luce model": _scores,
    "Bradley–Terry–Luce model": _scores,
    "Thurstone model": _probits,
    "utilities": _utilities,
    "linear link": _utilities,
}
"""The conditions in the assumptions of algorithms, each with a function that checks it on a matrix."""
