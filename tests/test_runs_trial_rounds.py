"""The first rounds of a user's algorithm are those of its first run."""

import numpy as np
import pytest

from duelbench.engine.play import Problem
from duelbench.engine.rollout import Streams, rollout
from duelbench.engine.streams import outcomes_stream, policy_stream
from duelbench.preferences.regret import regret_table
from duelbench.runs.run import instance
from duelbench.runs.trial import rounds
from duelbench.runs.trial.child import Child
from duelbench.runs.trial.rounds import Step, first_difference
from tests.experiments import planned
from tests.mistakes import ANSWER, PLAIN, SPEC

HOLDS = "    if t > 40:\n        return first, first, min(3, last - t + 1)\n"


@pytest.mark.parametrize("more", ["", "feedback: {delay: 7}\n", "shuffle_arms: false\nregret: [copeland, borda]\n"])
def test_it_is_the_beginning_of_the_run(tmp_path, more):
    (tmp_path / "mine.py").write_text(PLAIN.replace(ANSWER, HOLDS + ANSWER))
    (series,) = planned(tmp_path, SPEC.replace("1e4", "200") + more).series
    with Child() as child:
        steps = child.call(rounds.interpreted, series, 1, 0, files=[])
    assert [steps[0].t, steps[-1].t + steps[-1].duels - 1] == [1, 200]
    assert {step.duels for step in steps} >= {1, 3}
    duels = np.zeros((6, 6), int)
    for step in steps:
        duels[step.first, step.second] += step.duels
    matrix = instance(series.dataset, 1, 0, series.shuffle_arms)
    identity, algorithm = series.dataset.dataset.identity(), series.algorithm.build()
    streams = Streams(outcomes_stream(1, identity, 0), policy_stream(1, identity, 0, algorithm))
    problem = Problem(matrix.P, np.stack([regret_table(matrix, kind) for kind in series.regret]))
    played = rollout(algorithm, problem, series.checkpoints, streams, rounds.Rules(delay=series.delay))
    assert (played.duels == duels).all()


def test_the_first_difference():
    one = [Step(1, 0, 1, 1), Step(2, 0, 1, 1), Step(3, 0, 0, 5)]
    assert first_difference(one, one) is None
    assert first_difference(one, one[:2]) is None
    other = [one[0], Step(2, 1, 0, 1), one[2]]
    assert first_difference(one, other) == (one[1], other[1])
    assert str(other[1]) == "(1, 0, 1)"
