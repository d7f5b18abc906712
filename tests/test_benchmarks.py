"""The benchmarks for asv run. No test asserts speed."""

import pytest

from benchmarks import speed
from duelbench import Program, algorithm


@pytest.mark.usefixtures("interpreted")
def test_rounds(monkeypatch):
    assert len(speed.ALGORITHMS) == 10
    rounds = speed.Rounds()
    for numbers, play, programs in (
        (speed.ALGORITHMS, rounds.time_algorithm, False),
        (speed.PROGRAMS, rounds.time_program, True),
    ):
        for name in numbers:
            assert isinstance(algorithm(name), Program) == programs
            rounds.setup(name)
            monkeypatch.setitem(numbers, name, 100)
            play(name)


@pytest.mark.slow
def test_compiling_and_start(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    speed.Compiling().time_compile("rucb")
    for name in ("time_help", "time_import", "time_import_simulate"):
        getattr(speed.Start(), name)()
