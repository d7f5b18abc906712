"""Figures of a spec."""

from tests.specs import DESIGN, minimal


def test_figures_are_complete(spec):
    curves, relative, absolute = spec(DESIGN).figures
    assert (curves.x, curves.regret) == ("linear", "condorcet")
    assert (relative.at, relative.regret, relative.normalize_by) == (1_000_000, "condorcet", "d-ts+")
    assert (absolute.at, absolute.regret, absolute.normalize_by) == (100_000, "copeland", None)


def test_a_figure_of_ranks_is_at_the_horizon_and_of_the_first_regret():
    (ranks,) = minimal(figures=[{"kind": "ranks"}]).figures
    assert (ranks.at, ranks.regret) == (10, "copeland")


def test_no_figures_when_none_are_wanted():
    assert minimal(figures=[]).figures == ()
