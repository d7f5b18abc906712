"""SAVAGE: its decisions and when it stops, also with decisions that users define."""

import numpy as np
import pytest

from duelbench.algorithms.elimination.generic import Exploration
from duelbench.algorithms.elimination.savage import (
    ARGMAX,
    BORDA,
    COPELAND,
    Savage,
    central_decision,
    learn,
    score,
    winner,
)
from duelbench.algorithms.elimination.voting import Voting
from duelbench.conformance.reference import engine_course
from duelbench.preferences.matrix import PreferenceMatrix
from tests.instances import DECISIVE, INSTANCES, from_upper_triangle
from tests.playing import same, whole


def test_last_condorcet_candidate_stays(interpreted):
    state = Savage(variant="condorcet", delta=0.5).start(3, 1000)
    state.wins[0, 1] = state.wins[1, 2] = state.wins[2, 0] = 400
    for first, second in ((0, 1), (1, 2), (0, 2)):
        learn(state, first, second, int((first, second) != (0, 2)))  # a cycle
    assert state.candidate.tolist() == [True, False, False]
    assert state.decision[0].accepted
    assert winner(state, np.random.default_rng(0)) == 0


def test_parameters_of_sampling():
    assert Savage().model_dump() == {"variant": "copeland", "delta": None, "epsilon": 0.0}
    assert Savage(independence="sampled").model_dump() == {
        "variant": "copeland",
        "delta": None,
        "epsilon": 0.0,
        "independence": "sampled",
        "starts": 20,
        "steps": 50,
    }


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [({"variant": "condorcet"}, "choose another variant"), ({"epsilon": 0.1}, "remove it, or choose")],
)
def test_sampling_refused(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        Savage(independence="sampled", **parameters)


def test_scores(interpreted):
    values = np.array([[0.5, 0.9, 0.4], [0.1, 0.5, 0.5], [0.6, 0.5, 0.5]])
    assert [score(COPELAND, values, i) for i in range(3)] == [1, 0, 1]  # a tie is no win
    assert [score(BORDA, values, i) for i in range(3)] == pytest.approx([1.3, 0.6, 1.1])
    assert [score(ARGMAX, values, i) for i in range(3)] == [-np.inf, 0.1, 0.6]


def test_decision_of_the_centre(interpreted):
    state = Savage(variant="borda", independence="sampled").start(3, 100)
    state.low[0, 1] = 0.9
    state.high[1, 0] = 0.1
    assert central_decision(state) == 0


# Any decision: with a built-in decision, it samples like the reference implementation and the compiled one


class OwnCopeland(Voting):
    name = "own-copeland"

    def decide(self, P):
        return int(np.argmax((P > 0.5).sum(axis=1)))


class OwnBorda(Voting):
    name = "own-borda"

    def decide(self, P):
        return int(np.argmax([sum(row[:i]) + sum(row[i + 1 :]) for i, row in enumerate(P.tolist())]))


class OwnCopelandInClosedForm(OwnCopeland):
    """The rule of ``savage`` for one pair; all pairs are independent when one candidate is left."""

    name = "own-copeland-in-closed-form"

    def independent(self, low, high, i, j):
        lower, upper = (low > 0.5).sum(axis=1), (high >= 0.5).sum(axis=1) - 1
        candidates = set(np.flatnonzero(upper >= lower.max()))
        decided = not low[i, j] <= 0.5 <= high[i, j]
        return len(candidates) == 1 or decided or not {i, j} & candidates


OWN = {"delta": 0.5, "steps": 20, "starts": 3}


@pytest.mark.parametrize("matrix", [*DECISIVE, "cyclic4", "random10"])
@pytest.mark.parametrize(("own", "variant"), [(OwnCopeland, "copeland"), (OwnBorda, "borda")])
def test_own_rule_plays_as_savage(own, variant, matrix):
    """A user's rule plays like SAVAGE, whose paths catalogue.py compares with its reference implementation."""
    theirs = Savage(variant=variant, independence="sampled", **OWN)
    assert same(*(engine_course(each, INSTANCES[matrix], 300, 0) for each in (own(**OWN), theirs)))


@pytest.mark.parametrize("matrix", DECISIVE)
def test_closed_form_takes_the_place_of_the_walks(matrix):
    ours, theirs = (
        engine_course(kind(delta=0.5), INSTANCES[matrix], 2000, 0) for kind in (OwnCopelandInClosedForm, Savage)
    )
    rounds = ours[1][1]
    assert rounds == theirs[1][1]
    assert np.array_equal(ours[0][:rounds], theirs[0][:rounds])
    if matrix in ("two arms, clear", "order"):  # else a tie, which one breaks at random, the other by number
        assert same(ours, theirs)


def test_bounds_only_narrow():
    exploration = Exploration(lambda x: x[0] > 0.5, 1, 100, 0.5, 1, 1)
    exploration.learn(0, 100.0, 100)
    assert exploration.high[0] == 1.0 and exploration.low[0] > 0.8
    low = exploration.low[0]
    exploration.learn(0, 0.0, 10_000)
    assert exploration.low[0] == exploration.high[0] == low


def test_witness_is_kept():
    """A witness is kept while it lies within the box."""
    calls = []

    def decide(x):
        calls.append(1)
        return x[0] > 0.5

    exploration, rng = Exploration(decide, 2, 1000, 0.5, 5, 10), np.random.default_rng(1)
    assert exploration.choose(rng) == 0
    assert list(exploration.witnesses) == [0]  # the other mean does not matter
    tested = len(calls)
    x, y = exploration.witnesses[0]
    assert (x[0] > 0.5) != (y[0] > 0.5) and x[1] == y[1]
    assert exploration.choose(rng) == 0 and len(calls) == tested
    exploration.learn(0, 60, 60)
    assert exploration.low[0] > 0.5 and exploration.choose(rng) is None
    assert len(calls) > tested and exploration.decision()


# A user's voting rule

VOTED = from_upper_triangle([0.9, 0.4, 0.7], [0.9, 0.9], [0.1])


class Last(Voting):
    """The highest number among the arms that beat arm 0; arm 0 if there is none."""

    name = "last"

    def decide(self, P):
        return int(max(np.flatnonzero(P[:, 0] > 0.5), default=0))


class LastByBounds(Last):
    name = "last-by-bounds"

    def independent(self, low, high, i, j):
        assert np.all(low <= high)
        np.testing.assert_allclose(low, 1 - high.T)
        if i > 0 or not low[j, 0] <= 0.5 <= high[j, 0]:
            return True
        return bool(np.any(low[j + 1 :, 0] > 0.5))


@pytest.mark.parametrize("kind", [Last, LastByBounds])
def test_rule_plays_what_matters(kind):
    played = whole(kind(), VOTED, 50_000, seed=1)
    winner, rounds = played.declaration
    assert winner == 2
    assert played.informative == rounds == played.duels[0].sum() < 5000  # pairs without arm 0 do not matter
    assert played.duels[0, 1] < played.duels[0, 2]  # once 2 is known to beat 0, arm 1 does not matter
    assert played.duels[2, 2] == 50_000 - rounds


def test_rule_on_relabelled_arms():
    matrix = VOTED.relabelled([3, 1, 0, 2])
    assert whole(Last(delta=0.2), matrix, 50_000, seed=2).declaration[0] == Last().decide(matrix.P)


def test_rule_that_needs_no_duel():
    class Always(Voting):
        name = "always"

        def decide(self, P):
            return 1

    assert whole(Always(), PreferenceMatrix(np.full((3, 3), 0.5)), 100, seed=0).declaration == (1, 0)
