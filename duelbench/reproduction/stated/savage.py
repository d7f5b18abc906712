"""What is stated in Urvoy, Clerot, Féraud & Naamane, *Generic Exploration and K-armed Voting Bandits*, ICML 2013."""

from __future__ import annotations

from duelbench.reproduction.measures import grows_like, lower, more_often_right, sooner
from duelbench.reproduction.stated import Figure, Paper, Statement

_ARMS = (4, 8, 16, 32)
_WITH = tuple(f"Condorcet winner-arms={arms}" for arms in _ARMS)
_EXPLORE = "fig-savage-exploration"

PAPER = Paper(
    "Urvoy, Clerot, Féraud, Naamane. Generic Exploration and K-armed Voting Bandits. ICML 2013",
    (
        Figure(
            _EXPLORE,
            "Exploration time and error rate (our instances)",
            (
                Statement(
                    "SAVAGE outperforms uniform exploration (duels, with a Condorcet winner)",
                    sooner(_EXPLORE, "SAVAGE Copeland", "Uniform", datasets=_WITH),
                ),
                Statement(
                    "knowing that there is a Condorcet winner shortens exploration",
                    sooner(_EXPLORE, "SAVAGE Condorcet", "SAVAGE Copeland", datasets=_WITH),
                ),
                Statement(
                    "exploration without further assumptions takes a multiple of K² duels",
                    grows_like(_EXPLORE, "SAVAGE Copeland", tuple(zip(_ARMS, _WITH, strict=True)), 2.0, 0.7),
                    "With uniform preferences the smallest gap of a matrix shrinks as K grows.",
                ),
                Statement(
                    "where preferences have no order SAVAGE is right more often than IF (K = 16)",
                    more_often_right(_EXPLORE, "SAVAGE Copeland", "IF", dataset="any preferences-arms=16"),
                ),
            ),
        ),
        Figure(
            "fig-savage-regret",
            "Regret of explore then exploit (our instances)",
            (
                Statement(
                    "SAVAGE (Condorcet) has less regret than uniform exploration, six rankers",
                    lower("fig-savage-regret", "SAVAGE Condorcet", "Uniform", dataset="six-rankers"),
                ),
                Statement(
                    "and with random preferences, K = 30",
                    lower("fig-savage-regret", "SAVAGE Condorcet", "Uniform", dataset="Condorcet winner-arms=30"),
                ),
            ),
        ),
    ),
)
