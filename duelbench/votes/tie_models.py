"""Models of votes with ties as a third outcome, fitted by maximum likelihood.

With log-strengths g and ``z = g[i] − g[j]``, and ``σ(x) = 1 / (1 + exp(−x))``:

    davidson      P(i wins) = exp(z/2) / D, P(tie) = ν / D,  D = exp(z/2) + exp(−z/2) + ν
    rao-kupper    P(i wins) = σ(z − η),     P(tie) = 1 − σ(z − η) − σ(−z − η),  θ = exp(η) > 1
    constant      P(i wins) = (1 − τ) σ(z), P(tie) = τ

In Davidson's model the decisive votes follow Bradley and Terry's; in Rao and Kupper's a judge calls a tie where the
difference perceived is within ±η. The third model is the baseline: its tie share does not depend on the arms. Scales of
g differ between models, so compare likelihoods instead. The log-likelihoods are jointly concave in g and ln ν or η.

References
----------
Rao & Kupper, Ties in paired-comparison experiments, JASA 62, 1967. Davidson, On extending the Bradley–Terry model to
accommodate ties, JASA 65, 1970.
"""

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from duelbench.arrays import Floats, Ints
from duelbench.errors import UserError
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.scores import FITTED, STEPS

TieModel = Literal["davidson", "rao-kupper", "constant"]


class TieFit(NamedTuple):
    """A model of votes with ties, as fitted.

    ``strengths`` are log-strengths with mean 0, shape (K,); ``tie_parameter`` is ν, θ or τ of the model, 0, 1 or 0
    without ties; ``nll`` is the negative log-likelihood per vote, without multinomial coefficients.
    """

    strengths: Floats
    tie_parameter: float
    nll: float


def fit_ties(counts: PairCounts, model: TieModel = "davidson") -> TieFit:
    """Return the fit with the largest likelihood; without any ties all models are Bradley and Terry's.

    Raises UserError if the likelihood has no maximum, or no unique one.
    """
    cells = _cells(counts)
    total, ties = float(cells.votes.sum()), float(cells.ties.sum())
    if not total:
        raise UserError("a model needs votes: add votes on at least one pair")
    decisive = cells._replace(ties=np.zeros(len(cells.ties)))
    share = ties / total
    played = decisive if model == "constant" or not ties else cells
    _check_maximum(counts.names, played)
    if played is decisive:
        found = _newton(counts.arms, played, _davidson, -math.inf)
        nll = found.loss - _log_split(ties if model == "constant" else 0.0, total, share)
        parameter = {"davidson": 0.0, "rao-kupper": 1.0, "constant": share}[model]
    elif model == "davidson":
        found = _newton(counts.arms, played, _davidson, math.log(2 * share / (1 - share)))
        nll, parameter = found.loss, math.exp(found.k)
    else:
        found = _newton(counts.arms, played, _rao_kupper, 2 * math.atanh(share))
        nll, parameter = found.loss, math.exp(found.k)
    return TieFit(found.strengths - found.strengths.mean(), parameter, nll / total)


class _Cells(NamedTuple):
    """Votes on pairs, one cell each: numbers of arms and counts, all of shape (cells,)."""

    first: Ints
    second: Ints
    wins: Floats
    losses: Floats
    ties: Floats

    @property
    def votes(self) -> Floats:
        return self.wins + self.losses + self.ties


def _cells(counts: PairCounts) -> _Cells:
    first, second = np.nonzero(np.triu(counts.votes, 1))
    return _Cells(first, second, counts.wins[first, second], counts.wins[second, first], counts.ties[first, second])


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


def _log_split(ties: float, total: float, share: float) -> float:
    """Return the log-likelihood of which votes are ties, given the share of ties."""
    return (ties * math.log(share) + (total - ties) * math.log1p(-share)) if 0 < ties < total else 0.0


class _Maximum(NamedTuple):
    strengths: Floats
    k: float
    loss: float


def _newton(arms: int, cells: _Cells, likelihood: Callable[[_Cells, Floats, float], _Likelihood], k: float) -> _Maximum:
    """Maximise the likelihood from equal arms and ``k``; k = −∞ stays."""
    free = np.append(np.full(arms, True), math.isfinite(k))
    x = np.append(np.zeros(arms), k if free[-1] else 0.0)

    def at(x: Floats) -> _Likelihood:
        return likelihood(cells, x[cells.first] - x[cells.second], float(x[-1]) if free[-1] else k)

    now = at(x)
    value, moved = float(now.value.sum()), math.inf
    for _ in range(STEPS):
        step = np.zeros(arms + 1)
        try:
            information = _information(arms, cells, now)[np.ix_(free, free)]
            step[free] = np.linalg.solve(information, _slope(arms, cells, now)[free])
        except np.linalg.LinAlgError:
            break
        moved = np.abs(step).max()
        then = at(x + step)
        while not float(then.value.sum()) >= value and moved > FITTED:
            step, moved = step / 2, moved / 2
            then = at(x + step)
        x, now = x + step, then
        value = float(now.value.sum())
        if moved <= FITTED:
            break
    if moved > FITTED:
        raise _no_maximum("the strengths grow without end")
    return _Maximum(x[:arms], float(x[-1]), -value)


def _slope(arms: int, cells: _Cells, each: _Likelihood) -> Floats:
    """Return the (K + 1,) slope by strengths and tie parameter."""
    strengths = np.bincount(cells.first, each.z, arms) - np.bincount(cells.second, each.z, arms)
    slope: Floats = np.append(strengths, each.k.sum())
    return slope


def _information(arms: int, cells: _Cells, each: _Likelihood) -> Floats:
    """Return the (K + 1, K + 1) negative second derivatives by strengths and tie parameter.

    Equal strengths more change nothing: a constant keeps their sum.
    """
    H = np.zeros((arms + 1, arms + 1))
    first, second = cells.first, cells.second
    for i, j, sign in ((first, first, 1), (second, second, 1), (first, second, -1), (second, first, -1)):
        np.add.at(H, (i, j), sign * each.zz)
    H[:arms, :arms] += 1.0 / arms
    H[arms, :arms] = H[:arms, arms] = np.bincount(first, each.zk, arms) - np.bincount(second, each.zk, arms)
    H[arms, arms] = each.kk.sum()
    return H


def _check_maximum(names: tuple[str, ...], cells: _Cells) -> None:
    """Raise UserError unless the likelihood has one maximum.

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
