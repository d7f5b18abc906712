"""Files of votes: columns and outcomes, counts, and refused rows with file and line."""

import gzip
import hashlib
import json
import sys
import tracemalloc
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from duelbench.errors import UserError
from duelbench.parameters import validated
from duelbench.preferences.counts import PairCounts
from duelbench.sources.matrix_files import MAX_ARMS
from duelbench.votes.reading import VoteFileOptions, read_votes, tables
from duelbench.votes.reading import read as reader
from duelbench.votes.reading.arm_names import ArmNames, read_aliases
from duelbench.votes.reading.exports import save_counts
from duelbench.votes.reading.layouts import Counts, Flags, Ranks, Scores, WinnerLoser, Winners
from duelbench.votes.reading.options import Columns
from duelbench.votes.reading.outcomes import vocabulary
from duelbench.votes.reading.tables import open_table
from duelbench.votes.reading.tally import PLACES, REASONS, Abstention, Refusal, Refusals, Tally, UnknownOutcome
from duelbench.votes.vote_table import Duel

# Columns


ARENA = "id model_a model_b prompt response_a response_b winner_model_a winner_model_b winner_tie"
CONVERSATIONS = "question_id model_a model_b winner judge conversation_a conversation_b turn anony language tstamp"
WMT = "srclang trglang srcIndex segmentId judgeID system1Id system1rank system2Id system2rank rankingID"


@pytest.mark.parametrize(
    ("header", "layout"),
    [
        (ARENA, Flags("model_a", "model_b", "winner_model_a", "winner_model_b", ("winner_tie",))),
        (CONVERSATIONS, Winners("model_a", "model_b", "winner")),
        (
            "model_a_name model_b_name chosen_model_name both_equal",
            Winners("model_a_name", "model_b_name", "chosen_model_name", ("both_equal",)),
        ),
        (WMT, Ranks((("system1Id", "system1rank"), ("system2Id", "system2rank")))),
        ("prompt_a prompt_b choice", Winners("prompt_a", "prompt_b", "choice")),
        ("a b text_a text_b winner", Winners("a", "b", "winner")),
        ("winner loser text_1 text_2", WinnerLoser("winner", "loser")),
        ("generator_1 generator_2 preference", Winners("generator_1", "generator_2", "preference")),
        ("first second wins_first wins_second ties", Counts("first", "second", "wins_first", "wins_second", ("ties",))),
        ("home.team away.team home.wins away.wins", Counts("home.team", "away.team", "home.wins", "away.wins")),
        ("player1 player2 win1 win2", Counts("player1", "player2", "win1", "win2")),
        ("winner loser is_draw", WinnerLoser("winner", "loser", ("is_draw",))),
        ("home away homeScore awayScore", Scores("home", "away", "homeScore", "awayScore")),
        ("model_a model_b b_is_better tie", Winners("model_a", "model_b", "b_is_better", ("tie",), wins=-1)),
        ("modela modelb left right vote", Winners("modela", "modelb", "vote", others=(("left", "right"),))),
    ],
)
def test_usual_headers(header, layout):
    assert Columns().layout(header.split()) == layout


def test_named_columns():
    header = CONVERSATIONS.split()
    assert Columns(winner="judge").layout(header) == Winners("model_a", "model_b", "judge")
    assert Columns(first="turn", second="anony", winner="winner").layout(header) == Winners("turn", "anony", "winner")
    assert Columns(winner="model_a", loser="model_b").layout(header) == WinnerLoser("model_a", "model_b")
    assert Columns(judge="language").judge_in(header) == "language"


@pytest.mark.parametrize(
    ("columns", "header", "says"),
    [
        (Columns(), "x y z", "arms and the outcome: name them with --first, --second and --winner, or with --winner"),
        (Columns(), "model_a model_b text", "holds the outcome of model_a against model_b: name it with --winner (in"),
        (Columns(first="x"), "x y z", "name both columns"),
        (Columns(winner="wnner"), "model_a model_b winner", "no column 'wnner' (did you mean 'winner'?)"),
        (Columns(loser="loser"), "winner loser", "name the columns of winner and loser"),
        (Columns(weight="w"), "model_a model_b winner", "no column 'w'"),
        (Columns(), "model_a model_b winner winner", "several columns are called 'winner'"),
    ],
)
def test_column_errors(columns, header, says):
    with pytest.raises(UserError) as caught:
        columns.layout(header.split())
    assert says in caught.value.message


# Outcomes, row by row and from all rows of a file


def meanings(*cases, first="model_a", second="model_b"):
    """Return the outcome of each (first, second, text), None if it is refused."""
    words = vocabulary([(*case, 1) for case in cases], (first, second), "winner")
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
        (["1.0", "0.0", "7", "0.5"], [1, -1, None, 0]),
        (["1", "-1", "0"], [1, -1, 0]),
        (["1", "2", "1.5"], [1, -1, 0]),
        (["first", "second", "", "mistral", "nan"], [1, -1, None, None, None]),
        (["tie", "None", "NONE", "none", "null", "N/A", "na", "<NA>", "nil"], [0, *[None] * 8]),
    ],
)
def test_outcomes(texts, outcomes):
    assert meanings(*pairs(*texts))[0] == outcomes


@pytest.mark.parametrize(
    ("outcome", "texts"),
    [
        (
            0,
            "both equal; Both_Equal; BOTH-EQUAL; same; about the same; roughly equal; equally good; Both are good!; "
            "tie (bothbad); tie: both bad; neither; neither is better; either one; no preference; no clear winner; "
            "There is no difference; can't decide; Can’t decide; I cannot choose; can't tell the difference; "
            "it's a tie; more or less the same; draw by agreement; similar quality; nearly identical; toss-up",
        ),
        (
            None,
            "skip; Skipped; pass; abstain; unsure; Not sure; don't know; I don’t know; DONT_KNOW; n/a; N.A.; "
            "no answer; no opinion; can't judge; not applicable; prefer not to say; undecided",
        ),
        (
            1,
            "Model A; model-a; MODEL_A; modela; left; The left is better; first wins; A is slightly better; "
            "Response 1; option_a; left model",
        ),
        (-1, "Model B; system-2; right; second is better; Assistant B; b wins; side b"),
        (
            "unknown",
            "perhaps; not equal; no tie; even better; similar but better; a is worse; not a; the; good; both or none",
        ),
    ],
)
def test_spellings(outcome, texts):
    for text in texts.split("; "):
        words = vocabulary([("gpt", "llama", text, 1)], ("x", "y"), "winner")
        try:
            found = words.outcome("gpt", "llama", text)
        except Abstention:
            found = None
        except UnknownOutcome:
            found = "unknown"
        assert (text, found) == (text, outcome)


@pytest.mark.parametrize(
    ("rows", "outcomes"),
    [
        ([("a", "b", "b"), ("b", "a", "a"), ("b", "c", "c"), ("c", "a", "tie")], [-1, -1, -1, 0]),  # names
        ([("b", "c", "a"), ("c", "d", "b"), ("a", "b", "b"), ("b", "a", "a")], [1, -1, -1, 1]),  # sides
        ([("1", "2", "2"), ("2", "3", "2"), ("3", "1", "3")], [-1, 1, 1]),  # names
        ([("1", "2", "1"), ("2", "3", "1"), ("3", "1", "0"), ("4", "5", "0.5")], [1, 1, -1, 0]),  # numbers of wins
        ([("skip", "both", "both"), ("both", "y", "both"), ("skip", "y", "skip")], [-1, 1, 1]),
        ([("x", "d", "x"), ("d", "x", "d"), ("h", "x", "x")], [1, 1, -1]),
        ([("None", "x", "None"), ("x", "None", "x"), ("x", "y", "None")], [1, 1, None]),
    ],
)
def test_arms_called_like_outcomes(rows, outcomes):
    found, words = meanings(*rows)
    assert (found, words.warning) == (outcomes, "")


def test_outcome_names_column():
    assert meanings(*pairs("Old Prompt", "new prompt"), first="old prompt", second="New Prompt")[0] == [1, -1]


def test_meaning_that_does_not_fit_all_rows():
    """Outcomes are read as arms or sides, whichever fits more rows; a warning names other rows."""
    words = "a, b can be an arm or a side; taken for the name of the arm, which fits "
    both = [("a", "b", "b"), ("b", "a", "a")]
    found, told = meanings(*both)
    assert found == [-1, -1]
    assert f"{words}2 rows of 2 (the other 2)" in told.warning
    found, told = meanings(*both, ("b", "c", "c"), ("b", "c", "a"))
    assert found == [-1, -1, -1, None]
    assert f"{words}3 rows of 4 (the other 3)" in told.warning


# Layouts


FLAGS = Flags("a", "b", "won_a", "won_b", ("tie",))
EQUAL = Winners("a", "b", "chosen", ("equal",))
COUNTS = Counts("a", "b", "wins_a", "wins_b", ("ties",))
RANKS = Ranks((("s1", "r1"), ("s2", "r2"), ("s3", "r3")))


def read(layout, *cells):
    reading = layout.read({cells: 1}).reading
    return [tuple(duel) for duel in reading(cells)]


@pytest.mark.parametrize(
    ("layout", "cells", "duels"),
    [
        (FLAGS, ("x", "y", "1", "0", "0"), [("x", "y", 1, 0, 0)]),
        (FLAGS, ("x", " y", "0", "1.0", ""), [("x", "y", 0, 1, 0)]),
        (FLAGS, ("x", "y", "False", "False", "True"), [("x", "y", 0, 0, 1)]),
        (EQUAL, ("x", "y", "", "true"), [("x", "y", 0, 0, 1)]),
        (EQUAL, ("x", "y", "y", "false"), [("x", "y", 0, 1, 0)]),
        (WinnerLoser("w", "l"), ("x", "y"), [("x", "y", 1, 0, 0)]),
        (COUNTS, ("x", "y", "3", "4.5", "2"), [("x", "y", 3, 4.5, 2)]),
        (Counts("a", "b", "wins_a", "wins_b"), ("x", "y", "3", "4"), [("x", "y", 3, 4, 0)]),
        (RANKS, ("x", "1", "y", "2", "z", "2"), [("x", "y", 1, 0, 0), ("x", "z", 1, 0, 0), ("y", "z", 0, 0, 1)]),
        (RANKS, ("x", "0", "y", "1", "z", ""), [("x", "y", 1, 0, 0)]),
        (RANKS, ("x", "3", "y", "-1", "z", "2"), [("x", "z", 0, 1, 0)]),
    ],
)
def test_layouts(layout, cells, duels):
    assert read(layout, *cells) == duels


@pytest.mark.parametrize(
    ("layout", "cells", "says"),
    [
        (FLAGS, ("x", "y", "0", "0", "0"), "none of its outcomes is 1"),
        (FLAGS, ("x", "y", "1", "0", "1"), "more than one of its outcomes is 1"),
        (EQUAL, ("x", "y", "", "false"), "there is no outcome"),
        (EQUAL, ("x", "x ", "x", "false"), "compared with itself"),
        (EQUAL, ("x", "", "x", "false"), "an arm has no name"),
        (WinnerLoser("w", "l"), ("x" * 600, "y"), "a name is one line"),
        (WinnerLoser("w", "l"), ("x\ny", "y"), "a name is one line"),
        (COUNTS, ("x", "y", "-1", "0", "0"), "not 0 and not from 1e-06 to 1e[+]12: '-1'"),
        (COUNTS, ("x", "y", "1", "many", "0"), "not a number: 'many'"),
        (COUNTS, ("x", "y", "1", "1,500", "0"), "not a number: '1,500', write decimals with a point"),
        (COUNTS, ("x", "y", "1", "nan", "0"), "to 1e[+]12: 'nan'"),
        (RANKS, ("x", "1", "y", "-1", "z", ""), "fewer than two arms have a rank"),
        (RANKS, ("x", "1", "y", "best", "z", ""), "the rank is not a number: 'best'"),
    ],
)
def test_refused_rows(layout, cells, says):
    with pytest.raises(Refusal, match=says):
        read(layout, *cells)


# Tables of rows


def rows(path, *names):
    """Return the columns, the rows, and refused rows with lines."""
    refused = []
    table = open_table(path)
    found = list(table.rows(names or table.columns, lambda line, reason: refused.append((line, reason))))
    return table.columns, found, refused


def written(tmp_path, content, name="v.csv"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    "content",
    [
        "a,b,c\n1,2,3\n4,5,6\n",
        "\ufeffa,b,c\r\n1,2,3\r\n4,5,6",
        "a;b;c\n1;2;3\n4;5;6\n",
        "a\tb\tc\n1\t2\t3\n4\t5\t6\n",
        'a|b|c\n1|"2"|3\n4|5|6\n',
        "a,b,c\r1,2,3\r4,5,6\r",
        "\ufeff\ufeffa;b\u200b;c\n1;2;3\n4;5;6\n",
    ],
)
def test_separators(tmp_path, content):
    assert rows(written(tmp_path, content), "c", "a") == (("a", "b", "c"), [(2, ("3", "1")), (3, ("6", "4"))], [])


@pytest.mark.parametrize(
    ("name", "header", "delimiter", "columns"),
    [
        ("v.csv", 'a;b;"c, d, e, f"', None, ("a", "b", "c, d, e, f")),
        ("v.csv", '"a","b;c;d;e"', None, ("a", "b;c;d;e")),
        ("v.csv", 'a|"b ""x"", c,, d"|e', None, ("a", 'b "x", c,, d', "e")),
        ("v.csv", 'a;"b, c\nd, e";f', None, ("a", "b, c\nd, e", "f")),
        ("v.csv", 'a "x, y";b;c', None, ('a "x, y"', "b", "c")),
        ("v.tsv", "a\tb, c, d", None, ("a", "b, c, d")),
        ("V.TSV.gz", "a\tb, c, d", None, ("a", "b, c, d")),
        ("v.tab", "a;b;c\td", None, ("a;b;c", "d")),
        ("v.tsv", "a,b", ",", ("a", "b")),
        ("v.csv", "a b,c", "\\t", None),
        ("v.csv", "a b,c", " ", ("a", "b,c")),
        ("v.csv", "a|b,c,d", "bar", ("a", "b,c,d")),
        ("v.tsv", "a,b", None, None),
    ],
)
def test_delimiters(tmp_path, name, header, delimiter, columns):
    path = written(tmp_path, header + "\n", name)
    if columns is None:
        with pytest.raises(UserError, match="two or more columns, separated by tabs"):
            open_table(path, delimiter)
    else:
        assert open_table(path, delimiter).columns == columns


@pytest.mark.parametrize("text", ["", "ab", "a", "7", '"', "\n", "commas"])
def test_no_delimiter(text):
    with pytest.raises(UserError, match="write one character, or comma, semicolon, tab, bar") as caught:
        validated(VoteFileOptions, {"delimiter": text})
    assert caught.value.key == ("delimiter",)


def test_quoted_cells(tmp_path):
    content = '# a note\n\na,b\n1,"x\ny, ""z"""\n2,y\n\n3\n4,"5"6\n5,6,7\n8,9\n'
    _, found, refused = rows(written(tmp_path, content))
    assert found == [(4, ("1", 'x\ny, "z"')), (6, ("2", "y")), (11, ("8", "9"))]
    assert [line for line, _ in refused] == [8, 9, 10]
    assert "fewer" in refused[0][1] and "quotation" in refused[1][1] and "more" in refused[2][1]


def test_long_cell(tmp_path):
    long = "x" * 1_000_000
    assert rows(written(tmp_path, f'a,b\n1,"{long}"\n'))[1] == [(2, ("1", long))]


@pytest.mark.parametrize("pack", [lambda content: content, gzip.compress])
def test_json(tmp_path, pack):
    objects = [{"a": 1, "b": "x", "n": None}, {"b": True, "a": 0.5}, {"a": [1]}, {"c": 3}]
    lines = "\n".join(map(json.dumps, objects)) + "\nnonsense\n[1]\n"
    expected = [(1, ("1", "x", "")), (2, ("0.5", "true", "")), (4, ("", "", "3"))]
    columns, found, refused = rows(written(tmp_path, pack(lines.encode()), "f.jsonl"), "a", "b", "c")
    assert columns == ("a", "b", "n", "c")
    assert found == expected
    assert [line for line, _ in refused] == [3, 5, 6]
    array = json.dumps([*objects, 7], indent=1)
    columns, found, refused = rows(written(tmp_path, pack(array.encode()), "f.json"), "a", "b", "c")
    assert found == expected
    assert [line for line, _ in refused] == [3, 5]


def test_late_keys(tmp_path):
    """Every row has its say on the columns."""
    lines = '{"a": {"b": 1}}\n' * 300 + '{"a": {"c": 2}, "d": NaN}\n'
    for text, name in (lines, "f.jsonl"), (f"[{lines.strip().replace(chr(10), ',')}]", "f.txt"):
        columns, found, _ = rows(written(tmp_path, text, name), "a.c", "d")
        assert columns == ("a.b", "a.c", "d") and found[-1] == (301, ("2", ""))


def test_nested_json(tmp_path):
    objects = [
        {"a": {"model": "x", "run": {"seed": 1}}, "b": {"model": "y"}, "n.o": 1},
        {"a": {"model": "y"}, "b": "z"},
        {"a": {"model": {"name": "w"}}},
    ]
    names = "a.model", "b.model", "a.run.seed", "n.o"
    lines = "".join(f"{json.dumps(each)}\n" for each in objects)
    columns, found, refused = rows(written(tmp_path, lines.encode(), "f.jsonl"), *names)
    assert columns == ("a.model", "a.run.seed", "b.model", "n.o", "b", "a.model.name")
    assert found == [(1, ("x", "y", "1", "1")), (2, ("y", "", "", ""))]
    assert refused == [(3, "a.model is a list or an object")]


@pytest.mark.parametrize(
    ("name", "content", "line", "says"),
    [
        ("v.csv", b"", None, "the file is empty"),
        ("v.csv", b"\n\n \n", None, "the file holds no rows"),
        ("v.csv", b"one column\n1\n", 1, "is not a header"),
        ("v.csv", b"a,b\n1,\xe9\n", None, "not UTF-8 text: save it as UTF-8"),
        ("v.csv", "a,b\n1,2\n".encode("utf-16"), None, "UTF-16"),
        ("v.csv", b"a\0b,c\n", None, "this is not text"),
        ("v.csv", b"PK\x03\x04...", None, "zip archive"),
        ("v.csv", b'a,b\n1,2\n3,"4\n5,6\n', 3, "a quotation mark is missing"),
        ("v.csv", b'a,"b\n1,2\n', 1, "a quotation mark is missing"),
        ("v.csv", b"a,b\n" + b"x" * (tables.MAX_LINE + 1), 2, "more than 16,777,216 characters"),
        ("f.csv.gz", gzip.compress(b"a,b\n" * 1000, mtime=0)[:-20], None, "damaged or cut off"),
        ("v.csv.xz", b"\xfd7zXZ...", None, "an xz file: unpack it (unxz)"),
        ("f.json", b'{"a": 1},\n{"a": 1},\n', 1, "this line is not a JSON object"),
        ("f.json", b'[{"a": 1}, {]', 1, "not an array of JSON objects"),
    ],
)
def test_file_errors(tmp_path, name, content, line, says):
    with pytest.raises(UserError) as caught:
        rows(written(tmp_path, content, name))
    assert says in caught.value.message
    assert caught.value.source == str(tmp_path / name)
    assert caught.value.line == line


def test_missing_file(tmp_path):
    with pytest.raises(UserError, match="there is no such file"):
        open_table(tmp_path / "f.csv")
    with pytest.raises(UserError, match="it is a directory"):
        open_table(tmp_path)


def test_large_array(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "MAX_ARRAY", 10)
    with pytest.raises(UserError, match="write an object on each line"):
        open_table(written(tmp_path, '[{"a": 1, "b": 2}]', "f.json"))


# Parquet


def test_parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = {
        "model_a": ["x", "y", "x", None, "z"],
        "model_b": ["y", "z", "z", "x", "y"],
        "conversation": [["a"], [], None, ["b", "c"], []],
        "winner": ["model_a", "tie", "model_b", "tie", "model_b"],
        "anony": [True, True, True, True, False],
    }
    parquet.write_table(pyarrow.table(table), tmp_path / "v.parquet", row_group_size=2)
    (tmp_path / "v.csv").write_text(
        "model_a,model_b,winner,anony\nx,y,model_a,true\ny,z,tie,true\nx,z,model_b,true\n,x,tie,true\nz,y,model_b,false\n"
    )
    votes, same = (read_votes([tmp_path / name], VoteFileOptions(only="anony=true")) for name in ("v.parquet", "v.csv"))
    assert votes.counts.digest() == same.counts.digest()
    assert votes.counts.names == ("x", "y", "z")
    assert (votes.rows, votes.left_out, votes.refused_rows) == (5, 1, 1)
    assert votes.refused[0].places == (f"{tmp_path / 'v.parquet'}:4",)
    refused = []
    found = list(open_table(tmp_path / "v.parquet").rows(["conversation"], lambda *fault: refused.append(fault)))
    assert found == [(3, ("",))]
    assert [line for line, _ in refused] == [1, 2, 4, 5]


def test_damaged_parquet(tmp_path):
    pytest.importorskip("pyarrow")
    (tmp_path / "v.parquet").write_bytes(b"PAR1 nonsense PAR1")
    with pytest.raises(UserError, match="this Parquet file cannot be read"):
        read_votes([tmp_path / "v.parquet"])


def test_without_pyarrow(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "v.parquet").write_bytes(b"PAR1")
    with pytest.raises(UserError) as caught:
        read_votes([tmp_path / "v.parquet"])
    assert "pip install 'duelbench[parquet]'" in caught.value.message


# Counting


def test_similar_names():
    tally = Tally()
    tally.add(Duel("GPT-4 o", "gpt-4o", 1, 0, 0), 1, True)
    tally.add(Duel("other", "gpt-4o", 1, 0, 0), 1, True)
    (warning,) = tally.warnings()
    assert "'GPT-4 o', 'gpt-4o'" in warning


@pytest.mark.parametrize(
    ("names", "says"), [([], "fewer than two arms"), (map(str, range(MAX_ARMS + 1)), "at most 5,000 arms")]
)
def test_number_of_arms(names, says):
    tally = Tally()
    tally.enter(names)
    with pytest.raises(UserError, match=says):
        tally.counts()


def test_reasons():
    refusals = Refusals()
    for line in range(1, 10):
        refusals.add("odd" if line % 2 else "even", "f.csv", line)
    odd, even = refusals.reasons()
    assert (odd.reason, odd.rows, odd.places) == ("odd", 5, ("f.csv:1", "f.csv:3", "f.csv:5"))
    assert (even.rows, len(even.places)) == (4, PLACES)
    assert refusals.first == (1, "odd")
    for line in range(1000):
        refusals.add(str(line), "f.csv", line)
    assert len(refusals.reasons()) == REASONS + 1
    assert refusals.rows == 1009


# Reading


def test_random_votes(tmp_path):
    """Random votes, written to three files in three ways, and counted independently."""
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
    votes = [read_votes(paths[:2]), read_votes(paths[2:], VoteFileOptions(weight="weight"))]
    assert votes[0].counts.names == tuple(sorted(names))
    order = [names.index(name) for name in sorted(names)]
    found = sum(each.counts.wins for each in votes), sum(each.counts.ties for each in votes)
    for row, i in enumerate(order):
        for column, j in enumerate(order):
            assert found[0][row, column] == wins[i, j]
            assert found[1][row, column] == (ties[frozenset((i, j))] if i != j else 0)
    assert sum(each.rows for each in votes) == 600
    dropped = read_votes(paths[:1], VoteFileOptions(ties="drop"))
    assert not dropped.counts.ties.any()
    assert dropped.dropped_ties == read_votes(paths[:1]).counts.ties.sum() / 2 > 0


REFUSED = """judge,model_a,model_b,winner,lang
ann,x,y,model_a,en
bob,x,x,model_a,en
ann,x,,tie,en
ann,y,z,perhaps,en
ann,y,z,None,en
,y,z,model_b,EN
ann,x,z,model_b,fr
ann,x,z,tie
ann,x,z,tie,en
bob,x,z,tie,en
"""


def test_refused_and_left_out(tmp_path):
    path = written(tmp_path, REFUSED)
    votes = read_votes([path], VoteFileOptions(only="lang=en"))
    assert (votes.rows, votes.left_out, votes.refused_rows) == (10, 1, 5)
    assert {each.reason: each.places for each in votes.refused} == {
        "an arm is compared with itself": (f"{path}:3",),
        "an arm has no name": (f"{path}:4",),
        "the outcome 'perhaps' is unknown": (f"{path}:5",),
        "there is no outcome: 'None' is a missing value": (f"{path}:6",),
        "the row has fewer cells than the header": (f"{path}:9",),
    }
    assert votes.counts.votes.sum() / 2 == 4
    assert votes.judges == {"ann": 5, "bob": 2, "": 1}
    with pytest.raises(UserError) as caught:
        read_votes([path], VoteFileOptions(strict=True))
    assert (caught.value.line, caught.value.source) == (3, str(path))
    assert "compared with itself" in caught.value.message
    with pytest.raises(UserError, match="none of them selected by --only"):
        read_votes([path], VoteFileOptions(only="lang=de"))
    with pytest.raises(UserError, match="there is no column 'language'"):
        read_votes([path], VoteFileOptions(only="language=de"))


def test_weights(tmp_path):
    path = written(tmp_path, "a,b,winner,n\nx,y,x,2\nx,y,y,0.5\nx,y,y,-1\nx,y,y,many\nx,y,x,2\n")
    votes = read_votes([path], VoteFileOptions(weight="n"))
    assert votes.counts.wins.tolist() == [[0, 4], [0.5, 0]]
    assert votes.refused_rows == 2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("model_a,model_b,winner\n", "there are no votes in 0 rows"),
        ("model_a,model_b,winner\nx,x,tie\nx,y,tie\nz,z,z\n", "2 of 3 rows cannot be used, most of them because an"),
        ("model_a,model_b,winner\nx,y,0\nx,y,1\nx,y,2\n", "can mean different things"),
    ],
)
def test_no_votes(tmp_path, text, says):
    path = written(tmp_path, text)
    with pytest.raises(UserError) as caught:
        read_votes([path])
    assert says in caught.value.message
    assert caught.value.source == str(path)


MESSY = """rater,model_a,model_b,winner,n
ann,GPT-4,claude,model_a,1
ann,GPT-4,claude,model_a,1
bob,gpt-4,Claude ,Both Equal,1
ann,CLAUDE,GPT-4,gpt-4,2
ann,GPT-4,claude,so-so,1
ann,GPT-4,llama,skip,1
ann,GPT-4,llama,Don’t know,4
ann,GPT-4,llama,skip,1
ann,GPT-4,gpt -4,left,1
ann,GPT-4,Llama 2,right,0.5
ann,GPT-4,claude,perhaps,1
"""


def test_messy_votes(tmp_path):
    path = written(tmp_path, MESSY)
    votes = read_votes([path], VoteFileOptions(weight="n"), single=True)
    assert votes.counts.names == ("GPT-4", "Llama 2", "claude")
    assert votes.counts.wins.tolist() == [[0, 0, 4], [0.5, 0, 0], [0, 0, 0]]
    assert votes.counts.ties.tolist() == [[0, 0, 1], [0, 0, 0], [1, 0, 0]]
    assert votes.abstentions == {"skip": 2, "Don’t know": 1}
    assert {each.reason: each.places for each in votes.refused} == {
        "an arm is compared with itself": (f"{path}:10",),
        "the outcome 'so-so' is unknown": (f"{path}:6",),
        "the outcome 'perhaps' is unknown": (f"{path}:12",),
    }
    assert votes.judges == {"ann": 10, "bob": 1}
    assert votes.sources[0].understood == "model_a against model_b, outcome in winner (ties: both equal)"
    gpt, claude, hint = votes.warnings
    assert gpt == (
        "'GPT-4' (4), 'gpt-4' (1) count as the arm 'GPT-4', since only case, blanks and the like differ; a file of "
        "aliases that lists each keeps them apart"
    )
    assert claude.startswith("'CLAUDE' (1), 'Claude' (1), 'claude' (2) count as the arm 'claude'")
    assert "--tie-word" in hint
    assert [row[:4] for row in singles(path, VoteFileOptions(weight="n"))] == [
        ("GPT-4", "claude", 1, 1),
        ("GPT-4", "claude", 1, 1),
        ("GPT-4", "claude", 0, 1),
        ("claude", "GPT-4", -1, 2),
        ("GPT-4", "Llama 2", -1, 0.5),
    ]
    assert not read_votes([path], VoteFileOptions(tie_word="so so, perhaps")).refused[1:]


def test_only_abstentions(tmp_path):
    path = written(tmp_path, "a,b,winner\nx,y,skip\nx,z,skip\ny,z,nonsense\n")
    with pytest.raises(UserError, match="1 of 1 rows cannot be used"):
        read_votes([path])
    path.write_text("a,b,winner\nx,y,skip\nx,z,skip\n")
    with pytest.raises(UserError, match="no votes in 2 rows, 2 of them abstentions"):
        read_votes([path])
    path.write_text("a,b,winner\nx,y,skip\nx,z,x\n")
    assert read_votes([path], VoteFileOptions(strict=True)).counts.votes.sum() == 2


def test_tie_words(tmp_path):
    path = written(tmp_path, "a,b,winner\nx,y,1\nx,y,0\nx,y,3\nx,y,left\nx,y,So-so!\n")
    votes = read_votes([path], VoteFileOptions(first_word="1", tie_word="3, left,so so", strict=True))
    assert votes.counts.wins.tolist() == [[0, 1], [1, 0]]
    assert votes.counts.ties[0, 1] == 3
    loser = written(tmp_path, "winner,loser\nx,y\n", "w.csv")
    assert "words for outcomes have no effect" in read_votes([loser], VoteFileOptions(tie_word="meh")).warnings[0]


def test_weights_that_are_not_named(tmp_path):
    path = written(tmp_path, "winner,loser,Count\nx,y,95\ny,x,5\n")
    said = f"{path}: each row counts as one vote; if 'Count' is a number of votes, name it by --weight"
    assert read_votes([path]).warnings == (said,)
    assert read_votes([path], VoteFileOptions(weight="Count")).warnings == ()


@pytest.mark.parametrize(
    ("options", "key", "says"),
    [
        ({"tie_word": "meh,"}, "tie_word", "has letters or digits"),
        ({"tie_word": ""}, "tie_word", "has letters or digits"),
        ({"first_word": "1", "second_word": "1.0"}, "second_word", "'1.0' cannot mean two outcomes"),
        ({"only": "anony"}, "only", "write COLUMN=VALUE"),
        ({"only": "=x"}, "only", "write COLUMN=VALUE"),
        ({"ties": "coin"}, "ties", "'half' or 'drop'"),
    ],
)
def test_option_errors(options, key, says):
    with pytest.raises(UserError) as caught:
        validated(VoteFileOptions, options)
    assert caught.value.key == (key,) and says in caught.value.message


def test_several_conditions():
    options = VoteFileOptions(only="lang=en & maker=A & B & c = ")
    assert options.conditions == (("lang", "en"), ("maker", "A & B"), ("c", ""))


# Names


def test_similar_names_are_one_arm():
    names = ArmNames()
    for rows, name in enumerate(["GPT 4", "gpt4", "Gpt4", "\u212bngstr\u00f6m", "A\u030angstro\u0308m"]):
        names.count([name, "other"], rows)
    assert names.renamed() == {"GPT 4": "Gpt4", "gpt4": "Gpt4", "\u212bngstr\u00f6m": "A\u030angstro\u0308m"}
    assert names.arm("v1 10") != names.arm("v11 0")
    for hidden in (
        "gpt\u200b4",
        "\ufeffgpt4",
        "gp\u00adt4",
        "gpt\u00a04",
        "gpt4\u3164",
        "gpt4\ufe0f",
        "\u202agpt4\u202c",
    ):
        assert names.arm(hidden) == names.arm("gpt4")
    assert names.arm("\u200b") != names.arm("\u200c") and names.arm("\U000e0067") != names.arm("\U000e0073")
    assert "'GPT 4' (0), 'Gpt4' (2), 'gpt4' (1) count as the arm 'Gpt4'" in next(names.warnings(""))


@pytest.mark.parametrize(
    ("rare", "often", "resembles"),
    [
        ("chain of thougth", "Chain of thought", True),
        ("few-short (3)", "few-shot (3)", True),
        ("few-shot (5)", "few-shot (3)", False),
        ("model-1", "model-10", False),
        ("claude-opus-4", "claude-opus-4o", False),
        ("system prompt A", "system prompt B", False),
        ("freindly", "friendly", True),
        ("formal", "informal", False),
        ("abcd", "abcde", False),
    ],
)
def test_rare_names(rare, often, resembles, monkeypatch):
    """A rare name similar to a frequent one gives a note, unless it differs in a digit or a single letter."""
    said = f"{rare!r} (1) resembles {often!r} (10): if they are one arm, use --alias"
    for rows, aliases in (10, {}), (9, {}), (10, {rare: rare}):
        names = ArmNames(aliases)
        names.count([rare, "other"], 1)
        names.count([often, "other"], rows)
        assert list(names.warnings("")) == [said] * (resembles and rows == 10 and not aliases)
        with monkeypatch.context() as patch:
            patch.setattr("duelbench.votes.reading.arm_names.MANY", 2)
            assert not list(names.warnings(""))


@pytest.mark.parametrize(("one", "two"), [("prompt O1", "prompt 01"), ("gpt-l", "gpt-1"), ("m\u043edel", "model")])
def test_lookalikes(one, two):
    """Names that look alike give a note, however frequent both are; so do those with digits."""
    names = ArmNames()
    names.count([one], 60)
    names.count([two], 99)
    assert list(names.warnings("")) == [f"{one!r} (60) resembles {two!r} (99): if they are one arm, use --alias"]


def test_known_arms_are_kept_apart():
    names = ArmNames(arms=["x", "X", "gpt-4"])
    assert [names.arm(name) for name in ("x", "X", "GPT-4", "y", "Y")] == ["x", "X", "gpt-4", "y", "y"]


ALIASES = "name,arm\ngpt4,GPT-4\nclaude,Claude 3\nCLAUDE,Claude 1\nllama,Llama\nx,Claude 3\n"


def test_aliases(tmp_path):
    path = written(tmp_path, MESSY.replace("gpt-4,Claude", "Gpt4,Claude"))
    alias = written(tmp_path, ALIASES, "aliases.csv")
    votes = read_votes([path], VoteFileOptions(alias=str(alias)))
    # Claude resembles two names of different arms, so it is neither.
    assert votes.counts.names == ("Claude", "Claude 1", "Claude 3", "GPT-4", "Llama 2")
    assert votes.counts.wins.tolist()[1:4] == [[0] * 5, [0] * 5, [0, 1, 2, 0, 0]]
    assert votes.counts.ties[0, 3] == 1
    assert votes.warnings[1] == f"{alias}: 1 of 5 names do not occur in the votes: 'x'"


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("gpt4,GPT-4\n", 1, "with the columns name and arm, named in its first line, not gpt4, gpt-4"),
        ("name,arm,note\na,b,c\n", 1, "named in its first line, not name, arm, note"),
        ("name,arm\na,b\n\na,c\n", 4, "'a' is already another name of 'b', in line 2"),
        ("name,arm\na,b\nb,c\n", 2, "'b' is itself a name of 'c', in line 3: write that arm here"),
        ("name,arm\na,b\nb,\n", 3, "not ''"),
        ("name,arm\na,b\nc\n", 3, "fewer cells than the header: write a name and the arm that it means"),
    ],
)
def test_alias_errors(tmp_path, text, line, says):
    path = written(tmp_path, text, "aliases.csv")
    with pytest.raises(UserError) as caught:
        read_aliases(path)
    assert (caught.value.line, caught.value.source) == (line, str(path))
    assert says in caught.value.message


def test_harmless_aliases(tmp_path):
    path = written(tmp_path, "arm\tName\nb\ta\nb\tb\nb\ta\n", "aliases.tsv")
    assert read_aliases(path) == {"a": "b", "b": "b"}


@pytest.mark.parametrize(
    ("head", "rows"),
    [
        ("a,b,winner\n", "x,y,x\ny,x,tie\n"),
        ("", '{"a": "x", "b": "y", "winner": "x", "more": {"id": 1}}\n{"a": "y"}\n'),
    ],
)
def test_memory(tmp_path, head, rows):
    few, many = (written(tmp_path, head + rows * number, f"{number}.csv") for number in (100, 5_000))
    peaks = []
    for path in (few, few, many):  # the first one imports modules
        tracemalloc.start()
        read_votes([path], single=False)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] < peaks[1] + 25_000  # the file has 60,000 bytes


def test_column_of_texts(tmp_path, monkeypatch):
    monkeypatch.setattr(reader, "MANY", 50)
    monkeypatch.setattr(reader, "MAX_ARMS", 20)
    path = written(tmp_path, "a,b,winner\n" + "".join(f"text {n},y,b\n" for n in range(100)))
    with pytest.raises(UserError, match=r"column 'a' has more than 5[0-9] different values"):
        read_votes([path])


def test_same_file_twice(tmp_path):
    path = written(tmp_path, REFUSED)
    votes = read_votes([path, path])
    assert f"{path} is the same file as {path}: its votes count twice" in votes.warnings
    assert votes.counts.votes.sum() / 2 == 10


# Files of counts


def test_counts_file(tmp_path):
    rng = np.random.default_rng(3)
    names = ("#1", "2", "a, b", 'say "x"', "z", "ü")  # sorted, as from a reader
    wins = rng.integers(0, 4, (6, 6)) * np.array([1, 0.25])[rng.integers(0, 2, (6, 6))]
    ties = np.triu(rng.integers(0, 2, (6, 6)), 1)
    wins[3] = wins[:, 3] = ties[3] = ties[:, 3] = 0  # no votes at all
    np.fill_diagonal(wins, 0)
    counts = PairCounts(names, wins, ties + ties.T)
    save_counts(tmp_path / "c.csv", counts, "a note\nof two lines")
    again = read_votes([tmp_path / "c.csv"]).counts
    assert again.names == names
    assert again.digest() == counts.digest()


def test_counts_not_written(tmp_path):
    (tmp_path / "c.csv").mkdir()
    with pytest.raises(UserError, match="cannot write here"):
        save_counts(tmp_path / "c.csv", PairCounts(("a", "b"), np.zeros((2, 2)), np.zeros((2, 2))))


# Votes one by one


def singles(path, columns=None, **options):
    """Return the votes as rows: first arm, second arm, outcome, weight, judge, group."""
    votes = read_votes([path] if isinstance(path, Path) else path, columns, single=True, **options)
    table = votes.table()
    assert table.names == votes.counts.names
    assert np.array_equal(table.counts().wins, votes.counts.wins)
    assert np.array_equal(table.counts().ties, votes.counts.ties)
    judges = [table.judges[judge] if judge >= 0 else None for judge in table.judge]
    columns = table.first, table.second, table.outcome, table.weight, judges, table.group
    return [
        (table.names[i], table.names[j], outcome, weight, judge, group)
        for i, j, outcome, weight, judge, group in zip(*columns, strict=True)
    ]


def test_single_votes(tmp_path):
    path = written(tmp_path, REFUSED)
    assert singles(path) == [
        ("x", "y", 1, 1, "ann", 0),
        ("y", "z", -1, 1, None, 1),
        ("x", "z", -1, 1, "ann", 2),
        ("x", "z", 0, 1, "ann", 3),
        ("x", "z", 0, 1, "bob", 4),
    ]
    assert [row[2] for row in singles(path, VoteFileOptions(ties="drop", only="lang=en"))] == [1, -1]
    assert read_votes([path], single=False).table() is None


def test_rankings_are_groups(tmp_path):
    header = "judgeId,system1Id,system1rank,system2Id,system2rank,system3Id,system3rank"
    path = written(tmp_path, f"{header}\nann,x,1,y,2,z,2\nbob,z,1,x,-1,y,3\n")
    assert singles(path) == [
        ("x", "y", 1, 1, "ann", 0),
        ("x", "z", 1, 1, "ann", 0),
        ("y", "z", 0, 1, "ann", 0),
        ("z", "y", 1, 1, "bob", 1),
    ]


GROUPED = "a,b,winner,rankingID,page,n\nx,y,x,7,p,1\ny,z,z,7,q,2.5\nx,y,tie,,q,1\nx,z,x,8,q,1\nx,z,z,,p,0\n"


def test_column_of_groups(tmp_path):
    path = written(tmp_path, GROUPED)
    assert [row[5] for row in singles(path)] == [0, 0, 4, 1, 6]
    assert [row[5] for row in singles(path, VoteFileOptions(group="page"))] == [0, 1, 1, 1, 0]
    assert [row[3] for row in singles(path, VoteFileOptions(weight="n"))] == [1, 2.5, 1, 1]
    assert Columns().group_in(["a", "b", "winner"]) is None


def test_groups_of_several_files_differ(tmp_path):
    paths = [written(tmp_path, GROUPED, f"{name}.csv") for name in "ab"]
    groups = [row[5] for row in singles(paths)]
    assert not set(groups[:5]) & set(groups[5:])
    assert len(set(groups)) == 8


def test_single_votes_of_counts(tmp_path):
    path = written(tmp_path, "first,second,wins_first,wins_second,ties\nx,y,3,1,0\nz,x,0,0,2\n", "c.csv")
    assert singles(path) == [("x", "y", 1, 3, None, 0), ("x", "y", -1, 1, None, 1), ("z", "x", 0, 2, None, 2)]


# The report


def test_source(tmp_path):
    (tmp_path / "v.csv").write_bytes(b"winner,loser\nx,y\n")
    votes = read_votes([tmp_path / "v.csv"])
    (source,) = votes.sources
    assert source.path == str(tmp_path / "v.csv")
    assert source.sha256 == hashlib.sha256(b"winner,loser\nx,y\n").hexdigest()
    assert (source.rows, source.understood) == (1, "winner has won against loser")
    assert (votes.refused_rows, votes.refused, votes.warnings) == (0, (), ())
