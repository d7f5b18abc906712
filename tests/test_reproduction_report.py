"""The page: every verdict, and what was not run."""

from duelbench.reproduction import measures
from duelbench.reproduction.report import report
from duelbench.reproduction.stated import Figure, Paper, Statement
from tests.measured import write


def test_the_page_has_every_verdict_and_explains_disagreements_only(tmp_path):
    write(tmp_path, "fig", {("d", "a"): {"mean": 1}, ("d", "b"): {"mean": 2}})
    (tmp_path / "fig/regret.png").write_bytes(b"")
    statements = (
        Statement("a is better", measures.lower("fig", "a", "b"), "Never shown."),
        Statement("b is better", measures.lower("fig", "b", "a"), "Because it is not."),
        Statement("c is better", measures.lower("fig", "c", "a")),
    )
    page, verdicts = report(tmp_path, [Paper("A paper.", (Figure("fig", "Fig. 1", statements),), "How we read it.")])
    assert verdicts == {"yes": 1, "**no**": 1, "not run": 1}
    assert "| a is better | a 1.00 ± 0.100; b 2.00 ± 0.100 | yes |" in page
    assert "| b is better | b 2.00 ± 0.100; a 1.00 ± 0.100 | **no** |" in page
    assert "| c is better |  | not run |" in page
    assert "## A paper.\n\nHow we read it.\n\n### Fig. 1" in page
    assert "Because it is not." in page
    assert "Never shown." not in page
    assert "100 runs, T = 1,000; 2 core-seconds." in page
    assert "![fig](fig/regret.png)" in page


def test_statements_about_several_figures_stand_by_themselves(tmp_path):
    write(tmp_path, "fig", {("d", "a"): {"mean": 1}, ("d", "b"): {"mean": 2}})
    (tmp_path / "other.png").write_bytes(b"")
    both = Figure("", "Both figures", (Statement("a is better", measures.lower("fig", "a", "b")),))
    page, verdicts = report(tmp_path, [Paper("A paper.", (both,))])
    assert verdicts == {"yes": 1}
    assert "### Both figures\n\n| stated |" in page
    assert "other.png" not in page


def test_without_results_nothing_is_run(tmp_path):
    _, verdicts = report(tmp_path)
    assert set(verdicts) == {"not run"}
    assert verdicts.total() > 60
