"""Reading votes: columns and outcomes by name, refusals with the command that reads a file, and the table of votes."""

import gzip
import re
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from duelbench import Session, rank
from duelbench.errors import UserError
from duelbench.parameters import validated
from duelbench.preferences.counts import PairCounts
from duelbench.votes.reading import read
from duelbench.votes.reading.columns import LAYOUTS, OPTIONAL, SESSION, WORDS, VoteFileOptions
from duelbench.votes.reading.ratings import COLUMNS
from duelbench.votes.reading.read import ArmNames, read_aliases, read_votes
from duelbench.votes.reading.tables import key, word
from duelbench.votes.vote_table import counts_text
from tests.commands import here
from tests.pages import code_in, rows

PAGE = "datasets/README.md"


@pytest.fixture(autouse=True)
def _place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def written(text, name="v.csv"):
    Path(name).write_text(text, encoding="utf-8")
    return Path(name)


def said(votes):
    """Return the votes of each pair as text: wins of the first, wins of the second, ties."""
    counts = votes.counts
    return "; ".join(
        f"{counts.names[i]}-{counts.names[j]} {counts.wins[i, j]:g}:{counts.wins[j, i]:g}:{counts.ties[i, j]:g}"
        for i, j in np.argwhere(np.triu(counts.votes > 0))
    )


def refused(votes, **options):
    with pytest.raises(UserError) as caught:
        read_votes(votes, **options)
    return caught.value


def commands(error):
    """Return the commands that an error prints, as a shell splits them."""
    lines = [line.strip() for line in error.below if line.strip().startswith("duelbench rank")]
    split = [subprocess.run(["sh", "-c", f"printf '%s\\n' {line}"], capture_output=True, text=True) for line in lines]
    return [each.stdout.splitlines()[2:] for each in split]


def options_of(command):
    """Return the file that a command reads, and its options."""
    path, found = command[0], {}
    for option, value in zip(command[1::2], command[2::2], strict=True):
        name = {"--outcome": "outcomes", "--only": "only", "--tie": "tie"}.get(option)
        if name:
            found.setdefault(name, []).append(value)
        else:
            found[option[2:].replace("-", "_")] = value
    return path, found


# What is recognised


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("first,second,outcome\nx,y,first\ny,x,First \nx,y,tie\n", "x-y 1:1:1"),
        ("first,second,outcome\nfirst,second,second\n", "first-second 0:1:0"),
        ("first,second,winner\nx,y,y\nx,y,second\n", "x-y 0:2:0"),
        ("Model A,model-b,WINNER\nx,y,a\nx,y,MODEL_B\nx,y,tie (bothbad)\nx,y,x\n", "x-y 2:1:1"),
        ("left,right,winner\nx,y,left\nx,y,neither\n", "x-y 1:0:1"),
        ("left,right,choice\nx,y,right\nx,y,both good\n", "x-y 0:1:1"),
        ("left,right,preference\nx,y,x\nx,y,Both_Bad\n", "x-y 1:0:1"),
        ("White,Black,Result\nx,y,1-0\nx,y,0 - 1\nx,y,½-½\nx,y,1/2-1/2\nx,y,*\nx,y,black\n", "x-y 1:2:2"),
        ("winner,loser\nx,y\ny,x\n", "x-y 1:1:0"),
        ("winner,loser,is_draw\nx,y,yes\ny,x,0\n", "x-y 0:1:1"),
        ("chosen_model,rejected_model,prompt\nx,y,p\n", "x-y 1:0:0"),
        ("first,second,wins_first,wins_second\nx,y,3,1.5\n", "x-y 3:1.5:0"),
        ("model_a,model_b,wins_a,wins_b,ties\ny,x,3,1,2\n", "x-y 1:3:2"),
        ("model_a,model_b,winner_model_a,winner_model_b,winner_tie\nx,y,1,0,0\nx,y,0,0,1\n", "x-y 1:0:1"),
        ("model_a,model_b,winner_model_a,winner_model_b,winner_tie\nx,y,True,False,false\n", "x-y 1:0:0"),
        ("model_a,model_b,winner,tie\nx,y,x,\nx,y,,true\nx,y,tie,yes\nx,y,,\n", "x-y 1:0:2"),
        ("model_a,model_b,winner,count\nx,y,x,70\nx,y,y,30.5\n", "x-y 70:30.5:0"),
        ("model_a,model_b,winner,weight\nx,y,x,0\nx,y,y,2\n", "x-y 0:2:0"),
        ("\ufeff# a comment\n\nmodel_a;model_b;winner;\nx;y;x;\n;;;\n", "x-y 1:0:0"),
        ("sep=|\nmodel_a|model_b|winner\nx|y|x\n", "x-y 1:0:0"),
        ('"model_a","model_b","winner"\n"a, ""b""\nc",y,y\nx,y,model_a\n', "x-y 1:0:0"),
    ],
)
def test_layouts(text, counts):
    assert said(read_votes(written(text))) == counts


def test_the_page_has_all_that_is_recognised():
    """The table of layouts and words is the one in the package; well-known headers below it are read."""
    found = [(code_in(columns), code_in(words)) for _, columns, words in rows(PAGE, "Columns of vote files")]
    columns = {name for names, _ in found for name in names}
    words = {word(text) for _, texts in found for text in texts}
    assert columns == {name for each in LAYOUTS for name in (*each.columns, each.ties) if name} | {
        name for names in (*OPTIONAL.values(), *COLUMNS.values()) for name in names
    }
    sides = {word(text) for each in LAYOUTS if each.kind == "outcome" for text in (*each.columns[:2], *each.words)}
    assert words == (WORDS.keys() | sides) - {""}


def test_side_words_belong_to_their_layout():
    error = refused(written("model_a,model_b,winner\nx,y,left\nx,y,1-0\nx,y,x\n"))
    assert "'1-0' (1), 'left' (1)" in error.message
    assert commands(error) == [
        ["v.csv", "--outcome", "1-0=first|second|tie|none", "--outcome", "left=first|second|tie|none"]
    ]


def test_outcome_that_the_user_names_has_precedence():
    path = written("model_a,model_b,winner\nx,y,x\nx,y,tie\nx,y,a=b\nx,y,\n")
    assert said(read_votes(path, outcomes={"x": "second", "TIE": "none", "a=b": "tie", "": "first"})) == "x-y 1:1:1"
    votes = read_votes(path, outcomes={"a=b": "tie", "both bda": "none"})
    assert votes.abstentions == {"": 1}
    assert votes.warnings == ["--outcome has no effect for 'both bda': no row has this outcome"]


@pytest.mark.parametrize(
    ("text", "options", "says"),
    [
        ("model_a,model_b,winner\nx,y,x\nx,y,2\n", {}, "'2' (1)"),
        ("model_a,model_b,winner\nx,y,nan\nx,y,True\n", {}, "'True' (1), 'nan' (1)"),
        ("first,second,outcome\nx,y,x\n", {}, "'x' (1)"),
        ("model_a,model_b,winner\n1,2,1\n2,3,3\n3,1,-1\n", {}, "'-1' (1)"),
    ],
)
def test_unknown_outcomes(text, options, says):
    """A file with an unknown word or number is refused; the printed command asks for a choice and is refused, too."""
    error = refused(written(text), **options)
    assert says in error.message and error.source == "v.csv"
    (path, *_) = commands(error)[0]
    with pytest.raises(UserError, match="choose one of first, second, tie, none, arm"):
        read_votes(path, **options_of(commands(error)[0])[1])


def test_a_number_that_is_an_arm_may_be_none():
    error = refused(written("model_a,model_b,winner\n1,2,1\n2,3,3\n3,1,-1\n"))
    assert [text.partition("=")[0] for text in commands(error)[0][2::2]] == ["-1", "1", "3"]


@pytest.mark.parametrize(
    ("text", "sides", "arms"),
    [
        (
            "model_a,model_b,winner\na,b,a\nb,c,b\na,c,a\n",
            "a-b 1:0:0; a-c 1:0:0; b-c 0:1:0",
            "a-b 1:0:0; a-c 1:0:0; b-c 1:0:0",
        ),
        ("first,second,winner\nskip,y,skip\n", None, "skip-y 1:0:0"),
        ("first,second,winner\n1,2,1\n2,1,1\n", None, "1-2 2:0:0"),
    ],
)
def test_arm_or_side(text, sides, arms):
    """A word that can be an arm or a side is refused with a command for each; the one for sides may need a choice."""
    first, second = commands(refused(written(text)))
    assert said(read_votes(second[0], **options_of(second)[1])) == arms
    if sides:
        assert said(read_votes(first[0], **options_of(first)[1])) == sides
    else:
        refused(first[0], **options_of(first)[1])


def test_arms_called_like_sides_that_agree():
    assert said(read_votes(written("model_a,model_b,winner\na,b,a\na,b,b\na,c,a\n"))) == "a-b 1:1:0; a-c 1:0:0"


# Files with other columns


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("left_model,right_model,preference\nx,y,left\nx,y,right\n", "x-y 1:1:0"),
        ("player1,player2,winner\nx,y,x\nx,y,y\n", "x-y 1:1:0"),
        ("HomeTeam,AwayTeam,FTR\nx,y,home\nx,y,draw\n", "x-y 1:0:1"),
        ("player_w,player_l\nx,y\n", None),
        ("winner_name,loser_name,score\nx,y,3\ny,x,4\n", "x-y 1:1:0"),
        ("team 1;team 2;wins 1;wins 2;n_draws\nx;y;3;1;2\n", "x-y 3:1:2"),
        ("one_a,one_b,it's $HOME `x`\nx,y,x\n", "x-y 1:0:0"),
        ("model_1,model_2,g1_winner,judge\nx,y,model_1,j\nx,y,tie,j\n", "x-y 1:0:1"),
    ],
)
def test_command_that_reads_the_file(text, counts):
    """The printed command, passed to a shell unchanged, reads the file in the proposed way."""
    error = refused(written(text, "a file.csv"))
    assert "in no layout that is recognised" in error.message
    (command,) = commands(error)
    path, options = options_of(command)
    if counts is None:
        assert "COLUMN" in command and "no column 'COLUMN'" in refused(path, **options).message
    else:
        assert said(read_votes(path, **options)) == counts


def test_a_refusal():
    """A refusal shows two values of each column; unknown words and numbers are left to the user."""
    text = "task;left_model;right_model;preference\n" + "T1;x;y;left\nT2;y;x;about the same\nT3;x;y;2\n"
    written(text)
    done = here("rank", "v.csv", "--only", "task=T1")
    assert done.exit_code == 2
    assert done.stderr.splitlines() == [
        "error: v.csv: the columns are in no layout that is recognised",
        "  task         T1 · T2",
        "  left_model   x · y",
        "  right_model  y · x",
        "  preference   left · about the same",
        "Copy this, and choose where | stands:",
        "  duelbench rank v.csv --first left_model --second right_model --winner preference --outcome left=first "
        "--outcome 'about the same=first|second|tie|none' --outcome '2=first|second|tie|none' --only task=T1",
    ]


def test_options_that_name_columns():
    path = written("a,b,first,second,x1\nx,y,p,q,b\n")
    assert said(read_votes(path, first="a", second="b", winner="X1")) == "x-y 0:1:0"
    assert "there is no column 'c'" in refused(path, first="a", second="c", winner="x1").message
    path = written("model_a,model_b,choice\nx,y,x\n")
    assert said(read_votes(path, winner="choice")) == "x-y 1:0:0"
    for header in ("model_a,model_b,winner,Win-ner", "model_a,model_b,winner,Model B"):
        assert "have the same name" in refused(written(f"{header}\nx,y,x,y\n")).message


def test_a_second_column_that_agrees():
    votes = read_votes(written("model_a,model_b,winner,winner_name\nx,y,model_a,x\ny,x,model_b,x\n"))
    assert said(votes) == "x-y 2:0:0"
    assert votes.warnings == ["v.csv: not used: 'winner_name' (names of arms)"]


def test_a_row_that_says_two_things():
    header = "model_a,model_b,winner_model_a,winner_model_b,winner_tie\n"
    error = refused(written(header + "x,y,1,0,0\nx,y,1,0,1\n"))
    assert (error.line, error.source) == (3, "v.csv") and "several outcomes" in error.message
    assert said(read_votes(written("model_a,model_b,wins_a,wins_b\nx,y,1,1\nx,y,0,0\n"))) == "x-y 1:1:0"


def test_columns_of_questions():
    """For a column with values that repeat like questions, --group is proposed, and intervals without it are marked."""
    text = "".join(f"q{at % 8},x,y,{'xy'[at % 3 > 0]}\n" for at in range(24))
    path = written("task_id,model_a,model_b,winner\n" + text)
    votes = read_votes(path)
    assert votes.warnings == ["v.csv: not used: 'task_id' (repeated; if its rows belong together: --group task_id)"]
    assert "(if votes are independent)" in here("rank", "v.csv").stdout
    assert "(8 groups)" in here("rank", "v.csv", "--group", "task_id").stdout
    assert "(8 groups)" in here("rank", str(written("question_id,model_a,model_b,winner\n" + text, "g.csv"))).stdout


# Rows


def test_random_votes():
    """Counts equal those of a plain loop, and tables are equal, in any order of the rows."""
    rng = np.random.default_rng(7)
    models, lines, wins, ties = ["p", "q", "r", "s"], [], np.zeros((4, 4)), np.zeros((4, 4))
    for _ in range(300):
        i, j = rng.choice(4, 2, replace=False)
        said_ = ["model_a", models[j], "b", "tie", "skip", "*"][rng.integers(6)]
        weight, lang = int(rng.integers(0, 3)), ["en", "de"][rng.integers(2)]
        lines.append(f"{models[i]},{models[j]},{said_},{weight},{lang},j{rng.integers(5)},q{rng.integers(20)}\n")
        if lang == "en":
            wins[i, j] += weight * (said_ == "model_a")
            wins[j, i] += weight * (said_ in ("b", models[j]))
            ties[i, j] += weight * (said_ == "tie")
    header = "model_a,model_b,winner,weight,lang,judge,item\n"
    tables_of = []
    for _ in range(3):
        rng.shuffle(lines)
        paths = [written(header + "".join(part), f"{at}.csv") for at, part in enumerate((lines[:100], lines[100:]))]
        votes = read_votes(paths, only="lang=EN")
        assert np.array_equal(votes.counts.wins, wins) and np.array_equal(votes.counts.ties, ties + ties.T)
        assert votes.left_out == sum(",de," in line for line in lines)
        whole = read_votes(written(header + "".join(lines)))
        frame = whole.to_frame()
        assert frame.columns.tolist() == ["first", "second", "outcome", "weight", "judge", "group"]
        tables_of.append(sorted(frame.drop(columns="group").values.tolist()))
        assert len(set(frame["group"])) <= 20
    assert tables_of[0] == tables_of[1] == tables_of[2]


REFUSED = """model_a,model_b,winner,judge,n
x,y,x,ann,1
,y,y,ann,1
x,X ,x,ann,1
x,y
x,y,x,ann,1,1
x,"y"z,x,ann,1
x,y,y,,2
x,y,y,bob,1;5
x,y,skip,bob,1
x,z,x,bob,1
x,z,y,bob,1
"""


def test_refused_rows():
    votes = read_votes(written(REFUSED + "x,z,x,bob,1\n" * 200), weight="n")
    assert {each.reason.partition(":")[0]: (each.rows, each.places) for each in votes.refused} == {
        "an arm has no name": (1, ("v.csv:3",)),
        "an arm is compared with itself": (1, ("v.csv:4",)),
        "the row has fewer cells than the header": (1, ("v.csv:5",)),
        "the row has more cells than the header": (1, ("v.csv:6",)),
        "a quotation mark is out of place": (1, ("v.csv:7",)),
        "the weight is no number from 1e-06 to 1e+12, nor 0": (1, ("v.csv:9",)),
        "the outcome is the name of an arm of other rows": (1, ("v.csv:12",)),
    }
    assert (votes.rows, votes.refused_rows, votes.abstentions) == (211, 7, {"skip": 1})
    assert votes.judges == {"bob": 201, "ann": 1}
    lines = [*votes.problems()]
    assert lines[0] == "abstentions, which are no votes, in 1 of 211 rows: 'skip' 1"
    assert "1 of 211 rows refused: an arm has no name (v.csv:3)" in lines
    with pytest.raises(UserError, match=r"\(v\.csv:\d+\): correct it, or leave out --strict"):
        read_votes("v.csv", weight="n", strict=True)


@pytest.mark.parametrize(
    ("text", "options", "says"),
    [
        ("model_a,model_b,winner\n", {}, "there are no votes in 0 rows"),
        ("model_a,model_b,winner\nx,y,skip\nx,z,\n", {}, "there are no votes in 2 rows, 2 of them abstentions"),
        ("model_a,model_b,winner\nx,y,x\n", {"only": {"winner": "y"}}, "none of them selected by --only"),
        ("model_a,model_b,winner\nx,y,x\n", {"only": "lang=en"}, "there is no column 'lang'"),
        ("model_a,model_b,winner\nx,x,x\nx,x,x\nx,y,x\n", {}, "2 of 3 rows cannot be used"),
        ("first,second,wins_first,wins_second\nx,y,-1,2\n", {}, "no number from 1e-06 to 1e+12, nor 0: '-1'"),
        ('first,second,wins_first,wins_second\nx,y,"1,5",2\n', {}, "write decimals with a point"),
        ("model_a,model_b,winner,tie\nx,y,x,perhaps\n", {}, "tie is neither true nor false"),
        ('model_a,model_b,winner\nx,"y,x\n', {}, "a quotation mark is missing"),
        (",x,y,z\nx,,3,2\ny,1,,5\nz,4,0,\n", {}, "a table of arms by arms"),
        ("model_a\nx\n", {}, "no header of two or more columns"),
        ("# only a comment\n", {}, "the file holds no rows"),
        ("", {}, "the file is empty"),
    ],
)
def test_no_votes(text, options, says):
    error = refused(written(text), **options)
    assert says in str(error) and error.source == "v.csv"


def test_too_many_arms(monkeypatch):
    monkeypatch.setattr(read, "MAX_ARMS", 20)
    path = written("model_a,model_b,winner\n" + "".join(f"text {n},y,b\n" for n in range(100)))
    assert "'model_a' has more than 40 different values" in refused(path).message


def test_groups():
    """Rows of a file with the same value are a group; empty values are not. Without --group, few groups are ignored."""
    header, text = (
        "model_a,model_b,winner,item,page\n",
        "x,y,x,1,p\ny,x,x,1,q\nx,y,tie,,q\nx,y,x,2,p\nx,y,x,3,\nx,y,x,,p\nx,y,x,4,p\n",
    )
    paths = [written(header + text, f"{name}.csv") for name in "ab"]
    group = read_votes(paths).table.group.tolist()
    assert [group[:7].count(each) for each in group[:7]] == [2, 2, 1, 1, 1, 1, 1] and not {*group[:7]} & {*group[7:]}
    assert len({*read_votes(paths[0], group="page").table.group}) == 3
    few = read_votes(written(header + "x,y,x,1,\nx,y,y,1,\n"))
    assert len({*few.table.group}) == 2 and "too few to be groups" in few.warnings[0]


def test_ties_that_are_dropped():
    votes = read_votes(written("model_a,model_b,winner\nx,y,x\nx,z,tie\n"), ties="drop")
    assert said(votes) == "x-y 1:0:0" and votes.counts.names == ("x", "y", "z") and votes.dropped_ties == 1


def test_options_in_a_spec():
    """Mappings are texts in a spec, with " & " between their pairs; the text is the same when it is read again."""
    options = VoteFileOptions(
        only={"lang": "en", "maker": "A & B"}, outcomes={"a=b": "tie", "x": "first"}, tie=["t", "u"]
    )
    text = options.model_dump(mode="json", exclude_defaults=True)
    assert text == {"only": "lang=en & maker=A & B", "outcomes": "a=b=tie & x=first", "tie": "t & u"}
    assert VoteFileOptions(only=text["only"], tie=text["tie"]) == options.model_copy(update={"outcomes": {}})


# Formats


@pytest.mark.parametrize(
    ("name", "text", "delimiter"),
    [
        ("v.tsv", "model_a\tmodel_b\twinner\nx, y\tz\tmodel_b\n", None),
        ("v.txt", "model_a|model_b|winner|a,b,c,d,e\nx, y|z|model_b|\n", None),
        ("v.csv", "model_a:model_b:winner\nx, y:z:model_b\n", ":"),
        ("v.dat", "model_a\tmodel_b\twinner\nx, y\tz\tmodel_b\n", "tab"),
        ("v.json", '[{"model_a": "x, y", "model_b": "z",\n "winner": "model_b"}]', None),
        ("v.jsonl", '\n{"model_a": "x, y", "model_b": "z", "winner": "model_b", "more": null}\n', None),
        ("-", '{"model_a": "x, y", "model_b": "z", "winner": "model_b"}\n', None),
        ("v.pgn", '[White "x, y"]\n[Black "z"]\n\n1. e4 0-1\n', None),
    ],
)
@pytest.mark.parametrize("pack", [lambda content: content, gzip.compress])
def test_formats(name, text, delimiter, pack):
    packed = pack(text.encode())
    path = Path("in" if name == "-" else name if packed == text.encode() else f"{name}.gz")
    path.write_bytes(packed)
    if name == "-":
        assert "in: 1 row, " in here("rank", "-", input=packed).stdout.replace("-:", "in:")
    else:
        assert said(read_votes(path, delimiter=delimiter)) == "x, y-z 0:1:0"


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        (
            "v.json",
            b'{"features": [{"name": "x"}], "rows": [{"row": {"model_a": "x", "model_b": "y", "winner": "x"}}]}',
            'jq -c \'.["rows"][]["row"]\' v.json',
        ),
        ("v.json", b'{"model_a": {"0": "x"}, "model_b": {"0": "y"}, "winner": {"0": "x"}}', "pandas.read_json"),
        ("v.json", b"[[1, 2, 3]]", "each must be an object"),
        ("v.jsonl", b'{"model_a": "x",\n', "neither JSON Lines nor one array"),
        ("v.feather", b"ARROW1", "pandas.read_feather"),
        ("v.xlsx", b"PK\x03\x04", "pandas.read_excel"),
        ("v.csv", b"PK\x03\x04", "unpack it"),
        ("v.csv", "model_a\n".encode("utf-16"), "save it as CSV"),
        ("v.csv", b"model_a,model_b,winner\nx,\xe9,x\n", "not UTF-8"),
        ("v.csv.gz", gzip.compress(b"model_a,model_b,winner\n" * 99, mtime=0)[:-9], "damaged or cut off"),
        ("v.parquet", b"PAR1", "cannot be read"),
        ("v.pgn", b"no game", "holds no games"),
        ("v.wmd", b"2,1\n", "pairs from .pwg"),
    ],
)
def test_file_errors(name, content, says):
    Path(name).write_bytes(content)
    error = refused(name)
    assert says in error.message and error.source == name


def test_no_file():
    assert "no such file" in refused("gone.csv").message
    written("model_a,model_b,winner\n")
    Path("shards").mkdir()
    written("model_a,model_b,winner\nx,y,x\n", "shards/one file.csv")
    assert "'shards/one file.csv'" in refused("shards").message
    done = here("rank", "shards")
    assert done.exit_code == 2 and "this is a folder: name the files in it: 'shards/one file.csv'" in done.stderr


# From Python


def test_python():
    records = [{"model_a": "x", "model_b": "y", "winner": "x"}, {"model_a": "x", "model_b": "y", "winner": None}]
    assert said(read_votes(records)) == said(read_votes(pd.DataFrame(records))) == "x-y 1:0:0"
    tuples = [("x", "y", "model_a"), ("x", "y", "second"), ["y", "x", "tie"], ("y", "x", "x")]
    assert said(read_votes(tuples)) == "x-y 2:1:1"
    frame = pd.DataFrame({"a": ["x", "y"], "b": ["y", "x"], "who": [0, 1], "lang": ["en", "en"]})
    options = {
        "first": "a",
        "second": "b",
        "winner": "who",
        "outcomes": {"0": "first", "1": "second"},
        "only": {"lang": "en"},
    }
    assert said(read_votes(frame, **options)) == "x-y 2:0:0"
    assert said(read_votes([*frame.itertuples()], **options)) == "x-y 2:0:0"
    assert rank(frame, **options).names == ("x", "y")
    session = Session("d-ts", np.array(["x", "y"]))
    with pytest.warns(UserWarning, match="not used: 'note'"):
        assert session.tell_votes(frame.assign(note="n"), **options) == 2
    with pytest.raises(UserError, match="imported before"):
        session.tell_votes(frame, **options)
    for wrong in ([("x", "y")], 3, None, [[1, 2], "x"]):
        assert "a list of dictionaries or of tuples" in refused(wrong).message


# Names


def test_similar_names_are_one_arm():
    names = ArmNames()
    for number, name in enumerate(["GPT 4", "gpt4", "Gpt4", "\u212bngstr\u00f6m", "A\u030angstro\u0308m"]):
        names.count(name, number + 1)
    kept = names.kept()
    assert kept["GPT 4"] == kept["gpt4"] == "Gpt4" and kept["\u212bngstr\u00f6m"] == "A\u030angstro\u0308m"
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
        assert names.arm(hidden) == names.arm("gpt4") and key(hidden) == "gpt4"
    assert names.arm("\u200b") != names.arm("\u200c") and names.arm("\U000e0067") != names.arm("\U000e0073")
    assert any("'GPT 4' (1), 'Gpt4' (3), 'gpt4' (2) count as the arm 'Gpt4'" in each for each in names.warnings(""))


def test_missing_and_double_values():
    frame = pd.DataFrame({"model_a": ["x", "y"], "model_b": ["y", "z"], "winner": ["x", float("nan")]})
    assert read_votes(frame).abstentions == {"": 1}
    line = '{"model_a": "x", "model_b": "y", "winner": "%s"%s}\n'
    votes = read_votes(written(line % ("x", "") * 3 + line % ("y", ', "winner": "x"'), "v.jsonl"))
    assert (said(votes), votes.refused_rows) == ("x-y 3:0:0", 1)
    votes = read_votes(written(line % ("x", "") * 3 + '{"model_a": NaN, "model_b": "y", "winner": "y"}\n', "v.jsonl"))
    assert (said(votes), votes.refused_rows) == ("x-y 3:0:0", 1)


def test_missing_names():
    votes = read_votes(written("model_a,model_b,winner\nnan,y,y\nN/A,y,y\nx,y,x\n"))
    assert votes.warnings == [
        "'N/A' (1), 'nan' (1): read as names of arms; remove these rows if the name is missing there"
    ]


def test_known_arms_are_kept_apart():
    names = ArmNames(arms=["x", "X", "gpt-4"])
    assert [names.arm(name) for name in ("x", "X", "GPT-4", "y", "Y")] == ["x", "X", "gpt-4", "y", "y"]


ALIASES = "name,arm\ngpt4,GPT-4\nclaude,Claude 3\nCLAUDE,Claude 1\nllama,Llama\nx,Claude 3\n"


def test_aliases():
    votes = "model_a,model_b,winner\nGpt4,claude,gpt-4\nCLAUDE,GPT4,b\nClaude,gpt4,tie\nLLAMA,claude,llama\n"
    alias = written(ALIASES, "aliases.csv")
    found = read_votes(written(votes), alias=str(alias))
    # Claude resembles two names of different arms, so it is neither.
    assert said(found) == "Claude-GPT-4 0:0:1; Claude 1-GPT-4 0:1:0; Claude 3-GPT-4 0:1:0; Claude 3-Llama 0:1:0"
    assert found.warnings[-1] == "aliases.csv: 1 of 5 names do not occur in the votes: 'x'"


def test_harmless_aliases():
    assert read_aliases(written("arm\tName\nb\ta\nb\tb\nb\ta\n", "aliases.tsv")) == {"a": "b", "b": "b"}


# Files that duelbench writes


def test_counts_file():
    rng = np.random.default_rng(3)
    names = ("#1", "2", "a, b", 'say "x"', "z", "ü")  # sorted, as from a reader
    wins = rng.integers(0, 4, (6, 6)) * np.array([1, 0.25])[rng.integers(0, 2, (6, 6))]
    ties = np.triu(rng.integers(0, 2, (6, 6)), 1)
    wins[3] = wins[:, 3] = ties[3] = ties[:, 3] = 0  # no votes at all
    np.fill_diagonal(wins, 0)
    counts = PairCounts(names, wins, ties + ties.T)
    written(counts_text(counts, "a note\nof two lines"), "c.csv")
    again = read_votes("c.csv")
    assert again.counts.names == names and again.counts.digest() == counts.digest() and again.warnings == []


def test_votes_of_a_session():
    """Names are exact and outcomes are sides, whatever the names of the arms; older files have fewer columns."""
    rows_of = [
        "second,first,second,j,,,1,,true,q1,,",
        "A,a,half,j,,,2,,true,q1,,",
        "a,A,none,j,,,3,,true,q2,,",
        "a,tie,tie,,,,4,,true,,,",
    ]
    votes = read_votes(written("\n".join([",".join(SESSION), *rows_of])))
    assert said(votes) == "A-a 0.5:0.5:0; a-tie 0:0:1; first-second 1:0:0"
    assert votes.abstentions == {"none": 1} and not votes.files[0].understood.partition("session")[2]
    old = [",".join(each.split(",")[:9]) for each in (",".join(SESSION), *rows_of)]
    assert said(read_votes(written("\n".join(old)))) == said(votes)


# What can mean two things, and what is not used


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("model_a,model_b,left,right,winner\nx,y,y,x,y\n", {"x-y 0:1:0"}),
        ("left,right,winner,choice\nx,y,left,right\n", {"x-y 1:0:0", "x-y 0:1:0"}),
        ("first,second,winner,loser\nx,y,x,y\n", {"x-y 1:0:0"}),
        ("model_a,model_b,winner,gpt_winner\nx,y,model_a,model_b\n", {"x-y 1:0:0", "x-y 0:1:0"}),
        ("model_a,model_b,winner,best\nx,y,x,y\n", {"x-y 1:0:0", "x-y 0:1:0"}),
        ("model_a,model_b,winner,weight,count\nx,y,x,2,3\n", {"x-y 2:0:0", "x-y 3:0:0"}),
        ("model_a,model_b,winner,judge,rater\nx,y,x,j,k\n", {"x-y 1:0:0"}),
        ("model_a,model_b,winner,both_good,both_bad\nx,y,,1,0\nx,y,,0,1\nx,y,x,0,0\n", {"x-y 1:0:2"}),
        ("model_a,model_b,wins_a,wins_b,ties,draw\nx,y,1,2,3,4\n", {"x-y 1:2:7"}),
        ("first,second,wins_first,wins_second,tie\nx,y,3,1,2\n", {"x-y 3:1:2"}),  # or true where both have as many
        ("model_a,model_b,winner,winner_2\n" + "x,y,x,\n" * 1100 + "x,y,x,y\n", {"x-y 1101:0:0", "x-y 0:1:0"}),
        ("model_a,model_b,winner,tie\nx,y,x,1\nx,y,y,0\n", {"x-y 0:1:1"}),
        ("model_a,model_b,winner,tie\nx,y,tie,no\nx,y,y,0\n", {"x-y 0:1:1"}),
    ],
)
def test_two_readings(text, counts):
    """A file that can be read in several ways is an error with a command for each."""
    found = {said(read_votes(path, **options)) for path, options in map(options_of, commands(refused(written(text))))}
    assert found == counts


@pytest.mark.parametrize(("good", "known"), [(99, True), (98, False)])
def test_arm_of_other_rows(good, known):
    """Up to 1 % of the rows may name an arm of other rows; only these rows are refused."""
    path = written("model_a,model_b,winner\n" + "x,y,x\n" * good + "x,z,y\n")
    if not known:
        assert "is often the name of an arm of other rows" in refused(path).message
    votes = read_votes(path, outcomes={} if known else {"y": "arm"})
    assert (votes.refused_rows, votes.refused[0].places) == (1, (f"v.csv:{good + 2}",))


def test_too_many_outcomes():
    error = refused(written("model_a,model_b,winner\n" + "".join(f"x,y,text {at}\n" for at in range(30))))
    assert "text 0" in error.message and "no outcomes" in error.message and not commands(error)


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (
            "model_a,model_b,winner,comment,size\nx,y,x,c,30\nx,y,y,d,10\n",
            "'size' (whole numbers; if they are numbers of votes: --weight size), 'comment'",
        ),
        (
            "model_a,model_b,winner,is swapped\nx,y,x,True\nx,y,y,False\n",
            "'is swapped' (true or false; if it says that a row is a tie: --tie 'is swapped')",
        ),
        ("model_a,model_b,winner,shown\nx,y,x,x\nx,y,y,x\n", "'shown' (names of arms)"),
        ("winner,loser,how\nx,y,win\ny,x,tie\n", "'how' (outcomes)"),
        ("model_a,model_b,wins_a,wins_b,n\nx,y,1,2,3\n", "'n' (numbers; if they count ties: --tie n)"),
    ],
)
def test_unused_columns(text, note):
    """One line names all unused columns, starting with those that may change numbers."""
    assert read_votes(written(text)).warnings == [f"v.csv: not used: {note}"]


@pytest.mark.parametrize(
    ("options", "key", "says"),
    [
        ({"only": "lang"}, "only", "write COLUMN=VALUE"),
        ({"only": ["a=b", "a=c"]}, "only", "a name twice"),
        ({"outcomes": {"x": "first|second|tie|none"}}, "outcomes", "choose one of first, second"),
        ({"outcomes": {"Both OK": "tie", "both-ok": "none"}}, "outcomes", "cannot mean two outcomes"),
        ({"delimiter": "commas"}, "delimiter", "write one character"),
        ({"tie_word": "meh"}, "tie_word", "there is no parameter 'tie_word'"),
    ],
)
def test_option_errors(options, key, says):
    with pytest.raises(UserError, match=re.escape(says)) as caught:
        validated(VoteFileOptions, options)
    assert caught.value.key == (key,)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("gpt4,GPT-4\n", 1, "with the columns name and arm, named in its first line, not gpt4"),
        ("name,arm\na,b\n\na,c\n", 4, "'a' is already another name of 'b'"),
        ("name,arm\na,b\nb,c\n", None, "'b' is itself a name of 'c': write that arm for 'a'"),
        ("name,arm\na,b\nb,\n", 3, "write a name and the arm that it means"),
        ("name,arm\na,b\nc\n", 3, "write a name and the arm that it means"),
    ],
)
def test_alias_errors(text, line, says):
    with pytest.raises(UserError, match=re.escape(says)) as caught:
        read_aliases(written(text))
    assert (caught.value.line, caught.value.source) == (line, "v.csv")


@pytest.mark.parametrize(("word", "means"), [("left", "first"), ("g", "first|second|tie|none")])
def test_a_letter_does_not_say_which_side_it_means(word, means):
    """Part of a column's name tells which side a word means, but a single letter is too short."""
    (command,) = commands(refused(written(f"left_model,right_model,preference\nx,y,{word}\nx,y,other\n")))
    assert f"{word}={means}" in command
