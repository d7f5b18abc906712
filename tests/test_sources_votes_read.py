"""Files of votes, read and counted: against counting by hand, and what is wrong with them."""

import tracemalloc
from collections import Counter

import numpy as np
import pytest

from duelbench.errors import UserError
from duelbench.sources.votes import Columns, read, read_votes


def written(tmp_path, text, name="v.csv"):
    (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path / name


def test_votes_are_counted_as_they_are(tmp_path):
    """Random votes, written in three ways into three files, and counted in another way."""
    rng = np.random.default_rng(1)
    names = ["gpt 4", "llama, 3", "a", 'say "x"']
    files = [["model_a,model_b,winner"], ["winner\tloser"], ["left,right,result,weight"]]
    wins, ties = Counter(), Counter()
    for _ in range(600):
        i, j = rng.permutation(4)[:2]
        kind, outcome = int(rng.integers(3)), int(rng.integers(3))
        quoted = ['"{}"'.format(names[arm].replace('"', '""')) for arm in (i, j)]
        if kind == 0:
            files[0].append(f"{quoted[0]},{quoted[1]},{('model_a', 'model_b', 'tie (bothbad)')[outcome]}")
        elif kind == 1:
            outcome %= 2
            files[1].append("\t".join(quoted if outcome == 0 else quoted[::-1]))
        else:
            files[2].append(f"{quoted[0]},{quoted[1]},{(1, 0, 0.5)[outcome]},3")
        weight = 3 if kind == 2 else 1
        if outcome == 2:
            ties[frozenset((i, j))] += weight
        else:
            wins[(i, j) if outcome == 0 else (j, i)] += weight
    paths = [written(tmp_path, "\n".join(lines), f"{at}.csv") for at, lines in enumerate(files)]
    votes = [read_votes(paths[:2]), read_votes(paths[2:], Columns(weight="weight"))]
    assert votes[0].counts.names == tuple(sorted(names))
    order = [names.index(name) for name in sorted(names)]
    found = sum(each.counts.wins for each in votes), sum(each.counts.ties for each in votes)
    for row, i in enumerate(order):
        for column, j in enumerate(order):
            assert found[0][row, column] == wins[i, j]
            assert found[1][row, column] == (ties[frozenset((i, j))] if i != j else 0)
    assert sum(each.rows for each in votes) == 600
    dropped = read_votes(paths[:1], ties="drop")
    assert not dropped.counts.ties.any()
    assert dropped.dropped_ties == read_votes(paths[:1]).counts.ties.sum() / 2 > 0


REFUSED = """judge,model_a,model_b,winner,lang
ann,x,y,model_a,en
bob,x,x,model_a,en
ann,x,,tie,en
ann,y,z,perhaps,en
,y,z,model_b,EN
ann,x,z,model_b,fr
ann,x,z,tie
ann,x,z,tie,en
bob,x,z,tie,en
"""


def test_what_is_refused_and_left_out_is_counted_with_its_lines(tmp_path):
    path = written(tmp_path, REFUSED)
    votes = read_votes([path], only=[("lang", "en")])
    assert (votes.rows, votes.left_out, votes.refused_rows) == (9, 1, 4)
    assert {each.reason: each.places for each in votes.refused} == {
        "an arm is compared with itself": (f"{path}:3",),
        "an arm has no name": (f"{path}:4",),
        "the outcome 'perhaps' is unknown": (f"{path}:5",),
        "it has fewer cells than the header": (f"{path}:8",),
    }
    assert votes.counts.votes.sum() / 2 == 4
    assert votes.judges == {"ann": 4, "bob": 2, "": 1}
    with pytest.raises(UserError) as caught:
        read_votes([path], strict=True)
    assert (caught.value.line, caught.value.source) == (3, str(path))
    assert "compared with itself" in caught.value.message


def test_weights_are_counts_and_others_are_refused(tmp_path):
    path = written(tmp_path, "a,b,winner,n\nx,y,x,2\nx,y,y,0.5\nx,y,y,-1\nx,y,y,many\nx,y,x,2\n")
    votes = read_votes([path], Columns(weight="n"))
    assert votes.counts.wins.tolist() == [[0, 4], [0.5, 0]]
    assert votes.refused_rows == 2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("model_a,model_b,winner\n", "there are no votes in 0 rows"),
        (
            "model_a,model_b,winner\nx,x,tie\nx,y,tie\nz,z,z\n",
            "2 of 3 rows cannot be used, most of them since an",
        ),
        ("model_a,model_b,winner\nx,y,0\nx,y,1\nx,y,2\n", "can mean different things"),
        ("model_a,model_b\nx,y\n", "it is not clear which columns hold the outcome"),
        ("first,second,wins_first,wins_second\nx,x,1,2\n", "1 of 1 rows cannot be used"),
    ],
)
def test_files_without_votes(tmp_path, text, says):
    path = written(tmp_path, text)
    with pytest.raises(UserError) as caught:
        read_votes([path])
    assert says in caught.value.message
    assert caught.value.source == str(path)


def test_nothing_is_asked_for_that_is_there(tmp_path):
    path = written(tmp_path, REFUSED)
    with pytest.raises(UserError, match="none of them as --only asks"):
        read_votes([path], only=[("lang", "de")])
    with pytest.raises(UserError, match="there is no column 'language'"):
        read_votes([path], only=[("language", "de")])


def test_memory_does_not_grow_with_the_rows(tmp_path):
    few, many = (written(tmp_path, "a,b,winner\n" + "x,y,x\ny,x,tie\n" * rows, f"{rows}.csv") for rows in (100, 20_000))
    peaks = []
    for path in (few, few, many):  # the first for what is imported and kept
        tracemalloc.start()
        read_votes([path])
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] < peaks[1] + 100_000  # the file has 240,000 bytes


def test_a_column_of_texts_is_no_column_of_arms(tmp_path, monkeypatch):
    monkeypatch.setattr(read, "MANY", 50)
    monkeypatch.setattr(read, "MAX_ARMS", 20)
    path = written(tmp_path, "a,b,winner\n" + "".join(f"text {n},y,b\n" for n in range(100)))
    with pytest.raises(UserError, match=r"column 'a' has more than 5[0-9] different values"):
        read_votes([path])


def test_a_reader_of_counts_reads_arms_without_votes(tmp_path):
    path = written(tmp_path, "first,second,wins_first,wins_second,ties\nx,y,3,1,0\nz,x,0,0,0\n", "c.csv")
    counts = read_votes([path]).counts
    assert counts.names == ("x", "y", "z")
    assert counts.votes.sum() == 8


def test_a_file_that_is_read_twice_is_said(tmp_path):
    path = written(tmp_path, REFUSED)
    votes = read_votes([path, path])
    assert votes.warnings == (f"{path} is the same file as {path}: its votes count twice",)
    assert votes.counts.votes.sum() / 2 == 10
