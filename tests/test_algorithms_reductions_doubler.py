"""Doubler: its epochs. Its literal paths are in test_algorithms_reductions."""

from tests.reducing import ALL, fast_path


def test_doublers_epochs_have_two_four_eight_rounds():
    matrix = ALL["six-rankers"]
    arms = fast_path("doubler", matrix, 2 + 4 + 8 + 16, seed=11)
    assert len(set(arms[:2, 0])) == 1
    for start, length in ((2, 4), (6, 8), (14, 16)):
        before = set(arms[start - length // 2 : start, 1])
        assert set(arms[start : start + length, 0]) <= before
        # A new bandit begins with arms that it has not played yet.
        assert len(set(arms[start : start + min(length, matrix.arms), 1])) == min(length, matrix.arms)
