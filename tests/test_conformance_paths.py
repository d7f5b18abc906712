"""Paths of the engine and of transcriptions, round by round."""

import numpy as np

from duelbench.conformance.instances import USUAL
from duelbench.conformance.paths import engine_course, engine_path, literal_path, plays
from duelbench.conformance.rounds import Rounds, streams
from tests.proved import LITERAL, PLAIN, changed, toy

CIRCLE = USUAL["cyclic4"]


def run_of(text):
    names = {}
    exec(text, names)
    return names["my_policy"]


def test_a_path_is_that_of_single_rounds(tmp_path):
    algorithm = toy(tmp_path, PLAIN)
    run = Rounds(algorithm, CIRCLE.P, 200, streams(2, 0), stepping=True)
    answers = [run.answer()[1:3] for _ in range(200)]
    assert engine_path(algorithm, CIRCLE, 200, 2).tolist() == [list(each) for each in answers]
    assert engine_course(algorithm, CIRCLE, 200, 2)[1] is None


def test_it_is_the_literal_one_and_leaves_it_with_a_mistake(tmp_path):
    path = literal_path(run_of(LITERAL), USUAL["order of 4"], 400, 2)
    assert np.any(path[:, 0] == path[:, 1])
    for held in (True, False):
        assert plays(toy(tmp_path, PLAIN), USUAL["order of 4"], path, 2, holds=held)
    wider = literal_path(run_of(LITERAL), USUAL["order of 4"], 400, 2, alpha=0.62)
    assert not plays(toy(tmp_path, PLAIN), USUAL["order of 4"], wider, 2)


def test_a_hold_that_is_too_long_is_another_path(tmp_path):
    algorithm = toy(tmp_path, changed(PLAIN, ("min(last, due - 1)", "min(last, due + 3)")))
    path = literal_path(run_of(LITERAL), USUAL["order of 4"], 400, 2)
    assert plays(algorithm, USUAL["order of 4"], path, 2, holds=False)
    assert not plays(algorithm, USUAL["order of 4"], path, 2)
