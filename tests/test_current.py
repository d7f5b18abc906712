"""Commands that show results say if the results are out of date or belong to another spec."""

import pytest

import duelbench
from duelbench.errors import UserError
from tests.commands import here
from tests.experiments import files, own_algorithm

pytestmark = pytest.mark.usefixtures("interpreted")

SPEC = """\
horizon: 200
runs: 2
datasets: [cyclic4]
algorithms: [uniform, {name: rucb, label: rucb}]
"""


@pytest.fixture
def there(tmp_path, monkeypatch):
    """A directory with the spec ``one.yaml`` and its results."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.yaml").write_text(SPEC)
    assert here("run", "one.yaml", "-j", 0).exit_code == 0
    return tmp_path


def said(*arguments, code=0):
    done = here(*arguments)
    assert done.exit_code == code, done.output
    return done.stderr


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("label: rucb", "alpha: 0.6, label: rucb", "alpha 0.51 → 0.6"),
    ],
)
def test_a_changed_spec(there, old, new, reason):
    """Every command that shows results says in one line what has changed, and which command helps."""
    for arguments in (["plot", "results/one", "-f", "png"], ["table", "results/one"]):
        assert "out of date" not in said(*arguments)
    (there / "one.yaml").write_text(SPEC.replace(old, new))
    line = f"note: results/one is out of date ({reason}): `duelbench run one.yaml` plays what has changed\n"
    for arguments in (["plot", "results/one", "-f", "png"], ["table", "results/one"]):
        assert said(*arguments) == line
    assert said("compare", "results/one", "results/one") == 2 * line
    assert line in said("plot", "one.yaml", "-f", "png")
    assert here("run", "one.yaml", "-j", 0).exit_code == 0
    assert said("plot", "results/one", "-f", "png") == ""


def test_the_file_of_an_algorithm(there):
    """The file is compared by its text: results may come from anybody, so reading them runs no code."""
    (there / "own.py").write_text(own_algorithm("from helper import K", name="Own"))
    (there / "helper.py").write_text("K = 1\n")
    (there / "two.yaml").write_text(SPEC.replace("[uniform,", "['own.py:Own',"))
    assert here("run", "two.yaml", "-j", 0, "--interpreted").exit_code == 0
    place = "results/interpreted/two"
    assert said("table", place) == ""
    touch = "from pathlib import Path\nPath('ran').touch()\n"
    (there / "own.py").write_text(touch + (there / "own.py").read_text())
    line = f"note: {place} is out of date (code of its file): `duelbench run two.yaml --interpreted` plays what has"
    assert said("table", place).startswith(line)
    (there / "own.py").unlink()
    assert "code of its file" in said("table", place)
    assert not (there / "ran").exists()


def test_two_specs_of_one_name(there):
    """Specs of the same name do not silently replace each other's results."""
    (there / "other").mkdir()
    (there / "other" / "one.yaml").write_text(SPEC.replace("runs: 2", "runs: 2\nseed: 1"))
    before = files(there / "results")
    refused = said("run", "other/one.yaml", "-j", 0, code=2)
    assert "results/one has the results of another spec, one.yaml: " in refused
    assert "-o results/one-2" in refused
    with pytest.raises(UserError, match="results of another spec"):
        duelbench.run("other/one.yaml", jobs=0)
    assert files(there / "results") == before
    assert "results/one has the results of another spec, one.yaml (" in said("plot", "other/one.yaml", "-f", "png")
    assert said("run", "other/one.yaml", "-j", 0, "-o", "results/one-2") == ""
    assert "results/one-2 has the results of another spec, other/one.yaml: " in said(
        "run", "one.yaml", "-j", 0, "-o", "results/one-2"
    )
    (there / "other" / "one.yaml").write_text(SPEC)  # the same runs
    assert said("run", "other/one.yaml", "-j", 0) == ""
