"""The posterior distribution of a preference matrix given votes.

``Posterior`` takes the wins and ties of every pair (``PairCounts``). It draws matrices and returns the probability that
each arm is best, and statistics of the drawn matrices (``Samples``).

**Model.** Bradley–Terry with a random deviation for each pair. Arms have log-strengths g with a weak prior
(``duelbench.preferences.scores``), ``q[i, j] = 1 / (1 + exp(g[j] − g[i]))``, and

    P[i, j] ~ Beta(s q[i, j], s q[j, i]),   wins[i, j] ~ Binomial(votes[i, j], P[i, j]).

The strength s of the prior is the number of votes on a pair that weigh as much as the information from all other pairs.
With s = ∞ the model is Bradley–Terry; with a small s the pairs are nearly independent, which suits cyclic preferences.
Given g and s, the posterior of each pair is the Beta distribution with the wins and losses added. A matrix is drawn in
three steps:

1. Draw s, unless it is given, and the scale of the strengths from their posterior on a grid with a uniform prior. (A
   single wide prior on the strengths would overstate the differences between arms that are close.)
2. Draw g from the Laplace approximation, a normal distribution around the posterior mode. (With g fixed at the mode,
   pairs without votes would have almost no uncertainty.)
3. Draw P given g and s.

**Ties.** A tie is half a win for both arms, or a third outcome. If it is a third outcome, the share p of wins among
decisive votes follows the model above, given wins and losses alone, and the share τ of ties follows

    τ[i, j] ~ Beta(r m[i, j], r (1 − m[i, j])),   ties[i, j] ~ Binomial(votes[i, j], τ[i, j]),   P = τ/2 + (1 − τ) p,

where m is the tie share of Davidson's model (``tie_shares``). ``tie_grid`` adds r to the grid and ν to the strengths.
With ``s = r (1 − m)`` the outcomes of a pair have a Dirichlet distribution. ``P > 1/2`` if and only if ``p > 1/2``, so
ties never decide which arm is preferred; counting them as half wins understates the evidence of the other votes. With 6
wins, no loss and 10 ties on one pair and a uniform prior, the probability that the winner is preferred is 0.93 if ties
are half wins, and 0.99 if they are a third outcome.

**Grid of priors.** A point of the grid is a strength s of the prior of the pairs and a number of ghosts, which sets the
scale of the strengths (``scores.most_likely``). At each point the log-strengths have a normal distribution around the
posterior mode. Given s, wins are overdispersed: ``votes`` votes carry the information of
``votes (s + 1) / (s + votes)`` independent votes (Williams, Extra-binomial variation in logistic linear models, Applied
Statistics 1982, model II), and the strengths are fitted to that number. The posterior of the points uses Laplace's
method (Tierney & Kadane, JASA 1986).

Where ties are modelled, a point also has a strength r of the prior of tie shares, and the log-strengths and ln ν have a
joint normal distribution. Decisive votes and ties are overdispersed given s and r, and both are fitted to the numbers
of independent votes that they are worth. The curvature is the expected information, because the likelihood of the ties
alone is not concave. The prior of the tie share of equal arms, ``ν / (2 + ν)``, is uniform.
"""

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from duelbench.arrays import Flags, Floats
from duelbench.preferences import scores
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.samples import Notion, Samples, best_arms
from duelbench.preferences.scores import FITTED, STEPS, curvature, log_prior, most_likely

_STRENGTHS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0)
"""The grid of strengths of the prior, if none is given."""
GHOSTS = (1.0, 2.0, 5.0, 10.0, 20.0)
"""The grid of scales of the strengths: the prior on log-strengths has standard deviations from 1.8 to 0.32."""
_QUICK = (3.0, 15.0, 80.0, 500.0), (2.0, 8.0)
_QUICK_MANY = (5.0, 50.0, 500.0), GHOSTS
"""The strengths and scales of the quick grid, for at most ``MANY`` arms and for more."""
_QUICKLY_FITTED = 0.02
"""The largest last step of Newton's method, in log-odds, for the quick grid."""
_DIGITS = 9
"""Results of linear algebra are rounded to these decimals, so that no matrix depends on the LAPACK of a machine."""
ENTRIES = 100_000
"""Matrix entries that are computed at once, so that they fit into the processor's cache."""
_UNLIKELY = 1e-5
"""Grid points less likely than the most likely one by this factor are left out if other points depend on them."""
MANY = 300
"""With more arms, linear algebra leaves out arms without votes, whose posterior is the prior."""


class GridPoints(NamedTuple):
    """The posterior of the log-strengths of V arms at points of the grid.

    ``prior`` and ``ghosts``: the coordinates of the points, shape (points,). ``mean``: shape (points, V). ``spread``:
    the transposed roots of the covariances, shape (points, V, V). ``evidence``: the log-probability of the wins, up to
    a constant, shape (points,). If ties are modelled (``tie_grid``), ``tie_prior`` is the strength of the prior of tie
    shares, shape (points,), and the last entry of ``mean`` and ``spread`` is ln ν.
    """

    prior: Floats
    ghosts: Floats
    mean: Floats
    spread: Floats
    evidence: Floats
    tie_prior: Floats | None = None


class PriorGrid(NamedTuple):
    """The points of the grid, the ``arms`` in them, and the ``cumulative`` probabilities of the points."""

    points: GridPoints
    arms: NDArray[np.intp]
    cumulative: Floats


@lru_cache(maxsize=8)
def strength_grid(wins: bytes, arms: int, strength: float | None, met: bytes = b"", quick: bool = False) -> PriorGrid:
    """Return the points of the grid; cached, since all tasks of a worker have the same votes.

    ``wins``: the (K, K) table as bytes. ``strength``: the strength of the prior, if given. ``met``: a table that is
    nonzero for pairs with votes, if some votes are not wins. ``quick``: use a small grid.
    """
    won = np.frombuffer(wins).reshape(arms, arms)
    votes = np.frombuffer(met).reshape(arms, arms) if met else won
    fine, scales = _grid_of(arms, quick)
    strengths = fine if strength is None else (strength,)
    voted = np.flatnonzero((votes + votes.T).any(axis=0)) if arms > MANY else np.arange(arms)
    if not len(voted):
        voted = np.arange(1)
    among, absent = won[np.ix_(voted, voted)], arms - len(voted)
    if quick and arms > MANY:
        points = _likely(among, absent, strengths, scales)
    else:
        prior, ghosts = np.repeat(strengths, len(scales)), np.tile(scales, len(strengths))
        most, close = max(1, ENTRIES // len(voted) ** 2), _QUICKLY_FITTED if quick else FITTED
        points = _joined(
            [_fitted(among, prior[k : k + most], ghosts[k : k + most], close) for k in range(0, len(prior), most)]
        )
    evidence = points.evidence + absent * _without_votes(points.ghosts)
    weight = np.exp(evidence - evidence.max())
    return PriorGrid(points, voted, np.round(np.cumsum(weight / weight.sum()), _DIGITS))


def _likely(won: Floats, absent: int, strengths: tuple[float, ...], scales: tuple[float, ...]) -> GridPoints:
    """Fit all strengths at the scales that are likely at the middle strength; ``absent`` arms have no votes.

    With a thousand arms, each scale takes seconds, and the votes rule out most scales.
    """
    middle = strengths[len(strengths) // 2]
    points = [_fitted(won, np.array([middle]), np.array([scale]), _QUICKLY_FITTED) for scale in scales]
    evidence = np.array([each.evidence[0] for each in points]) + absent * _without_votes(np.array(scales))
    likely = [points[k] for k in np.flatnonzero(evidence > evidence.max() + math.log(_UNLIKELY))]
    others = [
        _fitted(won, np.array([s]), each.ghosts, _QUICKLY_FITTED, each.mean)
        for s in strengths
        for each in likely
        if s != middle
    ]
    return _joined([*likely, *others])


def _joined(parts: list[GridPoints]) -> GridPoints:
    return GridPoints(*map(np.concatenate, zip(*(each[:5] for each in parts), strict=True)))


def _grid_of(arms: int, quick: bool) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the strengths and the scales of the grid."""
    if not quick:
        return _STRENGTHS, GHOSTS
    return _QUICK if arms <= MANY else _QUICK_MANY


def _without_votes(ghosts: Floats) -> Floats:
    """Return the contribution of an arm without votes to the evidence, by Laplace's method."""
    from scipy.special import betaln

    added: Floats = -2.0 * ghosts * math.log(2.0) - betaln(ghosts, ghosts) - np.log(ghosts / 2.0) / 2.0
    return added


def _fitted(won: Floats, prior: Floats, ghosts: Floats, close: float, start: Floats | None = None) -> GridPoints:
    """Return the posterior at the points of the grid with these priors and ghosts, both of shape (points,).

    ``close`` and ``start``: see ``most_likely``.
    """
    votes = won + won.T
    worth = _vote_worth(prior[:, None, None], votes)
    mean = most_likely(worth * won, ghosts, start, close)
    root = np.linalg.cholesky(curvature(mean, worth * votes, ghosts))
    # scipy's solve_triangular starts threads and is a hundred times slower if the cores are busy.
    spread: Floats = np.linalg.inv(root)
    evidence = _log_density_of_wins(won, prior, ghosts, mean)
    evidence -= np.log(root.diagonal(axis1=-2, axis2=-1)).sum(axis=-1)
    return GridPoints(prior, ghosts, mean.round(_DIGITS), spread.round(_DIGITS), evidence)


def _vote_worth(s: Floats, votes: Floats) -> Floats:
    """Return the worth of one of ``votes`` votes on a pair, in independent votes, given its prior strength s."""
    with np.errstate(invalid="ignore"):
        worth: Floats = np.where(np.isinf(s), 1.0, np.minimum(1.0, (s + 1.0) / (s + votes)))
    return worth


def _log_density_of_wins(won: Floats, prior: Floats, ghosts: Floats, g: Floats) -> Floats:
    """Return the joint log-density of the wins and g at points of the grid, given the priors."""
    from scipy.special import betaln

    first, second = np.nonzero(np.triu(won + won.T, 1))  # pairs without votes have no information
    margin, wins, losses, s = g[:, second] - g[:, first], won[first, second], won[second, first], prior[:, None]
    likelihood = -wins * np.logaddexp(0.0, margin) - losses * np.logaddexp(0.0, -margin)
    some = np.isfinite(prior)
    q, s = 1.0 / (1.0 + np.exp(margin[some])), s[some]
    likelihood[some] = betaln(s * q + wins, s * (1.0 - q) + losses) - betaln(s * q, s * (1.0 - q))
    density: Floats = log_prior(g, ghosts) - g.shape[-1] * betaln(ghosts, ghosts) + likelihood.sum(axis=-1)
    return density


_CLOSE = 1e-6
"""The largest last step, in log-odds, when fitting strengths with ties."""


class _Votes(NamedTuple):
    """The votes on V arms, and the pairs with votes: first and second arms, wins, losses and ties, (pairs,)."""

    arms: int
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    wins: Floats
    losses: Floats
    ties: Floats


@lru_cache(maxsize=8)
def tie_grid(wins: bytes, ties: bytes, arms: int, strength: float | None, quick: bool = False) -> PriorGrid:
    """Return the points of the grid for votes with ties.

    ``strength``: the strength of both priors, if given. ``quick``: use a small grid.
    """
    won, tied = (np.frombuffer(table).reshape(arms, arms) for table in (wins, ties))
    decisive = strength_grid(wins, arms, strength, (won + tied).tobytes(), quick)
    points, voted = decisive.points, decisive.arms
    probability = np.diff(decisive.cumulative, prepend=0.0)
    likely = np.flatnonzero(probability > _UNLIKELY * probability.max())
    tie_strengths = _grid_of(arms, quick)[0] if strength is None else (strength,)
    base, r = np.repeat(likely, len(tie_strengths)), np.tile(tie_strengths, len(likely))
    first, second = np.nonzero(np.triu(won + won.T + tied, 1)[np.ix_(voted, voted)])
    i, j = voted[first], voted[second]
    votes = _Votes(len(voted), first, second, won[i, j], won[j, i], tied[i, j])
    share = (tied.sum() / 2 + 1) / (won.sum() + tied.sum() / 2 + 2)
    start = np.column_stack([points.mean[base], np.full(len(base), math.log(2 * share / (1 - share)))])
    s, ghosts, most = points.prior[base], points.ghosts[base], max(1, ENTRIES // len(voted) ** 2)
    parts = [
        _fitted_with_ties(votes, s[k : k + most], r[k : k + most], ghosts[k : k + most], start[k : k + most])
        for k in range(0, len(base), most)
    ]
    mean, spread, evidence = map(np.concatenate, zip(*parts, strict=True))
    evidence = evidence + (arms - len(voted)) * _without_votes(ghosts)
    weight = np.exp(evidence - evidence.max())
    return PriorGrid(
        GridPoints(s, ghosts, mean, spread, evidence, r), voted, np.round(np.cumsum(weight / weight.sum()), _DIGITS)
    )


def tie_shares(margin: Floats, log_nu: float | Floats) -> Floats:
    """Return Davidson's tie share of arms whose log-strengths differ by ``margin``."""
    share: Floats = 1.0 / (1.0 + np.exp(np.logaddexp(margin / 2, -margin / 2) - log_nu))
    return share


class _Model(NamedTuple):
    """Functions of strengths and ln ν: shares of decisive votes and ties by pair, and the log-posterior by point."""

    q: Floats
    m: Floats
    value: Floats


def _fitted_with_ties(
    votes: _Votes, s: Floats, r: Floats, ghosts: Floats, start: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return the mean, spread and evidence at points of the grid; all arguments have their first axis for points."""
    decisive = votes.wins + votes.losses
    worth, tie_worth = _vote_worth(s[:, None], decisive), _vote_worth(r[:, None], decisive + votes.ties)
    x, model = start.copy(), _model(votes, worth, tie_worth, ghosts, start)
    for _ in range(STEPS):
        slope, information = _derivatives(votes, worth, tie_worth, ghosts, x, model)
        step = np.linalg.solve(information, slope[..., None])[..., 0]
        moved = np.abs(step).max(axis=1)
        then = _model(votes, worth, tie_worth, ghosts, x + step)
        while (worse := (then.value < model.value) & (moved > _CLOSE)).any():
            step[worse] /= 2.0
            moved[worse] /= 2.0
            then = _model(votes, worth, tie_worth, ghosts, x + step)
        x, model = x + step, then
        if moved.max() <= _CLOSE:
            break
    root = np.linalg.cholesky(_derivatives(votes, worth, tie_worth, ghosts, x, model)[1])
    evidence = _log_density(votes, s, r, ghosts, x, model)
    evidence -= np.log(root.diagonal(axis1=-2, axis2=-1)).sum(axis=-1)
    return x.round(_DIGITS), np.linalg.inv(root).round(_DIGITS), evidence


def _model(votes: _Votes, worth: Floats, tie_worth: Floats, ghosts: Floats, x: Floats) -> _Model:
    z, log_nu, decisive = x[:, votes.first] - x[:, votes.second], x[:, -1:], votes.wins + votes.losses
    q, losing = _sigmoid(z)
    against = losing + z / 2 - log_nu  # log-odds of a decisive vote: of 2 cosh(z/2) against ν
    share, tying = _sigmoid(-against)
    surprise = worth * (votes.wins * losing + votes.losses * (losing + z))
    surprise += tie_worth * (votes.ties * tying + decisive * (tying - against))
    value = log_prior(x[:, :-1], ghosts) + _log_prior_of_ties(x[:, -1]) - surprise.sum(axis=1)
    return _Model(q, share, value)


def _sigmoid(z: Floats) -> tuple[Floats, Floats]:
    """Return σ(z) and −ln σ(z): faster than from ``logaddexp``."""
    small = np.exp(-np.abs(z))
    return np.where(z > 0, 1.0, small) / (1.0 + small), np.log1p(small) - np.minimum(z, 0.0)


def _log_prior_of_ties(log_nu: Floats) -> Floats:
    """Return the log-density of ln ν such that the tie share of equal arms is uniform."""
    odds = log_nu - math.log(2.0)
    density: Floats = -np.logaddexp(0.0, odds) - np.logaddexp(0.0, -odds)
    return density


def _derivatives(
    votes: _Votes, worth: Floats, tie_worth: Floats, ghosts: Floats, x: Floats, model: _Model
) -> tuple[Floats, Floats]:
    """Return the (points, V + 1) gradient of the log-posterior, and the expected information."""
    V, first, second, (q, m, _) = votes.arms, votes.first, votes.second, model
    decisive, lead = votes.wins + votes.losses, model.q - 0.5
    excess = tie_worth * (votes.ties - (decisive + votes.ties) * m)
    sharp = tie_worth * (decisive + votes.ties) * m * (1.0 - m)
    ghost, equal = 1.0 / (1.0 + np.exp(-x[:, :V])), 1.0 / (1.0 + np.exp(math.log(2.0) - x[:, -1]))
    slope, information = np.empty(x.shape), np.zeros((len(x), V + 1, V + 1))
    slope[:, :V] = _by_arm(votes, worth * (votes.wins - decisive * q) - excess * lead)
    slope[:, :V] += ghosts[:, None] * (1.0 - 2.0 * ghost)
    slope[:, V] = excess.sum(axis=1) + 1.0 - 2.0 * equal
    weight = worth * decisive * q * (1.0 - q) + sharp * lead**2
    information[:, first, second] = information[:, second, first] = -weight
    own = -information.sum(axis=2)
    own[:, :V] += 2.0 * ghosts[:, None] * ghost * (1.0 - ghost)
    own[:, V] = sharp.sum(axis=1) + 2.0 * equal * (1.0 - equal)
    information[:, range(V + 1), range(V + 1)] = own
    information[:, V, :V] = information[:, :V, V] = -_by_arm(votes, sharp * lead)
    return slope, information


def _by_arm(votes: _Votes, of_pairs: Floats) -> Floats:
    """Sum over the pairs of each arm, with a minus sign if it is the second arm; shape (points, V)."""
    table = np.zeros((len(of_pairs), votes.arms, votes.arms))
    table[:, votes.first, votes.second] = of_pairs
    sums: Floats = table.sum(axis=2) - table.sum(axis=1)
    return sums


def _log_density(votes: _Votes, s: Floats, r: Floats, ghosts: Floats, x: Floats, model: _Model) -> Floats:
    """Return the joint log-probability of wins, ties, strengths and ln ν at each point, given the priors."""
    from scipy.special import betaln

    won = np.zeros((votes.arms, votes.arms))
    won[votes.first, votes.second], won[votes.second, votes.first] = votes.wins, votes.losses
    density = _log_density_of_wins(won, s, ghosts, x[:, :-1]) + _log_prior_of_ties(x[:, -1])
    decisive, m, some = votes.wins + votes.losses, model.m, np.isfinite(r)
    ties = votes.ties * np.log(m) + decisive * np.log1p(-m)
    a, b = r[some, None] * m[some], r[some, None] * (1.0 - m[some])
    ties[some] = betaln(a + votes.ties, b + decisive) - betaln(a, b)
    total: Floats = density + ties.sum(axis=1)
    return total


MOST_WITH_VOTES = 300
"""With more arms that have votes, samples use a small grid of priors, since the full grid takes many times longer."""
_FAR, _PER_UNIT = 30, 200
"""The side of 1/2 is tabulated for margins up to ``_FAR`` log-odds, with ``_PER_UNIT`` points per unit."""


class _Drawn(NamedTuple):
    """Draws of log-strengths (…, K) and, for each pair, of the decisive share (…, pairs) and the tie share, if any."""

    g: Floats
    p: Floats
    tau: Floats | None


class _Point(NamedTuple):
    """One draw of the parameters of the pairs: log-strengths (K,), the priors s and r, and ln ν (−∞ without ties)."""

    g: Floats
    prior: float
    tie_prior: float
    log_nu: float


@dataclass(frozen=True, eq=False)
class Posterior:
    """The posterior of a preference matrix given votes.

    Parameters
    ----------
    counts : PairCounts
        The votes.
    strength : float, optional
        The strength of the prior in votes, above 0. Infinity gives the Bradley–Terry model; None estimates it from the
        votes.
    ties : {"half", "model"}
        Whether a tie counts as half a win for both, or is a third outcome. Without ties, both give the same bits.
    quick : bool
        Whether to approximate ``chances`` and ``sample``, several times as fast: with a small grid of priors, and with
        normal distributions of the same means and variances instead of Beta distributions.

    Raises
    ------
    ValueError
        If ``strength`` is not above 0, or ``ties`` is neither.
    """

    counts: PairCounts
    strength: float | None = None
    ties: Literal["half", "model"] = "half"
    quick: bool = False

    def __post_init__(self) -> None:
        if self.strength is not None and not self.strength > 0:
            raise ValueError(f"the strength of the prior must be a number above 0, not {self.strength}")
        if self.ties not in ("half", "model"):
            raise ValueError(f"ties must be 'half' or 'model', not {self.ties!r}")

    def draw(self, rng: np.random.Generator) -> PreferenceMatrix:
        """Draw a preference matrix from the posterior."""
        (P,) = next(self.stacks(rng, 1))
        return PreferenceMatrix(P, source="a matrix drawn after the votes", names=self.counts.names)

    def stacks(self, rng: np.random.Generator, draws: int) -> Iterator[Floats]:
        """Yield ``draws`` preference matrices from the posterior, in stacks of shape (…, K, K).

        If ties are not modelled, they are the same matrices that ``draw`` returns one by one.
        """
        for drawn in (self._at_once if self._modelled else self._one_by_one)(rng, draws):
            yield self._matrices(drawn)

    def outcomes(self, rng: np.random.Generator, draws: int) -> Iterator[tuple[Floats, Floats]]:
        """Yield the probabilities of wins and of ties of ``draws`` samples, in two stacks of shape (…, K, K).

        The first stack has the probabilities that the arm of the row beats the arm of the column. An arm never ties
        with itself.
        """
        K = self.counts.arms
        first, second = _pairs(K)
        for drawn in self._at_once(rng, draws):
            tau = np.zeros_like(drawn.p) if drawn.tau is None else drawn.tau
            W, T = np.full((len(tau), K, K), 0.5), np.zeros((len(tau), K, K))
            T[:, first, second] = T[:, second, first] = tau
            W[:, first, second], W[:, second, first] = (1.0 - tau) * drawn.p, (1.0 - tau) * (1.0 - drawn.p)
            yield W, T

    def chances(self, rng: np.random.Generator, draws: int = 1000, notion: Notion = "copeland") -> Floats:
        """Return the posterior probability that each arm is best, shape (K,), from ``draws`` matrices.

        "Best" means a Copeland winner (the probabilities may sum to more than 1, since there may be several), the
        Condorcet winner (they sum to the probability that one exists), or a Borda winner.
        """
        best = np.zeros(self.counts.arms)
        for drawn in self._at_once(rng, draws):
            best += best_arms(self._matrices(drawn), notion).sum(axis=0)
        return best / draws

    def sample(self, draws: int, seed: int = 0, part: Sequence[int] | None = None, margin: float = 0.0) -> Samples:
        """Return statistics of matrices drawn from the posterior.

        Parameters
        ----------
        draws : int
            The number of matrices.
        seed : int
            The same seed and votes give the same numbers.
        part : sequence of int, optional
            The arms to compare, by default all. Votes on the other arms still help to estimate strengths.
        margin : float
            The margin ε of ``Samples.within_margin``, a difference of probabilities, at least 0.

        Raises
        ------
        ValueError
            If ``margin`` is negative, or positive with more than ``MANY`` arms (their probabilities are not drawn).
        """
        arms, rng = range(self.counts.arms) if part is None else part, np.random.default_rng(seed)
        many = self.counts.arms > MANY
        if not margin >= 0 or (many and margin):
            raise ValueError(f"the margin must be at least 0, and 0 with more than {MANY} arms, not {margin}")
        return (self._sample_many if many else self._sample_few)(rng, draws, np.array(arms), margin)

    def _sample_few(self, rng: np.random.Generator, draws: int, arms: NDArray[np.intp], margin: float) -> Samples:
        n, done = len(arms), 0
        upper, block = _pairs(n), np.ix_(arms, arms)
        samples = _empty(arms, draws, margin)
        for drawn in self._at_once(rng, draws if n > 1 else 0):
            # The last bit of row sums depends on the memory layout of a block.
            P = np.ascontiguousarray(self._matrices(drawn)[:, block[0], block[1]])
            now = slice(done, done := done + len(P))
            samples.wins[now] = scores.wins(P)
            samples.nearly[now] = samples.wins[now]
            if margin:
                samples.nearly[now] = scores.wins(P + margin) - 1  # without itself
            samples.borda[now] = scores.borda(P)
            samples.strengths[now] = drawn.g[:, arms]
            samples.above[now] = np.packbits(P[:, upper[0], upper[1]] > 0.5, axis=1)
        return samples

    def _sample_many(self, rng: np.random.Generator, draws: int, arms: NDArray[np.intp], margin: float) -> Samples:
        n = len(arms)
        flat, among, ones = (
            np.ravel_multi_index(_pairs(n), (n, n)),
            np.zeros((n, n), np.float32),
            np.ones(n, np.float32),
        )
        samples = _empty(arms, draws, margin)
        for k, (won, total, g) in enumerate(self._sides_and_sums(rng, draws, arms)):
            among.reshape(-1)[flat] = won
            # By BLAS: ten times as fast as counting bits.
            samples.wins[k] = samples.nearly[k] = among @ ones + np.arange(n) - ones @ among
            samples.borda[k] = (total - 0.5) / max(n - 1, 1)
            samples.strengths[k] = g
            samples.above[k] = np.packbits(won)
        return samples

    def _sides_and_sums(
        self, rng: np.random.Generator, draws: int, arms: NDArray[np.intp]
    ) -> Iterator[tuple[Flags, Floats, Floats]]:
        """Yield, for ``draws`` matrices, whether i beats j (i < j in ``arms``), the row sums, and the strengths.

        The row sums include the 1/2 on the diagonal. With many arms this is ten times as fast as ``stacks``: for a pair
        without votes only the side of 1/2 is drawn, and the contribution of these pairs to a row sum is drawn from a
        normal distribution, given the strengths. The marginal distributions of the sides and of the sums are those of
        drawn matrices, but the two are not drawn jointly.
        """
        first, second = _pairs(len(arms))
        beyond = np.arange(len(arms))[::-1]  # pairs of each first arm
        block = np.ix_(arms, arms)
        won, tied = self._won[block], self._tied[block]
        wins, losses, ties = won[first, second], won[second, first], tied[first, second]
        seen = np.flatnonzero(wins + losses + ties)
        i, j, wins, losses, ties = first[seen], second[seen], wins[seen], losses[seen], ties[seen]
        with_votes = np.count_nonzero(self.counts.votes.any(axis=0))
        quick = replace(self, quick=self.quick or bool(with_votes > MOST_WITH_VOTES))
        for _ in range(draws):
            point = _Point(*(each[0] for each in quick._points(rng, 1)))
            g, prior = point.g[arms], point.prior
            near = g.astype(np.float32)
            margin = np.repeat(near, beyond) - near.take(second)
            place = (margin * np.float32(_PER_UNIT) + np.float32(_FAR * _PER_UNIT + 0.5)).astype(np.intp)
            above = rng.random(len(first), dtype=np.float32) < _sides(prior).take(place, mode="clip")
            z = g[i] - g[j]
            q = 1.0 / (1.0 + np.exp(-z))
            p = rng.beta(prior * q + wins, prior * (1.0 - q) + losses)
            above[seen] = p > 0.5
            along = np.linspace(g.min(), g.max(), 64)
            expected, spread = _moments(along[:, None] - g, point)
            total = np.interp(g, along, expected.sum(axis=1))
            variance = np.interp(g, along, spread.sum(axis=1)) - _moments(np.zeros(1), point)[1]  # without itself
            if self._modelled:
                m, r = tie_shares(z, point.log_nu), point.tie_prior
                p = 0.5 + (1.0 - rng.beta(r * m + ties, r * (1.0 - m) + wins + losses)) * (p - 0.5)
            expected, spread = _moments(z, point)
            for arm, sign in ((i, 1.0), (j, -1.0)):
                total += sign * np.bincount(arm, p - expected, len(g))
                variance -= np.bincount(arm, spread, len(g))
            yield above, total + np.sqrt(np.maximum(variance, 0.0)) * rng.standard_normal(len(g)), g

    def _matrices(self, drawn: _Drawn) -> Floats:
        K = self.counts.arms
        first, second = _pairs(K)
        upper = drawn.p if drawn.tau is None else 0.5 + (1.0 - drawn.tau) * (drawn.p - 0.5)
        P = np.full((len(upper), K, K), 0.5)
        P[:, first, second], P[:, second, first] = upper, 1.0 - upper
        return P

    def _one_by_one(self, rng: np.random.Generator, draws: int) -> Iterator[_Drawn]:
        """Yield draws one at a time, so that the first ones do not depend on ``draws``; specs need this."""
        K = self.counts.arms
        first, second = _pairs(K)
        wins, losses = self._won[first, second], self._won[second, first]
        most = max(1, ENTRIES // K**2)
        for begin in range(0, draws, most):
            n = min(most, draws - begin)
            g, p = np.empty((n, K)), np.empty((n, len(first)))
            for strengths, each in zip(g, p, strict=True):
                strengths[:], prior = self._strengths(rng)
                each[:] = 1.0 / (1.0 + np.exp(strengths[second] - strengths[first]))
                if prior < math.inf:
                    each[:] = rng.beta(prior * each + wins, prior * (1.0 - each) + losses)
            yield _Drawn(g, p, None)

    def _at_once(self, rng: np.random.Generator, draws: int) -> Iterator[_Drawn]:
        """Yield draws, several times as fast as one by one."""
        K = self.counts.arms
        first, second = _pairs(K)
        wins, losses, ties = self._won[first, second], self._won[second, first], self._tied[first, second]
        most = max(1, ENTRIES // K**2)
        for begin in range(0, draws, most):
            g, s, r, log_nu = self._points(rng, min(most, draws - begin))
            z, tau = g[:, first] - g[:, second], None
            drawn = _nearly_beta if self.quick else _beta
            p = drawn(rng, s[:, None], 1.0 / (1.0 + np.exp(-z)), wins, losses)
            if self._modelled:
                tau = drawn(rng, r[:, None], tie_shares(z, log_nu[:, None]), ties, wins + losses)
            yield _Drawn(g, p, tau)

    def _strengths(self, rng: np.random.Generator) -> tuple[Floats, float]:
        """Draw the log-strengths of all arms, and the strength of the prior of the pairs."""
        (points, arms, _), cumulative = self._grid, self._cumulative
        chosen = min(bisect_right(cumulative, rng.random()), len(cumulative) - 1)
        g = rng.standard_normal(self.counts.arms)
        if len(arms) == len(g):
            return points.mean[chosen] + points.spread[chosen].T @ g, float(points.prior[chosen])
        drawn = points.mean[chosen] + points.spread[chosen].T @ g[arms]
        g *= math.sqrt(2.0 / points.ghosts[chosen])
        g[arms] = drawn
        return g, float(points.prior[chosen])

    def _points(self, rng: np.random.Generator, draws: int) -> tuple[Floats, Floats, Floats, Floats]:
        """Draw log-strengths, shape (draws, K), the strengths s and r of the priors, and ln ν, shape (draws,)."""
        (points, arms, cumulative), K = self._grid, self.counts.arms
        chosen = np.minimum(cumulative.searchsorted(rng.random(draws), "right"), len(cumulative) - 1)
        normal = rng.standard_normal((draws, K + self._modelled))
        known = np.append(arms, K) if self._modelled else arms
        x = points.mean[chosen] + (normal[:, None, known] @ points.spread[chosen])[:, 0]
        g = normal[:, :K] * np.sqrt(2.0 / points.ghosts[chosen])[:, None]
        g[:, arms] = x[:, : len(arms)]
        if points.tie_prior is None:
            return g, points.prior[chosen], np.full(draws, math.inf), np.full(draws, -math.inf)
        return g, points.prior[chosen], points.tie_prior[chosen], x[:, -1]

    @cached_property
    def _modelled(self) -> bool:
        return self.ties == "model" and bool(self.counts.ties.any())

    @cached_property
    def _won(self) -> Floats:
        """The (K, K) wins, plus half of the ties unless ties are modelled."""
        return self.counts.wins if self._modelled else self.counts.halved()

    @cached_property
    def _tied(self) -> Floats:
        """The (K, K) ties, 0 unless they are modelled."""
        return self.counts.ties if self._modelled else np.zeros_like(self.counts.ties)

    @cached_property
    def _cumulative(self) -> list[float]:
        cumulative: list[float] = self._grid.cumulative.tolist()
        return cumulative

    @cached_property
    def _grid(self) -> PriorGrid:
        won, K = self._won.tobytes(), self.counts.arms
        if self._modelled:
            return tie_grid(won, self._tied.tobytes(), K, self.strength, self.quick)
        return strength_grid(won, K, self.strength, quick=self.quick)


def _beta(rng: np.random.Generator, strength: Floats, mean: Floats, more: Floats, less: Floats) -> Floats:
    """Draw probabilities from Beta posteriors, given prior strengths and means; strength ∞ gives the means."""
    some = np.broadcast_to(np.isfinite(strength), mean.shape)
    if some.all():
        return rng.beta(strength * mean + more, strength * (1.0 - mean) + less)
    return mean


def _nearly_beta(rng: np.random.Generator, strength: Floats, mean: Floats, more: Floats, less: Floats) -> Floats:
    """Draw from normal distributions with the means and variances of ``_beta``; single precision is faster."""
    if not np.isfinite(strength).all():
        return mean
    total = (strength + (more + less)).astype(np.float32)
    centre = (strength * mean + more).astype(np.float32) / total
    drawn = rng.standard_normal(mean.shape, np.float32)
    drawn *= np.sqrt(centre * (1 - centre) / (total + 1))
    drawn += centre
    return drawn.astype(np.float64)


def _empty(arms: NDArray[np.intp], draws: int, margin: float) -> Samples:
    n = len(arms)
    wins, nearly, borda, strengths = np.zeros((4, draws, n))
    above = np.zeros((draws, -(-(n * (n - 1) // 2) // 8)), np.uint8)
    return Samples(tuple(map(int, arms)), wins, nearly, borda, strengths, above, margin)


def _moments(z: Floats, point: _Point) -> tuple[Floats, Floats]:
    """Return the mean and variance of ``P[i, j]`` of a pair without votes, given the difference of strengths z."""
    q, m = 1.0 / (1.0 + np.exp(-z)), 0.0 if math.isinf(point.log_nu) else tie_shares(z, point.log_nu)
    mean, decisive = (1.0 - m) * (q - 0.5), (q - 0.5) ** 2 + q * (1.0 - q) / (point.prior + 1.0)
    variance = ((1.0 - m) ** 2 + m * (1.0 - m) / (point.tie_prior + 1.0)) * decisive - mean**2
    return 0.5 + mean, variance


@lru_cache(maxsize=8)
def _pairs(arms: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    return np.triu_indices(arms, 1)


@lru_cache(maxsize=32)
def _sides(prior: float) -> NDArray[np.float32]:
    """Tabulate the probability that P[i, j] of a pair without votes is above 1/2, by margin; see ``_PER_UNIT``."""
    from scipy.special import betainc

    q = 1.0 / (1.0 + np.exp(-np.arange(-_FAR * _PER_UNIT, _FAR * _PER_UNIT + 1) / _PER_UNIT))
    table: NDArray[np.float32] = betainc(prior * (1.0 - q), prior * q, 0.5).astype(np.float32)
    return table
