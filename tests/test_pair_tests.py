"""Tests that decide a pair (first passages, PPR, SPRT, matches): when they end, and that blocks never overrun."""

import contextlib
import math
from fractions import Fraction
from itertools import product
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

from duelbench.algorithms.identification.battles import MOST, enough_duels
from duelbench.algorithms.identification.potential_copeland import log_density, ppr_block, ppr_level
from duelbench.algorithms.identification.single_elimination import Nts, sprt_boundary
from duelbench.kernels import pair_tests
from tests.playing import played
from tests.reference.nts import limit

pytestmark = pytest.mark.usefixtures("interpreted")


# SPRT


def test_sprt_boundary():
    assert sprt_boundary(0.25, 0.1) == 2  # ln 9 / ln 3, without rounding up
    assert sprt_boundary(0.45, 0.0025) == 3  # 5.99 / 2.94
    assert sprt_boundary(0.1, 0.01) == 12  # 4.60 / 0.405
    assert all(sprt_boundary(h, g) == limit(h, g) for h, g in product((0.02, 0.1, 0.3, 0.49), (1e-4, 0.01, 0.49)))


@pytest.mark.parametrize("share", [0.0, 0.25, 0.4, 0.5, 0.7, 1.0])
def test_sprt_blocks(share):
    """Only the last duel of a block can decide the pair, and the deciding lead exceeds the boundary."""
    boundary, wins, duels = Nts(h=0.1).start(2, 1).boundary, 0, 0
    (i, j, _), *_ = blocks = played(Nts(h=0.1), [[0.5, share], [1 - share, 0.5]], 3000)[0]
    for first, second, count in blocks:
        if first == second:
            assert abs(2 * wins - duels) > boundary
            break
        assert (first, second) == (i, j)
        lead = abs(2 * wins - duels)
        assert lead <= boundary and count in (boundary + 1 - lead, 3000 - duels)
        won = share if i == 0 else 1 - share
        wins, duels = wins + (int(count * won) if count > 1 else won > 0.5), duels + count


# Prior-posterior-ratio test


def ppr_decided(wins, duels, level):
    """Tell whether the test stops after these numbers of wins and duels."""
    return log_density(max(wins, duels - wins), duels) <= level


def test_ppr_equality_decides():
    """The test stops at equality: each density (n + 1) C(n, a) / 2^n, computed exactly, in turn is the level."""
    for duels in range(1, 50):
        for wins in range(duels + 1):
            density = Fraction((duels + 1) * math.comb(duels, wins), 2**duels)
            assert ppr_decided(wins, duels, ppr_level(float(density), 2))
            assert ppr_decided(wins, duels, ppr_level(float(2 * density), 3))
            assert not ppr_decided(wins, duels, ppr_level(float(density) * (1 - 1e-6), 2))


def reachable(wins, duels, count):
    """Return all possible (wins, duels) after 1, 2, …, ``count`` more duels."""
    return [(wins + won, duels + s) for s in range(1, count + 1) for won in range(s + 1)]


@pytest.mark.parametrize("gamma", [0.5, 0.05, 1e-4])
def test_ppr_blocks(gamma):
    level = ppr_level(gamma, 3)
    for duels, part in product((0, 1, 2, 7, 30, 111), (0.0, 0.2, 0.45, 0.5, 0.57, 0.8)):
        wins = round(part * duels)
        ahead = max(wins, duels - wins)
        if ppr_decided(wins, duels, level):
            continue
        count = ppr_block(ahead, duels, level, 10**6)
        assert not any(ppr_decided(w, n, level) for w, n in reachable(wins, duels, count - 1))
        more = count if 2 * wins >= duels else 0
        assert ppr_decided(wins + more, duels + count, level)  # it is as long as possible
        assert ppr_block(ahead, duels, level, 3) == min(count, 3)


# Matches


def test_match_that_is_never_over():
    assert enough_duels(1.0, 1e-9, 30.0) == MOST
    assert enough_duels(1.0, 1e-200, 30.0) == MOST
    assert enough_duels(1.0, 0.5, math.inf) == MOST


# First passages


PASSAGES = {
    "compare-1": ("compare_1", 0.05, 0.1),
    "compare-1, wide": ("compare_1", 0.2, 0.5),
    "compare-2": ("compare_2", 0.0, 0.1, 0.01),
    "compare-2, wide": ("compare_2", 0.2, 0.45, 0.5),
    "mallows": ("first_passage", math.log(400.0), 1e30, 0.0, 0.0, 0.0, 0.0),
    "di": ("interval_test", 0.06, 0.0, 0.0, 0.03),
    "di, margin": ("interval_test", 0.1, 0.0, 0.1, 0.3),
}


class Enough(Exception):
    """Raised when a test takes too long."""


class Passage(NamedTuple):
    """A played test: its blocks as (duels before, wins before, count), the kernel's arguments and the verdict."""

    blocks: list
    duels: int
    wins: int
    numbers: dict
    verdict: object

    @property
    def most(self):
        """The maximal number of duels."""
        return int(self.numbers["most"])

    def crossed(self, duels, wins):
        """Tell whether any of these shares of wins is outside the interval, by the definition of the tests."""
        duels = np.asarray(duels, float)
        share, radius = wins / duels - 0.5, np.sqrt((self.numbers["scale"] + 2 * np.log(duels)) / (2 * duels))
        return bool(np.any((share - self.numbers["up"] > radius) | (-share - self.numbers["down"] > radius)))


@pytest.fixture
def passage(monkeypatch):
    """Return a function that plays a test with ``wins_of(count)`` and blocks of at most ``limit``; see ``Passage``."""
    kernel = pair_tests.first_passage

    def play(kind, wins_of, limit=10**9, longest=200_000):
        blocks, numbers = [], {}

        def duel(world, i, j, count):
            n, w = (blocks[-1][0] + blocks[-1][2], wins[0]) if blocks else (0, 0)
            if n > longest:
                raise Enough
            blocks.append((n, w, count))
            won = wins_of(count)
            wins[0] += won
            return won

        def noted(world, i, j, *given):
            numbers.update(zip(("scale", "most", "up", "down", "high", "low"), given, strict=True))
            return kernel(world, i, j, *given)

        wins, verdict = [0], None
        monkeypatch.setattr(pair_tests, "duel", duel)
        monkeypatch.setattr(pair_tests, "block_limit", lambda world: limit)
        monkeypatch.setattr(pair_tests, "first_passage", noted)
        name, *arguments = PASSAGES[kind]
        with contextlib.suppress(Enough):
            verdict = getattr(pair_tests, name)(SimpleNamespace(arms=2), 0, 1, *arguments)
        return Passage(blocks, blocks[-1][0] + blocks[-1][2], wins[0], numbers, verdict)

    return play


@pytest.mark.parametrize("kind", PASSAGES)
def test_passage_blocks(kind, passage):
    """Only the last duel of a block can end a test, and a test ends when it should."""
    rng, ends, longest = np.random.default_rng(0), 0, 0
    for p in (0.5, 0.52, 0.45, 0.6, 0.9, 0.1, 1.0, 0.0):
        played = passage(kind, lambda count: int(rng.binomial(count, p)))  # noqa: B023
        for n, w, count in played.blocks:
            assert n + count <= played.most
            assert n == 0 or not played.crossed(n, w)
            before = np.arange(1, count)
            assert not played.crossed(n + before, w + before)
            assert not played.crossed(n + before, w)
            longest = max(longest, count)
        if played.verdict is not None:  # otherwise a fair coin without a limit
            ends += 1
            assert played.crossed(played.duels, played.wins) or played.duels == played.most
    assert longest > 5
    assert ends >= 7


def test_draw_at_the_limit_of_compare_1(passage):
    outcomes = iter([True, False] * 100)
    played = passage("compare-1, wide", lambda count: int(next(outcomes)), limit=1)
    assert (played.duels % 2, played.duels, played.verdict) == (0, played.most, False)
