"""What families have in common: matrices that are complete, and that a seed fixes."""

import numpy as np
import pytest
from pydantic import ValidationError

from duelbench.sources.family import Family, RandomFamily, crown


class Fixed(Family):
    """Above the diagonal 0.7; what is below is not looked at."""

    name = "fixed"
    title = "Fixed"
    citation = "none"

    def _entries(self, rng):
        return np.full((self.arms, self.arms), 0.7)


class Drawn(RandomFamily):
    """Independent uniform numbers."""

    name = "drawn"
    title = "Drawn"
    citation = "none"

    def _entries(self, rng):
        return rng.random((self.arms, self.arms))


def test_what_is_below_the_diagonal_follows():
    matrix = Fixed(arms=3).draw(None)
    assert matrix.source == "fixed"
    np.testing.assert_allclose(matrix.P, [[0.5, 0.7, 0.7], [0.3, 0.5, 0.7], [0.3, 0.3, 0.5]])
    assert not Fixed(arms=3).varies


def test_a_seed_fixes_what_is_drawn():
    assert Drawn(arms=4).varies and not Drawn(arms=4, seed=2).varies
    free = [Drawn(arms=4).draw(np.random.default_rng(k)).digest() for k in (1, 1, 2)]
    assert free[0] == free[1] != free[2]
    fixed = [Drawn(arms=4, seed=2).draw(np.random.default_rng(k)).digest() for k in (1, 2)]
    assert fixed[0] == fixed[1] != Drawn(arms=4, seed=3).draw(None).digest()


@pytest.mark.parametrize("wrong", [{"arms": 1}, {"arms": 5, "seed": -1}, {"arms": 5, "size": 3}])
def test_parameters_are_checked(wrong):
    with pytest.raises(ValidationError):
        Drawn(**wrong)


def test_a_crowned_arm_beats_the_others():
    P = crown(np.full((3, 3), 0.5), np.int64(1), np.array([0.6, 0.9, 0.8]))
    np.testing.assert_allclose(P[1], [0.6, 0.1, 0.8])
    np.testing.assert_allclose(P[:, 1], [0.4, 0.1, 0.2])
