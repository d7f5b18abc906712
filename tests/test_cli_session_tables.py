"""Lines that fit a terminal, whatever the names and however many arms."""

import re
from dataclasses import replace

import numpy as np
import pytest

from duelbench.cli.session_tables import (
    ROWS,
    agreement_lines,
    judge_lines,
    percent,
    standing_lines,
    verdict_lines,
)
from duelbench.cli.terminal import cells, shortened
from duelbench.sessions.agreement import Agreement, Judge, Share, Striking
from duelbench.sessions.standings import Deciding, Estimate, Standing, Standings


def made(names, recommended=None, deciding=()):
    K = len(names)
    rows = [
        Standing(
            k, name, 1200, 700, 400, 100, None if k else Estimate(0.625, 0.6, 0.65), Estimate(K - 1 - k, 0, K - 1),
            Estimate(0.5, 0.4, 0.6), Estimate(0.3, 0.1, 0.5), (0.7, 0.05, 0.0)[min(k, 2)],
        )
        for k, name in enumerate(names)
    ]  # fmt: skip
    leader = recommended or 0
    return Standings(
        tuple(names), "copeland", 5000, 300, tuple(rows), recommended, leader, rows[leader].chance, 0.007, 4000,
        tuple(deciding), 3,
    )  # fmt: skip


NAMES = {
    "short": [f"m{k}" for k in range(12)],
    "long": [f"{'n' * 57}{k:03d}" for k in range(12)],
    "wide": [f"提示词模型很长的名字真的很长很长{k}" for k in range(12)],
    "steering": ["\x1b[31mred", "line\nline", "\u202eback"],
    "two": ["a", "b"],
}


@pytest.mark.parametrize("width", [60, 80, 100, 160])
@pytest.mark.parametrize("names", NAMES)
def test_lines_fit(names, width):
    pairs = [Deciding(1, 0, 0.6, 0.05, 0.9, 3, 2, 1)]
    found = made(NAMES[names], recommended=1, deciding=pairs)
    lines = [*standing_lines(found, width), *verdict_lines(found, 0.95, width)]
    assert max(map(cells, lines)) <= width
    assert all(line.isprintable() for line in lines)


def test_what_stands_in_the_table():
    lines = list(standing_lines(made(NAMES["short"], recommended=1), 100))
    assert lines[0].split() == ["arm", "best", "preferred", "to", "beats", "votes", "won", "strength"]
    first, second, third = (" ".join(line.split()) for line in lines[1:4])
    assert first == "1 m0 70 % 50 % (40–60) 11.0 (0–11) 1,200 62 % (60–65) +0.30 ± 0.20"
    assert second == "2* m1 5.0 % 50 % (40–60) 10.0 (0–11) 1,200 — +0.30 ± 0.20"
    assert third.split(" ", 2)[2].startswith("< 0.1 % ")


def test_columns_leave_before_names_do():
    heads = [next(standing_lines(made(NAMES["long"]), width)).split()[1:] for width in (60, 80, 100, 160)]
    assert [len(head) for head in heads] == [3, 5, 6, 7]


def test_of_many_arms_the_first_are_shown_and_the_recommended():
    names = [f"arm {k}" for k in range(500)]
    lines = list(standing_lines(made(names, recommended=321), 80))
    rows = [line for line in lines if re.match(r" *\d+[ *] arm ", line)]
    assert [int(row[:4]) for row in rows] == [*range(1, ROWS + 1), 322]
    assert f"… and {500 - ROWS - 1} more arms: --json has all" in "\n".join(lines)


@pytest.mark.parametrize(("until", "said"), [(0.69, "is reached: you may stop"), (0.95, "not reached: go on")])
def test_whether_to_stop(until, said):
    text = " ".join(verdict_lines(made(["a", "b"]), until, 80))
    assert f"{until} that you ask for" in text and said in text
    assert "a leads, and beats most others with probability 70 % (± 0.7 %, from 4,000 draws)" in text


def test_without_votes_nobody_leads():
    assert list(verdict_lines(replace(made(["a", "b"]), votes=0), 0.95, 80)) == [
        "There are no votes yet, and so no arm is recommended."
    ]


def test_an_arm_that_is_more_probably_best_than_the_recommended_one_is_named():
    said = " ".join(verdict_lines(made(["a", "b"], recommended=1), None, 200))
    assert "b is recommended, and beats most others with probability 5.0 %" in said
    assert "a is more probably best (70 %)" in said
    assert "more probably" not in " ".join(verdict_lines(made(["a", "b"], recommended=0), None, 200))


def test_what_all_draws_say_has_no_error():
    assert "> 99.9 % (from 4,000 draws)" in " ".join(verdict_lines(replace(made(["a"]), chance=1.0, error=0), None, 80))


def test_the_pairs_that_decide():
    pairs = [Deciding(1, 0, 0.6, 0.0, 0.95, 3, 2, 1), Deciding(0, 2, 0.5, 0.2, 0.1, 0, 0, 0)]
    lines = list(verdict_lines(made(["a", "b", "c"], recommended=0, deciding=pairs), None, 100))
    assert lines[2:] == [
        "What decides whether a is best:",
        "  b beats a with 60 % (3 to 2 and 1 tie so far): if so 0 %, else 95.0 %",
        "  a beats c with 50 % (no vote yet): if so 20 %, else 10 %",
    ]


ANN = Judge("ann", 40, Share(0.1, 40, 0.04, 0.23), Share(0.5, 36, 0.34, 0.66), None)
FOUND = Agreement(21, 400, 0.62, (0.55, 0.7), 0.25, (0.1, 0.4), (ANN, replace(ANN, name="b" * 60)), (), 6)


@pytest.mark.parametrize("width", [60, 80, 160])
def test_lines_on_judges_fit(width):
    striking = [Striking(ANN.name, what, 0.8, 0.5, 36, 0.01) for what in ("first", "ties", "agreement")]
    found = replace(FOUND, striking=tuple(striking))
    lines = [*agreement_lines(found, width), *judge_lines(found, width)]
    assert max(map(cells, lines)) <= width


def test_what_is_said_of_judges():
    text = " ".join(agreement_lines(FOUND, 80))
    assert text.startswith(
        "On 21 pairs that several have judged, 62 % (55–70) of votes are like another judge's; Krippendorff's alpha is "
        "0.25 (0.10 to 0.40)"
    )
    assert "look at these votes" not in text
    few = replace(FOUND, equal_interval=None, alpha=None, alpha_interval=None)
    assert "62 % of votes are like another judge's (1: always" in " ".join(agreement_lines(few, 80))
    assert "whether they agree is open" in " ".join(agreement_lines(replace(few, equal=None), 80))
    assert not list(agreement_lines(replace(few, equal=None, judges=(ANN,)), 80))
    head, ann, other, *_ = judge_lines(FOUND, 80)
    assert head.split() == ["judge", "votes", "ties", "first", "shown", "with", "the", "others"]
    assert ann.split() == ["ann", "40", "10", "%", "(4–23)", "50", "%", "(34–66)", "—"]
    assert "bbb…bbb" in other


@pytest.mark.parametrize(
    ("striking", "said"),
    [
        (Striking("ann", "first", 0.8, 0.5, 36, 0.01), "ann prefers what is shown first: 80 % of 36 votes"),
        (Striking("ann", "first", 0.2, 0.5, 36, 0.01), "ann prefers what is shown second: 80 % of 36 votes"),
        (Striking("ann", "ties", 0.3, 0.1, 40, 0.0), "more ties than all do on the same pairs: 30 % instead of 10 %"),
        (Striking("ann", "agreement", 0.3, 0.6, 40, 0.01), "less often with the majority than all are on the same"),
    ],
)
def test_who_stands_out(striking, said):
    text = " ".join(agreement_lines(replace(FOUND, striking=(striking,)), 80))
    assert said in text and "corrected for 6 tests" in text
    assert ("look at these votes" in text) == (striking.what != "first")


@pytest.mark.parametrize(
    ("p", "draws", "said"),
    [
        (0, 0, "0 %"),
        (0, 3000, "< 0.1 %"),
        (1, 400, "> 99.2 %"),
        (0.034, 0, "3.4 %"),
        (0.9998, 4000, "> 99.9 %"),
        (2e-4, 4000, "< 0.1 %"),
        (0.001, 0, "0.1 %"),
        (0.5, 9, "50 %"),
        (0.95, 0, "95.0 %"),
    ],
)
def test_probabilities_in_per_cent(p, draws, said):
    assert percent(p, draws) == said


def test_names_lose_their_middle():
    assert shortened("abcdefghij", 7) == "abc…hij"
    assert shortened("abcdefghij", 10) == "abcdefghij"
    assert cells(shortened("提示词模型很长的名字", 9)) <= 9
    assert np.all([cells(shortened("x" * 60, width)) == width for width in range(3, 60)])
