"""The SPRT: its boundary, and blocks that it cannot end within, and no shorter than they may be."""

import math
from itertools import product

from duelbench.algorithms.identification.pair import no_pair
from duelbench.algorithms.identification.sprt import sprt_block, sprt_boundary, sprt_decided
from duelbench.literal.sprt import limit


def test_the_boundary_by_hand():
    assert sprt_boundary(0.25, 0.1) == 2  # ln 9 / ln 3, to which rounding adds nothing
    assert sprt_boundary(0.45, 0.0025) == 3  # 5.99 / 2.94
    assert sprt_boundary(0.1, 0.01) == 12  # 4.60 / 0.405
    assert all(sprt_boundary(h, g) == limit(h, g) for h, g in product((0.02, 0.1, 0.3, 0.49), (1e-4, 0.01, 0.49)))


def after(wins, duels):
    pair = no_pair()
    pair[0].wins, pair[0].duels = wins, duels
    return pair


def test_blocks_end_where_the_test_may():
    boundary = 5
    for duels in range(40):
        for wins in range(duels + 1):
            if not sprt_decided(after(wins, duels), boundary):
                count = sprt_block(after(wins, duels), boundary)
                streak = [sprt_decided(after(wins + won, duels + s), boundary) for s in range(count) for won in (0, s)]
                assert not any(streak)
                ahead = count if 2 * wins >= duels else 0
                assert sprt_decided(after(wins + ahead, duels + count), boundary)


def test_it_decides_beyond_the_boundary():
    assert not sprt_decided(after(10, 15), 5)
    assert sprt_decided(after(5, 16), 5)
    assert math.isclose(math.log(9) / math.log(3), 2)
