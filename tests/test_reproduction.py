"""Published statements and measured numbers: each measure agrees and disagrees where it should."""

import math
import shutil
from contextlib import suppress

import numpy as np
import pytest

from duelbench.analysis.reproduction.declaration_measures import (
    always_right,
    as_many,
    as_soon,
    duels,
    equal_counts,
    equal_distances,
    equal_shares,
    less_often_wrong,
    named_as_often,
    nearer,
    not_right,
    sooner,
    wrong_as_often,
)
from duelbench.analysis.reproduction.library import (
    Figure,
    Library,
    Mean,
    NotRunError,
    Paper,
    Statement,
    below,
    difference,
    inside,
    ratio,
    share,
)
from duelbench.analysis.reproduction.regret_measures import (
    Moments,
    approaches,
    as_read,
    at_most_std,
    close,
    degrades,
    groups,
    grows,
    linear,
    lower,
    lower_on,
    near,
    on_the_axis,
    ordered,
    relative_error,
    slope,
    std_share,
)
from duelbench.analysis.reproduction.report import report
from duelbench.analysis.reproduction.stated import PAPERS
from duelbench.errors import UserError
from tests.measured import HORIZON, explored, finding, ordered_cell, recommended, write, write_figure


def test_verdicts():
    pairs = [(Mean(1, 0.3), Mean(2, 0.3)), (Mean(1, 0.4), Mean(2, 0.4)), (Mean(2, 0.3), Mean(1, 0.3))]
    assert [below(a, b) for a, b in pairs] == [True, None, False]
    assert [inside(Mean(x, 0.1), 1, 2) for x in (1.5, 1.1, 0.9, 0.7, 1.9, 2.3)] == [
        True,
        None,
        None,
        False,
        None,
        False,
    ]
    assert [inside(Mean(x, 0.0), 1, 2) for x in (0.9, 1, 2, 2.1)] == [False, True, True, False]
    assert inside(Mean(math.nan, 0.1), 1, 2) is inside(Mean(1.5, math.nan), 1, 2) is None
    assert ratio(Mean(1, 0.1), Mean(0, 0)) == (math.inf, math.inf)
    assert ratio(Mean(0, 0.1), Mean(2, 0.1)) == (0, 0.05)


def test_error_propagation():
    """20,000 repetitions detect errors of 5 % in a standard error."""
    rng = np.random.default_rng(1)
    a, b = rng.normal(8, 0.3, 20_000), rng.normal(5, 0.2, 20_000)
    first, second = Mean(8, 0.3), Mean(5, 0.2)
    assert ratio(first, second).sem == pytest.approx((a / b).std(), rel=0.03)
    assert difference(first, second).sem == pytest.approx((a - b).std(), rel=0.03)
    hits = rng.binomial(400, 0.3, 20_000)
    assert share(120, 400).sem == pytest.approx((hits / 400).std(), rel=0.03)


def test_share_intervals():
    """At least 19 of 20 intervals contain the share; plain standard errors, 0 for 40 of 40, would not do."""
    rng = np.random.default_rng(2)
    for p in (0.5, 0.9, 0.99):
        low, high = np.transpose([share(hits, 40).ends for hits in rng.binomial(40, p, 4000)])
        assert np.mean((low <= p) & (p <= high)) > 0.93


GROUPS = groups("fig", ("a", "b"), ("c", "d"), within=1.25)
AXIS = on_the_axis("fig", 50, "a", "b")
NEAR = near("fig", "a", "b", "top", 0.1)
BEFORE = ordered("fig", "a", "b", share=0.1)
HALFWAY = approaches("fig", "a", "b", "goal")
MEASURES = {
    "lower than the best of several": (lower("fig", "a", "b", "c"), {"a": 2.5, "b": 2, "c": 3}, False),
    "lower, within the noise": (lower("fig", "a", "b"), {"a": 1, "b": 1.2}, None),
    "lower by a factor": (lower("fig", "a", "b", factor=0.1), {"a": 9, "b": 100}, True),
    "not lower by that factor": (lower("fig", "a", "b", factor=0.1), {"a": 11, "b": 100}, False),
    "not ordered": (ordered("fig", "a", "b", "c"), {"a": 1, "b": 4, "c": 3}, False),
    "as read": (as_read("fig", "a", {0.1: 40, 1.0: 95}, 1.1), {"a": {"mean": 100, "before": 41}}, True),
    "not as read": (as_read("fig", "a", {0.1: 30, 1.0: 95}, 1.1), {"a": {"mean": 100, "before": 41}}, False),
    "close": (close("fig", "a", "b", 1.5), {"a": 10, "b": 14}, True),
    "far above": (close("fig", "a", "b", 1.5), {"a": 16, "b": 10}, False),
    "far below": (close("fig", "a", "b", 1.5), {"a": 10, "b": 16}, False),
    "near on the axis": (NEAR, {"a": 30, "b": 10, "top": 250}, True),
    "near from below": (NEAR, {"a": 10, "b": 30, "top": 250}, True),
    "near or not": (NEAR, {"a": 30, "b": 10, "top": 201}, None),
    "far apart on the axis": (NEAR, {"a": 30, "b": 10, "top": 150}, False),
    "approached": (HALFWAY, {"a": 30, "b": 14, "goal": 10}, True),
    "not approached": (HALFWAY, {"a": 30, "b": 24, "goal": 10}, False),
    "approached by half": (HALFWAY, {"a": 30, "b": 20.1, "goal": 10}, None),
    "overtaken": (HALFWAY, {"a": 30, "b": 5, "goal": 10}, True),
    "slopes": (slope("fig", "a", "b", 2), {"a": 10, "b": {"mean": 50, "before": 41}}, True),
    "slopes apart": (slope("fig", "a", "b", 2), {"a": 10, "b": {"mean": 50, "before": 48}}, False),
    "linear": (linear("fig", "a"), {"a": {"mean": 100, "before": 11}}, True),
    "not linear": (linear("fig", "a"), {"a": {"mean": 100, "before": 30}}, False),
    "ordered before": (BEFORE, {"a": {"mean": 9, "before": 1}, "b": {"mean": 3, "before": 2}}, True),
    "ordered only later": (BEFORE, {"a": {"mean": 3, "before": 2}, "b": {"mean": 9, "before": 1}}, False),
    "groups": (GROUPS, {"a": 20, "b": 18, "c": 10, "d": 11}, True),
    "groups, one out of its own": (GROUPS, {"a": 20, "b": 14, "c": 10, "d": 11}, False),
    "groups in the wrong order": (GROUPS, {"a": 10, "b": 11, "c": 20, "d": 18}, False),
    "groups that overlap": (GROUPS, {"a": 12, "b": 11, "c": 11.1, "d": 10}, None),
    "on the axis": (AXIS, {"a": 20, "b": 49}, True),
    "beyond the axis": (AXIS, {"a": 20, "b": 51}, False),
    "on the axis but for a while": (AXIS, {"a": 20, "b": {"mean": 40, "before": 60}}, False),
}  # fmt: skip


@pytest.mark.parametrize(
    ("large", "bounds", "agrees"),
    [(15, {"high": 1.25}, True), (40, {"high": 1.25}, False), (40, {"low": 1.5}, True), (17.7, {"high": 1.25}, None)],
)
def test_grows(tmp_path, large, bounds, agrees):
    cells = {("ten", "a"): {"mean": 1, "sem": 0.01}, ("hundred", "a"): {"mean": large, "sem": 0.2}}
    write(tmp_path, "fig", cells, datasets=("ten", "hundred"))
    assert grows("fig", "a", {"ten": 10, "hundred": 100}, **bounds)(Library(tmp_path)).agrees is agrees


FOUR = {"W": "fig-w", "X": "fig-x", "Y": "fig-y", "Z": "fig-z"}
REAL, SYNTHETIC = {"W": "fig-w", "X": "fig-x"}, {"Y": "fig-y", "Z": "fig-z"}


def four_figures(root, own, base):
    """Results of four figures with the means of ``a`` and ``b``, each ± 0.1."""
    for name, *means in zip(FOUR.values(), own, base, strict=True):
        write(root, name, {("d", label): {"mean": mean} for label, mean in zip("ab", means, strict=True)})
    return Library(root)


@pytest.mark.parametrize(
    ("own", "base", "agrees"),
    [
        ((1, 2, 3, 40), (10, 20, 30, 4), True),
        ((1, 2, 3, 4), (10, 20, 30, 40), False),  # on all
        ((1, 2, 30, 40), (10, 20, 3, 4), False),
        ((1, 2, 3, 40), (10, 20, 30, 40), None),  # the last may be the fourth
        ((1, 2, 30, 40), (10, 20, 30, 4), None),  # the third may be the third
        ((1, 20, 30, 40), (10, 20, 3, 4), False),  # at most two
    ],
)
def test_lower_on(tmp_path, own, base, agrees):
    assert lower_on(3, "a", "b", FOUR)(four_figures(tmp_path, own, base)).agrees is agrees


@pytest.mark.parametrize(
    ("own", "agrees"),
    [((10, 20, 60, 70), True), ((10, 65, 60, 70), False), ((10, 20, 15, 70), False), ((10, 60, 60, 70), None)],
)
def test_degrades(tmp_path, own, agrees):
    assert degrades("a", "b", REAL, SYNTHETIC)(four_figures(tmp_path, own, (100, 100, 100, 100))).agrees is agrees


def duels_as_stated(stated, within=1.1, **more):
    return as_many("fig", "a", "{}", {"d": stated}, within=within, **more)


ALWAYS = always_right("fig", "a", datasets=("d",), at_most=0.06)
WRONG = wrong_as_often("fig", "a", "{}", {"d": 0.4}, runs=1000, within=0.2)


NAMED = [
    named_as_often("fig", {"K": stated}, {"K": ("a", HORIZON // 10)}, runs=1000, within=0.15)
    for stated in (0.7, 0.4, 0.6)
]
COUNTS = [
    *((measure, recommended(1, right=0.7), agrees) for measure, agrees in zip(NAMED, (True, False, None), strict=True)),
    (equal_counts("fig", "a", {"d": Mean(100, 3)}), recommended(114, error=4), True),  # 2.8 standard errors
    (equal_counts("fig", "a", {"d": Mean(100, 3)}), recommended(85, error=4), True),
    (equal_counts("fig", "a", {"d": Mean(100, 3)}), recommended(116, error=4), False),
    (equal_counts("fig", "a", {"d": Mean(100, 3)}), recommended(84, error=4), False),
    (equal_counts("fig", "a", {"d": Mean(100, 3)}), recommended(100, error=3, declared=0.9), False),
    (duels_as_stated(Mean(100, 1)), recommended(104), True),
    (duels_as_stated(Mean(100, 1)), recommended(115), False),
    (duels_as_stated(Mean(100, 1)), recommended(109), None),
    (duels_as_stated(Mean(100, 10)), recommended(104), None),  # their error is too large
    (duels_as_stated(Mean(100, 1)), recommended(104, error=9), None),  # our error is too large
    (duels_as_stated(Mean(100, 1)), recommended(80), False),
    (duels_as_stated(Mean(7, 0.1)), recommended(100), False),
    (duels_as_stated(Mean(7, 0.1), counted="votes"), recommended(100, error=0.1), True),
    (duels_as_stated(Mean(100, 1)), recommended(100, declared=0.5), False),  # the others count with the horizon
    (duels_as_stated(Mean(HORIZON, 1)), recommended(float("nan"), declared=0.0), True),
    (ALWAYS, recommended(1), True),
    (ALWAYS, recommended(1, right=0.8), False),
    (ALWAYS, recommended(1, right=0.97), None),
    (ALWAYS, recommended(1, declared=0.5), False),
    (WRONG, recommended(1, right=0.6), True),
    (WRONG, recommended(1, right=0.99), False),
    (WRONG, recommended(1, right=0.45), None),
    (WRONG, recommended(1, right=0.6, declared=0.9), True),  # of the runs that declared
]


def test_counts_not_run(tmp_path):
    measure = named_as_often("fig", {"K": 0.5}, {"K": ("a", 17)}, runs=10, within=0.1)
    with pytest.raises(NotRunError):
        finding(tmp_path, measure, a=recommended(1))


VOTES = HORIZON // 10


@pytest.mark.parametrize(
    ("measure", "agrees"),
    [
        (equal_distances("fig", {"a": Mean(0.05, 0.003), "b": Mean(0.08, 0.003)}, VOTES), True),
        (equal_distances("fig", {"a": Mean(0.05, 0.003), "b": Mean(0.10, 0.003)}, VOTES), False),
        (equal_shares("fig", {"a": 0.62, "b": 0.3}, VOTES, 100), True),
        (equal_shares("fig", {"a": 0.9, "b": 0.3}, VOTES, 100), False),
        (nearer("fig", "a", "b", votes=VOTES, dataset="d"), True),
        (nearer("fig", "b", "a", votes=VOTES, dataset="d"), False),
    ],
)
def test_orders(tmp_path, measure, agrees):
    cells = {("d", "a"): ordered_cell(0.055, 0.5), ("d", "b"): ordered_cell(0.085, 0.3)}
    write(tmp_path, "fig", cells, recommend="btl", find="ranking")
    assert measure(Library(tmp_path)).agrees is agrees


D = ("d",)
SOONER = sooner("fig", "a", "b", datasets=D)
AS_SOON = as_soon("fig", "a", "b", 1.2, datasets=D)
RIGHT = less_often_wrong("fig", "a", "b", datasets=D)
NOTHING = explored(float("nan"), float("nan"), declared=0.0)
EXPLORATIONS = {
    "sooner": (SOONER, explored(10), explored(20), True),
    "later": (SOONER, explored(20), explored(10), False),
    "as soon": (AS_SOON, explored(110), explored(100), True),
    "too late": (AS_SOON, explored(125), explored(100), False),
    "too soon": (AS_SOON, explored(80), explored(100), False),
    "right": (RIGHT, explored(9), explored(9, 0.8), True),
    "wrong": (RIGHT, explored(9, 0.6), explored(9, 0.8), False),
    "within the noise": (RIGHT, explored(9, 0.8), explored(9, 0.75), None),
}


def test_undeclared_duels(tmp_path):
    write(tmp_path, "fig", {("d", "a"): explored(10, declared=0.25), ("d", "b"): NOTHING})
    assert duels(Library(tmp_path), "fig", "a", "d") == 0.25 * 10 + 0.75 * HORIZON
    assert duels(Library(tmp_path), "fig", "b", "d") == HORIZON
    assert not_right(Library(tmp_path), "fig", "b", D).value == 102 / 104


STD, HALF_STD = std_share("fig", "a", "b", 20, 2000, 1.25, "d"), at_most_std("fig", "a", "b", 0.5, "d")


def cell(std, mean=1, runs=5000, kurtosis=3.0):
    return {"mean": mean, "std": std, "runs": runs, "kurtosis": kurtosis}


SPREADS = {
    "std": (STD, cell(2.1), True),
    "std too large": (STD, cell(2.8), False),
    "std too small": (STD, cell(1.4), False),
    "std of few runs": (STD, cell(2.1, runs=40), None),
    "std of a heavy tail": (STD, cell(2.1, kurtosis=200), None),
    "of nobody knows how many": (STD, cell(2.1, kurtosis=float("nan")), None),
    "smaller std": (HALF_STD, cell(0.3), True),
    "std not smaller": (HALF_STD, cell(0.7), False),
    "smaller std or not": (HALF_STD, cell(0.49, runs=100), None),
}


TABLES = [
    *MEASURES.values(),
    *((measure, {"a": own}, agrees) for measure, own, agrees in COUNTS),
    *((measure, {"a": a, "b": b}, agrees) for measure, a, b, agrees in EXPLORATIONS.values()),
    *((measure, {"a": own, "b": cell(1, mean=10)}, agrees) for measure, own, agrees in SPREADS.values()),
]


@pytest.mark.parametrize(("measure", "given", "agrees"), TABLES)
def test_measures(tmp_path, measure, given, agrees):
    assert finding(tmp_path, measure, **given).agrees is agrees


@pytest.mark.parametrize("same", [True, False])
def test_spread_errors(same):
    """Gamma variables with κ = 3 + 6 / 0.5; 2000 experiments of 1000 runs. Rules for normal variables give half."""
    rng = np.random.default_rng(3)
    samples = rng.gamma(0.5, size=(2000, 1000))
    others = samples if same else rng.gamma(2.0, size=(2000, 1000))
    varies = samples.std(axis=1) / others.mean(axis=1)
    own = Moments(0.5, np.sqrt(0.5), 2 / np.sqrt(0.5), 3 + 6 / 0.5, 1000)
    base = own if same else Moments(2.0, np.sqrt(2.0), 2 / np.sqrt(2.0), 3 + 6 / 2.0, 1000)
    error = relative_error(own, base, 1000)
    assert error == pytest.approx(varies.std() / varies.mean(), rel=0.05)
    assert own.spread.sem == pytest.approx(samples.std(axis=1).std(), rel=0.05)


def test_report(tmp_path):
    write(tmp_path, "fig", {("d", "a"): {"mean": 1}, ("d", "b"): {"mean": 2}})
    (tmp_path / "fig/regret.png").write_bytes(b"")
    statements = (
        Statement("a is better", lower("fig", "a", "b"), "Never shown."),
        Statement("b is better", lower("fig", "b", "a"), "Because it is not."),
        Statement("c is better", lower("fig", "c", "a")),
    )
    page, verdicts = report(tmp_path, [Paper("A paper.", (Figure("fig", "Fig. 1", statements),), "How we read it.")])
    assert verdicts == {"yes": 1, "**no**": 1, "not run": 1}
    assert "| a is better | a 1.00 ± 0.100; b 2.00 ± 0.100 | yes |" in page
    assert "| b is better | b 2.00 ± 0.100; a 1.00 ± 0.100 | **no** |" in page
    assert "| c is better |  | not run |" in page
    assert "## A paper.\n\nHow we read it.\n\n### Fig. 1" in page
    assert (
        "## What does not agree\n\n* A paper, [Fig. 1](#fig-1-fig): “b is better”: b 2.00 ± 0.100; a 1.00 ± 0.100. "
        "Because it is not.\n\n## A paper."
    ) in page
    assert "Never shown." not in page
    assert "100 runs, T = 1,000; 2 core-seconds." in page
    assert "![fig](fig/regret.png)" in page


def test_report_of_damaged_results(tmp_path):
    """What cannot be read is named; the other figures are reported."""
    for name in ("fig", "bad"):
        write(tmp_path, name, {("d", "a"): {"mean": 1}, ("d", "b"): {"mean": 2, "runs": 7}})
    (tmp_path / "bad/manifest.json").write_text("{")
    figures = [Figure(name, name, (Statement("a is better", lower(name, "a", "b")),) * 2) for name in ("fig", "bad")]
    faults = set()
    page, verdicts = report(tmp_path, [Paper("A paper.", tuple(figures))], faults)
    assert verdicts == {"yes": 2, "not read": 2}
    assert "0 not run, 2 not read." in page
    assert "7 to 100 runs, T = 1,000" in page
    (fault,) = faults
    assert fault.startswith(f"{tmp_path}/bad/manifest.json")


def test_report_without_results(tmp_path):
    _, verdicts = report(tmp_path)
    assert set(verdicts) == {"not run"}
    assert verdicts.total() > 60


NAMES = [figure.name for paper in PAPERS for figure in paper.figures if figure.name.startswith("fig-")]


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """A directory for every figure, with made-up results of only this figure; ``all`` has all of them."""
    root = tmp_path_factory.mktemp("figures")
    for name in NAMES:
        write_figure(root / "all", name)
        (root / name).mkdir()
        (root / name / name).symlink_to(root / "all" / name)
    return root


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.citation.split(",")[0])
def test_statements_fit_their_specs(alone, paper):
    for figure in paper.figures:
        if figure.name in ("", *NAMES):
            for statement in figure.statements:
                measured, agrees = statement.measure(Library(alone / (figure.name or "all")))
                assert measured
                assert agrees in (True, False, None)


COLUMNS = ["mean", "std", "sem", "declared", "duels_to_declaration", "right"]
ODDEST = ["0", "-1", "", "inf"]
ODD = [*ODDEST, "nan", "1e-300", "1e15", "-1e15", "0.5", "2"]
EACH = [pytest.param([column], k % 3, ODD, marks=pytest.mark.slow) for k, column in enumerate(COLUMNS)]


@pytest.mark.parametrize(("columns", "which", "numbers"), [(COLUMNS, 2, ODDEST), *EACH])
def test_odd_numbers(alone, tmp_path, columns, which, numbers):
    """Odd numbers of the first algorithm, of the second, or of all, beside sound ones."""
    for paper in PAPERS:
        for figure in [each for each in paper.figures if each.name in NAMES]:
            place = tmp_path / figure.name
            shutil.copytree(alone / figure.name / figure.name, place)
            first, *rows = [line.split(",") for line in (place / "summary.csv").read_text().splitlines()]
            for odd in numbers:
                edited = [list(row) for row in rows]
                for index, row in enumerate(edited):
                    if which == 2 or index // 2 % 2 == which:  # two rows of each algorithm
                        for column in columns:
                            row[first.index(column)] = odd
                (place / "summary.csv").write_text("\n".join(map(",".join, [first, *edited])) + "\n")
                with suppress(UserError):
                    page, _ = report(tmp_path, [Paper("", (figure,))])
                    assert page
            shutil.rmtree(place)
