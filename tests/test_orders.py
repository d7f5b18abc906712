"""Rankings as the goal: measures of an order, checked by hand and by brute force, and runs that find one."""

import itertools

import numpy as np
import pandas as pd
import pytest

from duelbench import load_results
from duelbench.engine.recommendation import in_order, ranked
from duelbench.experiment.plan import goal_parameters
from duelbench.plots.kinds.identification import IdentificationFigure, heat_caption, shares_shown
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.order import OrderJudge, kendall, order_of, tiers_by, top_overlap
from duelbench.results.results import Results
from duelbench.spec.values import Top, tier_sizes
from tests.commands import here
from tests.experiments import played
from tests.specs import minimal

ORDER = PreferenceMatrix([[0.5, 0.6, 0.7, 0.9], [0.4, 0.5, 0.6, 0.6], [0.3, 0.4, 0.5, 0.6], [0.1, 0.4, 0.4, 0.5]])
CYCLE = PreferenceMatrix([[0.5, 0.9, 0.4], [0.1, 0.5, 0.7], [0.6, 0.3, 0.5]])
STRICT = ((0,), (1,), (2,), (3,))


def test_reference_orders():
    assert order_of(ORDER, "copeland") == order_of(ORDER, "borda") == STRICT
    assert order_of(CYCLE, "copeland") == ((0,), (2,), (1,))  # one win each: by Borda scores 0.65, 0.45, 0.4
    assert order_of(PreferenceMatrix(np.full((3, 3), 0.5)), "copeland") == ((0, 1, 2),)
    tied = PreferenceMatrix([[0.5, 0.5, 0.8], [0.5, 0.5, 0.6], [0.2, 0.4, 0.5]])
    assert order_of(tied, "copeland") == ((0,), (1,), (2,))
    # Arm 0 ties with all, arm 2 wins once and loses once: both beat 3/2 arms.
    level = PreferenceMatrix([[0.5, 0.5, 0.5, 0.5], [0.5, 0.5, 0.9, 0.9], [0.5, 0.1, 0.5, 0.6], [0.5, 0.1, 0.4, 0.5]])
    assert order_of(level, "copeland") == ((1,), (0,), (2,), (3,))
    # Arm 1 beats arm 0, and arm 0 has the larger Borda score.
    split = PreferenceMatrix([[0.5, 0.45, 0.99], [0.55, 0.5, 0.51], [0.01, 0.49, 0.5]])
    assert order_of(split, "copeland") == ((1,), (0,), (2,))
    assert order_of(split, "borda") == ((0,), (1,), (2,))
    assert tiers_by(np.array([1.0, 2.0, 1.0 + 1e-13])) == ((1,), (0, 2))


def test_measures_with_ties():
    assert kendall(((0, 1, 2, 3),), STRICT) == 0.5  # ties in the estimate count half
    assert kendall(((1,), (0,), (2,)), ((0, 1), (2,))) == 0  # ties in the reference never count
    assert kendall(((2,), (0,), (1,)), ((0, 1), (2,))) == 1
    assert kendall(((0,), (1,)), ((0, 1),)) == 0
    tied = ((0,), (1, 2), (3,))  # either of 1 and 2 is in the top two
    assert [top_overlap(list(pair), tied) for pair in itertools.combinations(range(4), 2)] == [1, 1, 0.5, 0.5, 0.5, 0.5]


@pytest.mark.parametrize("matrix", [ORDER, CYCLE], ids=["order", "cycle"])
@pytest.mark.parametrize("by", ["copeland", "borda"])
def test_measures_by_brute_force(matrix, by):
    K, scores = matrix.arms, matrix.borda_scores()
    place = {arm: k for k, group in enumerate(order_of(matrix, by)) for arm in group}
    for sizes in [(1,) * K, (1, K - 1), (2, K - 2), (1, 1, K - 2)]:
        tier = [k for k, size in enumerate(sizes) for _ in range(size)]
        judge = OrderJudge(matrix, by, tuple(sizes))
        for order in itertools.permutations(range(K)):
            found = judge(tuple((arm,) for arm in order), order)
            wrong = sum(place[i] > place[j] for i, j in itertools.combinations(order, 2))
            assert found.tau == pytest.approx(wrong / (K * (K - 1) / 2))
            in_place = [tier[k] == tier[place[arm]] for k, arm in enumerate(order)]
            assert found.exact == all(in_place)
            k = sizes[0]
            top = sum(place[arm] < k for arm in order[:k]) / k
            assert found.overlap == pytest.approx(top if len(sizes) == 2 < K else np.mean(in_place))
            needed = [
                scores[j] - scores[i] if by == "borda" else 0.5 - matrix.P[i, j]
                for (a, i), (b, j) in itertools.combinations(enumerate(order), 2)
                if tier[a] != tier[b]
            ]
            assert found.epsilon == pytest.approx(max(0, *needed))


def test_judging_declared_tiers():
    judge = OrderJudge(ORDER, "copeland", (2, 2))
    assert judge.finds(((1, 0), (3, 2)))
    assert judge.finds(STRICT)  # an order decides the top two as well
    assert not judge.finds(((0, 2), (1, 3)))
    assert not judge.finds(((0,), (1, 2, 3)))  # that does not say which are the top two


def test_orders_from_counts():
    duels = np.triu(np.full((4, 4), 1000), 1)
    wins = np.round(duels * ORDER.P).astype(int)
    for rule in ("copeland", "borda", "btl", "posterior", "posterior borda"):
        assert ranked(rule, duels, wins) == STRICT, rule
    nothing = np.zeros((4, 4), int)
    for rule in ("copeland", "borda", "btl", "posterior"):
        assert ranked(rule, nothing, nothing) == ((0, 1, 2, 3),)
    assert in_order(((0, 2), (1, 3)), np.array([3, 2, 1, 0])) == [2, 0, 3, 1]
    assert in_order(((2, 0), (3, 1))) == [0, 2, 1, 3]


def test_find_in_specs():
    assert minimal(find="ranking", recommend="own").regret == ("copeland",)
    assert minimal(find={"top": 2}, by="borda", recommend="btl").regret == ("borda",)
    assert minimal(find={"tiers": [1, 2]}, recommend="own", regret=["weak"]).regret == ("weak",)
    assert tier_sizes("ranking", 3) == (1, 1, 1)
    assert tier_sizes(Top(top=2), 5) == (2, 3)
    assert goal_parameters(Top(top=2)) == {"top": 2, "tiers": (2,)}
    assert goal_parameters("ranking") == {"tiers": "order"}
    for wrong, why in (
        ({"find": "ranking"}, "recommend: own"),
        ({"find": {"top": 0}, "recommend": "own"}, "top"),
        ({"find": {"tiers": []}, "recommend": "own"}, "tiers"),
        ({"find": "borda", "by": "borda", "recommend": "own"}, "'by' orders all arms"),
        ({"recommend": "own", "figures": [{"kind": "identification", "show": "tau"}]}, "tau is the distance"),
    ):
        with pytest.raises(Exception, match=why):
            minimal(**wrong)


SPEC = """
budget: 200
runs: 6
find: {goal}
recommend: {rule}
checkpoints_per_decade: 2
datasets: [{{name: btl-uniform, arms: 4}}]
algorithms: [uniform, rucb]
figures: [{{kind: identification}}, {{kind: identification, show: tau}}, {{kind: identification, show: errors}}]
"""


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize(
    ("goal", "rule"), [("ranking", "own"), ("{top: 2}", "posterior"), ("{tiers: [1, 2]}", "borda")]
)
def test_runs_that_look_for_an_order(tmp_path, goal, rule):
    played(tmp_path, SPEC.format(goal=goal, rule=rule))
    run = pd.read_csv(tmp_path / "out" / "btl-uniform" / "uniform" / "run-00000.csv", comment="#")
    measures = ["tau", "overlap", "epsilon", "exact"]
    assert list(run.columns) == ["t", "copeland", "votes", "recommended", "simple_copeland", *measures]
    results = load_results(tmp_path / "out")
    last = results.runs[results.runs.t == 200]
    assert last.tau.between(0, 1).all() and last.overlap.between(0, 1).all()
    assert (last.exact == (last.tau == 0)).all() or goal != "ranking"
    summary = results.summary[results.summary.t == 200].set_index("algorithm")
    for label, rows in last.groupby("algorithm", observed=True):
        assert summary.tau[label] == pytest.approx(rows.tau.mean(), rel=5e-6)
        assert summary.tau_sem[label] == pytest.approx(rows.tau.sem(), rel=5e-4)
        assert summary.recommended_right[label] == pytest.approx(rows.exact.astype(float).mean(), rel=5e-6)
        assert summary.within[label] == pytest.approx((rows.epsilon <= 1e-12).mean(), rel=5e-6)
        assert summary.overlap[label] == pytest.approx(rows.overlap.mean(), rel=5e-6)
    wide = results.runs[results.runs.t <= 2]
    assert last.tau.mean() < wide.tau.mean()
    drawn = IdentificationFigure(kind="identification", show="tau").draw(Results(tmp_path / "out"))
    assert drawn.axes[0].get_ylabel() == "Kendall tau distance"
    assert "| Uniform" in here("table", str(tmp_path / "out"), "--show", "tau").stdout


@pytest.mark.usefixtures("interpreted")
def test_table_of_pairs_in_order(tmp_path):
    """Cells show 1 − tau, normal intervals determine the best, and rows are sorted by their means."""
    played(tmp_path, SPEC.format(goal="ranking", rule="borda"))
    results = Results(tmp_path / "out")
    shown = shares_shown(IdentificationFigure(kind="identification", show="table"), results, "copeland")
    lasts = [results.series("btl-uniform", row.series[200], "copeland").iloc[-1] for row in shown.rows]
    for cells, last in zip(shown.shares[0], lasts, strict=True):
        assert cells.tolist() == pytest.approx([1 - last["tau"]] * 2)
    assert shown.shares[0][0, 0] >= shown.shares[0][1, 0]
    low, high = (np.array([1 - last["tau"] + sign * 1.96 * last["tau_sem"] for last in lasts]) for sign in (-1, 1))
    assert shown.best[0][:, 1].tolist() == (high >= low[0]).tolist()
    assert heat_caption(results, "copeland").startswith("percent of pairs in the right order, mean of 6 runs")


def test_an_order_must_fit_the_dataset(tmp_path):
    for goal, more, why in (
        ("{top: 4}", "", "it has 4 arms, and 'find' asks for tiers of 4"),
        ("{tiers: [3, 2]}", "", "asks for tiers of 3 \\+ 2"),
        ("ranking", ", changes: {breakpoints: 2}", "a budget counts votes|does not change"),
    ):
        with pytest.raises(Exception, match=why):
            played(tmp_path, SPEC.format(goal=goal, rule="own").replace("arms: 4", f"arms: 4{more}"))
