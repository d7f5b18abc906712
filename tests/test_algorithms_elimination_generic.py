"""SAVAGE for any decision: with the same decision it samples what the transcription and the compiled one sample."""

import numpy as np
import pytest

from duelbench.algorithms.elimination.generic import Exploration
from duelbench.algorithms.elimination.savage import Savage
from duelbench.algorithms.elimination.voting import Voting
from duelbench.conformance.paths import engine_course
from duelbench.conformance.rounds import streams
from duelbench.literal import savage
from duelbench.literal.exploration import course
from tests.comparison import MATRICES
from tests.exploring import DECISIVE, SAMPLED, same


class OwnCopeland(Voting):
    name = "own-copeland"

    def decide(self, P):
        return int(np.argmax((P > 0.5).sum(axis=1)))


class OwnBorda(Voting):
    name = "own-borda"

    def decide(self, P):
        return int(np.argmax([sum(row[:i]) + sum(row[i + 1 :]) for i, row in enumerate(P.tolist())]))


class OwnCopelandInClosedForm(OwnCopeland):
    """The rule of ``savage`` for one pair, and that all are independent when one candidate is left."""

    name = "own-copeland-in-closed-form"

    def independent(self, low, high, i, j):
        lower, upper = (low > 0.5).sum(axis=1), (high >= 0.5).sum(axis=1) - 1
        candidates = set(np.flatnonzero(upper >= lower.max()))
        decided = not low[i, j] <= 0.5 <= high[i, j]
        return len(candidates) == 1 or decided or not {i, j} & candidates


PARAMETERS = {"delta": 0.5, "steps": 20, "starts": 3}
PLACES = {**DECISIVE, "cyclic4": MATRICES["cyclic4"], "random10": MATRICES["random10"]}


@pytest.mark.parametrize("matrix", PLACES)
@pytest.mark.parametrize(("own", "variant"), [(OwnCopeland, "copeland"), (OwnBorda, "borda")])
def test_the_path_is_the_literal_one(own, variant, matrix):
    P, horizon = PLACES[matrix], 300
    ours = engine_course(own(**PARAMETERS), P, horizon, 0)
    environment, policy = streams(0, 0)
    parameters = SAMPLED | PARAMETERS | {"variant": variant}
    assert same(ours, course(savage.explore(P.P, horizon, policy, environment, **parameters), horizon))
    assert same(ours, engine_course(Savage(**parameters), P, horizon, 0))


@pytest.mark.parametrize("matrix", DECISIVE)
def test_a_closed_form_takes_the_place_of_the_walks(matrix):
    ours, theirs = (
        engine_course(kind(delta=0.5), DECISIVE[matrix], 2000, 0) for kind in (OwnCopelandInClosedForm, Savage)
    )
    rounds = ours[1][1]
    assert rounds == theirs[1][1]
    assert np.array_equal(ours[0][:rounds], theirs[0][:rounds])
    if matrix in ("two arms", "order"):  # else a tie, broken at random by one, by number by the other
        assert same(ours, theirs)


def test_bounds_only_narrow_even_where_they_turn_out_wrong():
    exploration = Exploration(lambda x: x[0] > 0.5, 1, 100, 0.5, 1, 1)
    exploration.learn(0, 100.0, 100)
    assert exploration.high[0] == 1.0 and exploration.low[0] > 0.8
    low = exploration.low[0]
    exploration.learn(0, 0.0, 10_000)
    assert exploration.low[0] == exploration.high[0] == low


def test_a_witness_is_kept_as_long_as_it_is_within_the_box():
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
