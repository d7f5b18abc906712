"""Compiled = interpreted: what a machine reckons otherwise than Python is seen."""

import re
from functools import partial
from pathlib import Path

import pytest

from duelbench.algorithms.catalogue import find
from duelbench.conformance.claims import CheckFailed, NotApplicable
from duelbench.conformance.compiled import all_bits, bits, demand_kernels, demand_the_same, interpreted_bits
from duelbench.conformance.instances import USUAL
from duelbench.conformance.rounds import streams
from tests.proved import PLAIN, toy
from tests.toys import mine

OVERFLOW = mine(
    "h % 2, 2 + h % 3 % (len(state.wins) - 2), 1", "h = t % 97\n    for k in range(14):\n        h = 33 * h + k"
)


def test_whole_numbers_beyond_the_machine_s_are_seen(tmp_path):
    (tmp_path / "wrong.py").write_text(OVERFLOW, encoding="utf-8")
    algorithm = find("wrong.py:Mine", tmp_path)()
    demand_kernels(algorithm)
    interpreted = interpreted_bits("wrong.py:Mine", tmp_path, {}, 60)
    with pytest.raises(CheckFailed, match=r"on six-rankers, seed 4, the regret of 2,000 rounds is another as plain"):
        demand_the_same(all_bits(algorithm), interpreted)


DRAWS = mine(
    "(n + int(1000 * x)) % 2, 2 + n % 2, 1",
    """x = rng.random() + rng.uniform(0.0, 2.0) + rng.beta(2.0, 3.0) + rng.gamma(2.0, 1.0) + rng.exponential(1.0)
    x = abs(x + rng.standard_normal() + rng.normal(0.0, 2.0))
    n = rng.binomial(10, 0.3) + rng.geometric(0.2)""",
)


def test_the_draws_that_compile_are_those_of_the_page_and_draw_the_same(tmp_path):
    page = (Path(__file__).parents[1] / "duelbench" / "README.md").read_text(encoding="utf-8")
    said = re.search(r"These draws compile.*?: (.*?)\.", page, re.DOTALL)[1]
    assert set(re.findall(r"`(\w+)`", said)) == set(re.findall(r"rng\.(\w+)", DRAWS))
    (tmp_path / "draws.py").write_text(DRAWS, encoding="utf-8")
    algorithm = find("draws.py:Mine", tmp_path)()
    demand_kernels(algorithm)
    demand_the_same(all_bits(algorithm), interpreted_bits("draws.py:Mine", tmp_path, {}, 60))


def test_the_same_bits_are_the_same_and_draws_count(tmp_path):
    algorithm = toy(tmp_path, PLAIN)
    found = all_bits(algorithm)
    assert found == interpreted_bits("toy.py:MyPolicy", tmp_path, {"alpha": 0.51}, 60)
    assert "6 runs of 2,000 rounds" in demand_the_same(found, found)
    other = found | {"cyclic4, seed 5": [*found["cyclic4, seed 5"][:3], [0.0, 0.0]]}
    with pytest.raises(CheckFailed, match="on cyclic4, seed 5, what is drawn"):
        demand_the_same(found, other)
    assert bits(algorithm, USUAL["cyclic4"], partial(streams, 5, 0)) == found["cyclic4, seed 5"]


def test_plain_python_is_not_asked(tmp_path):
    with pytest.raises(NotApplicable, match="plain Python"):
        demand_kernels(toy(tmp_path, PLAIN))


def test_what_fails_or_hangs_as_plain_python_is_said(tmp_path):
    (tmp_path / "wrong.py").write_text("print('to nobody')\n" + PLAIN.replace("math.inf", "inf"), encoding="utf-8")
    with pytest.raises(CheckFailed, match="as plain Python it fails: NameError: name 'inf' is not defined"):
        interpreted_bits("wrong.py:MyPolicy", tmp_path, {}, 60)
    with pytest.raises(CheckFailed, match=r"has not ended in 0\.01 seconds"):
        interpreted_bits("wrong.py:MyPolicy", tmp_path, {}, 0.01)
