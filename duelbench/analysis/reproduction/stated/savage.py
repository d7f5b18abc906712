"""What is stated in Urvoy, Clerot, Féraud & Naamane, *Generic Exploration and K-armed Voting Bandits*, ICML 2013."""

from __future__ import annotations

from duelbench.analysis.reproduction.explorations import as_soon, less_often_wrong, sooner
from duelbench.analysis.reproduction.measures import lower
from duelbench.analysis.reproduction.stated import Figure, Paper, Statement

_BANDITS = "fig-savage-bandits"
_MEANS = tuple(f"bandit-arms={arms}" for arms in (5, 9, 17, 33))
_EXPLORE = "fig-savage-exploration"
_ARMS = (4, 8, 16, 32)
_WITH = tuple(f"Condorcet winner-arms={arms}" for arms in _ARMS)
_WITHOUT = tuple(f"any preferences-arms={arms}" for arms in _ARMS)

PAPER = Paper(
    "Urvoy, Clerot, Féraud, Naamane. Generic Exploration and K-armed Voting Bandits. ICML 2013",
    (
        Figure(
            _BANDITS,
            "Section 5.1: ordinary bandits (our instances)",
            (
                Statement(
                    "SAVAGE outperforms uniform exploration unless all arms are equally hard to tell (after Theorem 1)",
                    sooner(_BANDITS, "SAVAGE", "Uniform", datasets=_MEANS),
                ),
                Statement(
                    "for argmax it falls back almost to action elimination (section 3.1)",
                    as_soon(_BANDITS, "SAVAGE", "Naive elimination", 1.2, datasets=_MEANS),
                ),
                Statement(
                    "the risk of a sampled independence test falls with the number of samples (section 3.1)",
                    less_often_wrong(_BANDITS, "SAVAGE sampling", "SAVAGE few samples", datasets=_MEANS),
                ),
            ),
        ),
        Figure(
            _EXPLORE,
            "Voting bandits: exploration time and error rate (our instances)",
            (
                Statement(
                    "SAVAGE outperforms uniform exploration (after Theorem 1; with a Condorcet winner)",
                    sooner(_EXPLORE, "SAVAGE Copeland", "Uniform", datasets=_WITH),
                ),
                Statement(
                    "to know that there is a Condorcet winner is a significant improvement (after Theorem 3)",
                    sooner(_EXPLORE, "SAVAGE Condorcet", "SAVAGE Copeland", datasets=_WITH),
                ),
                Statement(
                    "where preferences have no order SAVAGE clearly outperforms IF and BTM (conclusion): it is less "
                    "often wrong",
                    less_often_wrong(_EXPLORE, "SAVAGE Copeland", "IF", "BTM", datasets=_WITHOUT),
                ),
            ),
        ),
        Figure(
            "fig-savage-regret",
            "Appendix B.1: regret of explore then exploit (our instances)",
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
    "Of section 5, the text available to us has only the names of the algorithms in 5.1 and that exploration was "
    "measured, not its instances, its figures or its statements about them. So the statements here are those of other "
    "sections that an experiment can test. That the bounds grow with K² is a statement about bounds, not measurements. "
    "The text has no statement about regret against uniform exploration; ours is the one about exploration time, "
    "applied to regret.",
)
