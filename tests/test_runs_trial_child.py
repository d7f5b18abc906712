"""Processes that run a user's code: what is said when they hang or end."""

import ctypes
import os
import time
from pathlib import Path

import pytest

from duelbench.errors import UserError
from duelbench.runs.trial import child
from duelbench.runs.trial.child import Child

HERE = __file__


def line_with(words):
    lines = Path(HERE).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if words in line)


def spins(heartbeat):
    heartbeat.compute("spinning", 0.3)
    for _ in range(10**9):
        while True:  # for ever
            for _ in range(1000):
                helps()


def helps():
    return sum(each for each in range(10))


def sleeps(heartbeat):
    heartbeat.compute("sleeping", 0.3)
    time.sleep(60)  # a nap


def leaves(heartbeat):
    heartbeat.compute("leaving", 60)
    os._exit(3)


def crashes(heartbeat):
    heartbeat.compute("crashing", 60)
    ctypes.string_at(0)  # nothing there


def answers(value, heartbeat):
    heartbeat.compute("answering", 0.2)
    heartbeat.end()
    began = time.process_time()
    while time.process_time() - began < 0.4:  # what has ended has no limit any more
        pass
    return value


@pytest.mark.parametrize(
    ("function", "line", "said"),
    [
        (spins, "# for ever", "spinning has not ended after 0.3 seconds: this loop does not come to an end"),
        (sleeps, "# a nap", "sleeping has not ended after 0.3 seconds: it hangs in this line"),
        (crashes, "# nothing there", "crashing: the process was killed by SIGSEGV"),
        (leaves, None, "leaving: the process ended with exit code 3"),
    ],
)
def test_what_hangs_or_ends_its_process_is_named_with_its_line(function, line, said):
    with Child() as process, pytest.raises(UserError) as caught:
        process.call(function, files=[HERE])
    assert caught.value.message == said
    assert (caught.value.source, caught.value.line) == (HERE, line_with(f"  {line}") if line else None)


def test_after_a_death_it_goes_on_in_another_process():
    with Child() as process:
        with pytest.raises(UserError):
            process.call(leaves, files=[HERE])
        assert process.call(answers, 7, files=[HERE]) == 7


def test_a_loop_belongs_to_its_own_function(tmp_path):
    (tmp_path / "mine.py").write_text("while True:\n    def f():\n        return 1\n    for x in y:\n        f()\n")
    assert [child._loop_at(tmp_path / "mine.py", line) for line in (3, 4, 5)] == [None, 1, 1]
    assert child._loop_at(tmp_path / "none.py", 1) is None
