"""The pair that is being decided: whose outcomes count."""

from duelbench.algorithms.identification.pair import count_outcome, lead, no_pair, open_pair


def test_only_duels_of_the_pair_count():
    pair = no_pair()
    open_pair(pair, 2, 0)
    count_outcome(pair, 2, 0, 1, 4)
    for first, second in ((0, 2), (2, 1), (2, 2)):
        count_outcome(pair, first, second, 1, 1)
    assert (pair[0].wins, pair[0].duels, lead(pair)) == (1, 4, 2)
    open_pair(pair, 2, 0)
    assert (pair[0].wins, pair[0].duels, lead(pair)) == (0, 0, 0)
