"""WS-W with an eye on its rounds: its duels are those of WS-W, and whom it suspects has won the last round."""

import numpy as np
import pytest

from duelbench.conformance.paths import literal_path
from duelbench.conformance.rounds import streams
from duelbench.literal import ws_w
from duelbench.literal.inner import WsW
from tests.monitored import ws_w_rounds
from tests.paths import INSTANCES

PLAIN = ws_w_rounds()


@pytest.mark.parametrize("name", ["mslr5-condorcet", "certain", "no difference", "two arms"])
@pytest.mark.parametrize("most", [1, 10**6])
def test_the_suspect_is_that_of_the_transcription(name, most):
    """Blocks, whose outcomes are put in a random order, end no later than the round."""
    P, rng, policy = INSTANCES[name].P, np.random.default_rng(1), np.random.default_rng(2)
    ours, theirs, suspects, longest = PLAIN.no_rounds(len(P)), WsW(len(P), np.random.default_rng(2)), set(), 0
    for _ in range(300):
        first, second, count = PLAIN.next_of_round(ours, most, policy)
        number = theirs.l
        for left in range(count, 0, -1):
            assert theirs.l == number or left == 0
            assert theirs.choose(1) == (first, second)
            theirs.learn(first, second, rng.random() < P[first, second])
        wins = (theirs.C[first] - int(ours.standing.net[first]) + count) // 2
        PLAIN.learn_of_round(ours, first, second, wins, count)
        assert ours.course[0].suspect == theirs.suspect
        suspects.add(theirs.suspect)
        longest = max(longest, count)
    assert longest > 3 or most == 1 or name == "certain"
    assert len(suspects) > 1 or name == "two arms"


def test_its_duels_are_those_of_ws_w():
    matrix = INSTANCES["mslr5-condorcet"]
    path = literal_path(ws_w.run, matrix, 500, 1)
    environment, policy = streams(1, 0)
    rounds = PLAIN.no_rounds(5)
    for first, second in path.tolist():
        assert PLAIN.next_of_round(rounds, 1, policy) == (first, second, 1)
        PLAIN.learn_of_round(rounds, first, second, int(environment.random() < matrix.P[first, second]), 1)
