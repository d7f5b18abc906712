"""Proofs in processes of their own: whatever an algorithm does there, the other properties are asked for."""

import pytest

from duelbench.algorithms.catalogue import catalogue, users_file
from duelbench.conformance import proof
from duelbench.conformance.instances import USUAL
from duelbench.conformance.proof import Subject, findings
from duelbench.errors import UserError
from duelbench.runs.trial.child import Child
from duelbench.runs.trial.described import described
from tests.proved import PLAIN, changed

TWO = {name: USUAL[name].P for name in ("cyclic4", "order of 4")}


def subject(directory, text, literal=None, seconds=0.1):
    (directory / "toy.py").write_text(text, encoding="utf-8")
    against = None
    if literal is not None:
        (directory / "plain.py").write_text(literal, encoding="utf-8")
        against = users_file("plain.py:my_policy", directory)
    with Child() as child:
        kind = described("toy.py:MyPolicy", directory, {}, child)
    return Subject(kind, {"cyclic4": TWO["cyclic4"]}, against, seconds)


def test_one_that_hangs_dies_or_raises_fails_where_it_does(tmp_path, monkeypatch):
    monkeypatch.setattr(proof, "NAMES", ("odd matrices", "recommendation", "same seed", "prefix"))
    monkeypatch.setattr(proof, "LONGEST", 2.0)
    text = changed(
        PLAIN,
        ("    def start(self, arms, horizon):\n", "    def recommendation(self, state):\n        while True:\n"
         "            pass\n\n    def start(self, arms, horizon):\n        if arms == 3:\n            0 / 0\n"
         "        if horizon == 20_000 // 10:\n            import os\n            os._exit(3)\n"),
    )  # fmt: skip
    text = text.replace("horizon == 20_000 // 10", "horizon == 2_000")
    found = {each.name: each for each in findings(subject(tmp_path, text))}
    assert [each.verdict for each in found.values()] == ["FAIL", "FAIL", "FAIL", "ok"]
    line = text.splitlines().index("            0 / 0") + 1
    assert found["odd matrices"].said.startswith(f"{tmp_path / 'toy.py'}:{line}: start fails with ZeroDivisionError")
    loop = text.splitlines().index("        while True:") + 1
    assert found["recommendation"].said.startswith(f"{tmp_path / 'toy.py'}:{loop}: recommendation has not ended")
    assert "the process ended with exit code 3" in found["same seed"].said


def test_a_transcription_that_cannot_be_called_is_the_user_s_mistake(tmp_path):
    with pytest.raises(UserError, match=r"plain.py: there is no function 'my_policy'"):
        list(findings(subject(tmp_path, PLAIN, "")))


def test_ours_are_found_by_name():
    algorithm = Subject("rucb", TWO)
    assert algorithm.reference[0] == "rucb"
    assert type(algorithm.build()) is catalogue()["rucb"]
    assert algorithm.case().literal is not None
    assert algorithm.texts == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", catalogue())
def test_the_catalogue(name):
    """As `duelbench test` asks for it, in a quarter of the time; the other tests compare more, and on more matrices."""
    usual = {label: each.P for label, each in USUAL.items()}
    found = list(findings(Subject(name, usual, seconds=proof.SECONDS / 4)))
    assert [each for each in found if each.verdict == "FAIL"] == []
    assert {"stepping = holding", "fast = literal", "compiled = interpreted"} <= {
        each.name for each in found if each.verdict == "ok"
    }


@pytest.mark.parametrize("name", ["rcs", pytest.param("savage", marks=pytest.mark.slow)])
def test_two_of_the_catalogue(name):
    """One whose holds draw, and one that declares and whose holds do not."""
    found = {each.name: each for each in findings(Subject(name, {"cyclic4": TWO["cyclic4"]}, seconds=0.2))}
    assert [each for each in found.values() if each.verdict == "FAIL"] == []
    drawn = "draw what happens in them" in found["stepping = holding"].said
    assert drawn == (name == "rcs")
    assert (found["declaration"].verdict == "ok") == (name == "savage")
