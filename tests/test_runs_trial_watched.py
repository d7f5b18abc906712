"""Arrays that refuse a computed index below 0, and nothing else."""

from typing import NamedTuple

import numpy as np
import pytest

from duelbench.arrays import Record, record
from duelbench.compiling.imports import OWN_FILE
from duelbench.runs.trial.watched import watched


class State(NamedTuple):
    wins: np.ndarray
    table: np.ndarray
    place: Record
    arms: int


def new():
    return State(np.arange(4), np.arange(12.0).reshape(4, 3), record(count=2), 4)


def users(text, path, state, **names):
    """Run a line as if it stood in a user's file."""
    path.write_text(text + "\n")
    place = {"__name__": f"{OWN_FILE}x", "state": state, "np": np, **names}
    exec(compile(text, str(path), "exec"), place)
    return place


@pytest.mark.parametrize(
    "text",
    [
        "state.wins[k] += 1",
        "x = state.wins[k]",
        "state.table[1, k] = 2",
        "state.table[k][0] = 1",
        "state.table[0][k] = 1",
        "x = state.place[k].count",
        "x = state.wins[np.int64(k)]",
    ],
)
def test_an_index_that_turns_out_below_0_is_refused(tmp_path, text):
    with pytest.raises(IndexError, match=r"the index -1 of .* is below 0"):
        users(text, tmp_path / "a.py", watched(new()), k=-1)
    users(text, tmp_path / "b.py", watched(new()), k=0)


@pytest.mark.parametrize("text", ["state.wins[-1] += 1", "x = state.table[0, -1]", "x = state.wins[:-1]"])
def test_one_that_is_written_so_is_meant(tmp_path, text):
    users(text, tmp_path / "a.py", watched(new()))


def test_what_is_not_the_users_is_not_looked_at():
    assert watched(new()).wins[int("-1")] == 3


def test_watched_arrays_compute_as_others_do(tmp_path):
    seen, plain = watched(new()), new()
    assert type(seen) is State
    assert (seen.table.sum(axis=0) == plain.table.sum(axis=0)).all()
    seen.place[0].count += 5
    assert seen.place[0].count == 7
    assert seen.wins.argmax() == 3
    seen.wins[2] = 9
    assert seen.wins.tolist() == [0, 1, 9, 3]


def test_arrays_of_other_objects(tmp_path):
    class Mine:
        def __init__(self):
            self.wins = np.zeros(3)

    with pytest.raises(IndexError, match="of wins"):
        users("state.wins[k] = 1", tmp_path / "a.py", watched(Mine()), k=-2)
    assert watched([1, 2]) == [1, 2]
