"""PBR and RankEl, and SAVAGE beside them, where several arms win: their literal paths are in
test_algorithms_elimination."""

from tests.exploring import DECISIVE, make, whole


def test_tied_winners_are_drawn_at_random():
    for label in ("pbr", "rankel", "uniform exploration", "copeland"):
        winners = [whole(make(label), DECISIVE["three winners"], 3000, seed).declaration[0] for seed in range(40)]
        assert set(winners) == {0, 1, 2}
