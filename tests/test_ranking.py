"""Rankings with intervals: coverage, and the expected wins of WMT 2015."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import studentized_range
from scipy.stats import t as student

from duelbench.votes.ranking import TooFewClusters, decided, expected_wins, rank
from duelbench.votes.strengths import in_groups
from duelbench.votes.vote_table import VoteTable
from tests.vote_files import counts_of, pudding, rankings, vote_file


def ranges(found):
    return [f"{best}-{worst}" if best < worst else str(best) for best, worst in found.ranks[found.order].tolist()]


def sizes(found):
    return [len(tier) for tier in found.tiers]


# Coverage and critical values


def true_ranks(strengths):
    better = strengths[None, :] > strengths[:, None]
    return 1 + better.sum(axis=1), len(strengths) - better.T.sum(axis=1)


def covered(strengths, above, below):
    best, worst = true_ranks(strengths)
    return (1 + below.sum(axis=1) <= best) & (len(strengths) - above.sum(axis=1) >= worst)


EQUAL, STEPS, TIERS = np.zeros(8), np.arange(8) * 0.5, np.array([0, 0, 0, 0, 3, 3, 3, 6.0])


@pytest.mark.parametrize(("strengths", "length"), [(EQUAL, 7.99), (STEPS, 7.63), (TIERS, 6.43), (6 * STEPS, 2.47)])
def test_coverage_of_all_intervals(strengths, length):
    rng = np.random.default_rng(2)
    worlds = 400 if strengths is EQUAL else 60
    right, mean = [], []
    for _ in range(worlds):
        above, below = decided(strengths + rng.standard_normal(8), np.eye(8), draws=1_000)
        assert np.array_equal(above, below.T)
        right.append(covered(strengths, above, below).all())
        mean.append(8 - (above.sum() + below.sum()) / 8)
    assert np.mean(right) >= 0.95
    assert np.mean(mean) == pytest.approx(length, abs=0.02 if strengths is EQUAL else 0.3)


def test_coverage_of_single_intervals():
    """Single intervals cover the rank of each arm in 95 % of cases, but all ranks together less often."""
    rng = np.random.default_rng(0)
    right = np.array([
        covered(TIERS, *decided(TIERS + rng.standard_normal(8), np.eye(8), joint=False, draws=500)) for _ in range(150)
    ])  # fmt: skip
    assert right.mean(axis=0).min() > 0.92
    assert right.all(axis=1).mean() < 0.95


@pytest.mark.parametrize(("arms", "groups", "size"), [(2, 4, 1), (2, 12, 5), (4, 16, 1), (4, 40, 5)])
def test_coverage_after_few_groups(arms, groups, size):
    """Intervals from few groups of equal votes cover the ranks; without corrections, only 80 to 90 % were covered."""
    rng = np.random.default_rng(groups)
    strengths = np.where(np.arange(arms) < arms / 2, 0.0, 3.0 * (arms > 2))
    best, worst = true_ranks(strengths)
    right = []
    for _ in range(100):
        rows = []
        for group in range(groups):
            i, j = rng.permutation(arms)[:2].tolist()
            outcome = 1 if rng.random() < 1 / (1 + np.exp(strengths[j] - strengths[i])) else -1
            rows += [(i, j, outcome, 1, -1, group)] * size
        ranks = rank(table(rows, arms), clusters="groups").ranks
        right.append(((ranks[:, 0] <= best) & (ranks[:, 1] >= worst)).all())
    assert np.mean(right) >= 0.94


@pytest.mark.parametrize(("kind", "ties"), [("alone", 0.25), ("pairs", 0.0), ("items", 0.8)])
def test_coverage_of_differences(kind, ties):
    """Intervals cover with independent votes, pairs of votes on an opening, and 15 votes on each of 40 items."""
    K, sizes = 3, {"alone": (300, 1), "pairs": (150, 2), "items": (40, 15)}[kind]
    groups, size = sizes
    g, spread = np.array([0.5, 0.0, -0.5]), {"alone": 0.0, "pairs": 1.0, "items": 0.5}[kind]
    points, weights = np.polynomial.hermite_e.hermegauss(30)
    wide = spread * np.sqrt(2) if kind == "items" else spread
    won = (1 / (1 + np.exp(g[None, :, None] - g[:, None, None] - wide * points)) * weights).sum(axis=2) / weights.sum()
    P = (1 - ties) * won + ties / 2
    truth = rank(counts_of(1e6 * P * (1 - np.eye(K))), prior_votes=1e-6).strengths
    covered = []
    for world in range(120):
        rng = np.random.default_rng((world, groups))
        group = np.repeat(np.arange(groups), size)
        drawn = np.argsort(rng.random((groups * size, K)), axis=1)[:, :2]
        if kind == "pairs":  # the second game has the colours reversed
            drawn[1::2] = drawn[::2, ::-1]
        first, second = drawn.T
        own = rng.normal(0, spread, (groups, K))
        z = g[first] - g[second] + (own[group, 0] if kind == "pairs" else own[group, first] - own[group, second])
        outcome = np.where(rng.random(len(z)) < 1 / (1 + np.exp(-z)), 1, -1) * (rng.random(len(z)) >= ties)
        votes = VoteTable(tuple("abc"), first, second, outcome, np.ones(len(z)), np.full(len(z), -1), group)
        for each in rank(votes, ties="half").against("a"):
            arm = "abc".index(each.arm)
            covered.append(each.low <= truth[arm] - truth[0] <= each.high)
    assert 0.91 <= np.mean(covered) <= 0.985  # 0.95 ± 2.5 standard errors of 120 pairs of intervals


def test_wins_without_ties_have_the_errors_of_the_model():
    """Standard errors are the model's, exactly for one pair, and not nearly 0 where an arm always wins."""
    for wins, losses in ((60, 40), (40, 0), (12, 0), (1, 0)):
        found = rank(counts_of([[0, wins], [losses, 0]]))
        (row,) = found.against("b")
        p = 1 / (1 + np.exp(-row.difference))
        model = 1 / np.sqrt((wins + losses) * p * (1 - p))
        assert row.standard_error == pytest.approx(model, rel=1e-3)
    best = rank(counts_of([[0, 60, 60], [0, 0, 31], [0, 29, 0]]))
    assert 0.7 < best.errors[0] / best.errors[1] / 2 < 2


@pytest.mark.parametrize("intervals", ["simultaneous", "marginal"])
@pytest.mark.parametrize(
    ("wins", "ties"),
    [
        ([[0, 0], [0, 0]], 7),
        ([[0, 0], [0, 0]], 0),
        ([[0, 1], [0, 0]], 0),
        ([[0, 5], [0, 0]], 0),
        ([[0, 0.005, 0.007], [0.004, 0, 0.003], [0.001, 0.002, 0]], 0),
        ([[0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1], [0, 0, 0, 0]], 0),
    ],
)
def test_little_decides_nothing(intervals, wins, ties):
    for how in ("drop", "half"):
        found = rank(counts_of(wins, ties), intervals=intervals, ties=how)
        assert found.decided_ranks == found.decided_tops == ()
        assert (found.ranks == [1, found.arms]).all()


@pytest.mark.parametrize("weight", [1e-6, 1e12])
def test_votes_of_very_different_numbers(weight):
    """Pairs with many votes stay decided next to pairs with few votes, which stay undecided."""
    wins = np.zeros((4, 4))
    wins[0, 1], wins[1, 0], wins[2, 3], wins[3, 2] = 1e12, 5e11, 60 * weight, 20 * weight
    wins[1, 2], wins[2, 1] = 1e-6, 2e-6
    found = rank(counts_of(wins))
    assert np.isfinite(found.errors).all()
    assert np.argwhere(found.above).tolist() == [[0, 1], [2, 3]][: 2 if weight > 1 else 1]


@pytest.mark.parametrize(("arms", "critical"), [(5, 2.728), (8, 3.031), (13, 3.313)])
def test_critical_value_is_that_of_tukey(arms, critical):
    assert studentized_range.ppf(0.95, arms, np.inf) / np.sqrt(2) == pytest.approx(critical, abs=5e-4)
    for gap, expected in ((critical - 0.06, False), (critical + 0.06, True)):
        strengths = np.zeros(arms)
        strengths[1:] = -gap * np.sqrt(2) / 2
        strengths[0] = gap * np.sqrt(2) / 2
        assert decided(strengths, np.eye(arms))[0][0].any() == expected


def test_few_clusters_decide_less():
    """With few degrees of freedom the critical value is that of a t distribution."""
    strengths, root = np.array([2.2, 0.0]), np.eye(2) / np.sqrt(2)
    assert decided(strengths, root)[0][0, 1] and not decided(strengths, root, freedom=4)[0][0, 1]


def test_step_down_decides_more():
    """Once four arms far above are decided, the remaining pair needs less than the first critical value, 2.85."""
    for others, expected in ((0.0, False), (1.0, True)):
        above, _ = decided(others * np.array([100, 90, 80, 70, 0, 0]) + [0, 0, 0, 0, 3.85, 0], np.eye(6))
        assert above[4, 5] == expected


def test_correlated_errors():
    """Arms 0 and 1 differ by 5 standard errors of their difference, arms 0 and 2 by less than one."""
    root = np.linalg.cholesky([[1, 0.98, 0], [0.98, 1, 0], [0, 0, 1]])
    above, _ = decided(np.array([1.0, 0, 0]), root)
    assert above[0].tolist() == [False, True, False]


# Tiers and decided pairs


LADDER = counts_of([[0, 90, 99, 99], [10, 0, 52, 90], [1, 48, 0, 90], [1, 10, 10, 0]])


def test_tiers():
    found = rank(LADDER)
    assert found.tiers == ((0,), (1, 2), (3,))
    assert found.decided_tops == (1, 3)
    assert found.decided_ranks == (1, 4)
    assert ranges(found) == ["1", "2-3", "2-3", "4"]


def test_tiers_need_all_pairs():
    """A chain with decided ends and undecided neighbours is one tier."""
    above = np.zeros((3, 3), dtype=bool)
    above[0, 2] = True
    found = replace(rank(counts_of(np.ones((3, 3)) - np.eye(3))), strengths=np.array([1.0, 0.0, -1.0]), above=above)
    assert found.tiers == ((0, 1, 2),)
    assert found.decided_ranks == found.decided_tops == ()


def test_unconnected_arms():
    wins = np.zeros((5, 5))
    wins[:2, :2], wins[2:4, 2:4] = [[0, 90], [10, 0]], [[0, 95], [5, 0]]
    found = rank(counts_of(wins))
    assert np.argwhere(found.above).tolist() == [[0, 1], [2, 3]]
    assert np.isnan(found.errors).tolist() == [False] * 4 + [True]
    assert found.ranks.tolist() == [[1, 4], [2, 5], [1, 4], [2, 5], [1, 5]]
    assert found.groups == ((0, 1), (2, 3), (4,)) and found.order.tolist() == [0, 1, 2, 3, 4]
    assert found.strengths[:2].sum() == pytest.approx(0) == found.strengths[2:4].sum()


# Groups of votes


def table(rows, arms=3, judges=()):
    first, second, outcome, weight, judge, group = (np.array(column) for column in zip(*rows, strict=True))
    return VoteTable(tuple("abcde"[:arms]), first, second, outcome, weight.astype(float), judge, group, judges)


def copies(number, size):
    """Return votes on three arms in ``number`` groups of ``size`` equal votes."""
    rng = np.random.default_rng(3)
    rows = []
    for group in range(number):
        i, j = rng.permutation(3)[:2].tolist()
        outcome = int(rng.choice([1, -1]))
        rows += [(i, j, outcome, 1, 0, group)] * size
    return table(rows, judges=("ann",))


def test_equal_votes_of_a_group_count_once():
    once, nine = copies(90, 1), copies(90, 9)
    assert in_groups(nine) and not in_groups(once)
    alone = rank(once, clusters="groups", prior_votes=1e-4)
    together, apart = rank(nine, prior_votes=1e-3), rank(nine, clusters="none", prior_votes=1e-3)
    assert together.strengths == pytest.approx(alone.strengths, abs=1e-3)
    assert together.errors == pytest.approx(alone.errors, rel=1e-3)
    assert together.errors == pytest.approx(3 * apart.errors, rel=0.2)
    assert (together.number, apart.number) == (90, 810)
    assert (together.half_length, apart.half_length) == pytest.approx((student.ppf(0.975, 87), 1.959964))


def test_a_weight_on_its_own_is_independent_votes():
    rows = [(0, 1, 1, 30, 0, 0), (0, 1, -1, 20, 0, 1), (1, 2, 1, 25, 0, 2), (1, 2, -1, 15, 0, 3), (0, 2, 1, 9, 0, 4)]
    rows += [(0, 2, -1, 6, 0, 5)]
    weighted = table(rows)
    single = table(
        [(i, j, won, 1, 0, place) for place, (i, j, won, weight, *_) in enumerate(rows) for _ in range(weight)]
    )
    single = replace(single, group=np.arange(len(single)))
    assert rank(weighted, clusters="groups").errors == pytest.approx(rank(single, clusters="groups").errors)


def test_clusters_are_needed():
    with pytest.raises(ValueError, match="counts of votes have no judges"):
        rank(pudding(), clusters="judges")
    with pytest.raises(TooFewClusters, match="1 judges are too few for intervals of 3 arms: 6 or more are needed"):
        rank(copies(90, 1), clusters="judges")


# Expected wins


def test_expected_wins():
    won, connected = np.array([[0, 3, 0], [1, 0, 2], [0, 2, 0]]), np.ones((3, 3), bool)
    strengths = np.array([np.log(3), 0, 0])
    assert expected_wins(won, strengths, ~connected).tolist() == [(0.75 + 0.5) / 2, (0.25 + 0.5) / 2, 0.5]
    assert expected_wins(won, strengths, connected).tolist() == pytest.approx([0.75, 0.375, 0.375])


def test_wmt15():
    votes = rankings("wmt15_fr_en.csv.gz", "rankingID")
    assert (len(votes), len(np.unique(votes.group)), len(votes.judges)) == (29_770, 2_150, 49)
    pairs = rank(votes, clusters="none")
    scores = [0.5887, 0.5800, 0.5730, 0.5415, 0.5317, 0.4118, 0.2733]
    assert pairs.expected_wins[pairs.order] == pytest.approx(scores, abs=6e-5)
    published = [line.split(",") for line in vote_file("wmt15_fr_en_published.csv").read_text().splitlines()[1:]]
    assert [pairs.names[arm] for arm in pairs.order] == [name.partition(".")[0] for name, *_ in published]
    joint = rank(votes)
    assert ranges(joint) == ["1-3", "1-4", "1-5", "2-5", "3-5", "6", "7"]
    assert joint.decided_ranks == (6, 7)
    assert sizes(joint) == [5, 1, 1]


def test_looking_often():
    """If equal arms are checked every 50 votes, intervals for one look are often wrong; those for any look are not."""
    K, wrong = 4, np.zeros(2)
    for world in range(20):
        rng, won, seen = np.random.default_rng(world), np.zeros((K, K)), np.zeros(2, dtype=bool)
        doubt = np.triu(np.ones((K, K)), 1)
        for _ in range(25):
            one, two = np.divmod(rng.choice(K * K, 50, p=(doubt / doubt.sum()).ravel()), K)
            first = rng.random(50) < 0.5
            np.add.at(won, (np.where(first, one, two), np.where(first, two, one)), 1)
            at_once, always = (rank(counts_of(won), looks=looks) for looks in ("one", "any"))
            seen |= [at_once.above.any(), always.above.any()]
            gaps = at_once.strengths[:, None] - at_once.strengths
            spread = ((at_once.root[:, None] - at_once.root) ** 2).sum(axis=2) + np.eye(K)
            doubt = np.triu(np.exp(-(gaps**2) / spread / 2) + 1e-3, 1)
        wrong += seen
    assert wrong[0] >= 5 and wrong[1] <= 1


@pytest.mark.parametrize(("groups", "size", "decides"), [(7, 1, False), (5, 9, False), (12, 1, True), (30, 9, True)])
def test_groups_that_agree(groups, size, decides):
    """A few groups that agree decide nothing, although they do not vary."""
    votes = table([(0, 1, 1, 1, 0, group) for group in range(groups) for _ in range(size)], 2)
    assert bool(rank(votes, clusters="groups").decided_tops) == decides
