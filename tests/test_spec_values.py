"""The kinds of value that specs are made of."""

import pytest
from pydantic import ValidationError

from tests.specs import minimal


def test_horizons_are_sorted_whole_numbers():
    made = minimal(horizon=None, horizons=[1e6, 100, 1e4])
    assert made.horizons == (100, 10_000, 1_000_000)
    assert all(type(horizon) is int for horizon in made.horizons)


@pytest.mark.parametrize(
    ("key", "largest"), [("horizon", 10**12), ("runs", 10**7), ("checkpoints_per_decade", 1000), ("seed", 2**63 - 1)]
)
def test_bounds_are_allowed_and_no_more(key, largest):
    assert getattr(minimal(**{key: largest}), key) == largest
    with pytest.raises(ValidationError):
        minimal(**{key: largest + 1})


@pytest.mark.parametrize("label", ["D-TS+", "a b", "x=1,y=2", "_".join("ab"), "v1.2", "x" * 100])
def test_labels_that_can_name_directories(label):
    assert minimal(algorithms=[{"name": "rucb", "label": label}]).expanded_algorithms()[0].label == label
