"""Changing preferences, from the spec to the results: bytes, keys, regret, traces and messages."""

import csv

import numpy as np
import pytest
import yaml

from duelbench import Changing, simulate
from duelbench.engine.problem import problem_of
from duelbench.engine.rollout import Streams
from duelbench.engine.streams import outcomes_stream, policy_stream
from duelbench.experiment.run import instance, noticed, numbered
from duelbench.spec.resolved import Labels
from tests.commands import here
from tests.experiments import files, own_algorithm, played
from tests.reference_paths import reference_path

SPEC = """\
horizon: 1200
runs: 3
seed: 5
regret: [copeland, condorcet, borda, adversarial, adversarial-borda]
datasets:
- {name: six-rankers, label: listed, changes: [{at: 700, name: linear-order, arms: 6}]}
- {name: six-rankers, label: renumbered, changes: {breakpoints: 3}}
- {name: uniform-random, arms: 4, condorcet: true, label: drawn, changes: {breakpoints: 3, placed: at random}}
- {name: piecewise, arms: 4, changes: {every: 400}}
- {name: six-rankers, label: stays}
algorithms: [rucb, rmed2fh, uniform]
"""


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    return played(tmp_path_factory.mktemp("changing"), SPEC)


def rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def test_changing_resumed(once, tmp_path):
    (tmp_path / "spec.yaml").write_text(SPEC)
    first = [path for path in files(once.directory) if path.name.startswith("run-")][::2]
    for name in first:
        (tmp_path / "out" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "out" / name).write_bytes((once.directory / name).read_bytes())
    done = here("run", tmp_path / "spec.yaml", "-o", tmp_path / "out", "-j", 2)
    assert f"runs: {45 - len(first)} played, {len(first)} reused" in done.output
    assert files(tmp_path / "out") == files(once.directory)


def test_changing_reference(once):
    """The regret in the files agrees with the regret of the reference implementation in the same run."""
    for label in ("listed", "renumbered", "drawn", "piecewise", "stays"):
        series = once.execution.runs[Labels(label, "rucb")].series
        dataset = series.dataset
        for run in range(3):
            problem = problem_of(instance(dataset, 5, run, shuffle_arms=True), ["copeland", "borda"])
            made = outcomes_stream(5, dataset.identity, run), policy_stream(5, dataset.identity, run, series.build())
            path, _ = reference_path(series.build(), problem, 1200, Streams(*made))
            regret = np.cumsum([problem.regrets_at(t)[:, *pair] for t, pair in enumerate(path, start=1)], axis=0)
            for row in rows(once.directory / label / "rucb" / f"run-0000{run}.csv"):
                said = float(row["copeland"]), float(row["borda"])
                assert said == pytest.approx(regret[int(row["t"]) - 1].tolist(), rel=1e-9)
    planned = once.plan.datasets[0]
    (whole, order), (plain, _) = (numbered(planned, 5, 1, shuffle) for shuffle in (True, False))
    assert len(whole.starts) == 2 and order.tolist() != list(range(6))
    for one, other in zip(whole.matrices, plain.matrices, strict=True):
        assert np.array_equal(one.P, other.P[np.ix_(order, order)])


def test_negative_adversarial_regret():
    """First arm 0 always wins, then arm 1: no fixed arm is as good as the current best arm."""
    swap = Changing([(1, [[0.5, 1.0], [0.0, 0.5]]), (501, [[0.5, 0.0], [1.0, 0.5]])])
    dynamic, fixed = simulate("uniform", swap, 1000, regret=["condorcet", "adversarial"]).regret[:, -1]
    assert dynamic == pytest.approx(250, abs=40)
    assert fixed == pytest.approx(0, abs=40)  # 500 wins and 500 losses for either arm


def test_detections(tmp_path):
    fields = "def detections(self, state): return [90, 110, 120]"
    (tmp_path / "mine.py").write_text(own_algorithm(fields=fields, name="Watchful"))
    text = "horizon: 300\nruns: 2\ndatasets:\n- {name: cyclic4, changes: {every: 100}}\n- cyclic4\n"
    text = text.replace("- cyclic4\n", "- {name: cyclic4, label: stays}\n")
    found = played(tmp_path, text + "algorithms: [{name: 'mine.py:Watchful', label: 'W, 2'}, uniform]\n")
    last = rows(found.directory / "cyclic4" / "W, 2" / "run-00001.csv")[-1]
    assert [last[name] for name in ("detected", "missed", "false_alarms", "delay")] == ["1", "1", "2", "10.0"]
    assert "detected" not in rows(found.directory / "cyclic4" / "uniform" / "run-00001.csv")[-1]
    table = (found.directory / "detections.csv").read_text().splitlines()
    assert table[1:] == ['cyclic4,"W, 2",300,2,1,1,2,10,0', 'stays,"W, 2",300,2,0,0,3,,']
    assert (found.directory / "summary.csv").is_file()


def spec_with(dataset, **more):
    base = {"horizon": 1000, "runs": 2, "algorithms": ["rucb"], "datasets": [dataset]}
    return yaml.safe_dump({**base, **more}, sort_keys=False)


CHANGES = {"name": "cyclic4", "changes": {"breakpoints": 3}}


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (spec_with({"name": "cyclic4", "changes": [{"at": 2000, "name": "cyclic4"}]}), 8, "beyond the horizon, 1000"),
        (spec_with({"name": "cyclic4", "changes": 7}), 7, "'changes' must be a list of datasets"),
        (spec_with(CHANGES, horizon=None, budget=1000).replace("horizon: null\n", ""), 6, "budget counts votes"),
        (
            spec_with(CHANGES, regret="copeland", figures=[{"kind": "regret", "bounds": ["LB"]}]),
            7,
            "bounds need a single",
        ),
        (
            spec_with({"name": "six-rankers", "changes": [{"at": 9, "file": "circle.csv"}]}, regret="weak"),
            6,
            "from round 9 on: weak regret needs a Condorcet winner",
        ),
    ],
)
def test_changing_mistakes(tmp_path, text, line, says):
    circle = np.full((6, 6), 0.5)  # no winner
    (tmp_path / "circle.csv").write_text("\n".join(",".join(map(str, row)) for row in circle.tolist()))
    (tmp_path / "spec.yaml").write_text(text)
    done = here("check", tmp_path / "spec.yaml")
    assert done.exit_code == 2, done.output
    assert says in done.output.replace("\n", " "), done.output
    assert f"spec.yaml:{line}:" in done.output, done.output


@pytest.mark.parametrize(
    ("detections", "t", "expected"),
    [
        ([], 200, (0, 0, 0, None)),  # the first change may still be detected
        ([], 201, (0, 1, 0, None)),
        ([], 400, (0, 3, 0, None)),  # the last change, until the end
        ([], 399, (0, 2, 0, None)),
        ([100], 400, (0, 3, 1, None)),  # before any change
        ([101], 400, (1, 2, 0, 1.0)),
        ([200], 400, (1, 2, 0, 100.0)),
        ([120, 140], 400, (1, 2, 1, 20.0)),  # twice in a segment
        ([120, 201, 400], 400, (3, 0, 0, (20 + 1 + 100) / 3)),
        ([120, 201, 400], 150, (1, 0, 0, 20.0)),
        ([120, 201, 400], 119, (0, 0, 0, None)),
    ],
)
def test_noticed(detections, t, expected):
    assert noticed([1, 101, 201, 301], detections, t, 400) == expected
    assert noticed([1], [5, 9, 400], 300, 400) == (0, 0, 2, None)  # no change
