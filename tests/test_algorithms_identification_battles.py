"""Rounds of matches: the literal paths, odd arms, ties."""

from itertools import pairwise

import numpy as np
import pytest

from duelbench.algorithms.identification.divide_and_battle import DivideAndBattle
from duelbench.algorithms.identification.halving_battle import HalvingBattle
from duelbench.conformance.paths import engine_course
from duelbench.literal import divide_and_battle, halving_battle
from tests.comparison import MATRICES
from tests.exploring import DECISIVE, MATCHES, OTHERS, literal_path, make, same

LABELS = [label for label in MATCHES if label != "trace the best"]


@pytest.mark.parametrize("name", [*MATRICES, *OTHERS, *DECISIVE])
@pytest.mark.parametrize("label", LABELS)
def test_the_path_is_the_literal_one(label, name):
    matrix = (MATRICES | OTHERS | DECISIVE)[name]
    assert same(engine_course(make(label), matrix, 6000, 2), literal_path(label, matrix, 6000, 2))


@pytest.mark.parametrize(("label", "module"), [(LABELS[0], divide_and_battle), (LABELS[1], halving_battle)])
def test_a_transcription_that_rewards_the_loser_has_another_path(label, module, monkeypatch):
    ours = engine_course(make(label), DECISIVE["order"], 6000, 0)
    right = module.first_wins
    monkeypatch.setattr(module, "first_wins", lambda *arguments: not right(*arguments))
    assert not same(ours, literal_path(label, DECISIVE["order"], 6000, 0))


def plays(algorithm, arms, won):
    """Play whole matches, the first arm winning ``won(first, second)`` of every duel; yield them, then the winner."""
    state, rng, t = algorithm.start(arms, 1), np.random.default_rng(3), 1
    while algorithm.declaration(state) is None:
        first, second, count = algorithm.select(state, t, 10**9, rng)
        if first != second:
            yield first, second, count
            algorithm.update(state, first, second, int(won(first, second) * count), count)
            t += count
    yield algorithm.declaration(state)


@pytest.mark.parametrize("kind", [DivideAndBattle, HalvingBattle])
def test_the_odd_arm_passes_on(kind):
    *matches, (winner, rounds) = plays(kind(epsilon=0.5), 7, lambda first, second: float(first < second))
    assert winner == 0
    assert rounds == sum(count for *_, count in matches)
    assert [len({count for *_, count in matches[a:b]}) for a, b in ((0, 3), (3, 5), (5, 6))] == [1, 1, 1]
    assert len({arm for first, second, _ in matches[:3] for arm in (first, second)}) == 6


def test_on_a_tie_the_first_stays_or_both():
    *matches, (winner, _) = plays(DivideAndBattle(epsilon=0.5), 2, lambda *_: 0.5)
    assert [first for first, *_ in matches] == [winner]
    *matches, _ = plays(HalvingBattle(epsilon=0.5, delta=0.101), 2, lambda *_: 0.5)
    assert len(matches) > 1  # again with more duels, until they are odd
    assert all(a[2] % 2 == 0 and a[2] < b[2] for a, b in pairwise(matches))
    assert matches[-1][2] % 2 == 1


def test_matches_become_longer_by_a_quarter_of_epsilon():
    shorter = [count for *_, count in list(plays(HalvingBattle(epsilon=0.1), 4, lambda i, j: float(i < j)))[:-1]]
    expected = [int(np.ceil(np.log(4 / 0.1 * 2**r) / (0.1 / 4 * 0.75**r) ** 2)) for r in (1, 1, 2)]
    assert shorter == expected


def test_two_arms_are_one_match():
    """⌈4/ε² · ln(4/δ)⌉ duels, as ε and δ start anew before it."""
    match, (_, rounds) = plays(DivideAndBattle(), 2, lambda *_: 1.0)
    assert match[2] == rounds == 5903
