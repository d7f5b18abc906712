"""Advice from results, and the probabilities after the votes so far."""

import itertools

import numpy as np
import pandas as pd
import pytest

from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.order import OrderJudge
from duelbench.preferences.posterior import Posterior
from duelbench.preferences.samples import best_arms, near_best
from duelbench.results.frames import Experiment
from duelbench.spec.values import Top
from duelbench.votes.advice import advice, chances_now, votes_to
from tests.vote_files import counts_of


def experiment(right, worlds=("w",), times=(10, 20, 40)):
    """Return made-up results: ``right`` says for each algorithm, world, run and time whether the run was right."""
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


def shares(found, label):
    rows = found.curve[found.curve.algorithm == label]
    return list(zip(rows.votes, rows.right, strict=True))


def test_advice_by_hand():
    found = advice(experiment({"a": [[(0, 1, 1)] * 10], "b": [[(1, 0, 1)] * 6 + [(0, 0, 0)] * 4]}))
    assert found.algorithms.index.tolist() == ["a", "b"] and found.best == "a" and found.runs == 10
    assert shares(found, "a") == [(10, 0.0), (20, 1.0), (40, 1.0)]
    assert shares(found, "b") == [(10, 0.6), (20, 0.0), (40, 0.6)]
    last = found.curve[(found.curve.algorithm == "a") & (found.curve.votes == 40)]
    assert last.low.item() == pytest.approx(0.722, abs=1e-3)  # the Wilson interval for 10 of 10
    a, b = found.algorithms.itertuples()
    assert a.votes_to_95 == 20 and pd.isna(b.votes_to_95) and found.now is None
    assert b.behind == pytest.approx(0.4) and b.error == pytest.approx(np.std([0] * 6 + [1] * 4, ddof=1) / 10**0.5)
    assert a.level and not b.level and not (a.starts_afresh or b.starts_afresh)


def test_votes_to():
    """Shares are interpolated linearly in ln(1 + votes): halfway between 0 and 99 votes is 9."""
    assert votes_to(0.5, [(0, 0.25), (99, 0.75), (200, 0.8)]) == 9
    assert votes_to(0.5, [(0, 0.6), (99, 0.75)]) == 0
    assert votes_to(0.5, [(0, 0.6), (9, 0.4), (99, 0.5)]) == 99
    assert votes_to(0.5, [(0, 0.4), (9, 0.6), (99, 0.4), (200, 0.5)]) == 200
    assert votes_to(0.5, [(0, 0.6), (99, 0.4)]) is None


def test_compared_run_by_run():
    # c is right in the same runs as the best, except one of 100: its error is small, but so is the difference
    base = [(1,)] * 80 + [(0,)] * 20
    found = advice(experiment({"a": [base], "c": [[(0,), *base[1:]]], "d": [base[::-1]]}, times=(40,)))
    assert found.algorithms.index[found.algorithms.level].tolist() == ["a", "d", "c"]
    assert len(repr(found)) < 200
    behind = advice(experiment({"a": [base], "e": [[(0,)] * 10 + base[10:]]}, times=(40,)))
    # ten of ten differences favour the best, which unpaired intervals would not detect
    assert behind.algorithms.level.tolist() == [True, False]


@pytest.mark.parametrize(
    ("own", "best"), [("", "a"), ("b", "a"), ("a", "d"), ("ad", "c"), ("adc", "a"), ("adcb", "a")], ids=str
)
def test_level_algorithms_that_learn_from_any_duel_come_first(own, best):
    """Algorithms in ``own`` learn only from their own duels, so others are preferred; b is not level with the best."""
    base = [(1,)] * 80 + [(0,)] * 20
    right = {"a": [base], "c": [[(0,), *base[1:]]], "d": [base[::-1]], "b": [[(0,)] * 100]}
    assert advice(experiment(right, times=(40,)), own=own).best == best


def test_worlds_count_alike():
    found = advice(experiment({"a": [[(1,)] * 5, [(0,)] * 5]}, worlds=("v", "w"), times=(40,)))
    assert shares(found, "a") == [(40, 0.5)] and found.worlds == ("v", "w")


# The votes so far, and the margin


# Arm 2 beats arm 1, arm 1 beats arm 0, arm 0 narrowly beats arm 2: there is a cycle, or one arm beats both others.
CLOSE_RACE = Posterior(counts_of([[0, 8, 10], [12, 0, 50], [8, 60, 0]]))


@pytest.mark.parametrize("notion", ["copeland", "condorcet", "borda"])
def test_now(notion):
    now = chances_now(CLOSE_RACE, notion, 0.1, seed=1)
    P = np.concatenate(list(CLOSE_RACE.stacks(np.random.default_rng(2), 4000)))
    best, near = best_arms(P, notion), near_best(P, notion, 0.1)
    some = best.any(axis=1) if notion == "condorcet" else np.full(len(P), True)
    assert now.best == pytest.approx(best[some].mean(axis=0), abs=0.03)
    assert now.near == pytest.approx(near[some].mean(axis=0), abs=0.03)
    assert now.exists == pytest.approx(some.mean(), abs=0.02) and now.draws >= 3000
    assert now.frame().arm[0] == "abc"[now.best.argmax()] and (now.near > now.best).any()
    assert (now.right, now.near_right) == (now.best.max(), now.near[now.best.argmax()])


@pytest.mark.parametrize(("find", "sizes"), [("ranking", (1, 1, 1)), (Top(top=2), (2, 1))])
def test_order_now(find, sizes):
    now = chances_now(CLOSE_RACE, find, 0.0, seed=1)
    P = np.concatenate(list(CLOSE_RACE.stacks(np.random.default_rng(2), 1500)))
    judges = [OrderJudge(PreferenceMatrix(each), "copeland", sizes) for each in P]
    orders = [tuple((arm,) for arm in order) for order in itertools.permutations(range(3))]
    shares = [np.mean([judge.finds(order) for judge in judges]) for order in orders]
    assert now.right == pytest.approx(max(shares), abs=0.04)
    top = [np.mean([arm in np.concatenate(judge.reference)[: sizes[0]] for judge in judges]) for arm in range(3)]
    assert now.best == pytest.approx(top, abs=0.04)


def test_a_run_is_right_if_its_order_is_exact():
    results = experiment({"a": [[(0, 0)] * 4]}, times=(10, 20))
    results.runs["exact"] = results.runs["t"] == 20
    results.runs["tau"] = 0.1
    assert advice(results).curve.right.tolist() == [0, 1]


def test_value_of_the_votes_is_at_0():
    now = chances_now(CLOSE_RACE, "copeland", 0.0, seed=0)
    found = advice(experiment({"a": [[(1, 1, 1)] * 10]}), now, ["a"])
    assert shares(found, "a")[0] == (0, now.best.max()) and found.algorithms.starts_afresh.a
    assert found.now.best.tolist() == sorted(now.best, reverse=True)


def test_within_margin_by_hand():
    """Arm 0 is best in all runs; arm 1 is never best, but within the margin in the even runs."""
    results = experiment({"a": [[(1, 1)] * 4], "b": [[(0, 1)] * 4]}, times=(10, 20))
    results.runs["recommended"] = np.where(results.runs.simple == 0, 0, 1)
    found = advice(results, near=lambda dataset, run: np.array([True, run % 2 == 0]), margin=0.1)
    assert found.curve.within_margin.tolist() == [1, 1, 0.5, 1] and found.curve.right.tolist() == [1, 1, 0, 1]
