"""The shipped preference matrices, with citations."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from duelbench.directories import shipped
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.sources.files import load_matrix


@dataclass(frozen=True)
class Table:
    """A shipped preference matrix: its file, its origin, and a note."""

    name: str
    file: str
    title: str
    citation: str
    note: str

    @property
    def path(self) -> Path:
        """The path of the file."""
        return shipped("datasets") / self.file

    def matrix(self) -> PreferenceMatrix:
        """Read the matrix; errors name the table."""
        found = load_matrix(self.path)
        return PreferenceMatrix(found.P, source=self.name, names=found.names)


_WU_LIU = "Wu & Liu, Double Thompson Sampling for Dueling Bandits, NIPS 2016, appendix D.1.3"
_RAMAMOHAN = (
    "Ramamohan, Rajkumar & Agarwal, Dueling Bandits: Beyond Condorcet Winners to General Tournament Solutions, "
    "NIPS 2016"
)

_OURS = (
    "A construction of this package with the property of the instance so named in figure 1 of Komiyama, Honda & "
    "Nakagawa, Copeland Dueling Bandit Problem, ICML 2016"
)

TABLES = {
    table.name: table
    for table in (
        Table(
            "six-rankers",
            "six_rankers.csv",
            "Six rankers",
            "Yue & Joachims, Beat the Mean Bandit, ICML 2011",
            "Six retrieval functions of ArXiv.org. Arm 0 is the Condorcet winner; arms 3 and 5 tie.",
        ),
        Table(
            "mslr5-condorcet",
            "mslr5_condorcet.csv",
            "MSLR, Condorcet",
            _WU_LIU,
            "Rankers 1, 3, 2, 0, 4 of the MSLR informational matrix. Arm 0 is the Condorcet winner.",
        ),
        Table(
            "mslr5-non-condorcet",
            "mslr5_non_condorcet.csv",
            "MSLR, non-Condorcet",
            _WU_LIU,
            "Rankers 92, 6, 91, 93, 104 of the MSLR informational matrix. "
            "No Condorcet winner: arms 0, 1 and 2 beat each other in a cycle and are all Copeland winners.",
        ),
        Table(
            "sushi16",
            "sushi16.csv",
            "Sushi",
            "Kamishima, Nantonac Collaborative Filtering: Recommendation Based on Order Responses, KDD 2003",
            "The 16 most compared items of the SUSHI Preference Data Set, share of users who prefer one to the other. "
            "Arm 7 (toro) is the Condorcet winner; arms 2 (hamachi) and 4 (tai) tie.",
        ),
        Table(
            "sushi16-ws",
            "sushi16_ws.csv",
            "Sushi, Winner Stays",
            "Chen & Frazier, Dueling Bandits with Weak Regret, ICML 2017",
            "Sixteen sushi in order, arm 0 first, as printed there with three digits; other shares than those of "
            "sushi16, and which arm is which sushi is not said. Arm 0 beats arm 1 by 0.012 only.",
        ),
        Table(
            "cyclic4",
            "cyclic4.csv",
            "Cyclic",
            "Komiyama, Honda & Nakagawa, Copeland Dueling Bandit Problem, ICML 2016, Table 2",
            "Arm 0 beats all others by a little; the others beat each other in a cycle by a lot.",
        ),
        Table(
            "arithmetic8",
            "arithmetic8.csv",
            "Arithmetic",
            "Komiyama, Honda, Kashima & Nakagawa, Regret Lower Bound and Optimal Algorithm in Dueling Bandit Problem, "
            "COLT 2015",
            "P[i, j] = 1/2 + 0.05 (j − i): a total order, arm 0 first.",
        ),
        Table(
            "hudry13",
            "hudry13.csv",
            "Hudry",
            f"{_RAMAMOHAN} (the tournament is Hudry's)",
            "Arm 0 is the only Copeland winner (9 wins of 12) and is not in the Banks set, which is arms 1, 2 and 3.",
        ),
        Table(
            "tennis8",
            "tennis8.csv",
            "Tennis",
            _RAMAMOHAN,
            "Eight players of the ATP tour. No Condorcet winner: arms 0 and 6 are the Copeland winners (6 wins of 7). "
            "Arm 7 has always beaten arm 5.",
        ),
        Table(
            "gap",
            "gap.csv",
            "Gap",
            _OURS,
            "The lower bound is far below ECW-RMED's: 50 log T and 4291 log T. Arm 0 is the Condorcet winner, over "
            "arms 1, 2 and 3 by 0.01, which follows without these pairs. The others beat each other in a cycle.",
        ),
        Table(
            "multisol",
            "multisol.csv",
            "MultiSol",
            _OURS,
            "The optimal way to explore is not unique: evidence on any of the pairs of arm 1 with 2, 3 and 4 will do. "
            "Arm 0 is the Copeland winner (3 wins of 4) and loses to arm 1.",
        ),
        Table(
            "baseball1987",
            "baseball1987.csv",
            "Baseball 1987",
            "Agresti, Categorical Data Analysis, 2nd edition, Wiley 2002, p. 438",
            "Seven teams of the American League, 13 games on each pair. Arm 4 (Milwaukee) is the Condorcet winner, but "
            "the games decide only one of its pairs.",
        ),
        Table(
            "journals4",
            "journals4.csv",
            "Journals",
            "Stigler, Citation Patterns in the Journals of Statistics and Probability, Statistical Science 9, 1994",
            "Four journals of statistics; the cited one wins, 3,727 citations. Arm 3 (JRSS-B) is the Condorcet winner.",
        ),
    )
}
