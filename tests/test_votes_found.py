"""Ballots, ratings, and findings about votes."""

import re
from itertools import combinations

import numpy as np
import pytest

from duelbench.errors import UserError
from duelbench.proportions import wilson
from duelbench.votes.findings import Findings
from duelbench.votes.matrices import shares
from duelbench.votes.reading.formats import preflib
from duelbench.votes.reading.ratings import read_ratings
from duelbench.votes.reading.read import read_ballots, read_votes
from tests.vote_files import counts_of

# PrefLib


CURRENT = """# FILE NAME: 00099-00000001.toi
# TITLE: Four: a title
# NUMBER ALTERNATIVES: 4
# NUMBER VOTERS: 6
# NUMBER UNIQUE ORDERS: 3
# ALTERNATIVE NAME 1: ebi
# ALTERNATIVE NAME 2: a name: with a colon
# ALTERNATIVE NAME 3: tai
# ALTERNATIVE NAME 4: uni
3: 1,2,{3,4}
2: 4, 1
1: {1,3}
"""
OLD = """4
1,ebi
2,a name: with a colon
3,tai
4,uni
6,6,3
3,1,2,{3,4}
2,4,1
1,{1,3},{}
"""
NAMES = ("a name: with a colon", "ebi", "tai", "uni")


def written(tmp_path, text, name="v.toi"):
    (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path / name


def changed(old, new, text=CURRENT):
    assert old in text
    return text.replace(old, new)


def ballots(path, unlisted="apart", ties="half"):
    return read_ballots([path], unlisted, ties)


def test_ballots_are_groups(tmp_path):
    """Each of the six voters is a group, even if a line stands for several."""
    four = changed(
        "ALTERNATIVES: 4",
        "ALTERNATIVES: 3",
        changed("# ALTERNATIVE NAME 4: uni\n", "", changed("3: 1,2,{3,4}\n2: 4, 1", "3: 1,2,3\n2: 3, 1")),
    )
    table = ballots(written(tmp_path, four)).table
    assert table.group.tolist() == [0] * 3 + [1] * 3 + [2] * 3 + [3, 4, 5]
    assert set(table.weight) == {1.0} and not table.ordered
    below = ballots(written(tmp_path, four), unlisted="below").table
    assert np.bincount(below.group).tolist() == [3, 3, 3, 3, 3, 3]
    assert ballots(written(tmp_path, four), ties="drop").table.outcome.all()
    assert "too few to be groups" in ballots(written(tmp_path, CURRENT)).warnings[0]


def test_many_ballots(tmp_path, monkeypatch):
    """With very many votes, the votes of each voter are not kept as a group."""
    counts = ballots(written(tmp_path, CURRENT)).counts
    monkeypatch.setattr(preflib, "MAX_VOTES", 19)
    votes = ballots(written(tmp_path, CURRENT))
    assert votes.counts.digest() == counts.digest() and len(votes.table) == 8


def test_ballots_are_votes(tmp_path):
    path = written(tmp_path, CURRENT)
    assert read_votes([path]).counts.digest() == ballots(path).counts.digest()
    (tmp_path / "v.csv").write_text("winner,loser\nebi,tai\n")
    assert read_votes([path, tmp_path / "v.csv"]).counts.votes.sum() == ballots(path).counts.votes.sum() + 2


@pytest.mark.parametrize("text", [CURRENT, OLD])
def test_ballots(tmp_path, text):
    path = written(tmp_path, text)
    votes = ballots(path)
    assert votes.counts.names == NAMES
    assert votes.counts.wins.tolist() == [[0, 0, 3, 3], [3, 0, 3, 3], [0, 0, 0, 0], [0, 2, 0, 0]]
    assert np.argwhere(votes.counts.ties).tolist() == [[1, 2], [2, 1], [2, 3], [3, 2]]
    assert votes.counts.ties[2, 3] == 3
    assert np.array_equal(read_votes([path, path]).counts.wins, 2 * votes.counts.wins)
    dropped = ballots(path, ties="drop")
    assert not dropped.counts.ties.any()
    assert dropped.dropped_ties == 4


def test_pairs(tmp_path):
    head = "3\n1,a\n2,b\n3,c\n9,9,3\n"
    old = ballots(written(tmp_path, f"{head}5,1,2\n4,2,1\n9,1,3\n", "v.pwg")).counts
    assert old.wins.tolist() == [[0, 5, 9], [4, 0, 0], [0, 0, 0]]
    head = "# NUMBER ALTERNATIVES: 3\n# NUMBER EDGES: 3\n"
    new = ballots(written(tmp_path, f"{head}1,2,5\n2,1,4\n1,3,9.0\n", "v.pwg")).counts
    assert new.digest() == old.digest()
    assert new.names == ("1", "2", "3")


@pytest.mark.parametrize(
    ("name", "text", "line", "says"),
    [
        ("v.wmd", CURRENT, None, "ballots are read from .soc, .soi"),
        ("v.toi", "", None, "the header must"),
        ("v.toi", changed("3: 1,2,{3,4}\n2: 4, 1\n1: {1,3}\n", ""), None, "says 6 voters, but there are 0 ballots"),
        ("v.toi", changed("NUMBER VOTERS: 6", "NUMBER VOTERS: 7"), None, "says 7 voters, but there are 6 ballots"),
        ("v.toi", changed("NUMBER ALTERNATIVES: 4", "NUMBER ALTERNATIVES: 9999"), None, "name 2 to 5,000 different"),
        ("v.toi", changed("2: 4, 1", "2: 4, 5"), 11, "each alternative once, by a number from 1 to 4"),
        ("v.toi", changed("2: 4, 1", "2 4, 1"), 11, "a count and an order of alternatives"),
        ("v.toi", OLD.replace("2,a name", "5,a name"), None, "the header must name"),
        ("v.pwg", "2\n1,a\n2,b\n9,9,3\n5,1,1\n", 5, "each alternative once"),
        ("v.pwg", "2\n1,a\n2,b\n9,9,3\n5,1\n", 5, "has 2 alternatives, but this one has 1"),
        ("v.soi", "2\n1,a\n2,b\n1,1,1\n1,2\n", None, "there are no votes in 0 rows"),
    ],
)
def test_ballot_errors(tmp_path, name, text, line, says):
    with pytest.raises(UserError, match=re.escape(says)) as caught:
        ballots(written(tmp_path, text, name))
    assert caught.value.source == str(tmp_path / name)
    if line is not None:
        assert caught.value.line == line


# Ratings


def test_ratings(tmp_path):
    rng = np.random.default_rng(2)
    rated = {(user, item): int(rng.integers(1, 4)) for user in range(30) for item in range(5) if rng.random() < 0.7}
    keys = list(rated)
    rng.shuffle(keys)
    path = written(
        tmp_path,
        "user_id,Movie-ID,rating,timestamp\n" + "".join(f"u{u},m{i},{rated[u, i]},0\n" for u, i in keys),
        "r.csv",
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
    assert votes.warnings == [f"{path}: not used: 'timestamp'"]
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
        ("user,item,rating\n", "0 items have been rated"),
        ("user,item,text\nu,i,5\n", "no column is the value: name it by --value; the columns are 'user'"),
        ("user,item,rating\nu,i,5\nu,i,4\nu,j,1\n", "user 'u' has rated 'i' twice"),
        ("user,item,rating\nu,i,5\nu,I ,4\nu,j,1\n", "user 'u' has rated 'I' twice, also as 'i'"),
        ("user,item,rating\nu,i,5\nv,j,4\n", "no user has rated two items"),
        ("user,item,rating\nu,i,nan\n,j,1\n", "2 of 2 rows cannot be used"),
        ("user;item;rating\nu;i;3,500\nu;j;4,000\n", "a rating is no number, as '3,500', write decimals with a point"),
        ("user,item,rating,rating\nu,i,3,4\nu,j,4,3\n", "columns rating and rating can each be the value"),
    ],
)
def test_rating_errors(tmp_path, text, says):
    path = written(tmp_path, text, "r.csv")
    with pytest.raises(UserError) as caught:
        read_ratings([path])
    assert says in caught.value.message
    assert caught.value.source == str(path)


# Findings


def found(wins, ties=0.0):
    counts = counts_of(wins, ties)
    return Findings(counts, shares(counts, "half", "v"))


def test_winner_and_pairs():
    findings = found([[0, 60, 6], [40, 0, 2], [4, 1, 0]], [[0, 0, 0], [0, 0, 2], [0, 0, 0]])
    assert findings.copeland == [0]
    assert findings.decided_sentence() == "1 of 2 pairs of a are decided at 95 % (Wilson's interval)"
    assert (findings.pairs, findings.decided.sum()) == (3, 2)
    assert findings.thin == [(1, 2)]
    assert findings.unseen.tolist() == []
    assert not any("These groups" in sentence for sentence in findings.pair_sentences())


def test_findings():
    findings = found([[0, 3, 0, 0], [0, 0, 3, 0], [3, 0, 0, 0], [0, 0, 0, 0]])
    assert sorted(findings.copeland) == [0, 1, 2]
    assert findings.unseen.tolist() == [[0, 3], [1, 3], [2, 3]]
    assert "nothing is known of one against another: a, b, c; d." in " ".join(findings.pair_sentences())


def test_likelier_winner_first():
    findings = found([[0, 3, 0], [0, 0, 3], [3, 0, 0]])
    findings.chances = np.array([0.2, 0.3, 0.5])
    assert findings.copeland == [2, 1, 0]


@pytest.mark.parametrize(("won", "lost", "apart"), [(5, 0, True), (5, 1, False)])
def test_one_sided(won, lost, apart):
    said = " ".join(found([[0, won], [lost, 0]]).pair_sentences())
    assert ("These groups have won, or lost, all votes" in said) == apart


def test_pairs_decided():
    rng = np.random.default_rng(4)
    for _ in range(200):
        won, lost, ties = (int(each) for each in rng.integers(0, 25, 3))
        low, high = wilson((won + ties / 2) / (won + lost + ties), won + lost + ties) if won + lost + ties else (0, 1)
        assert found([[0, won], [lost, 0]], ties).decided[0, 1] == (low > 0.5 or high < 0.5)


def test_certainty():
    few = found([[0, 6], [0, 0]], 10)
    assert few.chances[0] > 0.96  # 0.9 if ties were half wins
    assert found([[0, 6], [0, 0]], 10).chances.tolist() == few.chances.tolist()
    assert few.chances_sentence().startswith("Probability of being a Copeland winner, after these votes: a 9")
    assert few.ties_sentence() == "62.5 % of the votes are ties."
    assert found([[0, 6], [0, 0]]).ties_sentence() == ""
