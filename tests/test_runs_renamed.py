"""Labels that have changed: the runs are found by what determined them, wherever a move is interrupted."""

import shutil
from pathlib import Path

import pytest

from duelbench.runs.files import numbers_there
from duelbench.runs.renamed import move, renamed
from duelbench.runs.status import leftovers, status
from tests.experiments import SMALL, files, planned, played

OTHER = SMALL.replace("label: rucb}", "label: mine, title: Mine}").replace("arms: 4}", "arms: 4, label: random}")
SWAPPED = SMALL.replace("label: rucb}, btm", "label: btm}, {name: btm, label: rucb}")


def test_a_new_label_keeps_the_runs_and_their_seconds(small, copy, tmp_path):
    found, directory, execution, said = played(tmp_path, OTHER)
    assert (execution.kept, execution.played, len(said)) == (24, 0, 1)
    assert said[0].startswith("other labels, the same runs: ")
    assert "six-rankers/rucb → six-rankers/mine" in said[0]
    assert sorted(path.name for path in directory.iterdir() if path.is_dir()) == ["random", "six-rankers"]
    assert all(isinstance(seconds, float) for each in execution.timings.values() for seconds in each["mine"])
    played(tmp_path, SMALL)
    assert files(copy) == files(small)
    assert found.runs == 6


def test_labels_that_change_places(small, copy, tmp_path):
    before = files(small)
    execution = played(tmp_path, SWAPPED).execution
    assert (execution.kept, execution.played) == (24, 0)
    after = files(copy)
    for dataset in ("six-rankers", "btl-uniform"):
        assert after[Path(dataset, "btm", "run-00003.csv")] == before[Path(dataset, "rucb", "run-00003.csv")]
        assert after[Path(dataset, "rucb", "run-00003.csv")] == before[Path(dataset, "btm", "run-00003.csv")]


@pytest.mark.parametrize("text", [OTHER, SWAPPED], ids=["new", "swapped"])
def test_a_move_that_is_killed_anywhere_loses_nothing(small, tmp_path, monkeypatch, text):
    steps = {name: getattr(Path, name) for name in ("rename", "replace", "unlink", "rmdir", "mkdir")}
    plan = planned(tmp_path, text)
    for last in range(200):
        directory = tmp_path / "out"
        shutil.rmtree(directory, ignore_errors=True)
        shutil.copytree(small, directory)
        (directory / "six-rankers" / "mine").mkdir()  # so that files move one by one
        done = 0

        def dying(name, last=last):
            def step(*arguments, **options):
                nonlocal done
                if done == last:
                    raise KeyboardInterrupt
                done += 1
                return steps[name](*arguments, **options)

            return step

        with monkeypatch.context() as patch:
            for name in steps:
                patch.setattr(Path, name, dying(name))
            try:
                move(plan, directory, lambda line: None)
                killed = False
            except KeyboardInterrupt:
                killed = True
        move(plan, directory, lambda line: None)
        assert not renamed(plan, directory)
        stand = status(plan, directory)
        assert [each.counts for each in stand] == [{"done": 6}] * 4, last
        if not killed:
            break
    assert not killed
    assert last > 8


def test_runs_of_another_series_in_the_new_place_go(copy, tmp_path):
    gone = SMALL.replace(", btm]", "]").replace("label: rucb", "label: btm")
    _, directory, execution, said = played(tmp_path, gone)
    assert (execution.kept, execution.played) == (12, 0)
    assert said[0] == "six-rankers/btm: 6 runs are stale (they are of another series)"
    assert numbers_there(directory / "six-rankers" / "btm") == list(range(6))
    assert not (directory / "six-rankers" / "rucb").exists()


def test_what_determines_the_runs_must_be_the_same(copy, tmp_path):
    for other in (OTHER.replace("0.51", "0.6"), OTHER.replace("seed: 5", "seed: 6")):
        assert ("six-rankers", "mine") not in renamed(planned(tmp_path, other), copy)
    plan = planned(tmp_path, OTHER)
    assert len(renamed(plan, copy)) == 3
    assert status(plan, copy)[0].reasons == ("in six-rankers/rucb, which they leave",)
    assert not leftovers(plan, copy)


def test_a_link_is_not_followed(copy, tmp_path):
    (copy / "six-rankers" / "rucb").rename(tmp_path / "elsewhere")
    (copy / "six-rankers" / "rucb").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    assert ("six-rankers", "mine") not in renamed(planned(tmp_path, OTHER), copy)
