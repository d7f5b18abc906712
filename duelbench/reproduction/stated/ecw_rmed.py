"""What is stated in Komiyama, Honda & Nakagawa, *Copeland Dueling Bandit Problem*, ICML 2016."""

from __future__ import annotations

from duelbench.reproduction.measures import bounds_ratio, lower, table_value
from duelbench.reproduction.stated import Figure, Paper, Statement

_RMED = (
    "RMED1 is for matrices with a Condorcet winner only and spends nothing on the proof that there is one; the text of "
    "the paper at hand does not say whether it is among the algorithms compared."
)


def _ecw(letter: str, title: str, others: tuple[str, ...], *more: Statement) -> Figure:
    name = f"fig-ecw-1{letter}"
    statements = [
        Statement(
            f"ECW-RMED significantly outperforms the existing algorithms ({', '.join(others)})",
            lower(name, "ECW-RMED", *others),
        )
    ]
    if "RUCB" in others:
        statements.append(Statement("and RMED1, if the paper has it here", lower(name, "ECW-RMED", "RMED1"), _RMED))
    return Figure(name, f"Fig. 1({letter}): {title}", (*statements, *more))


def _close_bounds(letter: str) -> Statement:
    return Statement("ECWB is very close to LB", bounds_ratio(f"fig-ecw-1{letter}", 0.8, 1.0))


_COPELAND = ("SAVAGE", "SCB", "CCB")
_WITH_WINNER = ("SAVAGE", "SCB", "RUCB", "CCB")

PAPER = Paper(
    "Komiyama, Honda, Nakagawa. Copeland Dueling Bandit Problem: Regret Lower Bound, Optimal Algorithm, and "
    "Computationally Efficient Algorithm. ICML 2016",
    (
        Figure(
            "table-ecw-1",
            "Table 1: leading constants, means over 16 random MSLR rankers",
            (
                Statement("CW-RMED, optimal: 6.7e2", table_value("table-ecw-1", "LB", 6.7e2, 1.1)),
                Statement("ECW-RMED: 7.3e2", table_value("table-ecw-1", "ECWB", 7.3e2, 1.1)),
                Statement(
                    "CCB: 8.8e5",
                    table_value("table-ecw-1", "CCB", 8.8e5, 1.5),
                    "CCB's theorem leaves the constant in front open, and its gap is defined a little differently.",
                ),
            ),
        ),
        _ecw("a", "MSLR, K = 16, Condorcet", _WITH_WINNER, _close_bounds("a")),
        _ecw("b", "MSLR, K = 16, non-Condorcet", _COPELAND, _close_bounds("b")),
        _ecw("c", "MSLR, K = 64, non-Condorcet", _COPELAND),
        _ecw("d", "Sushi", _WITH_WINNER, _close_bounds("d")),
        _ecw(
            "e",
            "Gap (our instance)",
            _WITH_WINNER,
            Statement("LB is very small, near the bottom line", bounds_ratio("fig-ecw-1e", 0.0, 0.1)),
        ),
        _ecw("f", "MultiSol (our instance)", _COPELAND),
    ),
)
