"""An arm is drawn by one double of the stream, with the chances that a vector says."""

import numpy as np
from scipy import stats

from duelbench.kernels.chances import draw_arm
from duelbench.literal.exponential_weights import drawn

P = np.array([0.5, 0.0, 0.2, 0.25, 0.05])


def test_arms_have_their_chances():
    rng = np.random.default_rng(1)
    counts = np.bincount([draw_arm(P, rng) for _ in range(20_000)], minlength=5)
    assert counts[1] == 0
    assert stats.chisquare(counts[P > 0], 20_000 * P[P > 0]).pvalue > 0.001


def test_the_draw_is_the_references():
    ours, theirs = np.random.default_rng(2), np.random.default_rng(2)
    assert [draw_arm(P, ours) for _ in range(1000)] == [drawn(P, theirs) for _ in range(1000)]
    assert ours.bit_generator.state == theirs.bit_generator.state


def test_what_rounding_leaves_goes_to_the_last_arm():
    class Largest:
        def random(self):
            return np.nextafter(1, 0)

    assert drawn([0.5, 0.4999], Largest()) == 1
    tenths = np.full(10, 0.1 - 1e-12)
    top = np.random.default_rng(3)
    assert max(draw_arm(tenths, top) for _ in range(1000)) == 9
