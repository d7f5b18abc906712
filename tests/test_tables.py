"""Tables for a paper: tests between algorithms, rounding, layout and the three formats."""

import io
import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import fisher_exact, mannwhitneyu, ttest_ind, ttest_ind_from_stats

from duelbench.analysis.difference import Sample, compared_by_fisher, compared_by_welch, holm
from duelbench.analysis.table_formats import (
    COLUMNS,
    comma_separated,
    latex,
    markdown,
    markdown_text,
    notes,
    to_the_error,
)
from duelbench.analysis.tables import make_table, request_of
from duelbench.markup import latex_text
from duelbench.results.results import Results
from tests.tabled import MEANS, latex_cells, made, markdown_cells, sample, table

WITHOUT = {place: each for place, each in MEANS.items() if place != ("two", "c")}


def test_holm():
    # 4 · 0.01; then 3 · 0.015, no less than before; 2 · 0.03; 0.05 would be less than the one before.
    assert holm([0.05, 0.01, 0.03, 0.015]) == pytest.approx([0.06, 0.04, 0.06, 0.045])
    assert holm([0.9, 0.8]) == [1, 1]
    assert holm([]) == []


def test_welch():
    rng = np.random.default_rng(1)
    a, b = rng.normal(0, 1, 30), rng.normal(1, 4, 45)
    expected = ttest_ind(a, b, equal_var=False).pvalue
    found = compared_by_welch([sample(a), sample(b)])
    assert found[0, 1] == found[1, 0] == pytest.approx(expected)
    assert found[0, 0] == 1


def test_welch_without_variance():
    same, other = Sample(5.0, 0.0, 9), Sample(5.1, 0.0, 9)
    assert compared_by_welch([same, same])[0, 1] == 1
    assert compared_by_welch([same, other])[0, 1] == 0
    assert compared_by_welch([same, Sample(5.0, 0.2, 9)])[0, 1] == 1
    assert compared_by_welch([same, Sample(5.0 + 1e-9, 0.0, 9)])[0, 1] == 1


def test_too_few_runs_for_welch():
    """Pairs with a sample of fewer than five runs are not tested, but count in Holm's correction of the others."""
    few, *many = [Sample(1.0, 0.1, 4), Sample(2.0, 0.1, 60), Sample(2.3, 0.1, 60)]
    found = compared_by_welch([few, *many])
    assert np.isnan(found[0, 1:]).all() and np.isnan(found[1:, 0]).all()
    assert found[1, 2] == pytest.approx(3 * compared_by_welch(many)[0, 1])


def test_fisher():
    found = compared_by_fisher([Sample(0.9, 0.0, 100), Sample(0.73, 0.0, 100)])
    assert found[0, 1] == pytest.approx(fisher_exact([[90, 10], [73, 27]]).pvalue)


def column(found, dataset, t=1000):
    return next(each.cells for each in found.columns if (each.dataset, each.t) == (dataset, t))


def test_best_and_alike(tmp_path):
    found = table(tmp_path)
    one, two = column(found, "one"), column(found, "two")
    assert [(cell.value, cell.error, cell.runs) for cell in one] == [(*MEANS["one", each], 100) for each in "abc"]
    assert [(cell.best, cell.alike, cell.rank) for cell in one] == [
        (True, False, 1),
        (False, True, 2),
        (False, False, 3),
    ]
    assert [(cell.best, cell.alike) for cell in two] == [(False, False), (True, False), (False, True)]
    # Three pairs: b and c are closest, so Holm's factor is 1.
    p = ttest_ind_from_stats(3.5, 1, 100, 3.6, 1, 100, equal_var=False).pvalue
    assert two[2].p == pytest.approx(p)
    assert found.tested


@pytest.mark.parametrize(("best", "alike"), [(3, False), (50, True)])
def test_too_few_runs(tmp_path, best, alike):
    """A pair with a sample of three runs has no dagger, and the notes say why."""
    cells = {
        ("one", "a"): (1.0, 0.1, {"runs": best}),
        ("one", "b"): (1.1, 0.1, {"runs": 50}),
        ("one", "c"): (9.0, 0.1, {"runs": 3}),
    }
    found = table(tmp_path, cells)
    assert [cell.alike for cell in column(found, "one")] == [False, alike, False]
    assert "No tests of means of fewer than 5 runs" in words(found)
    assert ("†: not significantly different" in words(found)) == alike


@pytest.mark.parametrize(
    ("mean", "error", "said"),
    [
        (12345.6, 321.0, ["12350", "320"]),
        (3.0, 0.0996, ["3.00", "0.10"]),  # which rounds up to another place
        (99.96, 9.96, ["100", "10"]),
        (5.0, 1.25, ["5.0", "1.2"]),  # halves to even
        (123.0, 4567.0, ["100", "4600"]),
        (1e9, 12345678.0, ["1000000000", "12000000"]),
        (2.5e-7, 1.2e-8, ["0.000000250", "0.000000012"]),
        (-0.001, 0.2, ["0.00", "0.20"]),
        (-12.34, 0.2, ["-12.34", "0.20"]),
        (250.5, 0.0, ["250.5", "0"]),
        (250.0, 0.0, ["250", "0"]),
        (1379.31, math.nan, ["1379"]),
        (0.0123456, math.nan, ["0.01235"]),
        (123456.0, math.nan, ["123500"]),
    ],
)
def test_to_the_error(mean, error, said):
    assert to_the_error(mean, *([] if math.isnan(error) else [error]), error=error) == said


def words(found, transposed=False):
    return " ".join(notes(found, transposed))


def test_marks_are_explained(tmp_path):
    said = words(table(tmp_path))
    assert (
        "Bold: the smallest in its column. †: not significantly different from it (Welch's $t$ test between all pairs"
        in said
    )
    assert "in the column, Holm-corrected, 5 %)" in said
    assert "‡" not in said and "–:" not in said
    assert "in its row" in words(table(tmp_path), transposed=True)
    assert "–: no results." in words(table(tmp_path, WITHOUT))
    heavy = {**MEANS, ("one", "a"): (*MEANS["one", "a"], {"kurtosis": 90.0})}
    assert "‡: the error is uncertain, as a few runs have much of the variance" in words(table(tmp_path, heavy))
    assert words(table(tmp_path, {("one", "a"): (1, 0.3)})) == ""
    clear = words(table(tmp_path, {("one", "a"): (1, 0.1), ("one", "b"): (9, 0.1)}))
    assert "column. All others differ significantly from it (Welch's $t$ test" in clear
    assert "†" not in clear


def test_markdown(tmp_path):
    text = markdown(table(tmp_path))
    assert text.startswith("Cumulative Copeland regret at t = 1,000: mean ± standard error, 100 runs.\n\n|")
    assert markdown_cells(text) == [
        ["algorithm", "One & α = 1", r"Two\_2", "mean rank"],
        ["a", "**1,234 ± 12**", "5.25 ± 0.12", "2.00"],
        ["b", "1,240 ± 46 †", "**3.50 ± 0.10**", "**1.50**"],
        ["c", "99,880 ± 320", "3.60 ± 0.10 †", "2.50"],
    ]
    assert text.endswith("Mean ranks over 2 datasets: too few datasets for a test.\n")


def test_markdown_escaping():
    assert markdown_text("a|b*c_d`e`[f](g)<h> ~~i~~ &amp; \\j") == r"a\|b\*c\_d\`e\`\[f\](g)\<h> \~\~i\~\~ \&amp; \\j"
    assert markdown_text("two\nlines | p < 0.1 & $\\alpha$ for \\$5") == r"two lines \| p < 0.1 & α for \$5"


def test_latex(tmp_path):
    text = latex(table(tmp_path))
    assert latex_cells(text) == [
        [
            "algorithm",
            *(rf"\multicolumn{{1}}{{c}}{{{each}}}" for each in (r"One \& $\alpha = 1$", r"Two\_2", "mean rank")),
        ],
        ["a", r"{\boldmath\bfseries $1{,}234 \pm 12$}", r"$5.25 \pm 0.12$", "$2.00$"],
        [
            *("b", r"$1{,}240 \pm 46$\rlap{$^{\dagger}$}", r"{\boldmath\bfseries $3.50 \pm 0.10$}"),
            r"{\boldmath\bfseries $1.50$}",
        ],
        ["c", r"$99{,}880 \pm 320$", r"$3.60 \pm 0.10$\rlap{$^{\dagger}$}", "$2.50$"],
    ]
    assert r"\caption{Cumulative Copeland regret at $t$ = $10^{3}$: mean $\pm$ standard error, 100 runs. Bold:" in text
    assert r"Holm-corrected, 5 \%" in text
    assert r"\begin{table}" in text and r"\label{tab:made}" in text


@pytest.mark.parametrize(
    ("title", "said"),
    [
        (r"$\alpha$-RUCB & 50 % of #1_a{b}", r"$\alpha$-RUCB \& 50 \% of \#1\_a\{b\}"),
        ("α = 0.5, Δ ≤ 1", r"$\alpha$ = 0.5, $\Delta$ $\leq$ 1"),
        (r"costs \$5", r"costs \$5"),
        (r"\input{/etc/passwd}", r"\textbackslash{}input\{/etc/passwd\}"),
        (r"$\input{x}$", r"\$\textbackslash{}input\{x\}\$"),  # no mathtext
        ("a ~ b ^ c\nd < e", r"a \textasciitilde{} b \textasciicircum{} c d $<$ e"),
        ("$β$ × naïve", r"$\beta $ $\times$ naïve"),
    ],
)
def test_latex_escaping(title, said):
    assert latex_text(title) == said


def test_csv(tmp_path):
    found = table(tmp_path, rounds=(100, 1000))
    text = comma_separated({"here": found})
    lines = text.splitlines()
    assert lines[0] == ",".join(COLUMNS)
    cell = column(found, "one", 1000)[1]
    assert lines[5] == f"one,b,copeland,1000,100,{cell.value!r},{cell.error!r},,,2,0,{cell.p!r},"
    assert lines[-1] == ",c,rank,1000,,2.5,,,,,0,,"
    assert comma_separated({"here": found}, several=True).splitlines()[5] == f"here,{lines[5]}"
    assert comma_separated({"=here": found}, several=True).splitlines()[5] == f"'=here,{lines[5]}"
    frame = pd.read_csv(io.StringIO(text))
    assert len(frame) == 2 * 2 * 3 + 2 * 3
    assert frame["value"].notna().all()


def with_runs(monkeypatch, regrets):
    """Let results have these regrets of runs by dataset and algorithm."""
    monkeypatch.setattr(Results, "regret_of_runs", lambda self, dataset, label, kind, t: regrets[dataset, label])


def test_tail(tmp_path, monkeypatch):
    rng = np.random.default_rng(5)
    regrets = {place: rng.exponential(100 * (1 + k), 1000) for k, place in enumerate(MEANS)}
    with_runs(monkeypatch, regrets)
    found = table(tmp_path, show="tail", datasets=["one"])
    assert [each.of for each in found.columns] == ["median", "95 % quantile", "99 % quantile", "shortfall"]
    runs = np.sort(regrets["one", "b"])
    expected = [*np.quantile(runs, [0.5, 0.95, 0.99]), runs[-50:].mean()]
    assert [each.cells[1].value for each in found.columns] == pytest.approx(expected)
    # The standard error of a quantile x of n exponential variables is √(q (1 − q) / n) / density.
    assert found.columns[0].cells[1].error == pytest.approx(200 / 1000**0.5, rel=0.15)
    assert found.columns[1].cells[1].error == pytest.approx(200 * (0.95 / 0.05 / 1000) ** 0.5, rel=0.25)
    assert [each.cells[0].best for each in found.columns] == [True] * 4
    assert not found.ranks and not found.tested
    text = markdown(found)
    assert text.startswith("Tail of the cumulative Copeland regret on One & α = 1 at t = 1,000: bootstrap standard err")
    assert markdown_cells(text)[0] == ["algorithm", "median", "95 % quantile", "99 % quantile", "shortfall"]
    assert "No tests" not in text and "uncertain" not in text
    assert "99 % quantile,1000,1000," in comma_separated({"here": found})


def test_better(tmp_path, monkeypatch):
    rng = np.random.default_rng(6)
    regrets = {place: rng.normal(k, 1, 60) for k, place in enumerate(MEANS)} | {("one", "c"): np.array([])}
    with_runs(monkeypatch, regrets)
    found = table(tmp_path, show="better", datasets=["two"])
    assert [column.of for column in found.columns] == ["a", "b", "c"]
    cell = found.columns[1].cells[0]
    a, b = regrets["two", "a"], regrets["two", "b"]
    assert cell.value == pytest.approx(mannwhitneyu(b, a).statistic / 3600)
    # The interval is as wide as that of the test's normal approximation.
    low, high = cell.interval
    assert cell.best and low > 0.5
    spread = np.array([[np.mean(x < b) for x in a], [np.mean(a < x) for x in b]])
    error = np.sqrt((spread.var(axis=1, ddof=1) / 60).sum())
    assert (high - low) / 2 == pytest.approx(1.96 * error, rel=0.2)
    back = found.columns[0].cells[1]
    assert (back.value, *back.interval) == pytest.approx((1 - cell.value, 1 - high, 1 - low))
    assert found.columns[0].cells[0] is None
    assert "–: no results" not in markdown(found)
    assert ",b,better than a,1000,60," in comma_separated({"here": found})
    both = table(tmp_path, show="better")
    assert both.columns[2].cells == (None, None, None)
    text = markdown(both)
    assert "mean over 2 datasets, 95 % interval of the bootstrap" in text and "–: no results" in text
    assert text == markdown(both, transposed=True)


def test_heavy_tails(tmp_path):
    """With 100 runs, a kurtosis of 98 (99 runs at 0, one at 1) is marked as uncertain; with 30 runs, it is not."""
    heavy = {("one", "a"): (1.0, 0.1, {"kurtosis": 98.0}), ("one", "b"): (1.0, 0.1), ("one", "c"): (1.0, 0.4)}
    found = column(table(tmp_path / "many", heavy), "one")
    assert [cell.uncertain for cell in found] == [True, False, True]
    assert all(cell.best for cell in found)
    results = made(tmp_path / "few", heavy, runs=30)
    assert [cell.uncertain for cell in make_table(results, request_of(results)).cells] == [False, False, True]
