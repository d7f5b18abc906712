"""The state of a session: standings, progress, agreement of judges, and the figure."""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest

from duelbench.errors import UserError
from duelbench.preferences import posterior
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.posterior import Posterior
from duelbench.votes.judge_tests import LEVEL, Cells, _alpha, _paired
from duelbench.votes.judge_tests import agreement as agreement_of
from duelbench.votes.sessions import events
from duelbench.votes.sessions import standings as module
from duelbench.votes.sessions.standings import ProgressCurves, goal_of, progress, standings
from duelbench.votes.vote_figures import LEADING, session_figure
from duelbench.votes.vote_table import VoteTable
from tests.sessions import made
from tests.vote_files import counts_of

# Standings: compared with values by hand if possible, else with the posterior


THREE = counts_of([[0, 6, 20], [4, 0, 12], [0, 8, 0]], ties=2)


@pytest.mark.parametrize("notion", ["copeland", "condorcet", "borda"])
def test_chances(notion):
    found = standings(THREE, notion=notion, draws=300, seed=4)
    known = Posterior(THREE, ties="model").chances(np.random.default_rng(4), draws=300, notion=notion)
    assert {row.arm: row.chance for row in found.arms} == dict(enumerate(known))
    assert (found.leader, found.recommended, found.chance) == (0, 0, known[0])
    assert found.error == pytest.approx(np.sqrt(known[0] * (1 - known[0]) / 300))


def test_counted():
    found = standings(THREE, draws=20)
    assert [row.arm for row in found.arms] == [0, 1, 2]
    first = found.arms[0]
    assert first[:6] == (0, "a", 34, 26, 4, 4)
    assert first.share.value == (26 + 2) / 34
    assert first.share.low < first.share.value < first.share.high
    assert (found.votes, found.ties, found.unseen) == (56, 6, 0)


def test_deciding_pair():
    """Arms 0 and 1 surely beat arm 2; the pair of 0 and 1 decides which is best."""
    votes = counts_of([[0, 15, 200], [12, 0, 200], [0, 0, 0]])
    (pair,) = standings(votes, draws=400).deciding
    assert (pair.first, pair.second, pair.wins, pair.losses, pair.ties) == (0, 1, 15, 12, 0)
    assert 0.5 < pair.p < 0.9
    assert (pair.if_so, pair.if_not) == (1, 0)
    (pair,) = standings(votes, declared=1, draws=400).deciding
    assert (pair.first, pair.if_so, pair.if_not) == (0, 0, 1)
    (pair,) = standings(votes.chosen([1, 0, 2]), draws=400).deciding
    assert (pair.first, pair.second, pair.wins, pair.losses, pair.if_so, pair.if_not) == (1, 0, 15, 12, 1, 0)


def test_order():
    """Arm 0 has the highest mean score, but the less known arm 2 is most probably best."""
    found = standings(counts_of([[0, 10, 0, 3], [1, 0, 0, 0], [30, 0, 0, 0], [0, 0, 3, 0]]), notion="borda", draws=2000)
    assert [row.arm for row in found.arms] == [2, 0, 3, 1] and found.recommended == 2
    assert found.arms[0].chance > found.arms[1].chance + 0.05
    assert found.arms[1].borda.value > found.arms[0].borda.value


@pytest.mark.parametrize("notion", ["copeland", "borda"])
@pytest.mark.parametrize("margin", [0.0, 0.1])
def test_goals(notion, margin):
    votes = counts_of([[0, 9, 2, 40], [1, 0, 12, 40], [0, 10, 0, 40], [0, 5, 5, 0]])
    found = standings(votes, notion=notion, margin=margin, draws=500)
    samples = Posterior(votes, ties="model").sample(500, margin=margin)
    order = [row.arm for row in found.arms]
    near = dict(enumerate(samples.within_margin(notion)))
    assert {row.arm: row.near for row in found.arms} == near
    for until, known in [
        (0.5, found.chance),
        ("ranks", samples.in_order(order, notion)),
        ("top:1", near[order[0]]),
        ("top:3", samples.tops(order, notion)[2]),
        *([("margin", near[order[0]])] if margin else []),
    ]:
        assert found.probability(until) == pytest.approx(known) and goal_of(until, 4, margin).until == until
        assert found.reached(until) == (known >= (until if until == 0.5 else 0.95))
    assert found.tops[2] > 0.95 > found.in_order
    assert found.next_pair == samples.next_pair()
    with pytest.raises(UserError, match="from 1 to 3"):
        found.reached("top:4")


def test_goals_without_votes():
    found = standings(counts_of(np.zeros((2, 2))), draws=20, margin=0.49)
    assert found.standing.near > 0.9 and found.recommended is None
    assert not any(found.reached(until) for until in (0.01, "margin", "top:1", "ranks"))


def test_votes_on_withdrawn():
    """Votes on a withdrawn arm count: arms 0 and 1 have never met, but both have met arm 2."""
    votes = counts_of([[0, 0, 40], [0, 0, 10], [10, 40, 0]])
    found = standings(votes, taking_part=[0, 1], draws=300)
    assert [row.arm for row in found.arms] == [0, 1]
    assert found.chance > 0.75
    assert (found.votes, found.unseen) == (100, 1)
    assert found.arms[0].beats.high == 1


@pytest.mark.parametrize(("voted", "notion"), [(3, "copeland"), (25, "condorcet"), (25, "borda")])
def test_many_arms_like_few(voted, notion, monkeypatch):
    """The posterior for many arms equals that for few, here 25 arms, some without votes."""
    rng = np.random.default_rng(voted)
    wins = np.zeros((25, 25))
    first, second = rng.integers(0, voted, (2, 150))
    np.add.at(wins, (np.minimum(first, second), np.maximum(first, second)), 1.0)  # the lower number wins
    np.fill_diagonal(wins, 0.0)
    upset = np.arange(voted // 3)
    wins[voted - 1 - upset, upset] += 30.0  # but some pairs contradict any order
    few = standings(counts_of(wins), notion=notion, draws=2_000)
    monkeypatch.setattr(posterior, "MANY", 1)
    posterior.strength_grid.cache_clear()
    many = standings(counts_of(wins), notion=notion, draws=2_000, seed=1)
    posterior.strength_grid.cache_clear()
    ours, theirs = ({row.arm: row for row in found.arms} for found in (many, few))
    for arm in range(25):  # within four standard errors of two samples
        assert abs(ours[arm].chance - theirs[arm].chance) < 0.06
        assert abs(ours[arm].beats.value - theirs[arm].beats.value) < 0.9
        assert abs(ours[arm].borda.value - theirs[arm].borda.value) < 0.02
        for end in ("low", "high"):
            assert abs(getattr(ours[arm].beats, end) - getattr(theirs[arm].beats, end)) <= 2
            assert abs(getattr(ours[arm].borda, end) - getattr(theirs[arm].borda, end)) < 0.04


# Progress


NAMES = ("a", "b", "c")


class Vote(NamedTuple):
    judge: str | None
    first: str
    second: str
    answer: str


ANSWERS = {"1": "first", "2": "second", "=": "tie"}
ANSWERED = [
    events.Vote(0, first, second, ANSWERS[answer], None, None, "", "", True)
    for first, second, answer in ("ab1", "ca2", "bc=", "ba2")
] * 3
WINS = np.array([[0, 2, 1], [0, 0, 0], [0, 0, 0]], dtype=float)
TIES = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0]], dtype=float)


def test_marks(monkeypatch):
    monkeypatch.setattr(module, "MARKS", 2)
    counts = PairCounts(NAMES, 3 * WINS, 3 * TIES)
    apart, together = (progress(counts, ANSWERED, effect=effect).chances for effect in (1.0, 3.0))
    assert together[-1].max() < apart[-1].max()  # dependent votes show less
    found = progress(counts, ANSWERED)
    assert found.votes.tolist() == [0, 4, 8, 12]
    for mark in (0, 1, 3):
        then = PairCounts(NAMES, mark * WINS, mark * TIES)
        assert found.chances[mark] == pytest.approx(Posterior(then, ties="model").sample(module.DRAWS).chances())


# Agreement of judges: published examples, by hand, and false alarms


def table(*coders):
    """Return the counts of coders' answers, one letter per unit, "." for a missing one."""
    answers = sorted(set("".join(coders)) - {"."})
    said = [(unit, k, coder[unit]) for unit in range(len(coders[0])) for k, coder in enumerate(coders)]
    unit, judge, answer = zip(*(each for each in said if each[2] != "."), strict=True)
    counts = np.array([[one == each for each in answers] for one in answer], dtype=float)
    return Cells.of(np.array(unit), np.array(judge), counts)


def krippendorff(cells):
    """Return the coefficient of ``agreement`` for other units than pairs: chance agreement is from answers alone."""
    same, paired = _paired(cells.shared())
    votes, of_answer = paired.sum(), paired.sum(axis=0)
    return _alpha(same.sum() / votes, (of_answer * (of_answer - 1)).sum() / (votes * (votes - 1)))


# Krippendorff, Computing Krippendorff's Alpha-Reliability (2011): sections A, B and C, nominal data
PUBLISHED = [
    (("0100000010", "1110010000"), 0.095),
    (("aabbdcccedda", "babbbccceddd"), 0.692),
    (("123321412...", "1233224125.3", ".3332342251.", "12332441251."), 0.743),
]


@pytest.mark.parametrize(("coders", "alpha"), PUBLISHED)
def test_published_alpha(coders, alpha):
    assert round(krippendorff(table(*coders)), 3) == alpha


def agreement(votes):
    """Return the agreement of judges in single votes."""
    judges = sorted({vote.judge for vote in votes} - {None})
    arms = sorted({name for vote in votes for name in (vote.first, vote.second)})
    place = [[arms.index(name) for name in vote[1:3]] for vote in votes]
    outcome = [{"first": 1, "tie": 0, "second": -1}[vote.answer] for vote in votes]
    judge = [judges.index(vote.judge) if vote.judge else -1 for vote in votes]
    first, second = np.array(place, dtype=int).reshape(-1, 2).T
    alone, ones = np.arange(len(votes)), np.ones(len(votes))
    outcome, judge = np.array(outcome, dtype=int), np.array(judge, dtype=int)
    return agreement_of(VoteTable(tuple(arms), first, second, outcome, ones, judge, alone, tuple(judges)))


def played(rng, judges, pairs=12, votes=600, position=None, ties=None, noise=None):
    """Return votes of equal judges, except those with a position bias, more ties, or random answers."""
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


def test_agreement_by_hand():
    votes = [
        Vote("ann", "0", "1", "first"),
        Vote("bob", "1", "0", "second"),  # the same, with the arms swapped
        Vote("bob", "0", "2", "tie"),
        Vote("ann", "2", "0", "first"),
        Vote("ann", "1", "2", "first"),  # no other judge has these
    ]
    found = agreement(votes)
    assert (found.pairs, found.votes, found.equal) == (2, 4, 0.5)
    # by chance: one of 4 votes is a tie; two others agree in half of all numberings of the arms
    assert found.alpha == pytest.approx(1 - 0.5 / (1 - (3 * 2 / 2) / (4 * 3)))
    ann, bob = found.judges
    assert (ann.name, ann.votes, ann.ties.value, ann.first.value) == ("ann", 3, 0, 1)
    assert (bob.name, bob.votes, bob.ties.value, bob.first.value) == ("bob", 2, 0.5, 0)
    assert (ann.with_others.value, ann.with_others.of) == (0.5, 2)
    assert found.equal_interval is None and found.striking == () and found.tests == 0


@pytest.mark.parametrize(
    ("what", "made"),
    [("first", {"position": {"c": 0.4}}), ("ties", {"ties": {"c": 0.25}}), ("agreement", {"noise": {"c": 1.0}})],
)
def test_striking_judges(what, made):
    named = [
        ("c", what)
        in [(each.judge, each.what) for each in agreement(played(rng, ["a", "b", "c"], votes=1200, **made)).striking]
        for rng in (np.random.default_rng([5, run]) for run in range(20))
    ]
    assert sum(named) >= 17


def test_false_alarms():
    runs = 400
    blamed = [
        bool(agreement(played(np.random.default_rng([6, run]), ["a", "b", "c"], pairs=8, votes=150)).striking)
        for run in range(runs)
    ]
    assert sum(blamed) <= LEVEL * runs + 3 * math.sqrt(LEVEL * (1 - LEVEL) * runs)


# The figure, checked through matplotlib's artists


pytestmark = pytest.mark.usefixtures("project_style")


def drawn_of(names, votes=50, recommended=None):
    """Return made-up standings and progress: P(best) of arm k ends at 0.5 ** (k + 1)."""
    chances = 0.5 ** np.arange(1, len(names) + 1)
    progress = ProgressCurves(np.arange(votes + 1), np.outer(np.linspace(0.1, 1, votes + 1), chances))
    return replace(made(names, recommended), votes=votes), progress


def laid_out(figure):
    figure.draw_without_rendering()
    return figure.axes


def test_colours():
    left, right = laid_out(session_figure(*drawn_of([f"m{k}" for k in range(9)]), until=0.95))
    curves = [line for line in left.get_lines() if len(line.get_xdata()) > 2]
    assert [line.get_ydata()[-1] for line in curves] == [0.5**k for k in range(1, LEADING + 1)]
    points = [line for line in right.get_lines() if len(line.get_xdata()) == 1]
    assert len(points) == 9
    assert [line.get_color() for line in points[:LEADING]] == [line.get_color() for line in curves]
    assert [text.get_text() for text in left.texts] == ["0.95"]
    assert [label.get_text() for label in right.get_yticklabels()] == [f"m{k}" for k in range(9)]
