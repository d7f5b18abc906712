"""What a plan knows of a user's class, and that it knows it without running any of it here."""

import os

import pytest

from duelbench.errors import UserError
from duelbench.runs.trial.child import Child
from duelbench.runs.trial.described import described
from tests.experiments import planned
from tests.mistakes import KERNELS, SPEC

TELLS = "import os\nwith open(__file__ + '.pids', 'a') as file:\n    print(os.getpid(), file=file)\n"


def test_it_is_what_the_class_says(tmp_path):
    (tmp_path / "mine.py").write_text(KERNELS)
    with Child() as child:
        kind = described("mine.py:Mine", tmp_path, {"patience": 3}, child)
        again, other = (described("mine.py:Mine", tmp_path, each, child) for each in ({"patience": 3}, {}))
    loaded = kind.load()
    for attribute in ("name", "citation", "uses_horizon", "sequential", "source_text", "helpers"):
        assert getattr(kind, attribute) == getattr(loaded, attribute)
    assert (kind.declares(), kind.compiled(), kind.all_text()) == (False, loaded.compiled(), loaded.all_text())
    assert (kind.parameters, other.parameters) == ({"patience": 3}, {"patience": 20})
    assert kind != other
    assert (kind, hash(kind)) == (again, hash(again))


@pytest.mark.parametrize(
    ("parameters", "key", "said"),
    [({"patience": 0}, ("patience",), "at least 1"), ({"patient": 3}, ("patient",), "did you mean 'patience'?")],
)
def test_a_wrong_parameter_is_the_specs(tmp_path, parameters, key, said):
    (tmp_path / "mine.py").write_text(KERNELS)
    with Child() as child, pytest.raises(UserError) as caught:
        described("mine.py:Mine", tmp_path, parameters, child)
    assert (caught.value.key, caught.value.source, said in caught.value.message) == (key, None, True)


def test_no_plan_runs_a_line_of_the_file_in_its_own_process(tmp_path):
    (tmp_path / "mine.py").write_text(TELLS + KERNELS)
    plan = planned(tmp_path, SPEC)
    assert [series.key(1, 0) for series in plan.series]
    pids = (tmp_path / "mine.py.pids").read_text().split()
    assert len(pids) == 1
    assert int(pids[0]) != os.getpid()
