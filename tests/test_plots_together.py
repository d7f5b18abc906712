"""Several results in one figure."""

import pytest

from duelbench.errors import UserError
from duelbench.plots.regret import regret_figure
from duelbench.plots.results import Results
from duelbench.plots.together import together
from duelbench.spec.figures import RegretFigure
from tests.drawings import experiment, linear
from tests.experiments import resolved, write_results

pytestmark = pytest.mark.usefixtures("project_style")


def titles(results):
    return list(results.titles.values())


def test_algorithms_of_several_directories_share_the_panels_of_their_datasets(tmp_path):
    a = Results(experiment(tmp_path / "a", {("d", "x"): linear(1), ("d", "y"): linear(2)}))
    b = Results(experiment(tmp_path / "b", {("d", "z"): linear(3), ("e", "z"): linear(4)}))
    both = together([a, b])
    assert [label for label, _ in both.panels] == ["d", "e"]
    assert titles(both) == ["x", "y", "z"]
    assert list(both.series("d", "z", "copeland")["mean"])[-1] == 3000
    figure = regret_figure(RegretFigure(kind="regret"), both)
    assert [len(panel.get_lines()) for panel in figure.axes] == [3, 1]


def test_the_same_label_with_other_numbers_is_named_with_its_directory(tmp_path):
    same = {("d", "x"): linear(1), ("d", "y"): linear(2)}
    a, b = (Results(experiment(tmp_path / name, same)) for name in "ab")
    assert titles(together([a, b])) == ["x", "y"]
    other = Results(experiment(tmp_path / "c", same | {("d", "y"): linear(7)}))
    both = together([a, other])
    assert titles(both) == ["x", "y (a)", "y (c)"]
    assert list(both.series("d", "y (c)", "copeland")["mean"])[-1] == 7000
    assert list(both.series("d", "y (a)", "copeland")["mean"])[-1] == 2000


def test_the_same_label_of_other_matrices_is_another_panel(tmp_path):
    for name, digest in (("a", "1"), ("b", "2")):
        spec = resolved([{"label": "d", "identity": {"matrix": digest}}], ["x"])
        write_results(tmp_path / name, spec, [(("d", "x", "copeland", 1000), {"runs": 1, "mean": 5, "q05": 1})])
    a, b = (Results(tmp_path / name) for name in "ab")
    assert [label for label, _ in together([a, b]).panels] == ["d", "d (b)"]


def test_figures_are_those_of_all_with_the_labels_that_they_mean(tmp_path):
    regret = {"kind": "regret", "algorithms": ["x"]}
    a = Results(experiment(tmp_path / "a", {("d", "x"): linear(1)}, {"kind": "regret"}, regret))
    b = Results(experiment(tmp_path / "b", {("d", "x"): linear(2)}, {"kind": "regret"}, regret))
    assert [figure.algorithms for figure in together([a, b]).spec.figures] == [None, ("x (a)",), ("x (b)",)]


def test_rounds_and_votes_are_not_mixed(tmp_path):
    a = Results(experiment(tmp_path / "a", {("d", "x"): linear(1)}))
    b = Results(experiment(tmp_path / "b", {("d", "x"): linear(1)}))
    b.spec = b.spec.model_copy(update={"count": "votes"})
    with pytest.raises(UserError, match="count rounds and some votes"):
        together([a, b])
