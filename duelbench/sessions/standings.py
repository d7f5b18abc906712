"""Standings of arms after votes: scores with intervals, the probability of being best, and the deciding pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duelbench.arrays import Flags, Floats
from duelbench.preferences.bradley_terry import curvature, fit
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.posterior import MANY, Notion, Posterior, best_by
from duelbench.proportions import NORMAL, wilson

MOST_DRAWS, FEWEST_DRAWS = 4_000, 400
ENTRIES = 20_000_000
"""Entries of all matrices drawn, but at least ``FEWEST_DRAWS`` matrices."""
ENDS = (0.025, 0.975)
SHOWN = 0.01
"""Arms with a smaller chance to be best are ordered by their scores: smaller chances are Monte Carlo noise."""
DECIDING = 5
"""The number of pairs to list."""
FEWEST_TOGETHER = 5
"""Excess draws that a pair must share with the arm: two rare events may coincide once or twice."""


class Estimate(NamedTuple):
    """A number with the ends of its 95 % interval."""

    value: float
    low: float
    high: float


class Standing(NamedTuple):
    """The standing of one arm. ``arm`` is its number, from 0.

    ``votes`` were ``wins``, ``losses`` and ``ties``. ``share`` of them is won, a tie as half a win, with Wilson's
    interval; None without votes. It depends on the opponents, which an algorithm does not choose at random. The
    others do not: ``beats`` is how many of the other arms it beats, and ``borda`` the probability that it is preferred
    to one of them chosen at random (means and credible intervals over matrices drawn from ``Posterior``);
    ``strength`` is Bradley–Terry's, in log-odds against the mean of the arms (normal approximation). ``chance`` is the
    probability that it is best.
    """

    arm: int
    name: str
    votes: float
    wins: float
    losses: float
    ties: float
    share: Estimate | None
    beats: Estimate
    borda: Estimate
    strength: Estimate
    chance: float


class Deciding(NamedTuple):
    """A pair that decides whether an arm is best.

    ``first`` is the arm that is more probably preferred, with probability ``p`` that it is. ``if_so`` and ``if_not``
    are the probabilities, in either case, that the arm of the question is best; ``wins``, ``losses`` and ``ties`` the
    votes on the pair so far, seen from ``first``.
    """

    first: int
    second: int
    p: float
    if_so: float
    if_not: float
    wins: float
    losses: float
    ties: float


@dataclass(frozen=True)
class Standings:
    """The arms that take part, best first, by their chance to be best and then by their scores.

    ``leader`` is the arm that ``chance`` and ``deciding`` are about: the one recommended or, where none is, the first.
    ``error`` is the standard error of ``chance`` that comes from the number of ``draws``. ``votes`` and ``ties`` count
    all votes, ``unseen`` the pairs of arms that take part which nobody has voted on.
    """

    names: tuple[str, ...]
    notion: Notion
    votes: float
    ties: float
    arms: tuple[Standing, ...]
    recommended: int | None
    leader: int
    chance: float
    error: float
    draws: int
    deciding: tuple[Deciding, ...]
    unseen: int


def standings(
    counts: PairCounts,
    *,
    recommended: int | None = None,
    taking_part: Sequence[int] | None = None,
    notion: Notion = "copeland",
    draws: int | None = None,
    seed: int = 0,
) -> Standings:
    """Return the standings of the arms after votes.

    ``recommended`` is the arm that an algorithm would name. ``taking_part`` are the numbers of the arms that have not
    been withdrawn; votes on the others still say something of these. ``draws`` matrices are drawn, by default as many
    as take some seconds; with the same ``seed`` the same votes give the same numbers.

    Raises ValueError when no arm takes part or the recommended one does not.
    """
    part = list(range(counts.arms)) if taking_part is None else sorted(taking_part)
    if not part or (recommended is not None and recommended not in part):
        raise ValueError(f"arm {recommended} does not take part: {part} do")
    drawn = _draw(counts, part, notion, draws or _enough(counts.arms), seed)
    chances = drawn.best.mean(axis=0)
    beats, borda = drawn.wins.mean(axis=0), drawn.borda.mean(axis=0)
    order = np.lexsort((-borda, -beats, -np.where(chances >= SHOWN, chances, 0.0)))
    leader = part[order[0]] if recommended is None else recommended
    chance = float(chances[part.index(leader)])
    beats_of, borda_of = _over_draws(drawn.wins), _over_draws(drawn.borda)
    among = counts.votes[np.ix_(part, part)]
    strengths = strengths_of(counts, part)
    return Standings(
        counts.names,
        notion,
        float(counts.votes.sum() / 2),
        float(counts.ties.sum() / 2),
        tuple(
            _standing(counts, part[place], chances[place], beats_of[place], borda_of[place], strengths[place])
            for place in order
        ),
        recommended,
        leader,
        chance,
        math.sqrt(chance * (1 - chance) / len(drawn.best)),
        len(drawn.best),
        tuple(_deciding(counts, part, drawn, part.index(leader))),
        int((among[np.triu_indices(len(part), 1)] == 0).sum()),
    )


def chances(
    counts: PairCounts,
    *,
    taking_part: Sequence[int] | None = None,
    notion: Notion = "copeland",
    draws: int = 1_000,
    seed: int = 0,
) -> Floats:
    """Return the probability of each arm to be best, shape (K,): 0 for those that do not take part.

    That is the ``chance`` of ``standings``, alone and from fewer draws: for deciding when to stop, again and again.
    """
    part = list(range(counts.arms)) if taking_part is None else sorted(taking_part)
    result = np.zeros(counts.arms)
    result[part] = _draw(counts, part, notion, draws, seed).best.mean(axis=0)
    return result


class _Drawn(NamedTuple):
    """Of matrices drawn after the votes, restricted to the arms that take part.

    ``best``, ``wins`` and ``borda`` have shape (draws, arms); ``above`` says whether the first arm of a pair beats the
    second, shape (draws, pairs) in packed bits, pairs i < j row by row.
    """

    best: Flags
    wins: Floats
    borda: Floats
    above: NDArray[np.uint8]


def _enough(arms: int) -> int:
    return max(FEWEST_DRAWS, min(MOST_DRAWS, ENTRIES // arms**2))


def _draw(counts: PairCounts, part: list[int], notion: Notion, draws: int, seed: int) -> _Drawn:
    K = len(part)
    upper = np.triu_indices(K, 1)
    wins, total = np.zeros((draws, K)), np.full((draws, K), 0.5)
    above = np.zeros((draws, -(-len(upper[0]) // 8)), np.uint8)
    posterior, rng = Posterior(counts), np.random.default_rng(seed)
    if counts.arms > MANY:
        flat, among, ones = np.ravel_multi_index(upper, (K, K)), np.zeros((K, K), np.float32), np.ones(K, np.float32)
        for k, (won, total[k]) in enumerate(posterior.outcomes(rng, draws, part)):
            among.reshape(-1)[flat] = won
            wins[k] = among @ ones + np.arange(K) - ones @ among  # by BLAS: ten times as fast as counting bits
            above[k] = np.packbits(won)
    else:
        block, done = np.ix_(part, part), 0
        for stack in posterior.stacks(rng, draws if K > 1 else 0):
            P = np.ascontiguousarray(stack[:, block[0], block[1]])  # sums of rows depend on it in the last bit
            now = slice(done, done := done + len(P))
            wins[now] = np.count_nonzero(P > 0.5, axis=-1)
            total[now] = P.sum(axis=-1)
            above[now] = np.packbits(P[:, upper[0], upper[1]] > 0.5, axis=1)
    best = best_by(total if notion == "borda" else wins, notion)
    return _Drawn(best, wins, (total - 0.5) / max(K - 1, 1), above)


def strengths_of(counts: PairCounts, part: Sequence[int]) -> list[Estimate]:
    """Return the Bradley–Terry strengths of some arms above their mean, in log-odds, with normal intervals."""
    above_mean = np.eye(counts.arms)[list(part)]
    above_mean[:, list(part)] -= 1 / len(part)
    strengths = fit(counts)
    spread = above_mean @ np.linalg.inv(curvature(strengths, counts.votes)) @ above_mean.T
    half = NORMAL * np.sqrt(np.maximum(spread.diagonal(), 0.0))
    return [
        Estimate(float(value), float(value - each), float(value + each))
        for value, each in zip(above_mean @ strengths, half, strict=True)
    ]


def _standing(
    counts: PairCounts, arm: int, chance: float, beats: Estimate, borda: Estimate, strength: Estimate
) -> Standing:
    wins, losses, ties = (float(each.sum()) for each in (counts.wins[arm], counts.wins[:, arm], counts.ties[arm]))
    votes = wins + losses + ties
    share = (wins + ties / 2) / votes if votes else math.nan
    return Standing(
        arm,
        counts.names[arm],
        votes,
        wins,
        losses,
        ties,
        Estimate(share, *wilson(share, votes)) if votes else None,
        beats,
        borda,
        strength,
        float(chance),
    )


def _over_draws(values: Floats) -> list[Estimate]:
    """Return the mean of each column with its interval; whole numbers of arms have whole numbers as ends."""
    columns = np.stack([values.mean(axis=0), *np.quantile(values, ENDS, axis=0, method="inverted_cdf")], axis=1)
    return [Estimate(*each) for each in columns.tolist()]


def _deciding(counts: PairCounts, part: list[int], drawn: _Drawn, place: int) -> list[Deciding]:
    """Return the pairs that are most informative about whether one arm is best, the most informative first.

    The information of a pair is the share of the variance of "is best", over the draws, that is explained by which of
    the two is preferred: the squared correlation. Pairs are left out if their correlation could be due to chance among
    so many pairs, or is due to a few draws.
    """
    best = drawn.best[:, place]
    draws, chance = len(best), float(best.mean())
    if not 0 < chance < 1:
        return []
    pairs = len(part) * (len(part) - 1) // 2
    above, above_best = np.zeros(pairs, np.int64), np.zeros(pairs, np.int64)
    for packed, was_best in zip(drawn.above, best, strict=True):
        bits = np.unpackbits(packed, count=pairs)
        above += bits
        if was_best:
            above_best += bits
    p = above / draws
    with np.errstate(invalid="ignore", divide="ignore"):
        said = np.nan_to_num((above_best / draws - p * chance) ** 2 / (p * (1 - p) * chance * (1 - chance)))
    found = []
    for pair in np.argsort(-said, kind="stable")[:DECIDING]:
        if draws * said[pair] < 2 * math.log(len(said)) + 10:
            break
        if abs(above_best[pair] - p[pair] * chance * draws) < FEWEST_TOGETHER:
            continue
        i, j = (part[each[pair]] for each in np.triu_indices(len(part), 1))
        so = above_best[pair] / above[pair]
        otherwise = (best.sum() - above_best[pair]) / (draws - above[pair])
        if p[pair] < 0.5:
            i, j, so, otherwise = j, i, otherwise, so
        probability = max(p[pair], 1 - p[pair])
        votes = (float(each) for each in (counts.wins[i, j], counts.wins[j, i], counts.ties[i, j]))
        found.append(Deciding(i, j, float(probability), float(so), float(otherwise), *votes))
    return found
