"""Ratings compared user by user, against a count pair by pair; and what is no rating."""

from itertools import combinations

import numpy as np
import pytest

from duelbench.errors import UserError
from duelbench.sources.votes.ratings import RatingColumns, read_ratings


def written(tmp_path, text, name="r.csv"):
    (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path / name


def test_items_that_the_same_user_has_rated_are_compared(tmp_path):
    rng = np.random.default_rng(2)
    rated = {(user, item): int(rng.integers(1, 4)) for user in range(30) for item in range(5) if rng.random() < 0.7}
    keys = list(rated)
    rng.shuffle(keys)
    path = written(
        tmp_path, "userId,movieId,rating,timestamp\n" + "".join(f"u{u},m{i},{rated[u, i]},0\n" for u, i in keys)
    )
    wins, ties = np.zeros((2, 5, 5))
    for user in range(30):
        for i, j in combinations(range(5), 2):
            if (user, i) in rated and (user, j) in rated:
                a, b = rated[user, i], rated[user, j]
                if a == b:
                    ties[i, j] += 1
                    ties[j, i] += 1
                else:
                    wins[(i, j) if a > b else (j, i)] += 1
    votes = read_ratings([path])
    assert votes.counts.names == ("m0", "m1", "m2", "m3", "m4")
    assert np.array_equal(votes.counts.wins, wins)
    assert np.array_equal(votes.counts.ties, ties)
    assert np.array_equal(read_ratings([path], best="smallest").counts.wins, wins.T)
    dropped = read_ratings([path], ties="drop")
    assert dropped.dropped_ties == ties.sum() / 2
    assert not dropped.counts.ties.any()
    numbers = [sum(item == i for _, item in rated) for i in range(5)]
    most = sorted(sorted(range(5), key=lambda item: (-numbers[item], item))[:3])
    few = read_ratings([path], arms=3).counts
    assert few.names == tuple(f"m{item}" for item in most)
    assert np.array_equal(few.wins, wins[np.ix_(most, most)])
    least = sorted(numbers)[-2]
    assert len(read_ratings([path], least=least).counts.names) == sum(number >= least for number in numbers)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("user,item,rating\n", "the file holds no ratings"),
        ("user,item,text\nu,i,5\n", "which column holds the value: name it by --value; the columns are 'user'"),
        ("user,item,rating\nu,i,5\nu,i,4\nu,j,1\n", "user 'u' has rated 'i' twice"),
        ("user,item,rating\nu,i,5\nv,j,4\n", "no user has rated two items"),
        ("user,item,rating\nu,i,5\n", "fewer than two items have been rated by 1 users"),
        ("user,item,rating\nu,i,good\nu,j,bad\nu,k,1\n", "2 of 3 rows cannot be used"),
        ("user,item,rating\nu,i,nan\n,j,1\n", "2 of 2 rows cannot be used"),
        ("user;item;rating\nu;i;3,5\nu;j;4,0\n", "no rating: '3,5', write decimals with a point"),
        ("user,item,rating,rating\nu,i,3,4\nu,j,4,3\n", "several columns are called 'rating'"),
    ],
)
def test_what_is_no_ratings(tmp_path, text, says):
    path = written(tmp_path, text)
    with pytest.raises(UserError) as caught:
        read_ratings([path])
    assert says in caught.value.message
    assert caught.value.source == str(path)


def test_rows_without_a_rating_are_refused_and_columns_may_be_named(tmp_path):
    path = written(tmp_path, "who;what;mark\nu;i;2\nu;j;1\nu;k;\n;l;3\nv;j;3\n")
    votes = read_ratings([path], RatingColumns("who", "what", "mark"))
    assert votes.counts.names == ("i", "j")
    assert {each.reason: each.places for each in votes.refused} == {
        "there is no rating": (f"{path}:4",),
        "a user or an item has no name": (f"{path}:5",),
    }
