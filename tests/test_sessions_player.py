"""What an algorithm asks of judges: no self-duels; and what is said of an algorithm that fails."""

import numpy as np
import pytest

from duelbench.algorithms.catalogue import catalogue, find
from duelbench.conformance.rounds import contents
from duelbench.errors import UserError
from duelbench.sessions.player import AHEAD, Duel, Player
from tests.proved import PLAIN, changed


def player(name, arms=3, horizon=None, **parameters):
    return Player(catalogue()[name](**parameters), arms, horizon, np.random.default_rng(1))


def test_self_duels_are_played_and_rounds_go_by():
    one = player("rucb")
    for other in (1, 2):
        one.tell(0, other, 30, 30)
    one.round = 61
    before = contents(one._state), one.round
    assert one.would_ask() is False
    assert one.ask() is None
    assert (contents(one._state), one.round) == before
    one.round = 10**15
    one.tell(1, 2, 1, 2)
    assert one.would_ask() is True
    assert one.ask() in (Duel(0, 1, 1), Duel(0, 2, 1), Duel(1, 0, 1), Duel(2, 0, 1), Duel(1, 2, 1), Duel(2, 1, 1))


def test_to_ask_in_vain_draws_nothing():
    one, other = player("d-ts"), player("d-ts")
    for each in (one, other):
        for k in (1, 2):
            each.tell(0, k, 200, 200)
    assert one.ask() is None
    assert one.ask() is None
    for each in (one, other):
        each.tell(1, 2, 1, 2)
        each.tell(0, 1, 0, 200)
    assert [one.ask() for _ in range(5)] == [other.ask() for _ in range(5)]


def test_of_what_learns_from_any_duel_single_rounds_are_asked():
    assert all(player("uniform", horizon=AHEAD).ask().count == 1 for _ in range(20))


def test_a_horizon_is_not_passed():
    one = player("uniform", horizon=3)
    assert [one.ask() is None for _ in range(5)] == [False, False, False, True, True]
    assert one.round == 4


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("    most, ties = -1, 0\n", "    most, ties = -1, 0\n    1 / 0\n", r"toy.py:\d+: select fails with Zero"),
        ("rng), 1\n", "rng) + 9, 1\n", r"toy.py: my-policy fails with ValueError: select answered"),
        ("    state.wins[first, second] += wins\n", "    state.won[0] += 1\n", r"toy.py:\d+: update fails with Attr"),
        ("        return Counts(\n", "        1 / 0\n        return Counts(\n", r"toy.py:\d+: start fails with Zero"),
    ],
)  # fmt: skip
def test_a_mistake_of_the_users_has_its_line(old, new, said, tmp_path):
    (tmp_path / "toy.py").write_text(changed(PLAIN, (old, new)), encoding="utf-8")
    algorithm = find("toy.py:MyPolicy", tmp_path)()
    with pytest.raises(UserError, match=said):
        one = Player(algorithm, 3, None, np.random.default_rng(0))
        one.ask()
        one.tell(0, 1, 1, 1)


def test_a_recommendation_is_the_algorithms_own_or_none():
    assert player("rucb").recommendation() is None
    assert player("parwis").recommendation() in (None, 0, 1, 2)
