"""The lists of pairs, and the pairs that line 4 wants, against the transcription."""

import numpy as np

from duelbench.algorithms.divergence import pair_lists
from duelbench.literal import ecw_rmed


def test_lists_hold_every_pair_once():
    lists = pair_lists.all_pairs(4)
    assert lists.current[:6].tolist() == [1, 2, 3, 6, 7, 11]
    assert pair_lists.begin_pass(lists)
    assert pair_lists.take_pair(lists) == 1
    assert not pair_lists.begin_pass(lists)
    pair_lists.add_pair(lists, 4, 2, 0)  # still to come
    for pair in ((1, 0), (0, 1), (3, 3)):
        pair_lists.add_pair(lists, 4, *pair)
    assert [pair_lists.take_pair(lists) for _ in range(5)] == [2, 3, 6, 7, 11]
    assert pair_lists.begin_pass(lists)
    assert lists.current[: lists.cursor[0].length].tolist() == [1, 15]
    assert np.flatnonzero(lists.remaining).tolist() == [1, 15]
    assert not lists.listed.any()


def test_line_4_wants_what_the_transcription_wants():
    rng = np.random.default_rng(1)
    for alpha, beta in ((3.0, 0.01), (0.5, 0.2)):
        wins, demands = np.zeros((5, 5), np.int64), pair_lists.no_demands(5, alpha, beta)
        t, wanted = 1, 0
        for _ in range(1500):
            pair = pair_lists.demanded(demands, wins, t)
            expected = next(ecw_rmed.required(wins.tolist(), t, alpha, beta), None)
            assert divmod(pair, 5) == expected if pair >= 0 else expected is None
            wanted += pair >= 0
            if pair < 0:  # a list of a few pairs follows
                for _ in range(rng.integers(1, 4)):
                    i, j = sorted(rng.choice(5, 2, replace=False))
                    wins[(i, j) if rng.random() < 0.5 else (j, i)] += 1
                    pair_lists.watch(demands, wins, i, j)
            else:
                i, j = divmod(pair, 5)
                wins[(i, j) if rng.random() < 0.5 else (j, i)] += 1
                pair_lists.watch(demands, wins, i, j)
            t += int(rng.integers(1, 40))
        assert 0 < wanted < 1500
