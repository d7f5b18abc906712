"""Fast = literal: a user's function is called as ours are, and a mistake of a fifth is seen, also in distribution."""

import pytest

from duelbench.algorithms.catalogue import users_file
from duelbench.algorithms.confidence.rucb import Rucb
from duelbench.conformance import statistics
from duelbench.conformance.against_literal import first_difference, ours, users
from duelbench.conformance.claims import Case, CheckFailed, NotApplicable
from duelbench.conformance.instances import USUAL
from duelbench.conformance.properties import fast_is_literal
from duelbench.conformance.rounds import streams
from duelbench.errors import UserError
from tests.proved import LITERAL, PLAIN, changed, toy

INSTANCES = {name: USUAL[name] for name in ("cyclic4", "order of 4")}


def function(directory, text, algorithm, name="my_policy"):
    (directory / "plain.py").write_text(text, encoding="utf-8")
    return users(users_file(f"plain.py:{name}", directory), algorithm)


def test_a_user_s_function_has_the_path(tmp_path):
    algorithm = toy(tmp_path, PLAIN)
    literal = function(tmp_path, LITERAL, algorithm)
    assert first_difference(algorithm, literal, USUAL["cyclic4"], 200, 1) == ""
    said = fast_is_literal(Case(algorithm, INSTANCES, literal, 0.2))
    assert "are the same duel by duel" in said


def test_a_mistake_of_a_fifth_is_seen(tmp_path, monkeypatch):
    monkeypatch.setattr(statistics, "FEWEST", 192)  # whatever time that takes
    algorithm = toy(tmp_path, PLAIN)
    literal = function(tmp_path, changed(LITERAL, ("alpha * math.log(t)", "1.2 * alpha * math.log(t)")), algorithm)
    with pytest.raises(CheckFailed, match=r"differs in distribution: .*\(the paths are not the same: on"):
        fast_is_literal(Case(algorithm, {"order of 4": USUAL["order of 4"]}, literal, 0.0))


@pytest.mark.slow
def test_other_draws_are_compared_in_distribution(tmp_path):
    other = changed(LITERAL, ("int(policy.random() * len(candidates))", "int(policy.integers(len(candidates)))"))
    algorithm = toy(tmp_path, PLAIN)
    said = fast_is_literal(Case(algorithm, INSTANCES, function(tmp_path, other, algorithm), 0.3))
    assert "% more or less regret would have been seen" in said
    assert "they draw otherwise: on" in said


def test_what_is_declared_is_compared():
    from duelbench.algorithms.elimination.interleaved_filter import InterleavedFilter

    literal = ours(InterleavedFilter())

    def later(P, horizon, luck):
        path, (winner, rounds) = literal(P, horizon, luck)
        return path, (winner, rounds + 1)

    matrix = USUAL["order of 4"]
    assert first_difference(InterleavedFilter(), literal, matrix, 3000, 1) == ""
    assert first_difference(InterleavedFilter(), later, matrix, 3000, 1).startswith("it declares (")


def test_ours_have_one_and_a_user_s_does_not(tmp_path):
    path, declared = ours(Rucb())(USUAL["cyclic4"].P, 30, streams(0, 0))
    assert path.shape == (30, 2)
    assert declared is None
    algorithm = toy(tmp_path, PLAIN)
    assert ours(algorithm) is None
    with pytest.raises(NotApplicable, match="--against"):
        fast_is_literal(Case(algorithm, INSTANCES))


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        (LITERAL, "my_polcy", r"no function 'my_polcy' \(did you mean 'my_policy'\?\)"),
        (
            changed(LITERAL, (", alpha=0.51", "")),
            "my_policy",
            r"plain.py:14: it is called .*…\), but got an",
        ),
        (changed(LITERAL, (", alpha=0.51", ", beta")), "my_policy", "missing a required argument: 'beta'|unexpected"),
    ],
)
def test_a_function_that_cannot_be_called_is_the_user_s_mistake(text, name, said, tmp_path):
    with pytest.raises(UserError, match=said):
        function(tmp_path, text, toy(tmp_path, PLAIN), name)


@pytest.mark.parametrize("answer", ["path[1:]", "path + 1", "path / 2", "None"])
def test_what_is_no_path_is_said(answer, tmp_path):
    algorithm = toy(tmp_path, PLAIN)
    literal = function(tmp_path, changed(LITERAL, ("    return path\n", f"    return {answer}\n")), algorithm)
    with pytest.raises(CheckFailed, match=r"my_policy returned .*: it is the \(horizon, 2\) = \(20, 2\) arms"):
        first_difference(algorithm, literal, USUAL["cyclic4"], 20, 1)
