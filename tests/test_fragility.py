"""The number of votes that change the winner, compared with complete enumerations."""

from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from duelbench.preferences.scores import most_likely
from duelbench.votes.fragility import bradley_terry_fragility, copeland_fragility
from tests.vote_files import counts_of, pudding, rankings

TOY_A = counts_of([[0, 10, 8, 9], [6, 0, 9, 8], [4, 5, 0, 7], [3, 3, 4, 0]])
TOY_B = counts_of([[0, 9, 7, 3], [7, 0, 12, 9], [5, 4, 0, 7], [1, 1, 4, 0]])
FEW = 1e-4
"""So few ghosts that the fit is that of maximum likelihood."""


@pytest.mark.parametrize("ghosts", [FEW, 1.0])
def test_toys_and_pudding(ghosts):
    """In the second toy a vote for arm 3 over the rival counts as much as a vote for the winner over it."""
    drop, turn = (bradley_terry_fragility(TOY_A, change, ghosts) for change in ("drop", "turn"))
    assert (drop.winner, drop.rival, drop.votes, drop.total, drop.cells) == (0, 1, 5, 76, ((0, 1, 5),))
    assert (turn.votes, turn.cells) == (3, ((0, 1, 3),))
    drop, turn = (bradley_terry_fragility(TOY_B, change, ghosts) for change in ("drop", "turn"))
    assert (drop.winner, drop.rival, drop.votes, drop.cells) == (1, 0, 2, ((1, 0, 1), (3, 0, 1)))
    assert (turn.votes, turn.rival) == (1, 0)
    drop = bradley_terry_fragility(pudding(), "drop", ghosts)
    assert (drop.winner, drop.rival, drop.votes, drop.total) == (5, 1, 9, 543)


def changes_winner(counts, votes, change):
    """Return whether changing some ``votes`` votes changes the arm with the largest strength."""
    cells = np.argwhere(counts.wins > 0)
    tables = []
    for chosen in combinations_with_replacement(range(len(cells)), votes):
        won = counts.wins.copy()
        for cell in chosen:
            i, j = cells[cell]
            won[i, j] -= 1
            won[j, i] += change == "turn"
        if won.min() >= 0:
            tables.append(won)
    winner = np.argmax(most_likely(counts.wins, FEW))
    return bool((np.argmax(most_likely(np.array(tables), FEW), axis=1) != winner).any())


def test_no_fewer_votes_change_the_winner():
    """No fewer changed votes suffice in ``test_toys_and_pudding``."""
    for counts, change, fewest in ((TOY_A, "turn", 3), (TOY_B, "turn", 1), (TOY_B, "drop", 2)):
        assert changes_winner(counts, fewest, change)
        assert not changes_winner(counts, fewest - 1, change)
    assert not changes_winner(TOY_A, 4, "drop")
    assert not changes_winner(pudding(), 2, "drop")


def test_one_vote_can_only_be_turned():
    counts = counts_of([[0, 1], [0, 0]])
    assert bradley_terry_fragility(counts, "drop") is copeland_fragility(counts, "drop") is None
    assert bradley_terry_fragility(counts, "turn").votes == copeland_fragility(counts, "turn").votes == 1


def test_no_votes_that_are_no_ties():
    counts = counts_of(np.zeros((3, 3)), 5.0 * (1 - np.eye(3)))
    assert bradley_terry_fragility(counts) is copeland_fragility(counts) is None


def test_ties_as_halves():
    """A tie counts, and can be dropped: c has tied all, and is second once its ties are."""
    counts = counts_of([[0, 6, 0], [2, 0, 0], [0, 0, 0]], [[0, 0, 5], [0, 0, 0], [0, 0, 0]])
    drop, turn = (bradley_terry_fragility(counts, change, ties="half") for change in ("drop", "turn"))
    assert (drop.winner, drop.total, turn.rival) == (0, 13, 1)
    won = counts.halved()
    for i, j, votes in drop.cells:
        won[i, j] -= votes
    for i, j, votes in drop.ties:
        won[i, j] -= votes / 2
        won[j, i] -= votes / 2
    assert np.argmax(most_likely(won)) == drop.rival
    level = counts_of([[0, 9], [8, 0]], 40)
    assert bradley_terry_fragility(level, ties="half").votes == 2
    assert bradley_terry_fragility(level, ties="half").total == 57


def test_the_winner_is_among_the_arms():
    found = bradley_terry_fragility(TOY_A, arms=(1, 2, 3))
    assert (found.winner, found.rival) == (1, 2)


@pytest.mark.parametrize(
    ("wins", "drop", "turn"),
    [
        ([[0, 1e6, 0], [1e5, 0, 1e6], [0, 1e5, 0]], 900_000, 450_000),
        ([[0, 1e6], [0, 0]], None, 500_001),
        ([[0, 1e12], [5e11, 0]], 5e11, 2.5e11),
    ],
)
def test_any_number_of_votes(wins, drop, turn):
    """The search takes time in the logarithm of the votes."""
    found = [bradley_terry_fragility(counts_of(wins), change) for change in ("drop", "turn")]
    for each, votes in zip(found, (drop, turn), strict=True):
        assert (each and each.votes) == (votes and pytest.approx(votes, rel=1e-4))


def test_changed_votes_change_the_winner():
    found = bradley_terry_fragility(pudding(), "turn")
    won = pudding().wins.copy()
    for i, j, votes in found.cells:
        won[i, j] -= votes
        won[j, i] += votes
    assert np.argmax(most_likely(won)) == found.rival


# Copeland


def test_one_pair():
    """With 10 to 6 votes, turning 3 leaves fewer for the winner; weights need not be whole."""
    found = copeland_fragility(counts_of([[0, 10], [6, 0]]), "turn")
    assert (found.winner, found.rival, found.votes, found.total) == (0, 1, 3, 16)
    assert copeland_fragility(counts_of([[0, 2.5], [1.2, 0]]), "drop").votes == 2


def copeland_halves(wins):
    lead = np.sign(wins - wins.swapaxes(-1, -2))
    return lead.sum(axis=-1)


def fewest_by_trying_all(wins, change):
    """Return the fewest votes over all ways of changing each cell, for few arms and votes."""
    cells = [(i, j) for i, j in product(range(len(wins)), repeat=2) if wins[i, j]]
    taken = np.array(list(product(*(range(int(wins[cell]) + 1) for cell in cells))))
    tables = np.tile(wins, (len(taken), 1, 1))
    for place, (i, j) in enumerate(cells):
        tables[:, i, j] -= taken[:, place]
        tables[:, j, i] += taken[:, place] * (change == "turn")
    halves = copeland_halves(tables)
    winner = np.argmax(copeland_halves(wins))
    overtaken = (halves > halves[:, [winner]]).any(axis=1)
    return int(taken[overtaken].sum(axis=1).min()) if overtaken.any() else None


@pytest.mark.parametrize("change", ["drop", "turn"])
def test_copeland_beside_all_ways(change):
    rng = np.random.default_rng(4)
    seen = set()
    for arms, most in ((3, 5), (3, 3), (4, 1)):
        for _ in range(25):
            wins = rng.integers(0, most + 1, (arms, arms)).astype(float)
            np.fill_diagonal(wins, 0)
            found, expected = copeland_fragility(counts_of(wins), change), fewest_by_trying_all(wins, change)
            assert (found and found.votes) == expected, wins
            seen.add(expected)
    assert {1, 2, 3} <= seen


def test_wmt13():
    """389 of 80,741 votes, 381 of them for the winner over the rival."""
    counts = rankings("wmt13_fr_en.csv.gz").counts()
    found = bradley_terry_fragility(counts)
    assert (counts.names[found.winner], counts.names[found.rival]) == ("uedin-heafield-unconstrained", "uedin-wmt13")
    assert (found.votes, found.total, found.cells[0][2]) == (389, 80_741, 381)
