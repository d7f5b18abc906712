"""The page: ranks, what is best, what was not played, and why there is no rank."""

from duelbench.leaderboard.board import board
from duelbench.leaderboard.page import page
from tests.boards import results

CELLS = {
    ("cyclic4", "d-ts"): (200, 1),
    ("cyclic4", "rucb"): (100, 1),
    ("cyclic4", "btm"): (5000, 20),
    ("cyclic4", "dkwt"): (50, 2),
    ("multisol", "d-ts"): (300, 3),
    ("multisol", "dkwt"): (70_000, 4),
}


def test_the_page(tmp_path):
    text = page(board([results(tmp_path, CELLS)]), "leaderboard/leaderboard.png")
    assert "4 algorithms, 2 tables, 100 runs of 1,000 duels each" in text
    assert "![The leaderboard as a figure](leaderboard/leaderboard.png)" in text
    first, second = text.index("## Minimise regret"), text.index("## Name a winner")
    assert "| RUCB (`rucb`) | 1.0 (1) | 1.00 | 11 ms | **100** ± 1.00 (1) | · |" in text[first:second]
    assert "| D-TS (`d-ts`) | 1.5 (2) | 1.41 | 11 ms | 200 ± 1.00 (2) | **300** ± 3.00 (1) |" in text[first:second]
    assert "| BTM (`btm`) | – | – | 11 ms | 5,000 ± 20.0 † | · |" in text[first:second]
    assert "| DKWT (`dkwt`) | 1.0 (1) | 1.00 | 11 ms | **50.0** ± 2.00 (1) | 70,000 ± 4.00 † |" in text[second:]
    assert "| DKWT | Condorcet winner, no pair at 1/2 | cyclic4 | multisol: Condorcet winner |" in text
    assert "| RUCB | Condorcet winner | cyclic4 | not played on multisol |" in text
    all_three = "total order, relaxed SST, STI"
    assert f"| BTM | {all_three} | none | cyclic4: {all_three}; not played on multisol |" in text
    assert "`rcs`" in text[text.index("Not played at all") :]


def test_rows_are_in_the_order_of_their_mean_ranks(tmp_path):
    text = page(board([results(tmp_path, CELLS)]), "x.png")
    assert text.index("| RUCB (") < text.index("| D-TS (") < text.index("| BTM (")
