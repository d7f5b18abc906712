"""Judges who differ in reliability, in how readily they call a tie, and in how the order shown moves them.

Judge k compares arm i, shown first, with arm j. With log-strengths g and z = g[i] − g[j],

    x = θ[k] z + δ[k],   P(i wins) : P(tie) : P(j wins) = exp(x / 2) : ν[k] : exp(−x / 2).

This is Davidson's model of ties with a discrimination θ[k] (1: an average judge, 0: a coin, below 0: a judge who
prefers the weaker arm), an order effect δ[k] and a tie habit u[k] = ln ν[k] − ln ν. Priors shrink judges with few
votes to the average judge: θ[k] ~ N(1, 0.3²), δ[k] ~ N(δ, 0.3²), u[k] ~ N(0, 0.5²). The common δ and ln ν have a prior
so wide that it only keeps them finite, and strengths have the prior of ``bradley_terry``.

(θ, g) and (c θ, g / c) have the same likelihood, for c = −1 too. So the mean of θ over the judges with votes is 1, and
the fit starts from equal judges, which assumes that most votes are honest. A judge with θ < 0 is reported; no vote is
ever reversed.

The posterior mode is found by Fisher scoring on all parameters at once (``judge_model``). Given the common parameters
each judge has a 3×3 block, so a step costs no more than alternating between strengths and judges, which converges
slowly where the two depend on each other, and the covariance includes both.

Davidson, On extending the Bradley–Terry model to accommodate ties, JASA 1970; Davidson & Beaver, On extending the
Bradley–Terry model to incorporate within-pair order effects, Biometrics 1977; Liu et al., am-ELO, ICML 2025.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from duelbench.arrays import Flags, Floats
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.scores import curvature, most_likely
from duelbench.votes.ranking.judge_model import Cells, Mode, Model, log_chances, sums
from duelbench.votes.table import VoteTable

FEWEST_VARIANCE = 3.0
"""The variance of a judge's number of wins from which on the score has a normal distribution."""
LEAST_GAIN = 1e-4
"""The gain per held-out vote, in nats, below which the model of judges is no better."""
ENTRIES = 1_000_000
"""Entries of tables, one for each judge, that are fitted at once."""


class JudgePriors(NamedTuple):
    """The standard deviations between judges of θ, δ and u. With 0 the judges are alike.

    ``order`` None leaves out the common δ as well, for votes whose order has no meaning.
    """

    discrimination: float = 0.3
    order: float | None = 0.3
    ties: float = 0.5

    def alike(self) -> JudgePriors:
        """Return the priors under which all judges are alike."""
        return JudgePriors(0.0, None if self.order is None else 0.0, 0.0)


class Estimates(NamedTuple):
    """Estimates and their standard errors, of equal shape."""

    value: Floats
    error: Floats


@dataclass(frozen=True, eq=False)
class JudgeFit:
    """The posterior mode of the model of judges.

    Parameters
    ----------
    names, judges : tuple of str
        The names of the K arms and of the J judges.
    priors : JudgePriors
        The standard deviations between judges.
    strength, covariance : ndarray of float, shapes (K,) and (K, K)
        Log-strengths, and their covariance, which includes the uncertainty about judges.
    order, log_ties : Estimates
        The common δ and ln ν, each an array of shape (). ln ν is −100 where no vote is a tie.
    discrimination, order_effect, tie_habit : Estimates
        θ, δ and u of each judge, shape (J,). Judges without votes have the prior.
    votes : ndarray of float, shape (J,)
        The number of votes of each judge.
    log_likelihood, log_likelihood_alike : float
        The log-likelihood at the mode, and at the mode of the model in which all judges are alike.
    """

    names: tuple[str, ...]
    judges: tuple[str, ...]
    priors: JudgePriors
    strength: Floats
    covariance: Floats
    order: Estimates
    log_ties: Estimates
    discrimination: Estimates
    order_effect: Estimates
    tie_habit: Estimates
    votes: Floats
    log_likelihood: float
    log_likelihood_alike: float

    @property
    def gain(self) -> float:
        """The gain in log-likelihood over the model in which all judges are alike."""
        return self.log_likelihood - self.log_likelihood_alike

    @property
    def opposed(self) -> tuple[str, ...]:
        """The names of the judges with θ < 0, who answer against the majority."""
        return tuple(self.judges[judge] for judge in np.flatnonzero(self.discrimination.value < 0.0))

    def log_chances(self, votes: VoteTable) -> Floats:
        """Return ln P(first wins), ln P(tie) and ln P(second wins) of votes on these arms by these judges, (n, 3)."""
        z = self.strength[votes.first] - self.strength[votes.second]
        theta, delta, habit = self._of_judges(votes)
        return log_chances(theta * z + delta, self.log_ties.value + habit)

    def effective_counts(self, votes: VoteTable) -> PairCounts:
        """Return counts that say as much of the strengths as the votes did in the fit, as if all judges were average.

        A decisive vote of judge k is worth ``θ[k]² p (1 − p) / (q (1 − q))`` votes, its Fisher information on z in
        units of that of an average judge without an order effect: p and q are the probabilities that the first arm
        wins, with this judge and with that one, at the fitted z. A pair of total worth N has N q wins of the first arm
        plus the score of z, so that a Bradley–Terry fit of these counts has the fitted strengths as its maximum, with
        the same curvature. Wins are kept between 0 and N, which only matters for pairs with few votes. A tie has the
        weight that a decisive vote of the judge would have. Votes of judges with θ ≤ 0 count for nothing. θ is taken as
        known; with a fifth of random judges, chances from these counts are calibrated within 0.03 nevertheless.
        """
        K = len(self.names)
        theta, delta, _ = self._of_judges(votes)
        theta = np.maximum(theta, 0.0)
        z = self.strength[votes.first] - self.strength[votes.second]
        p, q = 1.0 / (1.0 + np.exp(-theta * z - delta)), 1.0 / (1.0 + np.exp(-z))
        worth = votes.weight * theta**2 * p * (1.0 - p) / (q * (1.0 - q))
        score = votes.weight * theta * ((votes.outcome > 0) - p)
        decisive = votes.outcome != 0
        pair = votes.first * K + votes.second

        def pairs(values: Floats, chosen: Flags) -> Floats:
            return sums(pair[chosen], values[chosen], K * K).reshape(K, K)

        N, ties = pairs(worth, decisive), pairs(worth, ~decisive)
        N, net = N + N.T, pairs(score, decisive)
        share = 1.0 / (1.0 + np.exp(self.strength[None, :] - self.strength[:, None]))
        wins = np.triu(np.clip(N * share + net - net.T, 0.0, N), 1)
        return PairCounts(self.names, wins + np.tril(N - wins.T, -1), ties + ties.T)

    def _of_judges(self, votes: VoteTable) -> tuple[Floats, Floats, Floats]:
        """Return θ, δ and u of the judge of each vote; an unknown judge is an average one."""
        average = (1.0, float(self.order.value), 0.0)
        fitted = (self.discrimination.value, self.order_effect.value, self.tie_habit.value)
        theta, delta, habit = (np.append(a, b)[votes.judge] for a, b in zip(fitted, average, strict=True))
        return theta, delta, habit


def fit_judges(votes: VoteTable, priors: JudgePriors | None = None, ghosts: float = 1.0) -> JudgeFit:
    """Return the posterior mode of the model of judges.

    Parameters
    ----------
    votes : VoteTable
        The votes. Those of unknown judges count as votes of average judges.
    priors : JudgePriors, optional
        The standard deviations between judges.
    ghosts : float
        The strength of the prior of strengths, above 0: how often each arm has won, and lost, against a ghost.

    Returns
    -------
    JudgeFit
        Strengths, judges and log-likelihoods.

    Raises
    ------
    ValueError
        If a standard deviation is negative or not finite, or ``ghosts`` is not above 0.
    """
    priors = JudgePriors() if priors is None else priors
    if not all(0.0 <= deviation < np.inf for deviation in priors if deviation is not None):
        raise ValueError(f"standard deviations between judges are finite and not negative, not {priors}")
    if not 0.0 < ghosts < np.inf:
        raise ValueError(f"the number of ghost votes is finite and above 0, not {ghosts}")
    return _fit(votes, priors, ghosts, bool((votes.outcome == 0).any()))


def _fit(votes: VoteTable, priors: JudgePriors, ghosts: float, ties: bool) -> JudgeFit:
    model, alike, mode = modes(votes, priors, ghosts, ties)
    K, J, (common, own) = model.K, model.J, mode.point
    own, error = (model.scale * own)[:J], mode.own_error[:J]
    spread = np.sqrt(mode.covariance.diagonal())
    known = votes.judge >= 0
    return JudgeFit(
        names=votes.names,
        judges=votes.judges,
        priors=priors,
        strength=common[:K],
        covariance=mode.covariance[:K, :K],
        order=Estimates(common[K], spread[K] * model.free[0]),
        log_ties=Estimates(common[K + 1], spread[K + 1] * model.free[1]),
        discrimination=Estimates(1.0 + own[:, 0], error[:, 0]),
        order_effect=Estimates(common[K] + own[:, 1], mode.order_error[:J] * model.free[0]),
        tie_habit=Estimates(own[:, 2], error[:, 2]),
        votes=sums(votes.judge[known], votes.weight[known], J),
        log_likelihood=mode.log_likelihood,
        log_likelihood_alike=alike,
    )


def modes(votes: VoteTable, priors: JudgePriors, ghosts: float, ties: bool) -> tuple[Model, float, Mode]:
    """Return the model, the log-likelihood if all judges are alike, and the mode, which is reached from there."""
    free = (priors.order is not None, ties)
    alike = Model(votes, (0.0, 0.0, 0.0), free, ghosts)
    start = alike.mode(alike.start())
    model = Model(votes, (priors.discrimination, priors.order or 0.0, priors.ties * ties), free, ghosts)
    return model, start.log_likelihood, model.mode(start.point)


def estimated_priors(votes: VoteTable, rounds: int = 10) -> JudgePriors:
    """Return standard deviations between judges learned from the votes.

    Each round sets them to the root mean square of the judges' deviations in the last fit, with their variances added
    (expectation maximisation with Laplace's approximation, as in mixed models). Dependent votes, such as all pairs of
    one ranking, make them too large: check with ``held_out``.

    Parameters
    ----------
    votes : VoteTable
        The votes.
    rounds : int
        The number of fits.

    Returns
    -------
    JudgePriors
        The learned standard deviations; the default ones where no judge is known.
    """
    priors, ties = JudgePriors(), bool((votes.outcome == 0).any())
    for _ in range(rounds):
        model, _, mode = modes(votes, priors, 1.0, ties)
        deviations = (model.scale * mode.point.own) ** 2 + mode.own_error**2
        priors = JudgePriors(*np.sqrt(deviations[model.voted].mean(axis=0)).tolist())
    return priors


class HeldOut(NamedTuple):
    """The negative log-likelihood per held-out vote, with judges alike and with the model of judges.

    ``error`` is the standard error of their difference; votes of one group are dependent.
    """

    alike: float
    judges: float
    error: float

    @property
    def supported(self) -> bool:
        """Whether the model of judges predicts held-out votes better, by more than two standard errors and rounding."""
        return self.alike - self.judges > max(2.0 * self.error, LEAST_GAIN)


def held_out(votes: VoteTable, priors: JudgePriors | None = None, folds: int = 5) -> HeldOut:
    """Return how well the model of judges predicts votes that it was not fitted to, and whether the data support it.

    Parameters
    ----------
    votes : VoteTable
        The votes. Those of one group are held out together.
    priors : JudgePriors, optional
        The standard deviations between judges.
    folds : int
        The number of parts, each of which is held out once. Groups are dealt out at random, with a fixed seed.

    Returns
    -------
    HeldOut
        The negative log-likelihood per vote of both models.

    Raises
    ------
    ValueError
        If there are fewer groups than folds, or fewer than two folds.
    """
    priors = JudgePriors() if priors is None else priors
    groups, group = np.unique(votes.group, return_inverse=True)
    if not 2 <= folds <= len(groups):
        raise ValueError(
            f"{folds} folds need two or more folds and at least as many groups of votes, not {len(groups)}"
        )
    fold = np.random.default_rng(0).permutation(np.arange(len(groups)) % folds)[group]
    ties = bool((votes.outcome == 0).any())
    loss = np.zeros((2, len(votes)))
    for part in range(folds):
        out = fold == part
        known, rest = votes.chosen(~out), votes.chosen(out)
        for row, each in enumerate((priors.alike(), priors)):
            chances = _fit(known, each, 1.0, ties).log_chances(rest)
            loss[row, out] = -rest.weight * chances[np.arange(len(rest)), 1 - rest.outcome]
    total = votes.weight.sum()
    gain = loss[0] - loss[1]
    by_group = sums(group, gain - votes.weight * gain.sum() / total, len(groups))
    alike, judges = loss.sum(axis=1) / total
    return HeldOut(float(alike), float(judges), float(np.sqrt((by_group**2).sum()) / total))


class ScoreTest(NamedTuple):
    """Tests, one for each judge, of one value of θ: shape (J,), NaN for a judge with too few votes.

    ``statistic`` is standard normal if the judge has this θ; below 0 the judge's θ is smaller. ``p`` is two-sided and
    corrected for the number of judges that are tested (Bonferroni).
    """

    statistic: Floats
    p: Floats


def score_test(votes: VoteTable, discrimination: float = 1.0) -> ScoreTest:
    """Test of each judge whether θ has a given value.

    The score is Σ (y − p) z over the judge's decisive votes, with p = σ(θ z) and strengths fitted to the votes of the
    others. Their uncertainty is part of its variance; it also makes |z| too large on average, and so the score too
    small, which is corrected to second order. θ = 1 tests whether the judge is like the others; θ = 0 whether
    the answers are a coin's, so that a significant negative statistic shows a judge who answers against the others.
    The test assumes that the order in which arms are shown is random, or has no effect.

    Parameters
    ----------
    votes : VoteTable
        The votes.
    discrimination : float
        The θ that is tested.

    Returns
    -------
    ScoreTest
        The statistics and corrected p-values.
    """
    from scipy.special import ndtr

    K, J = len(votes.names), len(votes.judges)
    cells = Cells.of(votes)
    won = np.zeros((K, K))
    np.add.at(won, (cells.first, cells.second), cells.votes[:, 0])
    np.add.at(won, (cells.second, cells.first), cells.votes[:, 2])
    statistic, most = np.full(J, np.nan), max(1, ENTRIES // K**2)
    for begin in range(0, J, most):
        judges = np.arange(begin, min(begin + most, J))
        own = np.zeros((len(judges), K, K))
        mine = (cells.judge >= begin) & (cells.judge <= judges[-1])
        judge, first, second = cells.judge[mine] - begin, cells.first[mine], cells.second[mine]
        np.add.at(own, (judge, first, second), cells.votes[mine, 0])
        np.add.at(own, (judge, second, first), cells.votes[mine, 2])
        others = np.maximum(won - own, 0.0)
        g = most_likely(others)
        covariance = np.linalg.inv(curvature(g, others + others.swapaxes(1, 2)))
        own_spread = np.diagonal(covariance, axis1=1, axis2=2)
        spread = own_spread[:, :, None] + own_spread[:, None, :] - 2.0 * covariance  # the variance of z
        z = g[:, :, None] - g[:, None, :]
        p = 1.0 / (1.0 + np.exp(-discrimination * z))
        variance = (own + own.swapaxes(1, 2)) * p * (1.0 - p)
        bias = discrimination * variance * spread * (1.0 + discrimination * (0.5 - p) * z)
        score = (own * (1.0 - p) * z).sum(axis=(1, 2)) + bias.sum(axis=(1, 2)) / 2.0
        turned = discrimination * (variance * z).sum(axis=2)  # how the expected score depends on each strength
        information = (variance * z**2).sum(axis=(1, 2)) / 2.0 + np.einsum("ji,jik,jk->j", turned, covariance, turned)
        tested = variance.sum(axis=(1, 2)) / 2.0 >= FEWEST_VARIANCE
        tested &= information > 0.0
        statistic[judges[tested]] = score[tested] / np.sqrt(information[tested])
    number = np.count_nonzero(np.isfinite(statistic))
    return ScoreTest(statistic, np.minimum(1.0, 2.0 * number * ndtr(-np.abs(statistic))))
