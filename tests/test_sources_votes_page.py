"""The page about a matrix made of votes."""

from duelbench.sources.votes import read_votes
from duelbench.sources.votes.findings import find
from duelbench.sources.votes.page import amount, page
from duelbench.sources.votes.shares import shares

VOTES = "judge,a,b,winner\n" + "ann,x,y,x\n" * 30 + "bob,y,<z>,y\n" * 4 + "ann,<z>,w|v,<z>\n,x,x,x\nann,x,y,tie\n"


def page_of(tmp_path, text=VOTES):
    path = tmp_path / "v.csv"
    path.write_text(text)
    votes = read_votes([path])
    matrix = shares(votes.counts, "bradley-terry", "v")
    return page("four", votes, votes.counts, matrix, find(votes.counts, matrix), "a model")


def test_the_page_says_what_there_is(tmp_path):
    text = page_of(tmp_path)
    assert "4 arms, 36 votes on 3 of 6 pairs" in text
    assert "Rows read: 37; refused: 1." in text
    assert f"| an arm is compared with itself | 1 | {tmp_path / 'v.csv'}:37 |" in text
    assert "| ann | 32 |" in text
    assert "| (not named) | 1 |" in text
    assert "3 of 6 pairs have no votes, for which a model is taken: &lt;z> – x, w|v – x, w|v – y." in text
    assert "2 have fewer than 10: &lt;z> – w|v (1), &lt;z> – y (4)." in text
    assert "| Condorcet winner (beats every other arm) | x |" in text
    assert "| y | 31 | 0.984 | 0.86" in text
    assert "There is none: the pairs agree with an order of the arms." in text
    assert "<" not in text


def test_the_same_votes_give_the_same_page(tmp_path):
    assert page_of(tmp_path) == page_of(tmp_path)


def test_numbers_of_votes():
    assert [amount(votes) for votes in (1234.0, 0.25, 3)] == ["1,234", "0.25", "3"]
