"""The preference matrices that come with the package, and whom to cite for them."""

from __future__ import annotations

from dataclasses import dataclass

from duelbench.preferences.files import load_matrix
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.shipped import shipped


@dataclass(frozen=True)
class Table:
    """A published preference matrix: its file among the shipped datasets, its origin, and what to know about it."""

    name: str
    file: str
    title: str
    citation: str
    note: str

    def matrix(self) -> PreferenceMatrix:
        """Read the matrix; errors call it by the table's name."""
        return PreferenceMatrix(load_matrix(shipped("datasets") / self.file).P, source=self.name)


_WU_LIU = "Wu & Liu, Double Thompson Sampling for Dueling Bandits, NIPS 2016, appendix D.1.3"
_RAMAMOHAN = (
    "Ramamohan, Rajkumar & Agarwal, Dueling Bandits: Beyond Condorcet Winners to General Tournament Solutions, "
    "NIPS 2016"
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
    )
}
