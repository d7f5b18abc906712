"""``duelbench datasets build``: how its options are read. What it builds: test_sources_sushi, test_sources_letor."""

import click
import pytest

from duelbench.cli.build import _numbers, letor
from duelbench.sources.letor import MAX_FEATURE
from tests.commands import here


@pytest.mark.parametrize(("text", "numbers"), [(None, None), ("1-3", [1, 2, 3]), ("8,2-4,1", [8, 2, 3, 4, 1])])
def test_features_are_numbers_and_ranges_in_the_order_given(text, numbers):
    assert _numbers(None, None, text) == numbers


def test_a_feature_that_comes_twice_is_refused():
    with pytest.raises(click.BadParameter, match="different"):
        _numbers(None, None, "5,4-6")


@pytest.mark.parametrize("text", [f"1,{MAX_FEATURE + 1}", "1-999999999999"])
def test_a_range_without_end_is_refused_before_it_is_made(text):
    with pytest.raises(click.BadParameter, match="beyond"):
        _numbers(None, None, text)


def test_help_says_what_is_built_and_from_what():
    told = here("datasets", "build", "--help").stdout
    assert "sushi" in told
    assert "letor" in told
    assert {each.name for each in letor.params} >= {"files", "click_model", "features", "seed", "jobs"}
