"""What is read out of results; and that it is right: what is promised on drawn matrices is met on the true one."""

import numpy as np
import pandas as pd
import pytest

from duelbench.algorithms.catalogue import catalogue
from duelbench.analysis.advice import advice
from duelbench.engine.play import Problem, Rules
from duelbench.engine.rollout import Streams, rollout
from duelbench.engine.streams import stream
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.posterior import Posterior
from duelbench.preferences.regret import regret_table
from duelbench.results.frames import Experiment


def experiment(right, worlds=("w",), times=(10, 20, 40)):
    """Return results: ``right`` says of each algorithm and world whether each run was right at each time."""
    rows = [
        {"dataset": world, "algorithm": label, "regret": "copeland", "run": run, "t": t, "simple": 0.0 if ok else 0.25}
        for label, of_worlds in right.items()
        for world, runs in zip(worlds, of_worlds, strict=True)
        for run, oks in enumerate(runs)
        for t, ok in zip(times, oks, strict=True)
    ]
    spec = {
        "regret": ["copeland"],
        "runs": len(next(iter(right.values()))[0]),
        "datasets": [{"label": world} for world in worlds],
        "algorithms": [{"label": label} for label in right],
    }
    runs = pd.DataFrame(rows)
    places = runs.assign(right=runs["simple"] == 0).groupby(["dataset", "algorithm", "regret", "t"], sort=False)
    summary = places.agg(runs=("run", "size"), recommended_right=("right", "mean"), simple=("simple", "mean"))
    return Experiment(spec, pd.DataFrame(), summary.reset_index(), runs)


def test_advice_by_hand():
    found = advice(experiment({"a": [[(0, 1, 1)] * 10], "b": [[(1, 0, 1)] * 6 + [(0, 0, 0)] * 4]}), (0.25, 1.0))
    a, b = found.standings
    assert (a.algorithm, b.algorithm) == ("a", "b") and found.runs == 10
    assert [(c.votes, c.right) for c in a.chances] == [(10, 0.0), (40, 1.0)] and a.enough == 20
    assert [(c.votes, c.right) for c in b.chances] == [(10, 0.6), (40, 0.6)] and b.enough is None
    assert a.chances[1].low == pytest.approx(0.722, abs=1e-3)  # Wilson's, of 10 of 10
    assert b.behind == pytest.approx(0.4) and b.error == pytest.approx(np.std([0] * 6 + [1] * 4, ddof=1) / 10**0.5)
    assert not b.level and found.level == []


def test_shares_are_those_of_the_summary():
    edited = experiment({"a": [[(0, 1, 1)] * 10]})
    edited.summary["recommended_right"] = 0.5
    assert [each.right for each in advice(edited, (0.25, 1.0)).best.chances] == [0.5, 0.5]


def test_compared_run_by_run():
    # c is right where the best is but for one of 100 runs: its error is small, but so is the difference
    base = [(1,)] * 80 + [(0,)] * 20
    found = advice(experiment({"a": [base], "c": [[(0,), *base[1:]]], "d": [base[::-1]]}, times=(40,)), (1.0,))
    assert [each.algorithm for each in found.standings if each.level] == ["a", "d", "c"]
    behind = advice(experiment({"a": [base], "e": [[(0,)] * 10 + base[10:]]}, times=(40,)), (1.0,))
    assert behind.level == []  # ten of ten differences are for the best, which unpaired intervals would not tell


def test_worlds_count_alike():
    found = advice(experiment({"a": [[(1,)] * 5, [(0,)] * 5]}, worlds=("v", "w"), times=(40,)), (1.0,))
    assert found.best.chances[0].right == 0.5 and found.worlds == ("v", "w")


def right(name, matrix, budget, run, seed=0):
    """Return whether an algorithm names a Copeland winner of a matrix after a budget of votes."""
    problem = Problem(matrix.P, np.stack([regret_table(matrix, "copeland")]))
    streams = Streams(stream(seed, purpose="e", run=run), stream(seed, purpose="p", run=run, name=name))
    rules = Rules(votes=True, max_rounds=100 * budget)
    play = rollout(catalogue()[name](), problem, np.array([budget]), streams, rules, recommend="own")
    return play.recommended[0] in matrix.copeland_winners()


def promised_and_met(worlds, arms, votes, budget, names, runs, worth=1, seed=0):
    """Return P(right) of the algorithm that is best on drawn matrices, there and on the true one, (worlds,) each.

    ``worth``: what each vote counts for; more than 1 is a deliberate mistake.
    """
    rng = np.random.default_rng(seed)
    promised, met = [], []
    for _ in range(worlds):
        g = rng.normal(0, 0.7, arms)
        q = 1 / (1 + np.exp(g[None] - g[:, None]))
        P = np.triu(rng.beta(20 * q, 20 * (1 - q)), 1)
        truth = PreferenceMatrix(P + np.tril(1 - P.T, -1) + np.eye(arms) / 2)
        asked = np.triu(rng.multinomial(votes, np.full(arms**2, 1 / arms**2)).reshape(arms, arms), 1)
        won = rng.binomial(asked, truth.P)
        counts = PairCounts(tuple(map(str, range(arms))), worth * (won + (asked - won).T).astype(float), 0 * P)
        drawn = [Posterior(counts).draw(rng) for _ in range(runs)]
        shares = {name: np.mean([right(name, each, budget, run) for run, each in enumerate(drawn)]) for name in names}
        best = max(shares, key=shares.get)
        promised.append(shares[best])
        met.append(np.mean([right(best, truth, budget, run, seed=1) for run in range(runs)]))
    return np.array(promised), np.array(met)


def excess(promised, met):
    """Return by how much too much is promised, and its error."""
    return (promised - met).mean(), (promised - met).std(ddof=1) / len(met) ** 0.5


def test_promise_is_met():
    too_much, error = excess(*promised_and_met(40, 5, 60, 60, ["uniform"], runs=20))
    assert error < 0.06 and abs(too_much) < 2.5 * error


def test_votes_counted_tenfold():
    too_much, error = excess(*promised_and_met(40, 5, 60, 60, ["uniform"], runs=20, worth=10))
    assert too_much > 3 * error


@pytest.mark.slow
def test_promise_is_met_in_many_worlds():
    too_much, error = excess(*promised_and_met(150, 12, 300, 1000, ["uniform", "d-ts", "rmed1"], runs=40))
    assert error < 0.03 and abs(too_much) < 2.5 * error
