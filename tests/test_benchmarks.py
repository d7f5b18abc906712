"""The benchmarks, for asv and of the pages for judges: each of them runs. No test asserts speed."""

from pathlib import Path

import pytest

from benchmarks import pages, speed
from duelbench import Program, algorithm, load_results


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


@pytest.mark.slow
def test_results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    monkeypatch.setattr(speed.Results, "params", (3,))
    results = speed.Results()
    results.setup_cache()
    written = {path: path.stat().st_mtime_ns for path in Path("results/3").rglob("run-*.csv")}
    results.time_rerun(3)
    results.time_load(3)
    assert len(written) == 3 and all(path.stat().st_mtime_ns == time for path, time in written.items())
    assert load_results("results/3").runs.run.nunique() == 3


@pytest.mark.slow
def test_pages(monkeypatch, capsys):
    for name in ("VOTES", "IDLE", "SLOW", "WATCHERS"):
        monkeypatch.setattr(pages, name, 3)
    monkeypatch.setattr(pages, "PAUSE", 0.1)
    pages.main(questions=2)
    assert capsys.readouterr().out.startswith("2 questions: ")
