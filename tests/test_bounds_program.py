"""The linear program of the lower bound: its optimum from both sides."""

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import csr_array

from duelbench.bounds.evidence import evidence
from duelbench.bounds.program import Program
from duelbench.sources.generators import BtlUniform, UniformRandom


def reversals(x, P, winner):
    """Sets of pairs whose reversal dethrones the winner and whose x adds up to less than 1: the worst of every kind."""
    losses = (P < 0.5).sum(axis=1)
    found = set()
    for rival in np.flatnonzero(np.arange(len(P)) != winner):
        wins = [j for j in np.argsort(x[winner]) if P[winner, j] > 0.5]
        defeats = [j for j in np.argsort(x[rival]) if P[rival, j] < 0.5 and j != winner]
        for l in range(max(0, losses[winner] - 1), np.partition(losses, 1)[1] + 1):  # noqa: E741
            for own in [[], [rival]] if rival in wins and l + 1 > losses[winner] else [[]]:
                m, s = l + 1 - losses[winner] - len(own), max(0, losses[rival] - l - len(own))
                others = [j for j in wins if j != rival]
                if m > len(others) or s > len(defeats):
                    continue
                row = [(winner, j) for j in own + others[:m]] + [(rival, j) for j in defeats[:s]]
                if sum(x[pair] for pair in row) < 1 - 1e-7:
                    found.add(frozenset((min(pair), max(pair)) for pair in row))
    return found


@pytest.mark.parametrize(
    ("family", "seed"),
    [(BtlUniform(arms=64), 1), (UniformRandom(arms=16), 2), (UniformRandom(arms=40), 3)],
)
def test_optimum_is_feasible_and_no_feasible_point_is_cheaper(family, seed):
    """Bounds from both sides: the point found violates nothing, and some of the constraints need that much."""
    P = family.draw(np.random.default_rng(seed)).P
    given = evidence(P)
    winner = int(given.winners[0])
    assert (given.deficits[winner] > 0) == (family.name == "uniform-random")
    program = Program(given, winner)
    cost, y, by_rival = program.solve()
    x = np.zeros_like(P)
    x[winner, program.wins] = y
    for rival, values in by_rival.items():
        superior = [j for j in np.argsort(given.cost[rival]) if given.beats[j, rival] and j != winner]
        x[rival, superior] = values
    x = np.maximum(x, x.T)
    assert not reversals(x * (1 + 1e-6), P, winner)
    assert cost == pytest.approx(sum(x[pair] * given.cost[pair] for pair in zip(*np.nonzero(np.triu(x)), strict=True)))

    # Cutting planes from below: as many of the constraints (2) as it takes.
    pairs = list(itertools.combinations(range(len(P)), 2))
    number = {pair: k for k, pair in enumerate(pairs)}
    costs = np.array([given.cost[pair] for pair in pairs])
    rows, point = set(), np.zeros_like(P)
    while found := reversals(point, P, winner) - rows:
        rows |= found
        where = [(k, number[pair]) for k, row in enumerate(rows) for pair in row]
        A = csr_array((np.ones(len(where)), np.transpose(where)), shape=(len(rows), len(pairs)))
        result = linprog(costs / np.median(costs), -A, -np.ones(len(rows)), bounds=(0, 1))
        below = result.fun * np.median(costs)
        assert below <= cost * (1 + 1e-6)
        if below >= cost * (1 - 1e-6):
            break
        point = np.zeros_like(P)
        point[tuple(np.transpose(pairs))] = result.x
        point += point.T
    assert below == pytest.approx(cost, rel=1e-6)
