"""Mean ranks compared with published numbers and scipy, and their diagram."""

import numpy as np
import pytest
from scipy.stats import f, friedmanchisquare

from duelbench.plots.kinds.ranks import RanksFigure
from duelbench.ranks import Ranks, mean_ranks
from duelbench.results.results import Results
from tests.drawings import experiment, row

pytestmark = pytest.mark.usefixtures("project_style")

# Table 6 of Demšar 2006: areas under the curve, four decision trees on fourteen datasets.
TREES = """\
0.763 0.768 0.771 0.798
0.599 0.591 0.590 0.569
0.954 0.971 0.968 0.967
0.628 0.661 0.654 0.657
0.882 0.888 0.886 0.898
0.936 0.931 0.916 0.931
0.661 0.668 0.609 0.685
0.583 0.583 0.563 0.625
0.775 0.838 0.866 0.875
1.000 1.000 1.000 1.000
0.940 0.962 0.965 0.962
0.619 0.666 0.614 0.669
0.972 0.981 0.975 0.975
0.957 0.978 0.946 0.970
"""


def test_demsar_example():
    areas = np.array([line.split() for line in TREES.splitlines()], float)
    found = mean_ranks(-areas)
    # The paper gives "voting" the ranks 2 and 3 for two values of 0.975, from digits that it does not print.
    assert found.mean == pytest.approx([3.143, 2.0, 2.893 + 0.5 / 14, 1.964 - 0.5 / 14], abs=6e-4)
    assert (found.datasets, found.enough) == (14, True)
    assert found.critical == pytest.approx(1.25, abs=0.005)
    assert found.p < 0.05
    # C4.5 (3.143) differs from C4.5+m (2.000) and C4.5+m+cf by less than 1.25: no pair differs significantly.
    assert found.alike() == [(0, 3)]


def test_nemenyi_quantiles():
    """q at 5 % for 2 … 10 classifiers."""
    for k, q in zip(range(2, 11), (1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164), strict=True):
        critical = mean_ranks(np.random.default_rng(k).random((6, k))).critical
        assert critical == pytest.approx(q * np.sqrt(k * (k + 1) / 36), rel=5e-4)


def test_friedman_as_scipy():
    values = np.random.default_rng(1).normal([0, 0, 0.8, 1], 1, (9, 4))
    values[3, :2] = 0  # a tie
    squared = friedmanchisquare(*values.T).statistic
    ratio = 8 * squared / (9 * 3 - squared)
    assert mean_ranks(values).p == pytest.approx(f.sf(ratio, 3, 24), rel=1e-9)


def test_groups_of_ranks():
    def stretches(*mean):
        return Ranks(np.array(mean), 9, 0.0, 1.0).alike()

    assert stretches(1.0, 1.5, 2.2, 5.0) == [(0, 1), (1, 2)]
    assert stretches(5.0, 1.0, 2.0, 3.0) == []
    assert stretches(1.0, 1.2, 1.4) == [(0, 2)]
    assert Ranks(np.array([1.0, 5.0, 9.0]), 9, 0.06, 1.0).alike() == [(0, 2)]  # Friedman's test finds no difference


FIGURE = RanksFigure(kind="ranks")


def results(tmp_path, means, datasets):
    rows = {(f"d{n}", label): {1000: row(mean)} for n in range(datasets) for label, mean in means.items()}
    return Results(experiment(tmp_path, rows))


def drawn(tmp_path, means, datasets=8):
    drawing = FIGURE.draw(results(tmp_path, means, datasets))
    drawing.draw_without_rendering()
    (panel,) = drawing.axes
    joins = sorted(tuple(float(x) for x in line.get_xdata()) for line in panel.lines if line.get_linewidth() == 2.4)
    return drawing, panel, joins


def test_critical_difference(tmp_path):
    """The critical difference is 1.66 for 4 algorithms on 8 datasets, so only neighbours are joined."""
    drawing, panel, joins = drawn(tmp_path, {"a": 1, "b": 2, "c": 3, "d": 4})
    ticks = [float(text.get_position()[0]) for text in panel.texts if text.get_text() in "1234"]
    assert len(joins) == 3
    for (low, high), best, worst in zip(joins, ticks, ticks[1:], strict=False):
        assert (low, high) == pytest.approx((best - 0.03, worst + 0.03))
    assert any("critical difference 1.66" in text.get_text() for text in panel.texts)
    assert "Nemenyi" in drawing.get_supxlabel()


def test_ranks_do_not_overlap(tmp_path):
    means = {f"an algorithm with the long name number {n}": n for n in range(9)}
    drawing, panel, _ = drawn(tmp_path, means)
    boxes = [text.get_window_extent() for text in panel.texts]
    for number, box in enumerate(boxes):
        assert drawing.bbox.x0 <= box.x0 and box.x1 <= drawing.bbox.x1
        assert not any(box.overlaps(other) for other in boxes[number + 1 :])
