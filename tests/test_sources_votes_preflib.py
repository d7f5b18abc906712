"""Ballots of PrefLib, current and old, complete and not, with ties and without; and files that break the format."""

import re
from itertools import combinations

import numpy as np
import pytest

from duelbench.errors import UserError
from duelbench.sources.votes.preflib import read_preflib

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


@pytest.mark.parametrize("text", [CURRENT, OLD])
def test_ballots_compare_what_they_contain(tmp_path, text):
    votes = read_preflib([written(tmp_path, text)])
    assert votes.counts.names == NAMES
    assert votes.counts.wins.tolist() == [[0, 0, 3, 3], [3, 0, 3, 3], [0, 0, 0, 0], [0, 2, 0, 0]]
    assert np.argwhere(votes.counts.ties).tolist() == [[1, 2], [2, 1], [2, 3], [3, 2]]
    assert votes.counts.ties[2, 3] == 3
    assert (votes.rows, votes.sources[0].understood) == (3, "6 voters")


def test_what_is_not_listed_may_be_below(tmp_path):
    below = read_preflib([written(tmp_path, CURRENT)], unlisted="below").counts
    # uni > ebi by 2 of whom neither ranks the other two; ebi = tai by 1
    assert below.wins.tolist() == [[0, 0, 3, 3], [6, 0, 5, 4], [1, 0, 0, 1], [2, 2, 2, 0]]


def test_ties_may_be_dropped(tmp_path):
    votes = read_preflib([written(tmp_path, CURRENT)], ties="drop")
    assert not votes.counts.ties.any()
    assert votes.dropped_ties == 4


def test_random_ballots_are_counted_pair_by_pair(tmp_path):
    rng = np.random.default_rng(5)
    wins, ties, lines = np.zeros((2, 5, 5)), np.zeros((5, 5)), []
    for _ in range(60):
        rank = rng.integers(0, 4, 5)  # 3: not in the ballot
        count = int(rng.integers(1, 4))
        classes = [[arm for arm in range(5) if rank[arm] == level] for level in range(3)]
        texts = [",".join(str(arm + 1) for arm in each) for each in classes if each]
        if not texts:
            continue
        lines.append(f"{count}: " + ", ".join(f"{{{text}}}" if "," in text else text for text in texts))
        for i, j in combinations(range(5), 2):
            for at, unlisted in enumerate(("apart", "below")):
                high, low = (i, j) if rank[i] < rank[j] else (j, i)
                if rank[i] != rank[j] and (unlisted == "below" or rank[low] < 3):
                    wins[at][high, low] += count
            if rank[i] == rank[j] < 3:
                ties[i, j] += count
                ties[j, i] += count
    head = "# NUMBER ALTERNATIVES: 5\n" + "".join(f"# ALTERNATIVE NAME {arm}: {arm}\n" for arm in range(1, 6))
    path = written(tmp_path, head + "\n".join(lines))
    for at, unlisted in enumerate(("apart", "below")):
        counts = read_preflib([path], unlisted).counts
        assert np.array_equal(counts.wins, wins[at])
        assert np.array_equal(counts.ties, ties)


def test_pairs_and_edges(tmp_path):
    head = "3\n1,a\n2,b\n3,c\n9,9,3\n"
    old = read_preflib([written(tmp_path, f"{head}5,1,2\n4,2,1\n9,1,3\n", "v.pwg")]).counts
    assert old.wins.tolist() == [[0, 5, 9], [4, 0, 0], [0, 0, 0]]
    head = "# NUMBER ALTERNATIVES: 3\n# NUMBER EDGES: 3\n"
    new = read_preflib([written(tmp_path, f"{head}1,2,5\n2,1,4\n1,3,9.0\n", "v.wmd")]).counts
    assert new.digest() == old.digest()
    assert new.names == ("1", "2", "3")


def test_files_are_added_up_by_name(tmp_path):
    paths = [written(tmp_path, CURRENT), written(tmp_path, OLD, "w.toi")]
    assert read_preflib(paths).counts.wins.tolist() == (2 * read_preflib(paths[:1]).counts.wins).tolist()


def changed(old, new, text=CURRENT):
    assert old in text
    return text.replace(old, new)


@pytest.mark.parametrize(
    ("name", "text", "line", "says"),
    [
        ("v.txt", CURRENT, None, "PrefLib's are called .soc, .soi"),
        ("v.toi", "", None, "the file is empty"),
        ("v.toi", changed("3: 1,2,{3,4}\n2: 4, 1\n1: {1,3}\n", ""), None, "holds no ballots"),
        ("v.toi", changed("NUMBER VOTERS: 6", "NUMBER VOTERS: 7"), None, "says 7 voters and the ballots are 6"),
        (
            "v.toi",
            changed("ALTERNATIVES: 4", "ALTERNATIVES: four"),
            1,
            "NUMBER ALTERNATIVES must be a whole",
        ),
        ("v.toi", changed("NUMBER ALTERNATIVES: 4", "NUMBER ALTERNATIVES: 9999"), 1, "at most 5,000 arms"),
        ("v.toi", changed("3: tai", "3: ebi"), 1, "two alternatives are called 'ebi'"),
        ("v.toi", changed("2: 4, 1", "2: 4, 5"), 11, "there is no alternative 5"),
        ("v.toi", changed("2: 4, 1", "2: 4, 0"), 11, "at least 1, not '0'"),
        ("v.toi", changed("2: 4, 1", "2: 4, 4"), 11, "alternative 4 is twice"),
        ("v.toi", changed("2: 4, 1", "2 4, 1"), 11, "a count, a colon and an order"),
        ("v.toi", changed("2: 4, 1", "-2: 4, 1"), 11, "must be a whole number of at least 1, not '-2'"),
        ("v.toi", changed("2: 4, 1", "2: 4, {1, 2"), 11, "an order is alternatives with commas"),
        ("v.toi", changed("2: 4, 1", "2: 4, x"), 11, "an order is alternatives with commas"),
        ("v.toc", CURRENT, 11, "a .toc file has complete orders, and this one has 2 of 4"),
        ("v.soi", CURRENT, 10, "a .soi file has no ties"),
        ("v.toi", OLD.replace("2,a name", "5,a name"), 3, "line 3 of the header is '2,<name"),
        ("v.toi", "4\n1,a\n", None, "the file ends in its header"),
        ("v.toi", OLD.replace("6,6,3", "6"), 6, "three numbers: voters"),
        ("v.toi", OLD.replace("6,6,3", "6,9,3"), None, "says 9 voters and the ballots are 6"),
        ("v.pwg", "2\n1,a\n2,b\n9,9,3\n5,1,1\n", 5, "compared with itself"),
        ("v.pwg", "2\n1,a\n2,b\n9,9,3\n-5,1,2\n", 5, "the count is not 0 and not from 1e-06 to 1e+12: '-5'"),
        ("v.soc", "2\n1,a\n2,b\n1,1,1\n", None, "the file holds no ballots"),
        ("v.soi", "2\n1,a\n2,b\n1,1,1\n1,2\n", None, "no ballot compares two alternatives"),
    ],
)
def test_files_that_break_the_format(tmp_path, name, text, line, says):
    with pytest.raises(UserError, match=re.escape(says)) as caught:
        read_preflib([written(tmp_path, text, name)])
    assert caught.value.source == str(tmp_path / name)
    if line is not None:
        assert caught.value.line == line


def test_files_that_are_no_text(tmp_path):
    (tmp_path / "v.soc").write_bytes(b"2\n1,\xe9\n")
    with pytest.raises(UserError, match="not UTF-8"):
        read_preflib([tmp_path / "v.soc"])
    with pytest.raises(UserError, match="no such file"):
        read_preflib([tmp_path / "w.soc"])
