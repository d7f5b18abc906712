"""MergeDTS: its literal paths where it draws as its transcription does, its coins, and its regret beside published
numbers.

What it draws differs in one respect: coins for the sides of θ. So a copy in which every θ is drawn, in the order of the
transcription, must have the literal path, duel by duel; and the coins must have the chances of θ.
"""

import json
from collections import Counter

import numpy as np
import pytest
from scipy import stats

from duelbench.algorithms.merging import batches, merge_dts
from duelbench.algorithms.merging.merge_dts import MergeDts, likely_winner
from duelbench.conformance.instances import order
from duelbench.conformance.paths import engine_path, literal_path
from duelbench.conformance.rounds import pair_tables, simulate, streams
from duelbench.conformance.statistics import agreement, disagreement
from duelbench.kernels.draws import pick
from duelbench.literal import merge_dts as literal
from tests.comparison import kernel_regret, output_of, reference_regret
from tests.merging import ALL, ORDERS, PUBLISHED_ALPHA, errors_from, regrets

CASES = [(label, 150, {"batch": 4, "C": 3.0}) for label in ALL] + [
    ("order of 33", 60, {}),
    ("order of 33", 150, {"C": 3.0}),
    ("sushi16", 150, {"C": 1.0, "alpha": 0.1}),
    ("order of 20", 60, {"alpha": 0.9, "batch": 9, "C": None, "delta": 0.5}),
]
EAGER = {"batch": 5, "C": 3.0, "alpha": 0.4}


def winner_by_draws(state, n, rng):
    """As ``likely_winner``, with the draws of the transcription."""
    arms, wins = [int(arm) for arm in state.batches.listed[:n]], state.losses.wins
    ahead = [sum(rng.beta(wins[i, j] + 1, wins[j, i] + 1) > 0.5 for j in arms if j != i) for i in arms]
    return pick(
        np.array([i for i, votes in zip(arms, ahead, strict=True) if votes == max(ahead)]), ahead.count(max(ahead)), rng
    )


def loser_by_draws(state, n, c, rng, choose=min):
    arms, wins = state.batches.listed[:n], state.losses.wins
    theta = {int(j): rng.beta(wins[j, c] + 1, wins[c, j] + 1) for j in arms if j != c}
    return choose(theta, key=theta.get)


def best_by_draws(state, n, c, rng):
    return loser_by_draws(state, n, c, rng, choose=max)


def merge_whatever_the_size(state, rng, right=batches.merge):
    right(state._replace(batch=2 * state.batch), rng)


def due_a_stage_too_late(state, right=batches.is_due):
    state.course[0].stage += 1
    due = right(state)
    state.course[0].stage -= 1
    return due


MISTAKES = {
    "none": ({}, {}),
    "alpha": ({"alpha": 0.48}, {}),
    "batch": ({"batch": 4}, {}),
    "C": ({"C": 4.0}, {}),
    "the best for the worst": ({}, {"likely_loser": best_by_draws}),
    "stages": ({}, {"is_due": due_a_stage_too_late}),
    "merging": ({}, {"merge": merge_whatever_the_size}),
    "time runs on": ({}, {"begin_anew": lambda losses, t: None}),
}


def literal_or_not():
    """Interpreted: the cases in which the path with draws is not the literal one, and the mistakes with which it is."""
    merge_dts.likely_winner, merge_dts.likely_loser = winner_by_draws, loser_by_draws
    others = [
        (label, parameters, seed)
        for label, rounds, parameters in CASES
        for seed, horizon in ((1, rounds), (2, 3))
        if not np.array_equal(
            engine_path(MergeDts(**parameters), ALL[label], horizon, seed),
            literal_path(literal.run, ALL[label], horizon, seed, **parameters),
        )
    ]
    matrix, same = ORDERS["order of 33"], []
    path = literal_path(literal.run, matrix, 500, 1, **EAGER)
    for mistake, (changed, replaced) in MISTAKES.items():
        right = {name: getattr(merge_dts, name) for name in replaced}
        vars(merge_dts).update(replaced)
        if np.array_equal(engine_path(MergeDts(**EAGER | changed), matrix, 500, 1), path):
            same.append(mistake)
        vars(merge_dts).update(right)
    return others, same


INTERPRETED = """
import json
from tests.test_algorithms_merging_merge_dts import literal_or_not
print(json.dumps(literal_or_not()))
"""


def test_with_every_draw_the_path_is_the_literal_one_and_not_so_with_a_mistake():
    assert json.loads(output_of(INTERPRETED, interpreted=True)) == [[], ["none"]]


def after_duels(*records):
    """Return a state of four arms after duels (winner, loser, how many)."""
    state = MergeDts().start(4, 100)
    state.batches.listed[:] = range(4)
    for winner, loser, duels in records:
        MergeDts.update(state, winner, loser, duels, duels)
    return state


def test_coins_have_the_chances_of_draws():
    state, rng = MergeDts().start(5, 100), np.random.default_rng(1)
    for _ in range(3000):
        first, second = rng.choice(5, 2, replace=False)
        MergeDts.update(state, int(first), int(second), int(rng.random() < 0.4 + 0.1 * (second - first)), 1)
    wins, different = state.losses.wins, ~np.eye(5, dtype=bool)
    assert wins[different].sum() == 3000
    expected = stats.beta.sf(0.5, wins + 1, wins.T + 1)
    np.testing.assert_allclose(state.votes.chance[different], expected[different], rtol=1e-9)


def test_the_first_arm_is_the_one_with_most_draws_above_one_half():
    state, rng = after_duels((0, 1, 2), (1, 2, 1), (0, 3, 1), (2, 3, 3)), np.random.default_rng(1)

    def chosen(choose):
        counts = Counter(int(choose(state, 4, rng)) for _ in range(20_000))
        return [counts[arm] for arm in range(4)]

    by_draws = chosen(winner_by_draws)
    assert stats.chi2_contingency([chosen(likely_winner), by_draws]).pvalue > 0.001
    state.votes.chance[0, 1] -= 0.2
    assert stats.chi2_contingency([chosen(likely_winner), by_draws]).pvalue < 1e-7


@pytest.mark.slow
def test_regret_is_distributed_as_the_literal_one():
    matrix, marks = order(9, 0.8), (30, 100, 250)
    parameters = {"batch": 4, "C": 5.0, "alpha": 0.4}
    slow = reference_regret(literal, matrix, marks, 400, 1, **parameters)
    fast, wrong = (
        kernel_regret(MergeDts(**parameters | changed), matrix, marks, 2000, 1) for changed in ({}, {"alpha": 0.6})
    )
    assert agreement(fast, slow) > 0.001
    assert disagreement(wrong, slow) < 1e-7


@pytest.mark.parametrize("delay", [2, 50])
def test_the_winner_is_found_though_outcomes_come_late(delay):
    for seed in range(10):
        marks, algorithm = np.array([10_000, 20_000]), MergeDts(batch=4, C=100.0)
        late = simulate(algorithm, order(12, 0.95).P, pair_tables(12), marks, *streams(seed, 0), delay=delay).regret
        assert late[:, 1].sum() == 20_000
        assert late[0, 1] - late[0, 0] == 10_000


# MSLR navigational, T = 1e8, flat after 7.5e5: the numbers of the authors' slides, with the errors of twelve runs.
STATED = [(5180, 50), (8140, 90), (11940, 270), (12190, 350)]
MARKS = [100_000, 200_000, 500_000, 1_000_000]


@pytest.mark.slow
def test_regret_as_published(mslr):
    matrix = mslr["mslr-navigational"]
    assert errors_from(regrets(MergeDts(), matrix, MARKS, 30), STATED).max() < 3
    for mistake in ({"batch": 4}, {"alpha": 1.2 * PUBLISHED_ALPHA}):
        assert errors_from(regrets(MergeDts(**mistake), matrix, MARKS, 30), STATED).max() > 5
