"""What outcomes mean, row by row and from all rows of a file."""

import pytest

from duelbench.errors import UserError
from duelbench.sources.votes.outcomes import vocabulary
from duelbench.sources.votes.tally import Refusal


def meanings(*cases, first="model_a", second="model_b"):
    """Return the outcome of each (first, second, text), None where it is refused."""
    words = vocabulary([(*case, 1) for case in cases], first, second, "winner")
    found = []
    for case in cases:
        try:
            found.append(words.outcome(*case))
        except Refusal:
            found.append(None)
    return found, words


def pairs(*texts):
    return [("gpt", "llama", text) for text in texts]


@pytest.mark.parametrize(
    ("texts", "outcomes"),
    [
        (["model_a", "model_b", "tie", "tie (bothbad)", "tie (both bad)", "tie (inconsistent)"], [1, -1, 0, 0, 0, 0]),
        (["gpt", "llama", " gpt ", "Tie"], [1, -1, 1, 0]),
        (["A", "b", "[[A]]", "[[B]]", "[[C]]", "A>>B", "B>A", "A=B"], [1, -1, 1, -1, 0, 1, -1, 0]),
        (["left", "RIGHT", "both", "neither"], [1, -1, 0, 0]),
        (["1-0", "0-1", "1/2-1/2", "½-½", "*"], [1, -1, 0, 0, None]),
        (["white", "black", "draw"], [1, -1, 0]),
        (["H", "D", "A"], [1, 0, -1]),
        (["1", "0", "0.5"], [1, -1, 0]),
        (["1", "0", "0,5"], [1, -1, 0]),
        (["1.0", "0.0", "7"], [1, -1, None]),
        (["1", "-1", "0"], [1, -1, 0]),
        (["1", "2", "1.5"], [1, -1, 0]),
        (["first", "second", "", "mistral", "nan"], [1, -1, None, None, None]),
    ],
)
def test_usual_ways_to_say_who_has_won(texts, outcomes):
    assert meanings(*pairs(*texts))[0] == outcomes


def test_a_column_of_the_file_names_a_side():
    assert meanings(*pairs("Old Prompt", "new prompt"), first="old prompt", second="New Prompt")[0] == [1, -1]


def test_numbers_that_can_mean_different_things_are_an_error():
    with pytest.raises(UserError, match="can mean different things"):
        meanings(*pairs("0", "1", "2"))


def test_arms_that_are_called_like_sides_are_names_where_all_rows_fit():
    cases = [("a", "b", "b"), ("b", "a", "a"), ("b", "c", "c"), ("c", "a", "tie")]
    found, words = meanings(*cases)
    assert found == [-1, -1, -1, 0]
    assert words.warning == ""


def test_arms_that_are_called_like_sides_where_only_sides_fit():
    cases = [("b", "c", "a"), ("c", "d", "b"), ("a", "b", "b"), ("b", "a", "a")]
    found, words = meanings(*cases)
    assert found == [1, -1, -1, 1]
    assert words.warning == ""


def test_where_names_and_sides_fit_alike_it_is_names_and_said():
    found, words = meanings(("a", "b", "b"), ("b", "a", "a"))
    assert found == [-1, -1]
    assert "a, b can be an arm or a side; taken for the name of the arm, which fits 2 rows of 2" in words.warning


def test_arms_that_are_numbers():
    assert meanings(("1", "2", "2"), ("2", "3", "2"), ("3", "1", "3"))[0] == [-1, 1, 1]
    found, words = meanings(("1", "2", "1"), ("2", "3", "1"), ("3", "1", "0"), ("4", "5", "0.5"))
    assert found == [1, 1, -1, 0]
    assert words.warning == ""


def test_a_mistaken_row_does_not_make_names_sides():
    cases = [("a", "b", "b"), ("b", "a", "a"), ("b", "c", "c"), ("b", "c", "a")]
    found, words = meanings(*cases)
    assert found[:3] == [-1, -1, -1]
    assert "taken for the name" in words.warning


def test_an_arm_of_one_letter_is_no_draw_where_nobody_plays_at_home():
    found, words = meanings(("x", "d", "x"), ("d", "x", "d"), ("h", "x", "x"))
    assert found == [1, 1, -1]
    assert words.warning == ""
