"""Runs answer by answer are those of the engine, and go on from any state."""

import numpy as np
import pytest

from duelbench.conformance.instances import USUAL
from duelbench.conformance.rounds import (
    Rounds,
    contents,
    pair_tables,
    simulate,
    streams,
    will_draw_the_same,
)
from duelbench.engine.copies import copied, generator_at
from duelbench.preferences.regret import regret_table
from tests.proved import EXPLORER, PLAIN, changed, toy

CIRCLE = USUAL["cyclic4"]


@pytest.mark.parametrize("text", [PLAIN, EXPLORER])
@pytest.mark.parametrize("stepping", [False, True])
def test_answer_by_answer_it_is_the_run_of_the_engine(text, stepping, tmp_path):
    algorithm, luck, drawn = toy(tmp_path, text), streams(3, 1), streams(3, 1)
    run = Rounds(algorithm, CIRCLE.P, 500, luck, stepping)
    duels = np.zeros((4, 4), int)
    while not run.over:
        answer = run.answer()
        assert answer.t + answer.duels == run.t
        duels[answer.first, answer.second] += answer.duels
    table = regret_table(CIRCLE, "copeland")[None]
    played = simulate(algorithm, CIRCLE.P, table, np.array([500]), *drawn, stepping=stepping)
    assert np.array_equal(duels, played.duels)
    assert np.array_equal(duels, run.duels)
    assert all(map(will_draw_the_same, luck, drawn))


def test_a_run_goes_on_from_a_copy_of_its_state(tmp_path):
    run = Rounds(toy(tmp_path, PLAIN), CIRCLE.P, 300, streams(0, 0), stepping=True)
    run.answer(100)
    state, luck = copied(run.state), streams(0, 0)._make(map(generator_at, run.luck))
    other = run.stepping_from(run.t, state, luck)
    before = run.duels.copy()
    run.answer(200)
    assert contents(state) != contents(run.state)
    other.answer(200)
    assert contents(state) == contents(run.state)
    assert np.array_equal(other.duels, run.duels - before)


def test_an_answer_out_of_range_is_an_error(tmp_path):
    wrong = changed(PLAIN, ("rng), 1\n", "rng), 2\n"))
    run = Rounds(toy(tmp_path, wrong), CIRCLE.P, 1, streams(0, 0))
    with pytest.raises(ValueError, match=r"answered \(\d, \d, 2\) at t = 1"):
        run.answer()


def test_curves_of_pairs_are_counts_of_duels():
    tables = pair_tables(3)
    assert tables.shape == (9, 3, 3)
    assert tables[5, 1, 2] == 1.0
    assert tables.sum() == 9
