"""Tests that decide a pair (first passages, PPR, SPRT, matches): when they end, and blocks too short to end them."""

import math
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
from scipy import stats

from duelbench.algorithms.identification.matches import begin_match, enough_duels, go_on, new_match
from duelbench.algorithms.identification.pair import count_outcome, lead, new_pair, open_pair
from duelbench.algorithms.identification.ppr import log_density, ppr_block, ppr_decided, ppr_level
from duelbench.algorithms.identification.single_elimination import Nts, sprt_boundary
from duelbench.arrays import Record
from duelbench.kernels.arithmetic import NEVER
from duelbench.kernels.first_passage import begin, compare_1, compare_2, interval_test, new_test, request, update
from duelbench.reference import maxing, pocowista
from duelbench.reference.nts import limit
from tests.playing import played

pytestmark = pytest.mark.usefixtures("interpreted")


def after(wins, duels):
    """Return a pair after some duels."""
    pair = new_pair()
    pair[0].wins, pair[0].duels = wins, duels
    return pair


def test_only_duels_of_the_pair_count():
    pair = new_pair()
    open_pair(pair, 2, 0)
    count_outcome(pair, 2, 0, 1, 4)
    for first, second in ((0, 2), (2, 1), (2, 2)):
        count_outcome(pair, first, second, 1, 1)
    assert (pair[0].wins, pair[0].duels, lead(pair)) == (1, 4, 2)
    open_pair(pair, 2, 0)
    assert (pair[0].wins, pair[0].duels, lead(pair)) == (0, 0, 0)


# SPRT


def test_sprt_boundary():
    assert sprt_boundary(0.25, 0.1) == 2  # ln 9 / ln 3, without rounding up
    assert sprt_boundary(0.45, 0.0025) == 3  # 5.99 / 2.94
    assert sprt_boundary(0.1, 0.01) == 12  # 4.60 / 0.405
    assert all(sprt_boundary(h, g) == limit(h, g) for h, g in product((0.02, 0.1, 0.3, 0.49), (1e-4, 0.01, 0.49)))


@pytest.mark.parametrize("share", [0.0, 0.25, 0.4, 0.5, 0.7, 1.0])
def test_sprt_blocks(share):
    """None but the last duel of a block can decide, and the pair is decided by more than the boundary."""
    boundary, wins, duels = Nts(h=0.1).start(2, 1).boundary, 0, 0
    (i, j, _), *_ = blocks = played(Nts(h=0.1), [[0.5, share], [1 - share, 0.5]], 3000)[0]
    for first, second, count in blocks:
        if first == second:
            assert abs(2 * wins - duels) > boundary
            break
        assert (first, second) == (i, j)
        lead = abs(2 * wins - duels)
        assert lead <= boundary and count in (boundary + 1 - lead, 3000 - duels)
        won = share if i == 0 else 1 - share
        wins, duels = wins + (int(count * won) if count > 1 else won > 0.5), duels + count


# Prior-posterior-ratio test


def test_ppr_density():
    for a, b in ((0, 0), (3, 0), (17, 5), (600, 500)):
        assert log_density(a, a + b) == pytest.approx(stats.beta.logpdf(0.5, a + 1, b + 1), abs=1e-9)
        assert pocowista.log_density(a, b) == pytest.approx(log_density(a, a + b), abs=1e-9)


def test_ppr_equality_decides():
    """In integers: each density (n + 1) C(n, a) / 2^n in turn is the level."""
    for duels in range(1, 50):
        for wins in range(duels + 1):
            density = Fraction((duels + 1) * math.comb(duels, wins), 2**duels)
            assert ppr_decided(after(wins, duels), ppr_level(float(density), 2))
            assert ppr_decided(after(wins, duels), ppr_level(float(2 * density), 3))
            assert not ppr_decided(after(wins, duels), ppr_level(float(density) * (1 - 1e-6), 2))


def reachable(wins, duels, count):
    """All numbers of wins after 1, 2, …, ``count`` more duels."""
    return [(wins + won, duels + s) for s in range(1, count + 1) for won in range(s + 1)]


@pytest.mark.parametrize("gamma", [0.5, 0.05, 1e-4])
def test_ppr_blocks(gamma):
    level = ppr_level(gamma, 3)
    for duels, part in product((0, 1, 2, 7, 30, 111), (0.0, 0.2, 0.45, 0.5, 0.57, 0.8)):
        wins = round(part * duels)
        if ppr_decided(after(wins, duels), level):
            continue
        count = ppr_block(after(wins, duels), level, 10**6)
        assert not any(ppr_decided(after(w, n), level) for w, n in reachable(wins, duels, count - 1))
        ahead = count if 2 * wins >= duels else 0
        assert ppr_decided(after(wins + ahead, duels + count), level)  # it is as long as possible
        assert ppr_block(after(wins, duels), level, 3) == min(count, 3)


# Matches


def test_match_that_is_never_over():
    assert enough_duels(1.0, 1e-9, 30.0) == NEVER
    assert enough_duels(1.0, 1e-200, 30.0) == NEVER
    assert enough_duels(1.0, 0.5, math.inf) == NEVER


def test_match_is_cut_and_continued():
    match = new_match()
    assert match[0].left == 0
    begin_match(match, 3, 1, 10)
    assert [go_on(match, most) for most in (4, 1, 100)] == [(3, 1, 4), (3, 1, 1), (3, 1, 5)]
    assert (match[0].left, match[0].duels, match[0].wins) == (0, 10, 0)


# First passages


def crossed(this, duels, wins):
    """Tell whether any of these shares of wins is outside of the interval, by the definition of the tests."""
    duels = np.asarray(duels, float)
    share, radius = wins / duels - 0.5, np.sqrt((this.scale + 2 * np.log(duels)) / (2 * duels))
    return bool(np.any((share - this.up > radius) | (-share - this.down > radius)))


PASSAGES = {
    "compare-1": (compare_1, 0.05, 0.1),
    "compare-1, wide": (compare_1, 0.2, 0.5),
    "compare-2": (compare_2, 0.0, 0.1, 0.01),
    "compare-2, wide": (compare_2, 0.2, 0.45, 0.5),
    "mallows": (begin, math.log(400.0), 1e30),
    "di": (interval_test, 0.06, 0.0, 0.0, 0.03),
    "di, margin": (interval_test, 0.1, 0.0, 0.1, 0.3),
}
REFERENCE = {compare_1: maxing.compare_1, compare_2: maxing.compare_2, interval_test: maxing.di}


class WithTest(NamedTuple):
    """A state with a test."""

    test: Record


def begun(kind):
    """Return a state at the beginning of a test."""
    state = WithTest(new_test())
    start, *numbers = PASSAGES[kind]
    start(state.test, 0, 1, *numbers)
    return state


@pytest.mark.parametrize("kind", PASSAGES)
def test_passage_blocks(kind):
    rng, longest, ends = np.random.default_rng(0), 0, 0
    for p in (0.5, 0.52, 0.45, 0.6, 0.9, 0.1, 1.0, 0.0):
        state = begun(kind)
        this = state.test[0]
        for _ in range(3000):
            n, w = int(this.duels), int(this.wins)
            first, second, count = request(state.test, 10**9)
            assert (first, second) == (0, 1)
            assert n + count <= this.most
            before = np.arange(1, count)
            assert not crossed(this, n + before, w + before)
            assert not crossed(this, n + before, w)
            longest = max(longest, count)
            update(state, 0, 1, int(rng.binomial(count, p)), count)
            if not this.running:
                ends += 1
                assert crossed(this, this.duels, this.wins) or this.duels == this.most
                break
            assert this.duels > 200_000 or not crossed(this, this.duels, this.wins)
            if this.duels > 200_000:  # a fair coin, and no limit
                break
    assert longest > 5
    assert ends >= 7


def reference_verdict(kind, outcomes):
    """Return the number of duels and the verdict of the reference implementation."""

    class Given:
        def random(self):
            return 0.25 if next(outcomes) else 0.75

    start, *numbers = PASSAGES[kind]
    test = REFERENCE[start](np.full((2, 2), 0.5), 0, 1, *numbers, Given())
    duels = 0
    while True:
        try:
            next(test)
        except StopIteration as end:
            return duels, end.value
        duels += 1


VERDICTS = {"compare-1": {0: 1, 1: -1}, "compare-2": {2: 1, 1: -1}, "di": {"up": 1, "down": -1, "middle": 0}}


@pytest.mark.parametrize("kind", [kind for kind in PASSAGES if kind != "mallows"])
def test_passages_beside_reference(kind):
    rng, seen, at_the_limit = np.random.default_rng(3), set(), 0
    middle = float(begun(kind).test[0].up - begun(kind).test[0].down) / 2
    for p in (0.5 + middle, 0.5 + middle, 0.9, 0.1, 0.5):
        state = begun(kind)
        outcomes = rng.random(int(state.test[0].most)) < p
        duels, verdict = reference_verdict(kind, iter(outcomes))
        for outcome in outcomes[:duels]:
            assert state.test[0].running
            request(state.test, 1)
            update(state, 0, 1, int(outcome), 1)
        assert not state.test[0].running
        expected = VERDICTS[kind.partition(",")[0]][verdict]
        assert state.test[0].verdict == expected or (expected == -1 and kind.startswith("compare-1"))
        seen.add(expected)
        at_the_limit += duels == state.test[0].most
    assert at_the_limit > 0
    assert len(seen) >= 2


def test_draw_at_the_limit_of_compare_1():
    assert reference_verdict("compare-1, wide", iter([True, False] * 100))[1] == 1
    state = begun("compare-1, wide")
    assert state.test[0].most % 2 == 0
    update(state, 0, 1, int(state.test[0].most) // 2, int(state.test[0].most))
    assert not state.test[0].running
    assert state.test[0].verdict == 0


def test_one_duel_while_outcomes_are_under_way():
    state = begun("mallows")
    assert request(state.test, 100)[2] > 1
    assert request(state.test, 100)[2] == 1
    update(state, 0, 1, 0, int(state.test[0].asked))
    assert request(state.test, 100)[2] > 1


def test_outcome_of_a_test_that_is_over():
    state = begun("mallows")
    for _ in range(40):
        request(state.test, 1)
    update(state, 0, 1, 30, 30)
    assert not state.test[0].running
    assert state.test[0].verdict == 1
    begin(state.test, 0, 1, math.log(400.0), 1e30)
    assert state.test[0].running
    update(state, 0, 1, 5, 10)
    assert (state.test[0].duels, state.test[0].wins) == (0, 0)
    request(state.test, 1)
    update(state, 0, 1, 1, 1)
    assert (state.test[0].duels, state.test[0].wins) == (1, 1)
