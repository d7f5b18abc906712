"""Holds and blocks that draw what happens in them: distributed as stepping, and not so with a wrong skip."""

import numpy as np
import pytest

from duelbench.algorithms.confidence.ccb import Ccb
from duelbench.algorithms.elimination.btm import Btm
from duelbench.algorithms.thompson.rcs import Rcs
from duelbench.algorithms.uniform import Uniform
from duelbench.preferences.regret import regret_table
from tests.comparison import MATRICES, disagreement, mutated, order, simulate, streams


def sample(algorithm, matrix, marks, runs, seed, **how):
    """Return the (runs, …) Copeland and Borda regrets at the checkpoints, the pairs' duels, and the declarations."""
    tables = np.stack([regret_table(matrix, kind) for kind in ("copeland", "borda")])
    rows = []
    for run in range(runs):
        course = simulate(algorithm, matrix.P, tables, np.asarray(marks), *streams(seed, run), **how)
        rows.append([*course.regret.ravel(), *course.duels.ravel(), *(course.declaration or (-1, marks[-1]))])
    return np.array(rows)


def answers(algorithm, matrix, horizon):
    """Return the number of answers that a run consists of."""
    environment, policy = streams(0, 0)
    state = algorithm.start(matrix.arms, horizon)
    t, number = 1, 0
    while t <= horizon:
        first, second, count = algorithm.select(state, t, horizon, policy)
        wins = int(environment.binomial(count, matrix.P[first, second])) if first != second else 0
        algorithm.update(state, first, second, wins, count)
        t += count
        number += 1
    return number


CASES = {
    # Exploitation from early on or not at all, one winner or three, large gaps and small ones.
    "uniform": (Uniform(), order(4, 0.7), [100, 3000, 3500, 9000], 1500),
    "uniform, two arms": (Uniform(), order(2, 0.7), [5, 500, 4000], 800),
    "btm, early": (Btm(gamma=1.0, confidence_scale=0.4), order(4, 0.8), [60, 400, 2500], 1500),
    "btm, middle": (Btm(gamma=1.0, confidence_scale=0.6), order(5, 0.65, winners=3), [500, 4000, 20_000], 1000),
    "btm, late": (Btm(gamma=1.0, confidence_scale=0.8), MATRICES["six-rankers"], [3000, 15_000, 60_000], 500),
    "btm, never": (Btm(), MATRICES["mslr5-condorcet"], [2500, 9000], 1000),
    "btm, two arms": (Btm(gamma=1.0, confidence_scale=0.5), order(2, 0.55), [300, 1500, 8000], 1000),
    "rcs, large gaps": (Rcs(alpha=0.1), order(4, 0.8), [100, 1000, 5000], 3000),
    "rcs, small gaps": (Rcs(alpha=0.1), order(3, 0.56), [500, 3000, 15_000], 600),
    "ccb, two arms": (Ccb(alpha=0.2), order(2, 0.6), [100, 1000, 5000], 600),
    "ccb, small gaps": (Ccb(), order(4, 0.62, winners=3), [2000, 10_000, 30_000], 400),
}


@pytest.mark.parametrize("case", CASES)
def test_holding_is_stepping_in_distribution(case):
    algorithm, matrix, marks, runs = CASES[case]
    held = sample(algorithm, matrix, marks, runs, 1)
    stepped = sample(algorithm, matrix, marks, runs, 2, stepping=True)
    assert disagreement(held, stepped) > 1e-5
    assert answers(algorithm, matrix, marks[-1]) < marks[-1] / 3


WRONG = {
    "uniform": ("uniform", "Uniform", {"i, j, rounds, pairs, rng)": "i, j, rounds, max(1, pairs - 1), rng)"}),
    "btm, early": ("btm", "Btm", {"2 - 1.0  #": "2 * 1.2  #"}),
    "btm, middle": ("btm", "Btm", {"2 - 1.0  #": "2 * 1.2  #"}),
    "btm, two arms": ("btm", "Btm", {"left, others, rng": "left, max(1, others - 1), rng"}),
    "rcs, large gaps": ("rcs", "Rcs", {"/ hold.log_sweep if": "/ hold.log_sweep * 1.2 if"}),
    "ccb, small gaps": ("ccb", "Ccb", {"contenders > 1 and count > 1": "contenders > 5 and count > 1"}),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_skip_is_seen(case, tmp_path):
    algorithm, matrix, marks, runs = CASES[case]
    module, name, replacements = WRONG[case]
    wrong = mutated(module, replacements, tmp_path, name)(**algorithm.model_dump())
    stepped = sample(algorithm, matrix, marks, runs, 2, stepping=True)
    assert disagreement(sample(wrong, matrix, marks, runs, 1), stepped) < 1e-7


def test_the_round_robin_s_blocks_are_whole_passes():
    for K, marks in ((3, [7, 1000, 12_345]), (6, [500, 501, 40_000])):
        tables = np.eye(K * K).reshape(K * K, K, K)
        held, stepped = (
            simulate(
                Uniform(variant="round-robin"), order(K, 0.6).P, tables, np.array(marks), *streams(1, 0), stepping=step
            ).regret
            for step in (False, True)
        )
        assert np.array_equal(held, stepped)


@pytest.mark.parametrize("seed", range(20))
def test_no_block_of_btm_can_drop_an_arm(seed):
    """However its duels end: with all of them won by the best arm and lost by the worst, all arms stay in."""
    rng = np.random.default_rng(seed)
    algorithm = Btm(gamma=1.0, confidence_scale=float(rng.uniform(0.3, 3.0)))
    K = int(rng.integers(2, 6))
    state = algorithm.start(K, 10**6)
    best, worst = 0, K - 1
    fair, t, longest = int(rng.integers(K, 5000)), 1, 0
    while state.declared[0].winner < 0 and t < 10**6:
        first, second, count = algorithm.select(state, t, 10**6, rng)
        certain = count if first == best else 0 if first == worst else count // 2
        wins = rng.binomial(count, 0.5) if t < fair else certain
        active = state.active.sum()
        algorithm.update(state, first, second, int(wins), count)
        if count > 1 and active > 1:
            longest = max(longest, count)
            check = algorithm.start(K, 10**6)._replace(
                active=state.active.copy(),
                total=state.total.copy(),
                won=state.won.copy(),
            )
            check.progress[0].unjudged = True  # the arms are looked at
            check.progress[0].late = True  # and there is no block
            algorithm.select(check, t, t, rng)
            assert check.active.sum() == active
        t += count
    assert longest > 20


@pytest.mark.parametrize("delay", [2, 50])
def test_btm_plays_single_duels_where_outcomes_come_late(delay):
    held, stepped = (
        simulate(
            Btm(), order(4, 0.8).P, np.ones((1, 4, 4)), np.array([20_000]), *streams(1, 0), delay=delay, stepping=s
        )
        for s in (False, True)
    )
    assert np.array_equal(held.duels, stepped.duels)
