"""The reference implementation, a user's function; and compiled beside interpreted runs."""

import re
from pathlib import Path

import pytest

from duelbench import Program, duel
from duelbench.algorithms.catalogue import find, users_file
from duelbench.algorithms.confidence.rucb import Rucb
from duelbench.algorithms.elimination.interleaved_filter import InterleavedFilter
from duelbench.conformance.case import SMALL, USUAL, Case, CheckFailed, NotApplicable
from duelbench.conformance.checks import inapplicable, reference
from duelbench.conformance.reference import called_with_parameters, first_difference, loaded
from duelbench.conformance.verdicts import COMPILED, Source, all_bits, demand_the_same, interpreted_bits
from duelbench.errors import UserError
from tests.proved import PLAIN, REFERENCE, changed, toy
from tests.reference.beat_the_mean import interleaved_filter
from tests.toys import mine

INSTANCES = {name: USUAL[name] for name in ("cyclic4", "order of 4")}
ORDER = {"order of 4": USUAL["order of 4"]}


def function(directory, text, algorithm, name="my_policy"):
    (directory / "plain.py").write_text(text, encoding="utf-8")
    return loaded(users_file(f"plain.py:{name}", directory), algorithm)


def test_same_path(tmp_path):
    algorithm = toy(tmp_path, PLAIN)
    said = reference(Case(algorithm, INSTANCES, function(tmp_path, REFERENCE, algorithm), SMALL))
    assert "are the same duel by duel" in said


def test_other_draws_are_compared_in_distribution(tmp_path):
    other = changed(REFERENCE, ("int(policy.random() * len(candidates))", "int(policy.integers(len(candidates)))"))
    algorithm = toy(tmp_path, PLAIN)
    said = reference(Case(algorithm, ORDER, function(tmp_path, other, algorithm), SMALL))
    assert "% more or less regret would be detected" in said
    assert "their draws differ: on" in said


def test_declarations_are_compared():
    ours = called_with_parameters(interleaved_filter, InterleavedFilter())

    def later(P, horizon, rngs):
        path, (winner, rounds) = ours(P, horizon, rngs)
        return path, (winner, rounds + 1)

    matrix = USUAL["order of 4"]
    assert first_difference(InterleavedFilter(), ours, matrix, 3000, 1) == ""
    assert first_difference(InterleavedFilter(), later, matrix, 3000, 1).startswith("it declares (")


def test_no_reference():
    with pytest.raises(NotApplicable, match="--against"):
        reference(Case(Rucb(), INSTANCES))


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        (REFERENCE, "my_polcy", r"no function 'my_polcy' \(did you mean 'my_policy'\?\)"),
        (changed(REFERENCE, (", alpha=0.51", "")), "my_policy", r"plain.py:14: it is called .*…\), but got an"),
        (changed(REFERENCE, (", alpha=0.51", ", beta")), "my_policy", "missing a required argument: 'beta'|unexpected"),
    ],
)
def test_function_that_cannot_be_called(text, name, said, tmp_path):
    with pytest.raises(UserError, match=said):
        function(tmp_path, text, toy(tmp_path, PLAIN), name)


CUP = """
def cup(P, horizon, policy, environment):
    for other in range(1, len(P)):
        environment.random()
        yield 0, other
    return 0
"""


class Cup(Program):
    name = "cup"

    def explore(world, state, rng):
        for other in range(1, world.arms):
            duel(world, 0, other, 1)
        return 0


def test_generator_of_duels(tmp_path):
    """A program's reference implementation yields its duels and returns what it declares."""
    cup = Cup()
    for wrong, said in (
        (("", ""), ""),
        (("0, other", "other, 0"), "at t = 1 it duels (0, 1) and the reference (1, 0)"),
        (("return 0", "return 1"), "at t = 4 it duels (0, 0) and the reference (1, 1)"),
        (("return 0", "return None, 0"), "it declares (0, 3) and the reference (None, 3)"),
        (("return 0", "return [[0], [1, 3], [2]]"), "it declares (0, 3) and the reference (((0,), (1, 3), (2,)), 3)"),
        (("return 0", "return"), "cup returned None: it returns an arm of 0 … 3; (None, arm), if"),
        (("return 0", "return [[0], [1, 3]]"), "cup returned [[0], [1, 3]]: it returns an arm"),
        (("0, other", "0, 4"), "cup yielded (0, 4): it yields the two arms of each duel, of 0 … 3"),
        (("0, other", "other"), "cup yielded 1: it yields the two arms"),
    ):
        theirs = function(tmp_path, CUP.replace(*wrong), cup, "cup")
        try:
            found = first_difference(cup, theirs, USUAL["cyclic4"], 9, 1)
        except CheckFailed as error:
            found = str(error)
        assert said in found if said else found == ""


# Compiled and interpreted.

OVERFLOW = mine(
    "h % 2, 2 + h % 3 % (len(state.wins) - 2), 1", "h = t % 97\n    for k in range(14):\n        h = 33 * h + k"
)
DRAWS = mine(
    "(n + int(1000 * x)) % 2, 2 + n % 2, 1",
    """x = rng.random() + rng.uniform(0.0, 2.0) + rng.beta(2.0, 3.0) + rng.gamma(2.0, 1.0) + rng.exponential(1.0)
    x = abs(x + rng.standard_normal() + rng.normal(0.0, 2.0))
    n = rng.binomial(10, 0.3) + rng.geometric(0.2)""",
)


def test_compiled_is_interpreted(tmp_path):
    """Compiled and interpreted runs agree to the bit for documented draws, but not for integers beyond 2⁶³."""
    page = (Path(__file__).parents[1] / "duelbench" / "README.md").read_text(encoding="utf-8")
    said = re.search(r"These draws compile.*?: (.*?)\.", page, re.DOTALL)[1]
    assert set(re.findall(r"`(\w+)`", said)) == set(re.findall(r"rng\.(\w+)", DRAWS))
    (tmp_path / "draws.py").write_text(DRAWS, encoding="utf-8")
    (tmp_path / "wrong.py").write_text(OVERFLOW, encoding="utf-8")
    plain = toy(tmp_path, PLAIN)
    draws, wrong = (find(f"{name}.py:Mine", tmp_path)() for name in ("draws", "wrong"))
    sources = [Source(f"{tmp_path}/{name}") for name in ("draws.py:Mine", "wrong.py:Mine", "toy.py:MyPolicy")]
    right, other, python = interpreted_bits(sources, 600, 1000, [5])
    assert not inapplicable(COMPILED, draws)
    assert "3 runs of 1,000 rounds" in demand_the_same(all_bits(draws, 1000, [5]), right)
    with pytest.raises(CheckFailed, match=r"on six-rankers, seed 5, the regret is not the same as plain Python"):
        demand_the_same(all_bits(wrong, 1000, [5]), other)
    assert all_bits(plain, 1000, [5]) == python
    with pytest.raises(CheckFailed, match="on cyclic4, seed 5, the next draw"):
        demand_the_same(python, python | {"cyclic4, seed 5": [*python["cyclic4, seed 5"][:3], [0.0, 0.0]]})
    assert inapplicable(COMPILED, plain) == "it is plain Python, nothing is compiled"
