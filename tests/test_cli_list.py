"""``duelbench list``."""

import pytest

from duelbench.algorithms.catalogue import catalogue
from duelbench.cli.list import values
from tests.commands import REPOSITORY, here


def test_lists():
    algorithms = here("list", "algorithms").stdout
    for word in ("d-ts+", "rmed1", "alpha = 0.51", "Condorcet winner", "must know the horizon", "ICML 2011"):
        assert word in algorithms
    datasets = here("list", "datasets").stdout
    for word in ("sushi16", "(16 arms)", "btl-uniform", "Kamishima", "datasets fetch mslr-perfect"):
        assert word in datasets
    figures = here("list", "figures").stdout
    for word in ("regret\n", "std\n", "band = sem", "normalize_by"):
        assert word in figures


def test_one_algorithm_with_the_choices_of_its_parameters():
    said = here("list", "algorithms", "savage").stdout
    for line in (
        "variant = copeland  (one of condorcet, copeland, borda",
        "delta = none  (a number > 0, < 1 or none)",
        "literal      duelbench/literal/savage.py",
        "declares     a winner, when it has found it",
        "horizon      must be known",
    ):
        assert line in said, said
    assert "no parameters" not in said
    assert "d-ts" not in said


@pytest.mark.parametrize("name", catalogue())
def test_every_algorithm_can_be_shown(name):
    done = here("list", "algorithms", name)
    assert done.exit_code == 0, done.output
    lines = dict(line.split(None, 1) for line in done.stdout.splitlines() if line.startswith(("  fast", "  literal")))
    assert all((REPOSITORY / file).is_file() for file in lines.values())
    assert lines.keys() == {"fast", "literal"}


def test_an_algorithm_that_is_not_there():
    done = here("list", "algorithms", "rucbs")
    assert (done.exit_code, "did you mean 'rucb'?" in done.output) == (2, True)
    assert here("list", "algorithms", "my.py:Mine").exit_code == 2


def test_values_in_words():
    assert values({"type": "integer", "minimum": 1, "maximum": 1000}) == "a whole number ≥ 1, ≤ 1000"
    assert values({"anyOf": [{"type": "null"}, {"const": "x"}, {"type": "boolean"}]}) == "none or x or true or false"
