"""``instances.csv``: what was chosen and drawn is what was played on."""

import csv
import json

import numpy as np
import pytest

from duelbench.errors import UserError
from duelbench.layout import INSTANCES
from duelbench.runs import instances
from duelbench.runs.instances import drawn_in
from duelbench.runs.run import instance
from duelbench.sealed import check_seal
from duelbench.sources.generators import BtlUniform
from duelbench.sources.tables import TABLES
from tests.experiments import planned, played

SPEC = """\
horizon: 20
runs: 3
seed: 4
datasets:
  - six-rankers
  - {name: sushi16, submatrix: {size: 5, seed: [0, 1]}}
  - {name: sushi16, label: each, submatrix: {size: 4, per_run: true}}
  - {name: btl-uniform, arms: 4}
  - {name: btl-uniform, arms: 4, seed: 7, label: fixed}
  - {name: uniform-random, arms: 4, label: free}
algorithms: [uniform]
"""


def rows(directory):
    with (directory / INSTANCES).open(newline="") as file:
        return {(row["dataset"], row["run"]): row for row in csv.DictReader(file)}


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    plan, directory, _, _ = played(tmp_path_factory.mktemp("instances"), SPEC)
    return plan, directory


def test_what_is_recorded_makes_the_matrices_that_were_played_on(once):
    plan, directory = once
    there = rows(directory)
    datasets = {each.label: each for each in plan.datasets}
    sushi = TABLES["sushi16"].matrix()
    for label, numbers in (("sushi16-seed=0", [""]), ("sushi16-seed=1", [""]), ("each", "012")):
        for number in numbers:
            matrix = instance(datasets[label], *plan.seed(int(number or 0)), shuffle_arms=False)
            assert sushi.submatrix(json.loads(there[label, number]["arms"])).digest() == matrix.digest()
    for label, numbers in (("btl-uniform", "012"), ("fixed", [""])):
        for number in numbers:
            weights = np.array(json.loads(there[label, number]["parameters"])["weights"])
            matrix = instance(datasets[label], *plan.seed(int(number or 0)), shuffle_arms=False)
            assert BtlUniform(arms=4).matrix({"weights": weights}).digest() == matrix.digest()
    assert there["free", "0"]["parameters"] == ""  # its numbers are the matrix
    assert ("six-rankers", "") not in there
    assert len({there[label, ""]["arms"] for label in ("sushi16-seed=0", "sushi16-seed=1")}) == 2


def test_they_are_sealed_and_not_drawn_again(once, monkeypatch):
    plan, directory = once
    check_seal(directory / INSTANCES, json.loads((directory / "manifest.json").read_text()))
    before = (directory / INSTANCES).read_text()
    monkeypatch.setattr(instances, "instance_stream", lambda *_: pytest.fail("is drawn again"))
    asked = {each.label: plan.numbers for each in plan.datasets}
    assert instances.write_instances(plan, directory, asked) == before


def test_another_seed_is_another_instance(once, tmp_path):
    _, directory = once
    plan = planned(tmp_path, SPEC.replace("seed: 4", "seed: 5"))
    with pytest.raises(UserError, match="run 1 of each was played on another instance"):
        drawn_in(directory, plan.spec, "each", 1)
    with pytest.raises(UserError, match=r"no dataset 'eech' .did you mean 'each'"):
        drawn_in(directory, plan.spec, "eech", 1)
    with pytest.raises(UserError, match="asks for no run 3"):
        drawn_in(directory, plan.spec, "each", 3)


def test_where_nothing_is_random_there_is_no_file(tmp_path):
    plan, directory, _, _ = played(tmp_path, "horizon: 9\nruns: 1\ndatasets: [cyclic4]\nalgorithms: [uniform]\n")
    assert not (directory / INSTANCES).exists()
    (directory / INSTANCES).write_text("old")
    assert instances.write_instances(plan, directory, {"cyclic4": range(1)}) is None
    assert not (directory / INSTANCES).exists()


def test_only_the_first_of_very_many_are_recorded(once, monkeypatch, tmp_path):
    plan, _ = once
    monkeypatch.setattr(instances, "MOST_INSTANCES", 2)
    asked = {each.label: plan.numbers for each in plan.datasets}
    instances.write_instances(plan, tmp_path, asked)
    assert {number for label, number in rows(tmp_path) if label == "each"} == {"0", "1"}
