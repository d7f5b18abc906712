"""How far judges agree, against published examples, by hand, and how often a judge is blamed for nothing."""

import math
from typing import NamedTuple

import numpy as np
import pytest

from duelbench.sessions.agreement import LEVEL, _alpha, _paired, agreement


class Vote(NamedTuple):
    judge: str
    first: str
    second: str
    answer: str


def table(*coders):
    """Return the counts of coders' answers, a letter per unit, "." where one is missing."""
    answers = sorted(set("".join(coders)) - {"."})
    said = [[[coder[unit] == each for each in answers] for coder in coders] for unit in range(len(coders[0]))]
    return np.array(said, dtype=float)


def krippendorff(counts):
    """The coefficient of ``agreement`` where units are no pairs of arms: chance by the shares of the answers."""
    same, paired = _paired(counts)
    votes, of_answer = paired.sum(), counts[paired > 0].sum(axis=(0, 1))
    if votes < 2:
        return math.nan
    return _alpha(same.sum() / votes, (of_answer * (of_answer - 1)).sum() / (votes * (votes - 1)))


# Krippendorff, Computing Krippendorff's Alpha-Reliability (2011): sections A, B and C, nominal data
PUBLISHED = [
    (("0100000010", "1110010000"), 0.095),
    (("aabbdcccedda", "babbbccceddd"), 0.692),
    (("123321412...", "1233224125.3", ".3332342251.", "12332441251."), 0.743),
]


@pytest.mark.parametrize(("coders", "alpha"), PUBLISHED)
def test_alpha_is_that_of_published_examples(coders, alpha):
    assert round(krippendorff(table(*coders)), 3) == alpha


def test_alpha_does_not_compare_a_judge_with_himself():
    one = table("ab", "ab")
    twice = one.copy()
    twice[0, 0] = [1, 1]  # the first judge has also said the contrary
    assert krippendorff(one) == 1
    # votes: 3 on unit 0 (a, b | a), 2 on unit 1 (b | b); equal to another judge's: 1, 0, 1/2, 1, 1
    seen, expected = 3.5 / 5, (2 * 1 + 3 * 2) / (5 * 4)
    assert krippendorff(twice) == pytest.approx(1 - (1 - seen) / (1 - expected))


@pytest.mark.parametrize("coders", [("aaa", "aaa"), ("a.b", ".a."), ("...", "...")])
def test_alpha_without_variation_or_pairs_is_undefined(coders):
    assert math.isnan(krippendorff(table(*coders)))


def played(rng, judges, pairs=12, votes=600, position=None, ties=None, noise=None):
    """Return votes of judges who are alike, but for those named: their bias to the first, ties, and random answers."""
    chances = rng.uniform(0.1, 0.9, pairs)
    ends = [(i, j) for j in range(1, 20) for i in range(j)][:pairs]
    found = []
    for judge, pair, turned, draws in zip(
        rng.choice(judges, votes),
        rng.integers(pairs, size=votes),
        rng.random(votes) < 0.5,
        rng.random((votes, 4)),
        strict=True,
    ):
        i, j = ends[pair]
        shown = (j, i) if turned else (i, j)
        p = 0.5 if noise and draws[0] < noise.get(judge, 0) else chances[pair]
        best = "second" if (draws[1] < p) == turned else "first"
        if position and draws[2] < position.get(judge, 0):
            best = "first"
        if draws[3] < 0.15 + (ties or {}).get(judge, 0):
            best = "tie"
        found.append(Vote(str(judge), *map(str, shown), best))
    return found


def test_a_small_table_by_hand():
    votes = [
        Vote("ann", "0", "1", "first"),
        Vote("bob", "1", "0", "second"),  # the same, seen from the other side
        Vote("bob", "0", "2", "tie"),
        Vote("ann", "2", "0", "first"),
        Vote("ann", "1", "2", "first"),  # nobody else has judged these
    ]
    found = agreement(votes)
    assert (found.pairs, found.votes, found.equal) == (2, 4, 0.5)
    # by chance: of 4 votes one is a tie; two others are equal in half of all numberings of the arms
    assert found.alpha == pytest.approx(1 - 0.5 / (1 - (3 * 2 / 2) / (4 * 3)))
    ann, bob = found.judges
    assert (ann.name, ann.votes, ann.ties.value, ann.first.value) == ("ann", 3, 0, 1)
    assert (bob.name, bob.votes, bob.ties.value, bob.first.value) == ("bob", 2, 0.5, 0)
    assert (ann.with_others.value, ann.with_others.of) == (0.5, 2)
    assert found.equal_interval is None and found.striking == () and found.tests == 0


def test_the_numbering_of_arms_and_the_order_shown_do_not_matter():
    votes = played(np.random.default_rng(2), ["a", "b", "c"])
    other = np.random.default_rng(3).permutation(30)
    renamed = [Vote(v.judge, str(other[int(v.first)]), str(other[int(v.second)]), v.answer) for v in votes]
    turn = {"first": "second", "second": "first", "tie": "tie"}
    turned = [Vote(v.judge, v.second, v.first, turn[v.answer]) for v in votes]
    for changed in (renamed, turned):
        for what in ("equal", "alpha"):
            assert getattr(agreement(changed), what) == pytest.approx(getattr(agreement(votes), what))
    assert [judge.with_others for judge in agreement(renamed).judges] == [
        judge.with_others for judge in agreement(votes).judges
    ]


@pytest.mark.parametrize("votes", [[], [Vote("ann", "0", "1", "tie")], [Vote("ann", "0", "1", "first")] * 50])
def test_with_one_judge_there_is_nothing_to_compare(votes):
    found = agreement(votes)
    assert (found.pairs, found.equal, found.alpha) == (0, None, None)
    assert [judge.with_others for judge in found.judges] == [None] * len(found.judges)


def test_votes_without_a_judge_are_left_out():
    votes = [Vote("ann", "0", "1", "first"), Vote(None, "0", "1", "first"), Vote("bob", "0", "1", "second")]
    found = agreement(votes)
    assert (found.votes, found.equal, [judge.name for judge in found.judges]) == (2, 0, ["ann", "bob"])


def test_votes_that_are_all_ties_have_no_alpha():
    found = agreement([Vote(judge, "0", "1", "tie") for judge in "ab"])
    assert (found.equal, found.alpha) == (1, None)
    assert all(judge.first is None for judge in found.judges)


WORSE = {
    "position": ("first", {"position": {"c": 0.4}}),
    "ties": ("ties", {"ties": {"c": 0.25}}),
    "noise": ("agreement", {"noise": {"c": 1.0}}),
}


@pytest.mark.parametrize("how", WORSE)
def test_who_stands_out_is_named(how):
    what, made = WORSE[how]
    named = [
        ("c", what)
        in [(each.judge, each.what) for each in agreement(played(rng, ["a", "b", "c"], votes=1200, **made)).striking]
        for rng in (np.random.default_rng([5, run]) for run in range(20))
    ]
    assert sum(named) >= 17


def test_to_be_more_often_with_the_majority_is_nothing_to_look_at():
    found = agreement(played(np.random.default_rng(8), ["a", "b", "c"], votes=2000, noise={"a": 1.0, "b": 1.0}))
    assert {each.judge for each in found.striking} == {"b"}  # the third is more often with it than the two who guess
    assert all(each.seen < each.expected for each in found.striking)


def test_nobody_is_blamed_for_nothing_more_often_than_said():
    runs = 400
    blamed = [
        bool(agreement(played(np.random.default_rng([6, run]), ["a", "b", "c"], pairs=8, votes=150)).striking)
        for run in range(runs)
    ]
    assert sum(blamed) <= LEVEL * runs + 3 * math.sqrt(LEVEL * (1 - LEVEL) * runs)


def test_intervals_of_the_agreement_cover_it():
    """Pairs are drawn at random: the interval is of all such pairs."""
    true = 0.85**2 * (0.1**2 + 0.9**2 + 0.1 * 0.9 + (1 - 0.1) ** 2 + (1 - 0.9) ** 2 + 0.1 * 0.9) / 3 + 0.15**2
    covered = 0
    for run in range(200):
        found = agreement(played(np.random.default_rng([7, run]), ["a", "b", "c"], pairs=30, votes=400))
        covered += found.equal_interval[0] <= true <= found.equal_interval[1]
    assert covered >= 180
