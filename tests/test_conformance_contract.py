"""What the engine would have to count wrong is seen. Mistakes of algorithms are in test_conformance_properties."""

from functools import partial

import numpy as np
import pytest

from duelbench.conformance import contract
from duelbench.conformance.claims import CheckFailed
from duelbench.conformance.instances import USUAL
from duelbench.conformance.rounds import streams
from duelbench.engine.rollout import Trajectory
from tests.proved import PLAIN, toy

CIRCLE = USUAL["cyclic4"]
MARKS = np.array([10, 20])


@pytest.mark.parametrize(
    ("regret", "duels", "said"),
    [
        ([[1.0, 0.5], [0.0, 0.0]], 20, "regret falls"),
        ([[1.0, 900.0], [0.0, 0.0]], 20, "larger than that of the worst duel"),
        ([[1.0, 1.0], [0.0, 0.0]], 19, "19 duels were counted in 20 rounds"),
        ([[1.0, 1.0], [0.0, 0.0]], 20, ""),
    ],
)
def test_what_is_counted_wrong_is_seen(regret, duels, said, tmp_path, monkeypatch):
    counted = np.zeros((4, 4), int)
    counted[0, 0] = duels
    monkeypatch.setattr(contract, "rollout", lambda *_: Trajectory(MARKS, np.array(regret), counted, None))
    play = partial(contract.plays_validly, toy(tmp_path, PLAIN), CIRCLE, MARKS, streams(0, 0))
    if not said:
        play()
        return
    with pytest.raises(CheckFailed, match=said):
        play()


def test_other_errors_of_values_are_not_taken_for_answers(tmp_path, monkeypatch):
    def broken(*_):
        raise ValueError("of something else")

    monkeypatch.setattr(contract, "rollout", broken)
    with pytest.raises(ValueError, match="of something else"):
        contract.plays_validly(toy(tmp_path, PLAIN), CIRCLE, MARKS, streams(0, 0))


def test_a_winner_of_ours_is_declared_once():
    from duelbench.algorithms.elimination.interleaved_filter import InterleavedFilter

    winner, rounds = contract.declares_arms(
        InterleavedFilter(), USUAL["order of 4"], 3000, partial(streams, 0, 0), answers=500
    )
    assert winner == USUAL["order of 4"].condorcet_winner()
    assert rounds < 3000
