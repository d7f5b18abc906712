"""What CCB believes and what follows from it, kept and counted anew: whatever it is told, whenever."""

import numpy as np
import pytest

from duelbench.algorithms.confidence.ccb import Ccb
from duelbench.algorithms.confidence.hypotheses import clear_beaters, count_again, doubtful_pair, no_hypotheses, reset
from duelbench.conformance.instances import order
from duelbench.kernels.confidence import no_comparisons
from duelbench.preferences.matrix import PreferenceMatrix
from tests.paths import INSTANCES


def check(hypotheses, comparisons):
    """All that is counted is what the beliefs and the decided pairs say."""
    beaters, sign, totals = hypotheses.beaters, comparisons.sign, hypotheses.totals[0]
    assert np.array_equal(hypotheses.size, beaters.sum(axis=1))
    assert np.array_equal(hypotheses.victories, (sign > 0).sum(axis=1))
    assert np.array_equal(hypotheses.doubtful, (beaters & (sign == 0)).sum(axis=1))
    assert np.array_equal(hypotheses.refuted, (beaters & (sign > 0)).sum(axis=1))
    assert totals.doubtful == hypotheses.doubtful.sum()
    assert totals.refuted == hypotheses.refuted.sum()


@pytest.mark.parametrize("delay", [1, 5])
@pytest.mark.parametrize("alpha", [0.02, 0.1, 0.4])
@pytest.mark.parametrize("name", ["three winners", "tennis8", "two arms", "no difference"])
def test_what_is_kept_is_what_is_true(name, alpha, delay):
    """Outcomes come late, every fourth is of a duel that was not asked for, some are several, and preferences turn."""
    P, rng = INSTANCES[name].P, np.random.default_rng([int(100 * alpha), delay])
    algorithm, policy, arms = Ccb(alpha=alpha), np.random.default_rng(2), len(P)
    state = algorithm.start(arms, 10**9)
    seen = {"doubtful": 0, "refuted": 0, "expired": 0}
    waiting = []
    t = 1
    for step in range(1500):
        if step % 150 == 149:
            P = P.T
        decided = np.count_nonzero(state.comparisons.sign)
        first, second, count = algorithm.select(state, t, t + 50, policy)
        seen["expired"] += np.count_nonzero(state.comparisons.sign) < decided
        check(state.hypotheses, state.comparisons)
        assert state.hypotheses.totals[0].refuted == 0
        seen["doubtful"] += int(state.hypotheses.totals[0].doubtful)
        t += count
        if rng.random() < 0.25:
            first, second = rng.choice(arms, 2, replace=False).tolist()
        duels = int(rng.choice([1, 1, 1, 4]))
        waiting.append((first, second, int(rng.binomial(duels, P[first, second])), duels))
        if len(waiting) == delay:
            for outcome in waiting:
                algorithm.update(state, *outcome)
                check(state.hypotheses, state.comparisons)
                seen["refuted"] += int(state.hypotheses.totals[0].refuted)
            waiting = []
    if name == "three winners":
        assert seen["doubtful"] > 0
        assert seen["refuted"] > 0
        assert seen["expired"] > (0 if alpha > 0.05 else -1)


def test_the_doubtful_pairs_are_equally_likely_and_in_order():
    hypotheses, comparisons, rng = no_hypotheses(6), no_comparisons(6, 0.5), np.random.default_rng(1)
    hypotheses.beaters[:] = rng.random((6, 6)) < 0.8
    np.fill_diagonal(hypotheses.beaters, False)
    hypotheses.size[:] = hypotheses.beaters.sum(axis=1)
    comparisons.sign[:] = np.triu(rng.integers(0, 2, (6, 6)), 1)
    comparisons.sign[:] -= comparisons.sign.T
    for i in range(6):
        count_again(hypotheses, comparisons, i)
    check(hypotheses, comparisons)
    pairs = np.argwhere(hypotheses.beaters & (comparisons.sign == 0)).tolist()
    assert len(pairs) > 5
    draws, same = np.random.default_rng(2), np.random.default_rng(2)
    for _ in range(200):
        assert list(doubtful_pair(hypotheses, comparisons, draws)) == pairs[int(same.random() * len(pairs))]
    for i in range(6):
        if i != pairs[0][0]:
            clear_beaters(hypotheses, i)
    hypotheses.beaters[pairs[0][0]] = np.arange(6) == pairs[0][1]
    count_again(hypotheses, comparisons, pairs[0][0])
    before = draws.bit_generator.state
    assert list(doubtful_pair(hypotheses, comparisons, draws)) == pairs[0]
    assert draws.bit_generator.state == before
    hypotheses.size[pairs[0][0]] = 1
    reset(hypotheses)
    check(hypotheses, comparisons)
    assert not hypotheses.beaters.any()
    assert hypotheses.shortlist.all()


def test_withdrawn_evidence_is_forgotten_by_time_alone():
    """Far in the future nothing is decided, and all counts follow."""
    algorithm, policy = Ccb(), np.random.default_rng(1)
    matrix: PreferenceMatrix = order(6, 0.95)
    state = algorithm.start(6, 10**9)
    for t in range(1, 400):
        first, second, _ = algorithm.select(state, t, t, policy)
        algorithm.update(state, first, second, int(policy.random() < matrix.P[first, second]), 1)
    assert state.hypotheses.victories.sum() > 5
    assert state.hypotheses.size.sum() > 0
    algorithm.select(state, 10**18, 10**18, policy)
    check(state.hypotheses, state.comparisons)
    assert state.hypotheses.victories.sum() == 0
