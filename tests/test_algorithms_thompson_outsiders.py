"""D-TS+ where arms lead but are seldom preferred: holds that set them apart, against the literal transcription."""

import math
import sys
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from duelbench.algorithms.thompson.dts_plus import APART, DtsPlus, set_outsiders_apart, update_plus
from duelbench.algorithms.thompson.envelope import Cells
from duelbench.algorithms.thompson.rare_co_leaders import (
    BINS,
    KEPT,
    KNOWN,
    OUTSIDERS,
    PROPOSAL,
    SLOTS,
    UNIT,
    UNKNOWN,
    draw_proposal,
    reach,
    set_losses,
)
from duelbench.algorithms.thompson.rounds import ROUND, look_ahead
from duelbench.engine.play import Problem, Rules, loop_for, new_ledger
from tests.comparison import crowd_choice, mutated
from tests.test_algorithms_thompson_choice import core, lumped, random_state, state_at

START = 10**7


def circle(seed, K):
    """Return counts of three arms that beat each other in a circle; the others lose to one of them for sure.

    The first one or two arms have pairs near 1/2 with the others: they seldom have the least estimated regret.
    """
    rng = np.random.default_rng([seed, K, 3])
    w = np.zeros((K, K), np.int64)
    uncertain = int(rng.integers(1, 3))
    size = int(rng.choice([100, 400, 1600]))
    master = rng.integers(0, 3, K)
    for i, j in combinations(range(K), 2):
        n = int(size * rng.uniform(0.5, 2))
        if j < 3:
            deviations = -7.0 if (i, j) == (0, 2) else 7.0
        elif i >= 3:
            deviations = rng.normal()
        elif master[j] == i:
            deviations = 7.0
        else:
            deviations = rng.uniform(2, 4.5) if i >= uncertain else rng.uniform(0, 2.5)
        w[i, j] = round(n / 2 + deviations * math.sqrt(n) / 2)
        w[j, i] = n - w[i, j]
    return w


# K, seed of ``circle``, outsiders, and open votes of their others.
STATES = {
    "one other or two": (4, 28, 3, (1, 1, 0)),
    "a single outsider": (5, 2, 1, (1,)),
    "two outsiders, two open votes": (5, 33, 2, (2, 2)),
    "two outsiders, two open votes again": (5, 37, 2, (2, 2)),
    "three outsiders": (5, 82, 3, (3, 2, 1)),
    "two open votes and one": (5, 99, 2, (2, 1)),
    "three outsiders again": (5, 102, 3, (2, 3, 1)),
    "three outsiders and undivided cases": (5, 136, 3, (2, 3, 1)),
    "three outsiders once more": (5, 186, 3, (3, 2, 1)),
    "three others": (6, 0, 1, (3,)),
    "three others again": (6, 1, 1, (3,)),
}


def apart(algorithm, w):
    """Return a state in which outsiders have just been set apart, and the chance of a deviating round before that."""
    state = state_at(algorithm, w, START)
    algorithm.merge_equal_self_duels(state, np.full(w.shape, True))
    look_ahead(core(state))
    before = core(state).forecast[ROUND]
    sys.modules[type(algorithm).__module__].set_outsiders_apart(state, 0.25 * before, before / 2)
    return state, before


def choices(algorithm, w, rounds, seed, equal=True):
    """Return the (K, K) duels of rounds in which nothing is learned, cut at checkpoints of any distance."""
    rng = np.random.default_rng(seed)
    state = state_at(algorithm, w, START)
    algorithm.merge_equal_self_duels(state, np.broadcast_to(equal, w.shape))
    marks = START + np.cumsum(np.exp(rng.uniform(0, 8, rounds // 200)).astype(np.int64))
    marks = marks[marks < START + rounds]
    delay = 2 * START - 1  # outcomes wait until then
    ledger = new_ledger(marks, 1, len(w), delay)
    ledger.place[0].t = START
    P = np.full(w.shape, 0.5)
    play = loop_for(type(algorithm))
    play(state, Problem(P, P[None]), Rules(delay=delay), ledger, len(marks), rng, np.random.default_rng([seed, 1]))
    assert state.vain[APART]  # after some rounds that ended holds in vain
    return ledger.duels


def literal(w, seed):
    """Return the (K, K) duels of independent rounds of the transcription."""
    K, crowd = len(w), 150_000
    policy = np.random.default_rng([seed, K, 2])
    total = np.zeros(K * K, np.int64)
    for _ in range(4):
        first, second = crowd_choice(np.broadcast_to(w, (crowd, K, K)), START, policy, 0.51, True)
        total += np.bincount(first * K + second, minlength=K * K)
    return total.reshape(K, K)


def p_of_same(both):
    """Return the p-value of two rows of counts to be of one distribution; rare kinds are counted as one."""
    rare = both.sum(axis=0) * both.sum(axis=1).min() < 20 * both.sum()
    both = np.c_[both[:, ~rare], both[:, rare].sum(axis=1)]
    return stats.chi2_contingency(both[:, both.sum(axis=0) > 0], correction=False).pvalue


def agreement(algorithm, name):
    K, seed, *_ = STATES[name]
    w = circle(seed, K)
    return p_of_same(
        np.stack([lumped(each).ravel() for each in (literal(w, seed), choices(algorithm, w, 2_000_000, seed))])
    )


@pytest.mark.parametrize("name", STATES)
def test_the_states_are_what_they_are_called(name):
    K, seed, outsiders, open_votes = STATES[name]
    state, before = apart(DtsPlus(), circle(seed, K))
    assert state.vain[APART]
    assert state.parties[OUTSIDERS, K] == outsiders
    assert tuple(state.outsiders.open_votes[:outsiders, -1, 0]) == open_votes
    assert core(state).forecast[ROUND] < before / 2


@pytest.mark.parametrize("name", STATES)
def test_outsiders_lead_and_lose_as_in_the_transcription(name):
    assert agreement(DtsPlus(), name) > 0.001


def test_outsiders_may_have_self_duels_of_their_own():
    K, seed, *_ = STATES["three outsiders"]
    w = circle(seed, K)
    equal = np.equal.outer(np.arange(K) < 3, np.arange(K) < 3)
    both = np.stack([literal(w, seed), choices(DtsPlus(), w, 2_000_000, seed, equal)]).reshape(2, -1)
    own = np.arange(K) * (K + 1)
    both[:, own[0]] = both[:, own[:3]].sum(axis=1)
    both[:, own[1:3]] = 0
    assert p_of_same(both) > 0.001


def single(outsiders, k):
    """Return the k-th outsider."""
    parts = {name: part[k] for name, part in outsiders._asdict().items() if name not in ("cells", "padded", "steps")}
    return outsiders._replace(cells=Cells(*(part[k] for part in outsiders.cells)), **parts)


def is_kept(one, case, slot):
    return bool(one.need_case[case % KEPT, slot - 1] == case)


def needs(one, case, slot):
    """Return Q(o, n), o = 0 … others, n = 0 … BINS − 1, of a regular: as it is kept, or else worked out."""
    if not is_kept(one, case, slot):
        reach(one, case, slot)
    return np.vstack([one.need[case % KEPT, slot - 1, : one.others[-1]], np.arange(BINS) == 0])


@pytest.mark.parametrize("name", STATES)
def test_weights_of_cells_make_up_how_often_there_is_hope(name):
    K, seed, count, _ = STATES[name]
    state, _ = apart(DtsPlus(), circle(seed, K))
    for k in range(count):
        one = single(state.outsiders, k)
        others = int(one.others[K])
        for case in sorted(np.flatnonzero(one.divided), key=lambda case: not is_kept(one, case, 1)):
            loss = one.loss[case, :others] / one.rates[UNIT]
            hope = one.hope[case]
            for o in np.flatnonzero(loss):
                steps = np.minimum(loss[o] * one.cells.inverse[0, o], BINS - 1).astype(int)
                sums = [one.cells.mass[0, o] @ hope[o, np.minimum(n + steps, BINS - 1)] for n in range(BINS)]
                assert sums == pytest.approx(hope[o - 1]) if o > 0 else sums[0] == pytest.approx(one.first_hope[case])
            product = np.ones(BINS)
            for slot in range(1, one.slots[SLOTS]):
                need = needs(one, case, slot)
                padded = np.hstack([np.ones((others + 1, BINS)), need])
                for o in np.flatnonzero(loss):
                    steps = np.minimum(loss[o] * one.cells.inverse[slot, o], BINS - 1).astype(int) + 1
                    sums = [one.cells.mass[slot, o] @ padded[o + 1, BINS + n - steps] for n in range(1, BINS)]
                    assert np.minimum(sums, 1.0) == pytest.approx(need[o, 1:])
                for o in np.flatnonzero(loss == 0.0):
                    assert (need[o] == need[o + 1]).all()
                assert (need[:, 0] == 1.0).all()
                product *= need[0]
            assert hope[others - 1] == pytest.approx(product)


def test_what_is_known_from_before_is_what_would_be_worked_out():
    rng = np.random.default_rng(7)
    reused = kept = 0
    for K, seed in ((5, 33), (5, 82), (5, 102), (6, 1)):
        w = circle(seed, K)
        state, _ = apart(DtsPlus(), w)
        outsiders = state.outsiders
        for _ in range(30):
            i, j = rng.choice(K, 2, replace=False)
            duels = 40 if min(i, j) > 2 else 1  # of others: so that now this vote is open, now another
            won = duels * int(rng.integers(2))
            w[i, j] += won
            w[j, i] += duels - won
            update_plus(state, i, j, won, duels)
            look_ahead(core(state))
            limit = 0.2 * core(state).forecast[ROUND]
            anew = state_at(DtsPlus(), w, START)
            anew.dts.equal[:] = True
            look_ahead(core(anew))
            hopes = outsiders.hope.copy()
            if not set_outsiders_apart(state, limit, 0.9):
                continue
            anew.outsiders.rates[:, UNIT] = outsiders.rates[:, UNIT]
            assert set_outsiders_apart(anew, limit, 0.9)
            count = state.parties[OUTSIDERS, K]
            for one, other in zip(anew.parties, state.parties, strict=True):
                assert one[: one[K]].tolist() == other[: other[K]].tolist()
            for k in range(count):
                cases = np.arange(1 << outsiders.open_votes[k, -1, 0])
                rates = [*cases, PROPOSAL]
                assert anew.outsiders.rates[k, rates] == pytest.approx(outsiders.rates[k, rates], rel=1e-9)
                for case in cases[outsiders.divided[k, cases]]:
                    assert anew.outsiders.hope[k, case] == pytest.approx(outsiders.hope[k, case], rel=1e-9)
                    reused += (hopes[k, case] == outsiders.hope[k, case]).all()
                    for slot in range(1, outsiders.slots[k, SLOTS]):
                        if is_kept(single(outsiders, k), case, slot):
                            tables = [needs(single(each, k), case, slot) for each in (anew.outsiders, outsiders)]
                            assert tables[0] == pytest.approx(tables[1], rel=1e-9)
                            kept += 1
    assert reused > 50
    assert kept > 50


def test_proposals_take_what_is_needed_in_their_case():
    """Cases take turns in what is kept, where there are more than that."""
    K, seed, *_ = STATES["three others"]
    state, _ = apart(DtsPlus(), circle(seed, K))
    one, comparisons, votes = single(state.outsiders, 0), core(state).comparisons, core(state).votes
    rng = np.random.default_rng(3)
    cases = np.flatnonzero(one.divided)
    first, second = next((a, b) for a, b in combinations(cases, 2) if (b - a) % KEPT == 0)
    for case in (first, second, first):
        for _ in range(200):  # until values of x are kept
            draw_proposal(one, comparisons, votes, case, rng)
        assert is_kept(one, case, 1)
        tables = needs(one, case, 1)
        reach(one, case, 1)
        assert (needs(one, case, 1) == tables).all()


def test_integrals_are_those_given_that_sure_votes_fall_as_they_should():
    w, t, alpha = random_state(298, 4)
    state = state_at(DtsPlus(alpha=alpha), w, t)
    look_ahead(core(state))
    assert set_outsiders_apart(state, 0.003, 0.5)
    one = single(state.outsiders, 0)
    x, others = one.slots[0], one.others[: one.others[4]]
    assert core(state).votes.chance[x, others].min() < 0.97  # of a sure vote
    assert (one.cells.mass[0, : len(others)].sum(axis=1) > 1).all()


def test_other_losses_make_unknown_what_was_known():
    K, seed, *_ = STATES["three others"]
    state, _ = apart(DtsPlus(), circle(seed, K))
    one, votes, election = single(state.outsiders, 0), core(state).votes, core(state).election
    case = np.flatnonzero(one.divided)[0]
    set_losses(one, election, votes, case)
    assert one.known[case] == KNOWN
    election.lost[one.others[0]] += 1
    set_losses(one, election, votes, case)
    assert one.known[case] == UNKNOWN


@pytest.mark.parametrize("name", ["two outsiders, two open votes", "three outsiders again"])
def test_any_case_may_be_left_undivided(name, tmp_path):
    larger = mutated("dts_plus", {"UNDIVIDED = 1e-4": "UNDIVIDED = 0.1"}, tmp_path, "DtsPlus")()
    K, seed, *_ = STATES[name]
    divided = [apart(each, circle(seed, K))[0].outsiders.divided for each in (larger, DtsPlus())]
    assert 0 < divided[0].sum() < divided[1].sum()
    assert agreement(larger, name) > 0.001


WRONG = {
    "proposed too seldom": {"if is_preferred(outsider_at(": "if rng.random() < 0.8 and is_preferred(outsider_at("},
    "one of two outsiders forgotten": {"PROPOSAL], outsiders[arms], rng)": "PROPOSAL], 1, rng)"},
}


@pytest.mark.parametrize("mistake", WRONG)
def test_a_mistake_is_seen(mistake, tmp_path):
    wrong = mutated("dts_plus", WRONG[mistake], tmp_path, "DtsPlus")()
    assert agreement(wrong, "two outsiders, two open votes") < 1e-6
