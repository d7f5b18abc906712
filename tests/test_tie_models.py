"""Models of ties: published fits, fits by hand, derivatives, and votes whose likelihood has no maximum."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from duelbench.errors import UserError
from duelbench.preferences.scores import most_likely
from duelbench.votes.page import fit_ties
from tests.vote_files import counts_of, pudding

# Published fits, and our own of the same votes


def shares(fit):
    return np.exp(fit.strengths) / np.exp(fit.strengths).sum()


def test_pudding_as_published():
    """Table in the vignette of PlackettLuce (7 iterations)."""
    fit = fit_ties(pudding())
    known = [0.1388005, 0.1729985, 0.1617420, 0.1653930, 0.1586805, 0.2023855]
    assert shares(fit) == pytest.approx(known, abs=3e-5)
    assert fit.tie_parameter == pytest.approx(0.7468147, abs=1e-5)


# By hand, and compared with other optimisers


@pytest.mark.parametrize(("model", "parameter"), [("davidson", 2 * 6 / 4), ("rao-kupper", 16 / 4), ("constant", 0.6)])
def test_equal_arms(model, parameter):
    """Two wins for each of two arms and six ties: a tie share of 0.6, and ν/(2 + ν) = (θ − 1)/(θ + 1) = 0.6."""
    fit = fit_ties(counts_of([[0, 2], [2, 0]], [[0, 6], [0, 0]]), model)
    assert fit.strengths == pytest.approx([0, 0], abs=1e-9)
    assert fit.tie_parameter == pytest.approx(parameter)
    assert fit.nll == pytest.approx(-(0.4 * math.log(0.2) + 0.6 * math.log(0.6)))


def loss(model, votes):
    """Return minus the log-likelihood by log-strengths and ln ν or ln η, from the formulas."""

    def value(x):
        g, k = x[:-1], x[-1]
        z = g[:, None] - g
        if model == "davidson":
            below = np.exp(z / 2) + np.exp(-z / 2) + np.exp(k)
            win, tie = np.exp(z / 2) / below, np.exp(k) / below
        else:
            win = 1 / (1 + np.exp(math.exp(k) - z))
            tie = 1 - win - win.T
        return -(votes.wins * np.log(win)).sum() - (votes.ties * np.log(tie)).sum() / 2

    return value


@pytest.mark.parametrize("model", ["davidson", "rao-kupper"])
def test_maximum_of_scipy(model):
    rng = np.random.default_rng(3)
    wins = rng.integers(1, 9, (5, 5)) * (1 - np.eye(5)) * rng.uniform(0.5, 2, (5, 5))
    votes = counts_of(wins, np.triu(rng.integers(0, 6, (5, 5)), 1))
    fit = fit_ties(votes, model)
    known = minimize(loss(model, votes), np.append(np.zeros(5), 0.7), tol=1e-10)
    log = math.log(fit.tie_parameter)
    assert fit.strengths == pytest.approx(known.x[:-1] - known.x[:-1].mean(), abs=1e-5)
    assert (log if model == "davidson" else math.log(log)) == pytest.approx(known.x[-1], abs=1e-5)
    assert fit.nll * votes.votes.sum() / 2 == pytest.approx(known.fun)


# Without ties, and where no maximum exists


@pytest.mark.parametrize(("model", "parameter"), [("davidson", 0), ("rao-kupper", 1), ("constant", 0)])
def test_no_ties(model, parameter):
    wins = np.array([[0, 5, 2], [3, 0, 6], [1, 4, 0]], float)
    votes = counts_of(wins)
    g = most_likely(wins, 1e-9)
    fit = fit_ties(votes, model)
    assert fit.strengths == pytest.approx(g - g.mean(), abs=1e-6)
    assert fit.tie_parameter == parameter
    assert fit.nll == pytest.approx((wins * np.logaddexp(0, g[None] - g[:, None])).sum() / 21)


ZERO = np.zeros((3, 3))
CYCLE = [[0, 2, 0], [0, 0, 2], [2, 0, 0]]
CHAIN = [[0, 2, 0], [0, 0, 2], [0, 0, 0]]
ALL_TIE = [[0, 1, 1], [0, 0, 1], [0, 0, 0]]


@pytest.mark.parametrize(
    ("wins", "ties", "exists"),
    [
        (CYCLE, ALL_TIE, True),
        (CYCLE, ZERO, True),
        (CHAIN, ZERO, False),
        (CHAIN, [[0, 0, 1], [0, 0, 0], [0, 0, 0]], True),  # a beat b, b beat c, and a tied with c: no d meets this
        (CHAIN, ALL_TIE, True),
        ([[0, 2, 0], [0, 0, 0], [0, 0, 0]], ALL_TIE, False),  # c ties with both: z and ν grow together
        ([[0, 2], [0, 0]], [[0, 1], [0, 0]], False),  # shares 2/3 and 1/3 at z = ∞
        ([[0, 2], [1, 0]], [[0, 1], [0, 0]], True),
        (ZERO, ALL_TIE, False),
        ([[0, 2, 0], [1, 0, 0], [0, 0, 0]], [[0, 1, 0], [0, 0, 0], [0, 0, 0]], False),  # c has met no arm
    ],
)
@pytest.mark.parametrize("model", ["davidson", "rao-kupper"])
def test_maximum_exists(wins, ties, exists, model):
    votes = counts_of(wins, ties)
    if exists:
        assert np.isfinite(fit_ties(votes, model).strengths).all()
        return
    with pytest.raises(UserError, match=r"no maximum.*add votes"):
        fit_ties(votes, model)


def test_constant_needs_decisive_votes():
    with pytest.raises(UserError, match="such as c"):
        fit_ties(counts_of([[0, 2, 1], [2, 0, 1], [0, 0, 0]], ALL_TIE), "constant")


def test_no_votes():
    with pytest.raises(UserError, match="needs votes"):
        fit_ties(counts_of(ZERO))
