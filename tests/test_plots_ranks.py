"""The diagram of mean ranks, looked at through matplotlib's artists."""

import pytest

from duelbench.errors import UserError
from duelbench.plots.ranks import rank_bars, ranks_figure
from duelbench.plots.results import Results
from duelbench.spec.figures import RanksFigure
from tests.drawings import experiment, row

pytestmark = pytest.mark.usefixtures("project_style")
FIGURE = RanksFigure(kind="ranks")


def results(tmp_path, means, datasets):
    rows = {(f"d{n}", label): {1000: row(mean)} for n in range(datasets) for label, mean in means.items()}
    return Results(experiment(tmp_path, rows))


def drawn(tmp_path, means, datasets=8):
    drawing = ranks_figure(FIGURE, results(tmp_path, means, datasets))
    drawing.draw_without_rendering()
    (panel,) = drawing.axes
    joins = sorted(tuple(float(x) for x in line.get_xdata()) for line in panel.lines if line.get_linewidth() == 2.4)
    return drawing, panel, joins


def names(panel):
    return {text.get_text().partition(" (")[0]: text for text in panel.texts if "(" in text.get_text()}


def test_names_stand_at_their_side_with_their_ranks(tmp_path):
    _, panel, _ = drawn(tmp_path, {"d": 4, "b": 2, "c": 3, "a": 1})
    found = names(panel)
    assert [found[each].get_text() for each in "abcd"] == ["a (1.0)", "b (2.0)", "c (3.0)", "d (4.0)"]
    assert [found[each].get_ha() for each in "abcd"] == ["right", "right", "left", "left"]
    heights = {each: found[each].get_position()[1] for each in "abcd"}
    assert heights["a"] < heights["b"] and heights["d"] < heights["c"]
    assert heights["a"] == heights["d"]


def test_what_is_within_the_critical_difference_is_joined(tmp_path):
    """Of 4 algorithms on 8 datasets it is 1.66: neighbours are joined, and nothing else."""
    drawing, panel, joins = drawn(tmp_path, {"a": 1, "b": 2, "c": 3, "d": 4})
    ticks = [float(text.get_position()[0]) for text in panel.texts if text.get_text() in "1234"]
    assert len(joins) == 3
    for (low, high), best, worst in zip(joins, ticks, ticks[1:], strict=False):
        assert (low, high) == pytest.approx((best - 0.03, worst + 0.03))
    assert any("critical difference 1.66" in text.get_text() for text in panel.texts)
    assert "Nemenyi" in drawing.get_supxlabel()


def test_few_datasets_tell_nothing(tmp_path):
    drawing, panel, joins = drawn(tmp_path, {"a": 1, "b": 2, "c": 3}, datasets=4)
    assert joins == []
    assert not any("critical" in text.get_text() for text in panel.texts)
    assert "too few to tell algorithms apart" in drawing.get_supxlabel().replace("\n", " ")


def test_where_friedmans_test_finds_nothing_all_are_joined(tmp_path):
    rows = {(f"d{n}", label): {1000: row((n + k) % 3)} for n in range(6) for k, label in enumerate("abc")}
    drawing = ranks_figure(FIGURE, Results(experiment(tmp_path, rows)))
    assert "they do not tell algorithms apart" in drawing.get_supxlabel().replace("\n", " ")
    assert sum(line.get_linewidth() == 2.4 for line in drawing.axes[0].lines) == 1


def test_nothing_overlaps_and_nothing_is_outside(tmp_path):
    means = {f"an algorithm with the long name number {n}": n for n in range(9)}
    drawing, panel, _ = drawn(tmp_path, means)
    boxes = [text.get_window_extent() for text in panel.texts]
    for number, box in enumerate(boxes):
        assert drawing.bbox.x0 <= box.x0 and box.x1 <= drawing.bbox.x1
        assert not any(box.overlaps(other) for other in boxes[number + 1 :])


def test_an_algorithm_that_is_not_on_all_datasets_is_left_out_and_named(tmp_path):
    rows = {(f"d{n}", label): {1000: row(k)} for n in range(5) for k, label in enumerate("abc", 1)}
    del rows["d3", "b"]
    drawing = ranks_figure(FIGURE, Results(experiment(tmp_path, rows)))
    assert set(names(drawing.axes[0])) == {"a", "c"}
    assert "Not on all of them: b" in drawing.get_supxlabel().replace("\n", " ")


@pytest.mark.parametrize(("means", "datasets"), [({"a": 1, "b": 2}, 1), ({"a": 1}, 3)])
def test_there_is_something_to_rank(tmp_path, means, datasets):
    with pytest.raises(UserError, match="needs two algorithms with results on the same two datasets"):
        ranks_figure(FIGURE, results(tmp_path, means, datasets))


def test_the_same_as_bars_for_a_page(tmp_path):
    shown = rank_bars(FIGURE, results(tmp_path, {"b": 2, "c": 3, "a": 1}, 8))
    assert shown.names == ["a", "b", "c"]
    assert [(bar.length, bar.text) for bar in shown.panels[0][1]] == [(1, "1.00"), (2, "2.00"), (3, "3.00")]
    assert "over 8 datasets by copeland regret" in shown.horizontal
    assert "differences from 1.17 on are told apart at 5 % (Nemenyi" in shown.horizontal
