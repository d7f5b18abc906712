"""Which columns are taken, from the headers of published files and of one's own."""

import pytest

from duelbench.errors import UserError
from duelbench.sources.votes.columns import Columns
from duelbench.sources.votes.layouts import Counts, Flags, Ranks, WinnerLoser, Winners

ARENA = "id model_a model_b prompt response_a response_b winner_model_a winner_model_b winner_tie"
CONVERSATIONS = "question_id model_a model_b winner judge conversation_a conversation_b turn anony language tstamp"
WMT = "srclang trglang srcIndex segmentId judgeID system1Id system1rank system2Id system2rank rankingID"


@pytest.mark.parametrize(
    ("header", "layout"),
    [
        (ARENA, Flags("model_a", "model_b", "winner_model_a", "winner_model_b", "winner_tie")),
        (CONVERSATIONS, Winners("model_a", "model_b", "winner", None)),
        (
            "model_a_name model_b_name chosen_model_name both_equal",
            Winners("model_a_name", "model_b_name", "chosen_model_name", "both_equal"),
        ),
        (WMT, Ranks((("system1Id", "system1rank"), ("system2Id", "system2rank")))),
        ("Event White Black Result", Winners("White", "Black", "Result", None)),
        ("tourney_id winner_id winner_name loser_id loser_name", WinnerLoser("winner_name", "loser_name")),
        ("Date Winner Loser", WinnerLoser("Winner", "Loser")),
        ("Div HomeTeam AwayTeam FTHG FTAG FTR", Winners("HomeTeam", "AwayTeam", "FTR", None)),
        ("left right choice", Winners("left", "right", "choice", None)),
        ("generator_1 generator_2 preference", Winners("generator_1", "generator_2", "preference", None)),
        ("first second wins_first wins_second ties", Counts("first", "second", "wins_first", "wins_second", "ties")),
        ("home.team away.team home.wins away.wins", Counts("home.team", "away.team", "home.wins", "away.wins", None)),
        ("player1 player2 win1 win2", Counts("player1", "player2", "win1", "win2", None)),
    ],
)
def test_usual_headers(header, layout):
    assert Columns().layout(header.split()) == layout


def test_columns_that_are_named_come_before_guesses():
    header = CONVERSATIONS.split()
    assert Columns(winner="judge").layout(header) == Winners("model_a", "model_b", "judge", None)
    assert Columns("turn", "anony", "winner").layout(header) == Winners("turn", "anony", "winner", None)
    assert Columns(winner="model_a", loser="model_b").layout(header) == WinnerLoser("model_a", "model_b")


def test_who_judged_is_guessed_or_named():
    assert Columns().judge_in(CONVERSATIONS.split()) == "judge"
    assert Columns(judge="language").judge_in(CONVERSATIONS.split()) == "language"
    assert Columns().judge_in(["a", "b"]) is None


@pytest.mark.parametrize(
    ("columns", "header", "says"),
    [
        (Columns(), "x y z", "which columns hold the two arms and the outcome"),
        (
            Columns(),
            "model_a model_b text",
            "which columns hold the outcome of model_a against model_b: name them by --winner",
        ),
        (Columns(first="x"), "x y z", "name both columns"),
        (Columns("x", "y"), "x y z", "name them by --winner; the columns are 'x', 'y', 'z'"),
        (Columns(winner="wnner"), "model_a model_b winner", "no column 'wnner' (did you mean 'winner'?)"),
        (Columns(loser="loser"), "winner loser", "name the columns of winner and loser"),
        (Columns(weight="w"), "model_a model_b winner", "no column 'w'"),
        (Columns(winner="winner"), "model_a model_b winner winner", "several columns are called 'winner'"),
        (Columns(), "model_a model_b winner winner", "several columns are called 'winner'"),
    ],
)
def test_what_is_not_there_or_not_clear(columns, header, says):
    with pytest.raises(UserError) as caught:
        columns.layout(header.split())
    assert says in caught.value.message
