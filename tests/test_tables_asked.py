"""What a table can be asked for, and what is said where the results do not hold it."""

import pytest

from duelbench.errors import UserError
from duelbench.tables.asked import ask
from tests.tabled import made


def test_without_a_word_it_is_everything_at_the_horizon(tmp_path):
    asked = ask(made(tmp_path))
    assert (asked.show, asked.kind, asked.rounds) == ("regret", "copeland", (1000,))
    assert (asked.datasets, asked.algorithms, asked.sign) == (("one", "two"), ("a", "b", "c"), 1)


def test_chosen_ones_are_in_the_order_asked_for(tmp_path):
    asked = ask(made(tmp_path), rounds=(1000, 100, 1000), datasets=["two", "one"], algorithms=["c", "a"])
    assert (asked.rounds, asked.datasets, asked.algorithms) == ((1000, 100), ("two", "one"), ("c", "a"))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rounds": [90]}, r"nothing was recorded at t = 90: the nearest checkpoint is 100"),
        ({"kind": "coplanar"}, r"recorded copeland regret, and not 'coplanar' \(did you mean 'copeland'\?\)"),
        ({"datasets": ["tow"]}, r"there is no dataset 'tow' in it \(did you mean 'two'\?\)"),
        ({"algorithms": ["zz"]}, r"there is no algorithm 'zz' in it: there is a, b, c"),
        ({"show": "right"}, r"these runs recommend none: write a 'budget'"),
    ],
)
def test_what_is_not_there_is_said(tmp_path, options, words):
    with pytest.raises(UserError, match=words) as caught:
        ask(made(tmp_path), **options)
    assert caught.value.source == str(tmp_path)
