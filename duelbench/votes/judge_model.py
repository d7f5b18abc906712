"""Judges who differ in reliability, in how readily they call a tie, and in how the order shown moves them.

Judge k compares arm i, shown first, with arm j. With log-strengths g and z = g[i] − g[j],

    x = θ[k] z + δ[k],   P(i wins) : P(tie) : P(j wins) = exp(x / 2) : ν[k] : exp(−x / 2).

This is Davidson's model of ties with a discrimination θ[k] (1: an average judge, 0: a coin, below 0: a judge who
prefers the weaker arm), an order effect δ[k] and a tie habit u[k] = ln ν[k] − ln ν. Priors shrink judges with few
votes to the average judge: θ[k] ~ N(1, 0.3²), δ[k] ~ N(δ, 0.3²), u[k] ~ N(0, 0.5²). The common δ and ln ν have a prior
so wide that it only keeps them finite, and strengths have the prior of ``scores``.

(θ, g) and (c θ, g / c) have the same likelihood, for c = −1 too. So the mean of θ over the judges with votes is 1, and
the fit starts from equal judges, which assumes that most votes are honest. A judge with θ < 0 is reported; no vote is
ever reversed.

The posterior mode is found by Fisher scoring on all parameters at once. Given the common parameters each judge has a
3×3 block, so a step costs no more than alternating between strengths and judges, which converges slowly where the two
depend on each other, and the covariance includes both. Parameters of judges are in standard deviations of their priors:
θ[k] = 1 + sd a[k, 0], and so on. So a standard deviation of 0 needs no code of its own. The mode is constrained: the
a[k, 0] of judges with votes add up to 0.

Davidson, On extending the Bradley–Terry model to accommodate ties, JASA 1970; Davidson & Beaver, On extending the
Bradley–Terry model to incorporate within-pair order effects, Biometrics 1977; Liu et al., am-ELO, ICML 2025.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duelbench.arrays import Floats
from duelbench.preferences.scores import log_prior
from duelbench.votes.vote_table import VoteTable

_FITTED = 1e-8
"""The largest step of a parameter that ends Fisher scoring."""
_STEPS = 200
_WIDE = 100.0
"""The standard deviation of the priors of the common δ and ln ν."""
_NO_TIES = -100.0
"""ln ν where no vote is a tie."""


class Cells(NamedTuple):
    """Votes added up: of ``judge``, the last number being unknown ones, on ``first`` and ``second``.

    ``votes``, shape (n, 3), counts those that the first arm won, that tied, and that the second arm won.
    """

    judge: NDArray[np.intp]
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    votes: Floats

    @classmethod
    def of(cls, votes: VoteTable) -> Cells:
        """Add up votes with equal judge, arms and order."""
        K, J = len(votes.names), len(votes.judges)
        judge = np.where(votes.judge < 0, J, votes.judge)
        keys, cell = np.unique((judge * K + votes.first) * K + votes.second, return_inverse=True)
        counts = sums(cell * 3 + 1 - votes.outcome, votes.weight, 3 * len(keys)).reshape(-1, 3)
        return cls(keys // K**2, keys // K % K, keys % K, counts)


class Point(NamedTuple):
    """Values of the parameters: ``common`` are K strengths, δ and ln ν; ``own``, shape (J + 1, 3), those of judges."""

    common: Floats
    own: Floats


class Mode(NamedTuple):
    """The mode, the ``covariance`` of the common parameters, and judges' standard errors, shape (J + 1, 3).

    ``order_error``, shape (J + 1), is the standard error of the sum of the common δ and the judge's own.
    """

    point: Point
    log_likelihood: float
    covariance: Floats
    own_error: Floats
    order_error: Floats


class _System(NamedTuple):
    """The slope of the log-posterior, and its expected negative second derivative in blocks.

    ``common`` (K + 3) and ``own`` (J + 1, 3) are the slope. ``A`` is the block of the common parameters, ``B`` (J + 1,
    3, 3) that of each judge, ``C`` (J + 1, 3, K + 3) that of judges with common parameters. The last of the K + 3 is
    the multiplier of the constraint.
    """

    common: Floats
    own: Floats
    A: Floats
    B: Floats
    C: Floats

    def inverted(self) -> tuple[Floats, Floats, Floats]:
        """Return the block of common parameters of the inverse, B⁻¹ and B⁻¹ C."""
        inverse, size = np.asarray(np.linalg.inv(self.B), dtype=np.float64), len(self.A)
        by_judge: Floats = inverse @ self.C
        complement = self.A - self.C.reshape(-1, size).T @ by_judge.reshape(-1, size)
        return np.asarray(np.linalg.inv(complement), dtype=np.float64), inverse, by_judge

    def step(self) -> Point:
        """Return the step to the maximum of the quadratic approximation."""
        covariance, inverse, by_judge = self.inverted()
        common = covariance @ (self.common - np.einsum("jas,ja->s", by_judge, self.own))
        return Point(common[:-1], (inverse @ self.own[..., None])[..., 0] - by_judge @ common)


class Model:
    """The log-posterior of votes on K arms by J judges.

    ``scale`` has the three standard deviations between judges, ``free`` whether the common δ and ln ν are estimated.
    """

    def __init__(
        self, votes: VoteTable, scale: tuple[float, float, float], free: tuple[bool, bool], ghosts: float
    ) -> None:
        self.cells, self.K, self.J, self.ghosts = Cells.of(votes), len(votes.names), len(votes.judges), ghosts
        self.scale, self.free = np.array(scale), np.array(free, dtype=np.float64)
        known = (self.cells.judge < self.J).astype(np.float64)
        self.known = known[:, None] * self.scale  # of each cell; unknown judges are average
        voted = np.bincount(self.cells.judge, minlength=self.J + 1) > 0
        voted[-1] = not voted[:-1].any()  # the constraint needs a judge
        self.voted = voted

    def start(self) -> Point:
        """Return equal strengths and equal judges."""
        common = np.zeros(self.K + 2)
        common[-1] = 0.0 if self.free[1] else _NO_TIES
        return Point(common, np.zeros((self.J + 1, 3)))

    def mode(self, start: Point) -> Mode:
        """Return the posterior mode that is reached from ``start``."""
        point, value = start, self._log_posterior(start)
        for _ in range(_STEPS):
            step = self.system(point).step()
            size, share = max(np.abs(step.common).max(), np.abs(step.own).max()), 1.0
            while True:
                moved = Point(point.common + share * step.common, point.own + share * step.own)
                better = self._log_posterior(moved)
                if better >= value or share * size < _FITTED:
                    break
                share /= 2.0
            point, value = moved, better
            if share * size < _FITTED:
                break
        covariance, inverse, by_judge = self.system(point).inverted()
        own = np.diagonal(inverse, axis1=1, axis2=2) + np.einsum("jas,st,jat->ja", by_judge, covariance, by_judge)
        shared = -by_judge[:, 1] @ covariance[:, self.K]  # the covariance of the judge's own δ and the common one
        order = covariance[self.K, self.K] + 2.0 * self.scale[1] * shared + self.scale[1] ** 2 * own[:, 1]
        # The variance of a sole judge's θ is 0 but for rounding.
        own_error, order_error = self.scale * np.sqrt(np.maximum(own, 0.0)), np.sqrt(np.maximum(order, 0.0))
        return Mode(point, self._log_likelihood(point), covariance[:-1, :-1], own_error, order_error)

    def predictors(self, point: Point) -> tuple[Floats, Floats, Floats, Floats]:
        """Return z, θ, x and ln ν of each cell."""
        own = self.known * point.own[self.cells.judge]
        z, theta = point.common[self.cells.first] - point.common[self.cells.second], 1.0 + own[:, 0]
        return z, theta, theta * z + point.common[-2] + own[:, 1], point.common[-1] + own[:, 2]

    def _log_likelihood(self, point: Point) -> float:
        _, _, x, log_ties = self.predictors(point)
        return float((self.cells.votes * log_chances(x, log_ties)).sum())

    def _log_posterior(self, point: Point) -> float:
        squares = (self.free * (point.common[-2:] / _WIDE) ** 2).sum() + (point.own**2).sum()
        return self._log_likelihood(point) + float(log_prior(point.common[:-2], self.ghosts)) - float(squares) / 2.0

    def system(self, point: Point) -> _System:
        """Return the slope and the expected negative second derivative of the log-posterior."""
        (judge, first, second, votes), K, J = self.cells, self.K, self.J + 1
        z, theta, x, log_ties = self.predictors(point)
        win, tie, loss = np.exp(log_chances(x, log_ties)).T
        total, margin = votes.sum(axis=1), (win - loss) / 2.0
        # The slope along x and ln ν of each cell, and the variances and covariance of the two.
        along_x, along_ties = (votes[:, 0] - votes[:, 2]) / 2.0 - total * margin, votes[:, 1] - total * tie
        xx, xt, tt = total * ((win + loss) / 4.0 - margin**2), -total * margin * tie, total * tie * (1.0 - tie)

        def by_arm(cell: Floats) -> Floats:
            return sums(first, cell, K) - sums(second, cell, K)

        def by_judge_and_arm(cell: Floats) -> Floats:
            difference = sums(judge * K + first, cell, J * K) - sums(judge * K + second, cell, J * K)
            return difference.reshape(J, K)

        strength, order, ties = slice(K), K, K + 1
        common, A = np.zeros(K + 3), np.zeros((K + 3, K + 3))
        ghost = np.tanh(point.common[strength] / 2.0)
        common[strength] = by_arm(along_x * theta) - self.ghosts * ghost
        common[order : ties + 1] = self.free * (
            np.array([along_x.sum(), along_ties.sum()]) - point.common[-2:] / _WIDE**2
        )
        pairs = sums(first * K + second, xx * theta**2, K * K).reshape(K, K)
        met = pairs + pairs.T
        A[strength, strength] = np.diag(met.sum(axis=1) + self.ghosts * (1.0 - ghost**2) / 2.0) - met
        A[strength, order] = A[order, strength] = self.free[0] * by_arm(xx * theta)
        A[strength, ties] = A[ties, strength] = self.free[1] * by_arm(xt * theta)
        A[order, ties] = A[ties, order] = self.free.prod() * xt.sum()
        A[order, order], A[ties, ties] = self.free * [xx.sum(), tt.sum()] + 1.0 / _WIDE**2

        # How x and ln ν of each cell depend on the parameters of its judge.
        x_of = np.stack([self.known[:, 0] * z, self.known[:, 1], np.zeros_like(z)])
        ties_of = np.stack([np.zeros_like(z), np.zeros_like(z), self.known[:, 2]])
        with_x, with_ties = x_of * xx + ties_of * xt, x_of * xt + ties_of * tt
        own, B, C = -point.own, np.zeros((J, 3, 3)), np.zeros((J, 3, K + 3))
        for a in range(3):
            own[:, a] += sums(judge, along_x * x_of[a] + along_ties * ties_of[a], J)
            C[:, a, strength] = by_judge_and_arm(with_x[a] * theta)
            C[:, a, order] = self.free[0] * sums(judge, with_x[a], J)
            C[:, a, ties] = self.free[1] * sums(judge, with_ties[a], J)
            for b in range(3):
                B[:, a, b] = sums(judge, with_x[a] * x_of[b] + with_ties[a] * ties_of[b], J) + (a == b)
        C[:, 0, -1] = self.voted
        return _System(common, own, A, B, C)


def log_chances(x: Floats, log_ties: Floats) -> Floats:
    """Return ln P(first wins), ln P(tie) and ln P(second wins), shape (…, 3)."""
    total = np.logaddexp(np.logaddexp(x / 2.0, -x / 2.0), log_ties)
    return np.stack([x / 2.0 - total, log_ties - total, -x / 2.0 - total], axis=-1)


def sums(places: NDArray[np.intp], values: Floats, size: int) -> Floats:
    """Return the sum of the values that have each place, shape (size,)."""
    return np.asarray(np.bincount(places, values, size), dtype=np.float64)


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
        average = (1.0, float(self.order.value), 0.0)  # an unknown judge
        fitted = (self.discrimination.value, self.order_effect.value, self.tie_habit.value)
        theta, delta, habit = (np.append(a, b)[votes.judge] for a, b in zip(fitted, average, strict=True))
        return log_chances(theta * z + delta, self.log_ties.value + habit)


def fit_judges(
    votes: VoteTable, priors: JudgePriors | None = None, ghosts: float = 1.0, *, ties: bool | None = None
) -> JudgeFit:
    """Return the posterior mode of the model of judges.

    Parameters
    ----------
    votes : VoteTable
        The votes. Those of unknown judges count as votes of average judges.
    priors : JudgePriors, optional
        The standard deviations between judges.
    ghosts : float
        The strength of the prior of strengths, above 0: how often each arm has won, and lost, against a ghost.
    ties : bool, optional
        Whether ties are possible; by default whether there are any.

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
    model, alike, mode = modes(votes, priors, ghosts, bool((votes.outcome == 0).any()) if ties is None else ties)
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
    priors, ties = JudgePriors(order=0.3 if votes.ordered else None), bool((votes.outcome == 0).any())
    for _ in range(rounds):
        model, _, mode = modes(votes, priors, 1.0, ties)
        deviations = (model.scale * mode.point.own) ** 2 + mode.own_error**2
        between = JudgePriors(*np.sqrt(deviations[model.voted].mean(axis=0)).tolist())
        priors = between if votes.ordered else between._replace(order=None)
    return priors
