"""Models of votes with ties as a third outcome, fitted by maximum likelihood.

With log-strengths g and ``z = g[i] − g[j]``, and ``σ(x) = 1 / (1 + exp(−x))``:

    davidson      P(i wins) = exp(z/2) / D, P(tie) = ν / D,  D = exp(z/2) + exp(−z/2) + ν
    rao-kupper    P(i wins) = σ(z − η),     P(tie) = 1 − σ(z − η) − σ(−z − η),  θ = exp(η) > 1
    constant      P(i wins) = (1 − τ) σ(z), P(tie) = τ

In Davidson's model the decisive votes follow Bradley and Terry's; in Rao and Kupper's a judge calls a tie where the
difference perceived is within ±η. The third model is the baseline: its tie share does not depend on the arms. Scales of
g differ between models, so compare probabilities instead. The log-likelihoods are jointly concave in g and ln ν or η.

References
----------
Rao & Kupper, Ties in paired-comparison experiments, JASA 62, 1967. Davidson, On extending the Bradley–Terry model to
accommodate ties, JASA 65, 1970. Davidson & Beaver, On extending the Bradley–Terry model to incorporate within-pair
order effects, Biometrics 33, 1977: with δ > 0 the arm shown first has ``z + δ`` in place of z.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from duelbench.arrays import Floats, Ints
from duelbench.errors import UserError
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.scores import FITTED, STEPS, log_prior

TieModel = Literal["davidson", "rao-kupper", "constant"]


@dataclass(frozen=True, eq=False)
class TieFit:
    """A model of votes with ties, as fitted.

    Attributes
    ----------
    model : str
        ``davidson``, ``rao-kupper`` or ``constant``. Without ties all three are Bradley and Terry's model.
    strengths : ndarray of float, shape (K,)
        Log-strengths, with mean 0.
    tie_parameter : float
        ν, θ or τ of the model: 0, 1 or 0 without ties.
    order_effect : float
        δ, what being shown first adds to a log-strength; 0 where the order is unknown.
    covariance : ndarray of float, shape (K, K)
        The covariance of ``strengths``: the inverse information, on log-strengths with mean 0.
    nll : float
        The negative log-likelihood per vote, without multinomial coefficients.
    votes : float
        The number of votes.
    """

    model: TieModel
    strengths: Floats
    tie_parameter: float
    order_effect: float
    covariance: Floats
    nll: float
    votes: float

    def probabilities(self) -> tuple[Floats, Floats]:
        """Return the probabilities that the arm of the row wins against that of the column, and that they tie.

        Both have shape (K, K), and hold for arms shown in no order; on the diagonal an arm meets its equal.
        """
        z = self.strengths[:, None] - self.strengths
        if self.model == "davidson":
            wins = np.exp(-np.logaddexp(np.logaddexp(0.0, -z), _log(self.tie_parameter) - z / 2))
        elif self.model == "rao-kupper":
            wins = np.exp(-np.logaddexp(0.0, math.log(self.tie_parameter) - z))
        else:
            wins = (1.0 - self.tie_parameter) * np.exp(-np.logaddexp(0.0, -z))
        return wins, 1.0 - wins - wins.T


def fit_ties(counts: PairCounts, model: TieModel = "davidson", *, ghosts: float = 0.0) -> TieFit:
    """Fit a model with ties to votes of which the order of the two arms is unknown or does not matter.

    Parameters
    ----------
    counts : PairCounts
        The wins and ties of each pair; they may have weights.
    model : {"davidson", "rao-kupper", "constant"}
        The model; without any ties all are fitted as Bradley and Terry's.
    ghosts : float
        0 for the largest likelihood. With more, each arm has also won and lost so many votes against a ghost of
        strength 0, and two equal ghosts have tied as often as not in ``2 * ghosts`` votes: the maximum then exists.

    Returns
    -------
    TieFit
        The fit. ``nll`` is that of the votes alone, whatever the ``ghosts``.

    Raises
    ------
    UserError
        If ``ghosts`` is 0 and the likelihood has no maximum, or no unique one.
    """
    return _fit(counts.names, _unordered(counts), model, ghosts, order=False)


def fit_ordered_ties(
    won: ArrayLike, lost: ArrayLike, tied: ArrayLike, model: TieModel = "davidson", *, ghosts: float = 0.0
) -> TieFit:
    """Fit a model with ties and an effect of the order in which the arms are shown.

    Parameters
    ----------
    won, lost, tied : array_like, shape (K, K)
        How often the arm of the row, shown first, won against the arm of the column, lost and tied.
    model, ghosts
        As in ``fit_ties``. The order effect has no prior.

    Returns
    -------
    TieFit
        The fit, with its ``order_effect``.

    Raises
    ------
    UserError
        As ``fit_ties``.
    """
    tables = [np.array(table, dtype=np.float64) for table in (won, lost, tied)]
    K = len(tables[0])
    first, second = np.nonzero(sum(tables) * (1 - np.eye(K)))
    wins, losses, ties = (table[first, second] for table in tables)
    cells = _Cells(first, second, wins, losses, ties, np.ones(len(first)))
    return _fit(tuple(map(str, range(K))), cells, model, ghosts, order=True)


class _Cells(NamedTuple):
    """Votes on pairs, one cell for each pair or ordered pair: numbers of arms, counts, and 1 where ``first`` is shown
    first, 0 where the order is unknown; all of shape (cells,)."""

    first: Ints
    second: Ints
    wins: Floats
    losses: Floats
    ties: Floats
    ordered: Floats

    @property
    def votes(self) -> Floats:
        return self.wins + self.losses + self.ties

    def with_equal_ghosts(self, votes: float) -> _Cells:
        """Return the cells and one more, of two equal ghosts: an arm against itself, whatever its strength."""
        more = (0, 0, votes / 2, votes / 2, votes, 0.0)
        return _Cells(*(np.append(cell, one) for cell, one in zip(self, more, strict=True)))


def _unordered(counts: PairCounts) -> _Cells:
    first, second = np.nonzero(np.triu(counts.votes, 1))
    tables = counts.wins[first, second], counts.wins[second, first], counts.ties[first, second]
    return _Cells(first, second, *tables, np.zeros(len(first)))


class _Likelihood(NamedTuple):
    """The log-likelihood of cells, the sum of ``value``, its slopes and its curvatures, negative second derivatives.

    ``z`` is for the margin of a cell, ``k`` for the parameter of the ties; arrays have shape (cells,).
    """

    value: Floats
    z: Floats
    k: Floats
    zz: Floats
    zk: Floats
    kk: Floats


def _davidson(cells: _Cells, z: Floats, k: float) -> _Likelihood:
    """Return the likelihood by margins and ``k = ln ν``: a multinomial logit of z/2, −z/2 and k."""
    n = cells.votes
    log_sum = np.logaddexp(np.logaddexp(z / 2, -z / 2), k)
    win, loss, tie = np.exp(z / 2 - log_sum), np.exp(-z / 2 - log_sum), np.exp(k - log_sum)
    lead = (win - loss) / 2
    return _Likelihood(
        (cells.wins - cells.losses) * z / 2 + (cells.ties * k if k > -math.inf else 0.0) - n * log_sum,
        (cells.wins - cells.losses) / 2 - n * lead,
        cells.ties - n * tie,
        n * ((win + loss) / 4 - lead**2),
        -n * lead * tie,
        n * tie * (1 - tie),
    )


def _rao_kupper(cells: _Cells, z: Floats, k: float) -> _Likelihood:
    """Return the likelihood by margins and ``k = η``, which is −∞ unless η is above 0."""
    if k <= 0:
        return _Likelihood(np.array([-math.inf]), *[z] * 5)
    wins, losses, ties = cells.wins + cells.ties, cells.losses + cells.ties, cells.ties
    miss_win, miss_loss = np.exp(-np.logaddexp(0.0, z - k)), np.exp(-np.logaddexp(0.0, -z - k))
    up, down = wins * miss_win, losses * miss_loss
    steep, flat = up * (1 - miss_win), down * (1 - miss_loss)
    return _Likelihood(
        ties * math.log(math.expm1(2 * k)) - wins * np.logaddexp(0.0, k - z) - losses * np.logaddexp(0.0, k + z),
        up - down,
        2 * ties / -math.expm1(-2 * k) - up - down,
        steep + flat,
        flat - steep,
        4 * ties * math.exp(-2 * k) / math.expm1(-2 * k) ** 2 + steep + flat,
    )


def _fit(names: tuple[str, ...], cells: _Cells, model: TieModel, ghosts: float, order: bool) -> TieFit:
    if not ghosts >= 0:
        raise ValueError(f"ghosts must be a number of votes, at least 0, not {ghosts}")
    total, ties = float(cells.votes.sum()), float(cells.ties.sum())
    if not total:
        raise UserError("a model needs votes: add votes on at least one pair")
    decisive = cells._replace(ties=np.zeros(len(cells.ties)))
    share = (ties + ghosts) / (total + 2 * ghosts) if ties else 0.0
    played = decisive if model == "constant" or not ties else cells
    if not ghosts:
        _check_maximum(names, played)
    if played is decisive:
        found = _newton(len(names), played, _davidson, -math.inf, ghosts, order)
        nll = found.loss - _log_split(ties if model == "constant" else 0.0, total, share)
        parameter = {"davidson": 0.0, "rao-kupper": 1.0, "constant": share}[model]
    elif model == "davidson":
        found = _newton(len(names), played, _davidson, math.log(2 * share / (1 - share)), ghosts, order)
        nll, parameter = found.loss, math.exp(found.k)
    else:
        found = _newton(len(names), played, _rao_kupper, 2 * math.atanh(share), ghosts, order)
        nll, parameter = found.loss, math.exp(found.k)
    g = found.strengths - found.strengths.mean()
    return TieFit(model, g, parameter, found.order_effect, found.covariance, nll / total, total)


def _log_split(ties: float, total: float, share: float) -> float:
    """Return the log-likelihood of which votes are ties, given the share of ties."""
    return (ties * math.log(share) + (total - ties) * math.log1p(-share)) if 0 < ties < total else 0.0


class _Found(NamedTuple):
    strengths: Floats
    order_effect: float
    k: float
    covariance: Floats
    loss: float


def _newton(
    arms: int,
    cells: _Cells,
    likelihood: Callable[[_Cells, Floats, float], _Likelihood],
    k: float,
    ghosts: float,
    order: bool,
) -> _Found:
    """Maximise the likelihood, or the posterior with ``ghosts``, from equal arms and ``k``; k = −∞ stays."""
    played = cells.with_equal_ghosts(ghosts) if ghosts and math.isfinite(k) else cells
    free = np.array([True] * arms + [order, math.isfinite(k)])
    x = np.zeros(arms + 2)
    x[-1] = k if math.isfinite(k) else 0.0

    def at(x: Floats, cells: _Cells) -> _Likelihood:
        z = x[cells.first] - x[cells.second] + x[arms] * cells.ordered
        return likelihood(cells, z, float(x[-1]) if free[-1] else k)

    def value_of(each: _Likelihood, x: Floats) -> float:
        return float(each.value.sum()) + float(log_prior(x[:arms], ghosts))

    def curvature(each: _Likelihood, x: Floats) -> Floats:
        H = _information(arms, played, each)
        ghost = 1.0 / (1.0 + np.exp(-x[:arms]))
        # Without ghosts equal strengths more change nothing; this keeps their sum.
        H[:arms, :arms] += np.diag(2 * ghosts * ghost * (1 - ghost)) + (0.0 if ghosts else 1.0 / arms)
        used: Floats = H[np.ix_(free, free)]
        return used

    now = at(x, played)
    value, moved = value_of(now, x), math.inf
    for _ in range(STEPS):
        slope = _slope(arms, played, now)
        slope[:arms] += ghosts * (1 - 2 / (1 + np.exp(-x[:arms])))
        step = np.zeros(arms + 2)
        try:
            step[free] = np.linalg.solve(curvature(now, x), slope[free])
        except np.linalg.LinAlgError:
            break
        moved = np.abs(step).max()
        then = at(x + step, played)
        while not value_of(then, x + step) >= value and moved > FITTED:
            step, moved = step / 2, moved / 2
            then = at(x + step, played)
        x, now = x + step, then
        value = value_of(now, x)
        if moved <= FITTED:
            break
    if moved > FITTED:
        raise _no_maximum("the order effect and the strengths grow without end")
    centred = np.eye(free.sum())[:arms]
    centred[:, :arms] -= 1 / arms
    covariance = centred @ np.linalg.inv(curvature(now, x)) @ centred.T
    return _Found(x[:arms], float(x[arms]), float(x[-1]), covariance, -float(at(x, cells).value.sum()))


def _slope(arms: int, cells: _Cells, each: _Likelihood) -> Floats:
    """Return the (K + 2,) slope by strengths, order effect and tie parameter."""
    strengths = np.bincount(cells.first, each.z, arms) - np.bincount(cells.second, each.z, arms)
    slope: Floats = np.append(strengths, [each.z @ cells.ordered, each.k.sum()])
    return slope


def _information(arms: int, cells: _Cells, each: _Likelihood) -> Floats:
    """Return the (K + 2, K + 2) negative second derivatives by strengths, order effect and tie parameter."""
    H = np.zeros((arms + 2, arms + 2))
    first, second, shown = cells.first, cells.second, cells.ordered
    for i, j, sign in ((first, first, 1), (second, second, 1), (first, second, -1), (second, first, -1)):
        np.add.at(H, (i, j), sign * each.zz)
    for row, by_arm, own in (
        (arms, each.zz * shown, each.zz @ shown**2),
        (arms + 1, each.zk, each.kk.sum()),
    ):
        H[row, :arms] = H[:arms, row] = np.bincount(first, by_arm, arms) - np.bincount(second, by_arm, arms)
        H[row, row] = own
    H[arms, arms + 1] = H[arms + 1, arms] = each.zk @ shown
    return H


def _check_maximum(names: tuple[str, ...], cells: _Cells) -> None:
    """Raise UserError unless the likelihood without an order effect has one maximum.

    It has one if no direction of the parameters raises it for ever, which is a question of who has beaten whom (Albert
    & Anderson, On the existence of maximum likelihood estimates in logistic regression models, Biometrika 71, 1984).
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import NegativeCycleError, bellman_ford, connected_components

    arms = len(names)
    won, tied = np.zeros((arms, arms), np.bool_), np.zeros((arms, arms), np.bool_)
    for winner, loser, votes in (
        (cells.first, cells.second, cells.wins),
        (cells.second, cells.first, cells.losses),
    ):
        won[winner[votes > 0], loser[votes > 0]] = True
        tied[winner[cells.ties > 0], loser[cells.ties > 0]] = True
    count, part = connected_components(csr_array(won | tied), connection="strong")
    if count > 1:
        # The arms of one part have all won, or all lost, their votes against the others, or have had none.
        few = min((np.flatnonzero(part == each) for each in range(count)), key=len)
        some = ", ".join(names[arm] for arm in few[:3]) + (", …" if len(few) > 3 else "")
        raise _no_maximum(
            f"some arms have won, or lost, all of their votes against the others, such as {some}",
            "add votes, or leave those arms out",
        )
    if tied.any() and connected_components(csr_array(won), connection="strong")[0] == arms:
        # No cycle of wins. Strengths that move apart and ties that become more likely together explain votes ever
        # better if there are d with d_i − d_j ≥ 1 for each win and |d_i − d_j| ≤ 1 for each tie. There are none where
        # these bounds contradict each other around a cycle, and surely none with a cycle of wins.
        bounds = np.where(won, -1.0, np.where(tied, 1.0, 0.0))
        try:
            bellman_ford(csr_array(bounds), indices=0)
        except NegativeCycleError:
            return
        raise _no_maximum("no arm that has won has also lost, if only through others")


def _no_maximum(why: str, advice: str = "add votes") -> UserError:
    return UserError(f"the likelihood of these votes has no maximum, as {why}: {advice}")


def _log(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf
