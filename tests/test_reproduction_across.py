"""Measures across figures: each says yes and no where it should, and shows its numbers."""

import pytest

from duelbench.reproduction.across import degrades, lower_on
from duelbench.reproduction.measures import Library, NotRunError
from tests.measured import write

FOUR = {"W": "fig-w", "X": "fig-x", "Y": "fig-y", "Z": "fig-z"}
REAL, SYNTHETIC = {"W": "fig-w", "X": "fig-x"}, {"Y": "fig-y", "Z": "fig-z"}


def library(root, own, base):
    """Results of four figures with the means of ``a`` and ``b``, each ± 0.1."""
    for name, *means in zip(FOUR.values(), own, base, strict=True):
        write(root, name, {("d", label): {"mean": mean} for label, mean in zip("ab", means, strict=True)})
    return Library(root)


@pytest.mark.parametrize(
    ("own", "base", "agrees"),
    [
        ((1, 2, 3, 40), (10, 20, 30, 4), True),
        ((1, 2, 3, 4), (10, 20, 30, 40), False),  # on all
        ((1, 2, 30, 40), (10, 20, 3, 4), False),
        ((1, 2, 3, 40), (10, 20, 30, 40), None),  # the last may be the fourth
        ((1, 2, 30, 40), (10, 20, 30, 4), None),  # the third may be the third
        ((1, 20, 30, 40), (10, 20, 3, 4), False),  # at most two
    ],
)
def test_lower_on_exactly_three(tmp_path, own, base, agrees):
    assert lower_on(3, "a", "b", FOUR)(library(tmp_path, own, base)).agrees is agrees


def test_lower_by_a_factor_on_all(tmp_path):
    results = library(tmp_path, (4, 4, 4, 4), (10, 10, 10, 10))
    assert lower_on(4, "a", "b", FOUR, 0.5)(results).agrees is True
    assert lower_on(4, "a", "b", FOUR, 0.3)(results).agrees is False


def test_the_numbers_are_shown(tmp_path):
    results = library(tmp_path, (1, 2, 3, 40), (10, 20, 30, 40))
    assert lower_on(3, "a", "b", FOUR)(results).measured == (
        "W: 1.00 ± 0.100 against 10.0 ± 0.100; X: 2.00 ± 0.100 against 20.0 ± 0.100; "
        "Y: 3.00 ± 0.100 against 30.0 ± 0.100; Z: 40.0 ± 0.100 against 40.0 ± 0.100; 3 of 4, 1 undecided"
    )
    assert degrades("a", "b", REAL, SYNTHETIC)(results).measured == (
        "a in percent of b: W 10.0 %, X 10.0 %, Y 10.0 %, Z 100 %"
    )


@pytest.mark.parametrize(
    ("own", "agrees"),
    [((10, 20, 60, 70), True), ((10, 65, 60, 70), False), ((10, 20, 15, 70), False), ((10, 60, 60, 70), None)],
)
def test_degrading_is_a_larger_share_on_each_of_the_hard_ones(tmp_path, own, agrees):
    assert degrades("a", "b", REAL, SYNTHETIC)(library(tmp_path, own, (100, 100, 100, 100))).agrees is agrees


def test_a_figure_that_is_not_there_is_not_run(tmp_path):
    results = library(tmp_path, (1, 2, 3, 4), (1, 2, 3, 4))
    for measure in (lower_on(1, "a", "b", FOUR | {"V": "fig-v"}), degrades("a", "b", REAL, {"V": "fig-v"})):
        with pytest.raises(NotRunError):
            measure(results)
