"""What the authors' program of Bengs et al., *Copeland Winners with Indifferences*, AISTATS 2024, counts."""

from __future__ import annotations

from duelbench.analysis.reproduction.counts import always_right, as_many
from duelbench.analysis.reproduction.estimates import Mean
from duelbench.analysis.reproduction.stated import Figure, Paper, Statement

_FIGURE = "fig-pocowista-1"
_ALL = ("easy-arms=10", "easy-arms=20", "medium-arms=20", "easy, Condorcet-arms=20", "medium, Condorcet-arms=20")

PAPER = Paper(
    "Bengs, Haddenhorst, Hüllermeier. Identifying Copeland Winners in Dueling Bandits with Indifferences. AISTATS 2024",
    (
        Figure(
            _FIGURE,
            "Duels until a Copeland winner is declared, δ = 0.05 (their program, run again; not printed)",
            (
                Statement(
                    "POCOWISTA: 2439, 13521, 76258 and, with a Condorcet winner, 3548 duels",
                    as_many(
                        _FIGURE,
                        "POCOWISTA",
                        "{}",
                        {
                            _ALL[0]: Mean(2439, 62),
                            _ALL[1]: Mean(13_521, 281),
                            _ALL[2]: Mean(76_258, 2027),
                            _ALL[3]: Mean(3548, 70),
                        },
                        within=1.12,
                    ),
                ),
                Statement("and is always right", always_right(_FIGURE, "POCOWISTA", datasets=_ALL, at_most=0.005)),
                Statement(
                    "SELECT, with a Condorcet winner and the gap 0.1: 2725 duels",
                    as_many(_FIGURE, "SELECT, gap 0.1", "{}", {_ALL[3]: Mean(2725, 10)}, within=1.02),
                ),
                Statement(
                    "DKWT judged by all duels, with a Condorcet winner: 25479 duels",
                    as_many(_FIGURE, "DKWT, all duels", "{}", {_ALL[3]: Mean(25_479, 584)}, within=1.1),
                    "The runs of their program limit the comparison: no number of our runs can decide it.",
                ),
            ),
        ),
        Figure(
            "",
            f"The same, of an independent reference implementation (ours, no paper's; `{_FIGURE}`)",
            (
                Statement(
                    "POCOWISTA, medium, with a Condorcet winner: 19344 duels",
                    as_many(_FIGURE, "POCOWISTA", "{}", {_ALL[4]: Mean(19_344, 230)}, within=1.06),
                ),
                Statement(
                    "DKWT, fresh duels, with a Condorcet winner: 25147 (easy) and 96118 (medium)",
                    as_many(
                        _FIGURE,
                        "DKWT",
                        "{}",
                        {_ALL[3]: Mean(25_147, 232), _ALL[4]: Mean(96_118, 1295)},
                        within=1.1,
                    ),
                ),
                Statement(
                    "SELECT, gap 0.05, medium: 13657 duels",
                    as_many(_FIGURE, "SELECT, gap 0.05", "{}", {_ALL[4]: Mean(13_657, 7)}, within=1.02),
                ),
            ),
        ),
    ),
    "Only the abstract of the paper was available to us. Its program takes arms in the order of the matrix, ours in a "
    "random order; on matrices whose pairs are identically distributed, so are the results of the two.",
)
