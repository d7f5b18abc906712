"""Tables in LaTeX: their structure is read by a small parser, and compiled where there is a LaTeX."""

import shutil
import subprocess

import pytest

from duelbench.tables.latex import escaped, latex
from tests.tabled import MEANS, latex_cells, table


def test_numbers_marks_and_titles(tmp_path):
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
    assert r"at 5 \% for all" in text
    assert r"\begin{table}" in text and r"\label{tab:made}" in text


def test_several_rounds_have_a_line_of_their_own(tmp_path):
    text = latex(table(tmp_path, rounds=(100, 1000)))
    lines = latex_cells(text)
    assert lines[0] == [
        "",
        *(rf"\multicolumn{{2}}{{c}}{{{each}}}" for each in (r"One \& $\alpha = 1$", r"Two\_2", "mean rank")),
    ]
    assert [len(line) for line in lines] == [4, 7, 7, 7, 7]
    assert r"\cmidrule(lr){2-3} \cmidrule(lr){4-5} \cmidrule(lr){6-7}" in text
    assert r"\begin{table*}" in text  # too wide for a column
    turned = latex_cells(latex(table(tmp_path, rounds=(100, 1000)), transposed=True))
    assert [line[0] for line in turned[1:3]] == [
        r"One \& $\alpha = 1$, $t$ = 100",
        r"One \& $\alpha = 1$, $t$ = $10^{3}$",
    ]


def test_what_is_missing(tmp_path):
    without = {place: each for place, each in MEANS.items() if place != ("two", "c")}
    assert latex_cells(latex(table(tmp_path, without)))[-1][-1] == "--"


def test_long_headings_are_broken_and_their_mathematics_is_not(tmp_path):
    from duelbench.tables.latex import _centred

    said = _centred("a title that is long with $x + y + z + w = 1$ in it", 1)
    assert said == (
        r"\multicolumn{1}{c}{\begin{tabular}[b]{@{}c@{}}a title that \\ is long with \\ $x + y + z + w = 1$ \\ in it"
        r"\end{tabular}}"
    )
    assert r"{@{}c@{}}MSLR, \\ Condorcet, \\ K = 5\end" in _centred("MSLR, Condorcet, K = 5", 1)


@pytest.mark.parametrize(
    ("title", "said"),
    [
        (r"$\alpha$-RUCB & 50 % of #1_a{b}", r"$\alpha$-RUCB \& 50 \% of \#1\_a\{b\}"),
        ("α = 0.5, Δ ≤ 1", r"$\alpha$ = 0.5, $\Delta$ $\leq$ 1"),
        (r"costs \$5", r"costs \$5"),
        (r"\input{/etc/passwd}", r"\textbackslash{}input\{/etc/passwd\}"),
        (r"$\input{x}$", r"\$\textbackslash{}input\{x\}\$"),  # is no mathtext
        ("a ~ b ^ c\nd < e", r"a \textasciitilde{} b \textasciicircum{} c d $<$ e"),
        ("$β$ × naïve", r"$\beta $ $\times$ naïve"),
    ],
)
def test_nothing_outside_of_mathematics_is_a_command(title, said):
    assert escaped(title) == said


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex")
def test_it_compiles(tmp_path):
    body = "".join(latex(table(tmp_path / "results", rounds=(100, 1000)), transposed) for transposed in (False, True))
    text = rf"\documentclass[twocolumn]{{article}}\usepackage{{booktabs}}\begin{{document}}{body}\end{{document}}"
    (tmp_path / "page.tex").write_text(text)
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "page.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
