"""Markers stand where a curve can be told from others."""

import numpy as np
import pytest

from duelbench.plots.markers import FOOT
from duelbench.plots.regret import regret_figure
from duelbench.plots.results import Results
from duelbench.spec.figures import RegretFigure
from tests.drawings import experiment, linear

pytestmark = pytest.mark.usefixtures("project_style")


def test_no_marker_is_on_the_zero_line_but_at_the_end_of_what_never_leaves_it(tmp_path):
    rows = {("d", "high"): linear(100), ("d", "middle"): linear(50), ("d", "low"): linear(0.01)}
    (panel,) = regret_figure(RegretFigure(kind="regret"), Results(experiment(tmp_path, rows))).axes
    high, middle, low = panel.get_lines()
    top = panel.get_ylim()[1]
    for line in (high, middle):
        marked = np.asarray(line.get_ydata())[line.get_markevery()]
        assert len(marked) >= 1
        assert (marked > FOOT * top).all()
    assert high.get_markevery() != middle.get_markevery()
    assert low.get_markevery() == [len(low.get_xdata()) - 1]
