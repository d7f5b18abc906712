"""The page of published statements: it follows from the kept results, and wrong numbers change it."""

import math

import pytest

from duelbench.results.results import Results
from duelbench.spec.yaml_file import read
from results.reproduction.estimates import Mean, below, inside, ratio
from results.reproduction.report import MEASURES, NO, NOT_RUN, PAPERS, UNDECIDED, YES, report
from tests.comparison import ROOT
from tests.experiments import resolved, write_results
from tests.pages import text_of
from tests.tabled import PLAIN

HORIZON = 1000
NUMBERS = {"as_read", "within_factor", "within_errors", "within_points", "std_in_percent", "table_value"}
"""The measures that compare with numbers; the others compare algorithms."""


def test_kept_page():
    text, verdicts = report(ROOT / "results")
    assert text == text_of("results/REPRODUCTION.md")
    assert verdicts[NOT_RUN] == 0


def kept(named):
    """The kept results that a figure names, of one experiment or of several by title."""
    if isinstance(named, str):
        return Results(ROOT / "results" / named)
    return {title: Results(ROOT / "results" / name) for title, name in named.items()}


@pytest.fixture(scope="module")
def agreeing():
    """(measure, results, arguments) of all statements with which the kept results agree."""
    found = []
    for path in PAPERS:
        for figure in read(path).data["figures"]:
            results = kept(figure["results"])
            for statement in figure["statements"]:
                ((name, arguments),) = [each for each in statement.items() if each[0] in MEASURES]
                if MEASURES[name](results, **arguments)[1]:
                    found.append((name, results, arguments))
    return found


def replaced(stated):
    """Yield the stated numbers with one of them changed: doubled or, for a share, moved by a half modulo 1."""
    if not isinstance(stated, dict):
        yield 2 * stated
        return
    for key, number in stated.items():
        if isinstance(number, list):
            yield stated | {key: [2 * number[0], number[1]]}
        else:
            yield stated | {key: (number + 0.5) % 1 if number < 1 else 2 * number}


def test_every_number_counts(agreeing):
    """A single wrong number in a statement ends its agreement."""
    tried = set()
    for name, results, arguments in agreeing:
        for wrong in replaced(arguments["stated"]) if "stated" in arguments else ():
            assert MEASURES[name](results, **arguments | {"stated": wrong})[1] is not True, (name, arguments, wrong)
            tried.add(name)
    assert tried == NUMBERS


# Verdicts


def test_verdicts():
    pairs = [(Mean(1, 0.3), Mean(2, 0.3)), (Mean(1, 0.4), Mean(2, 0.4)), (Mean(2, 0.3), Mean(1, 0.3))]
    assert [below(a, b) for a, b in pairs] == [True, None, False]
    places = [inside(Mean(x, 0.1), 1, 2) for x in (1.5, 1.1, 0.9, 0.7, 1.9, 2.3)]
    assert places == [True, None, None, False, None, False]
    assert [inside(Mean(x, 0.0), 1, 2) for x in (0.9, 1, 2, 2.1)] == [False, True, True, False]
    assert inside(Mean(math.nan, 0.1), 1, 2) is inside(Mean(1.5, math.nan), 1, 2) is None
    assert below(Mean(1, math.nan), Mean(2, 0.1)) is inside(ratio(Mean(1, 0.1), Mean(0, 0)), 0, 9) is None
    assert ratio(Mean(0, 0.1), Mean(2, 0.1)) == (0, 0.05)


# Made-up results


def made(place, cells):
    """Results with these numbers of algorithms at the horizon."""
    rows = [
        (("d", label, "copeland", HORIZON), PLAIN | {"mean": 1, "std": 1, "sem": 0.1} | cell)
        for label, cell in cells.items()
    ]
    seconds = {"d": {"a": {"runs": 1, "median": 1.5, "total": 1.5}}}
    return Results(write_results(place, resolved(["d"], cells, runs=100), rows, seconds))


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
    four = {
        title: made(tmp_path / title, {"a": {"mean": a}, "b": {"mean": b}})
        for title, a, b in zip("WXYZ", own, base, strict=True)
    }
    assert MEASURES["lower_on"](four, "a", "b", count=3)[1] is agrees


PAPER = """\
paper: A paper. A title
note: How we read it.
figures:
  - title: Fig. 1
    results: fig
    shown: true
    statements:
      - text: a is better
        lower: {algorithm: a, than: [b]}
        otherwise: Never shown.
      - text: b is better
        lower: {algorithm: b, than: [a]}
        otherwise: [Because it is not., And never was.]
      - text: a is about as good as b
        close: {algorithm: a, to: b, within: 2.1}
        otherwise: More runs decide.
      - text: c is better
        lower: {algorithm: c, than: [a]}
"""


@pytest.fixture
def root(tmp_path):
    """A paper, and results of its figure."""
    (tmp_path / "paper.yaml").write_text(PAPER)
    made(tmp_path / "fig", {"a": {"mean": 1}, "b": {"mean": 2, "runs": 7}})
    (tmp_path / "fig/regret.png").write_bytes(b"")
    return tmp_path


def test_page(root):
    page, verdicts = report(root, [root / "paper.yaml"])
    assert verdicts == {YES: 1, NO: 1, UNDECIDED: 1, NOT_RUN: 1}
    assert "| a is better | a 1.00 ± 0.100; b 2.00 ± 0.100 | yes |" in page
    assert "| b is better | b 2.00 ± 0.100; a 1.00 ± 0.100 | **no** |" in page
    assert "| c is better | fig has no 'c' on 'd' | not run |" in page
    assert "## A paper. A title\n\nHow we read it.\n\n### Fig. 1 (`fig`)\n\n7 to 100 runs, T = 1,000; 2 core" in page
    assert (
        "## What does not agree\n\n* A paper, [Fig. 1](#fig-1-fig): “b is better”: b 2.00 ± 0.100; a 1.00 ± 0.100. "
        "Because it is not. And never was.\n\n## A paper."
    ) in page
    assert "\nMore runs decide.\n\n![fig](fig/regret.png)" in page
    assert "Never shown." not in page
