"""``duelbench rank``, and the options of all commands that read votes."""

import csv
import io
import json
import math
import random
import re
from itertools import combinations

import click
import numpy as np
import pytest

import duelbench
from duelbench.cli import main
from duelbench.cli.rank import latex, lines
from duelbench.errors import UserError
from duelbench.votes.ranking import rank
from duelbench.votes.reading.columns import VoteEntry, VoteFileOptions
from duelbench.votes.sessions.session import Session
from duelbench.votes.vote_figures import rank_figure
from tests.commands import here
from tests.vote_files import PUDDING, counts_of

LADDER = [[0, 90, 99, 99], [10, 0, 52, 90], [1, 48, 0, 90], [1, 10, 10, 0]]


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"brand{i},brand{j},{won},{lost},{ties}" for i, j, won, lost, ties in PUDDING]
    (tmp_path / "pudding.csv").write_text("\n".join(["first,second,wins_first,wins_second,ties", *rows]) + "\n")
    pairs = [(i, j) for i in range(4) for j in range(4) if i < j]
    rows = [f"{'abcd'[i]},{'abcd'[j]},{LADDER[i][j]},{LADDER[j][i]}" for i, j in pairs]
    (tmp_path / "ladder.csv").write_text("\n".join(["first,second,wins_first,wins_second", *rows]) + "\n")
    return tmp_path


def numbers(*arguments):
    """Return what ``rank --json`` prints."""
    return json.loads(here("rank", *arguments, "--json").stdout)


def test_csv_has_no_formulas(place):
    """Names that look like formulas are escaped; negative numbers stay numbers."""
    text = (place / "ladder.csv").read_text()
    (place / "odd.csv").write_text(text.replace("a,", "=a,").replace("b,", "'-b,"))
    here("rank", "odd.csv", "-o", "ranks.csv")
    rows = [line.split(",") for line in (place / "ranks.csv").read_text().splitlines()[1:]]
    assert {row[0] for row in rows} == {"'=a", "''-b", "c", "d"}
    assert min(float(row[4]) for row in rows) < 0


def test_text(place):
    shown = here("rank", "pudding.csv").stdout
    assert shown.startswith("pudding.csv: 15 rows, read as counts of first against second, in wins_first, ")
    table = [line.split() for line in shown.splitlines()[3:9]]
    assert [row[0] for row in table] == [f"brand{each}" for each in (6, 2, 4, 3, 5, 1)]
    assert {row[2] for row in table} == {"1–6"}
    assert "No rank is decided." in shown
    shown = here("rank", "ladder.csv").stdout
    assert [line.split()[:3] for line in shown.splitlines()[3:7]] == [
        ["a", "1", "1"],
        ["b", "2", "2–3"],
        ["c", "2", "2–3"],
        ["d", "3", "4"],
    ]
    assert "Decided: ranks 1, 4; the top 1, the top 3." in shown


def test_json(place):
    found = numbers("ladder.csv")
    assert found["tiers"] == [["a"], ["b", "c"], ["d"]]
    assert found["intervals"]["ranks"] == {"a": [1, 1], "b": [2, 3], "c": [2, 3], "d": [4, 4]}
    assert found["intervals"]["kind"] == "simultaneous" and found["intervals"]["level"] == 0.95
    assert found["decided"] == {"ranks": [1, 4], "tops": [1, 3]}
    first = found["arms"][0]
    assert (first["name"], first["wins"], first["losses"], first["ties"]) == ("a", 288, 12, 0)
    assert (first["tier"], first["best_rank"], first["worst_rank"]) == (1, 1, 1)
    assert first["expected_wins"] == pytest.approx(0.96)
    assert found["votes"] == 600


def test_python(place):
    """The functions return what the command prints."""
    asked(place / "q.csv", "question_id")
    for name in ("ladder.csv", "pudding.csv", "q.csv"):
        frame, printed = duelbench.rank(name).to_frame(), numbers(name)["arms"]
        assert frame.arm.tolist() == [row["name"] for row in printed]
        for column in ("tier", "best_rank", "worst_rank", "strength", "standard_error"):
            assert frame[column].tolist() == [row[column] for row in printed]
    votes = duelbench.read_votes("q.csv", ties="drop")
    assert votes.to_frame().groupby("group").size().tolist() == [2] * 40
    assert np.array_equal(duelbench.rank(votes).ranks, duelbench.rank(["q.csv"]).ranks)
    with pytest.raises(UserError, match="there is no such file"):
        duelbench.rank("gone.csv")
    with pytest.raises(UserError, match="winer"):
        duelbench.read_votes("q.csv", winer="x")


@pytest.fixture
def rankings(place):
    """Votes on pairs, made from rankings of three arms."""
    rng = np.random.default_rng(0)
    rows = []
    for n, ranks in enumerate(rng.integers(1, 5, (40, 3)) + np.array([0, 1, 1])):
        for one, two in combinations(range(3), 2):
            outcome = ("tie", "first", "second")[np.sign(ranks[two] - ranks[one])]
            rows.append(f"{n},{n},{'xyz'[one]},{'xyz'[two]},{outcome},j{n % 3}")
    (place / "rankings.csv").write_text("\n".join(["segment,group,first,second,outcome,who", *rows]) + "\n")
    return place


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["rankings.csv", "--clusters", "judges"], "no judges are known: name their column by --judge"),
        (
            ["rankings.csv", "--clusters", "judges", "--judge", "who"],
            "3 judges are too few for intervals of 3 arms: 6 or more are needed; --clusters none",
        ),
        (["rankings.csv", "-o", "ranks.doc"], "the name must end in one of .csv, .tex, "),
        (["rankings.csv", "-o", "rankings.csv"], "this input file would be overwritten"),
        (["rankings.csv", "--group", "segmnt"], "did you mean 'segment'"),
        (["nothing.csv"], "there is no such file"),
        (["rankings.csv", "--looks", "any", "--intervals", "marginal"], "marginal intervals hold for one look only"),
        (["rankings.csv", "--level", "0.5"], "0.5 is not in the range"),
    ],
)
def test_mistakes(rankings, options, says):
    done = here("rank", *options)
    assert done.exit_code == 2 and done.stdout == ""
    assert says in done.stderr


# Questions, games and looks


def asked(path, column, questions=40):
    """Write a vote in each order on each question; for every fourth question the answer depends on the order."""
    lines = [f"model_a,model_b,winner,{column}"]
    for n in range(questions):
        one, two = ("xy", "yz", "zx")[n % 3]
        winner = one if n % 5 < 3 else two
        other = {one: two, two: one}[winner] if n % 4 == 0 else winner
        lines += [f"{one},{two},{winner},q{n}", f"{two},{one},{other},q{n}"]
    path.write_text("\n".join(lines) + "\n")


GAME = """[Round "{n}"]
[White "{white}"]
[Black "{black}"]
[Result "{result}"]
{opening}

1. e4 {{a
[%clk 1]}} {result}

"""


@pytest.mark.parametrize(
    ("opening", "groups"), [('[FEN "{half}"]', 60), ('[Opening "{half}"]\n[Annotator "z"]', 60), ("", 120)]
)
def test_games(place, opening, groups):
    """In PGN, games of one opening with colours reversed are a group; draws are halves; White's advantage is shown."""
    players, games = (r"Fish \"2\"", "Leela", "Komodo"), []
    for n in range(120):
        half = n // 2
        white, black = (players[(half + k) % 3] for k in ((0, 1) if n % 2 == 0 else (1, 0)))
        result = ("1-0", "1/2-1/2", "1-0", "0-1", "1/2-1/2")[(n * n + half) % 5]
        games.append(GAME.format(n=n, white=white, black=black, result=result, opening=opening.format(half=half)))
    games.append(GAME.format(n=0, white="Leela", black="Komodo", result="*", opening=""))
    (place / "games.pgn").write_text("".join(games))
    done = here("rank", "games.pgn", "--scale", "elo")
    assert done.stdout.startswith("games.pgn: 121 rows, read as White against Black, outcome in Result")
    assert "abstentions, which are no votes, in 1 of 121 rows: '*' 1" in done.stderr
    assert ("(60 groups)" if groups == 60 else "(if votes are independent)") in done.stdout
    assert ("note: games.pgn: rows with the same 'game pair'" in done.stderr) == (groups == 60)
    assert {row["name"] for row in numbers("games.pgn")["arms"]} == {'Fish "2"', "Leela", "Komodo"}
    elo, odds = (numbers("games.pgn", "--scale", scale, "--ties", "half") for scale in ("elo", "log-odds"))
    for one, other in zip(elo["arms"], odds["arms"], strict=True):
        assert one["strength"] == pytest.approx(other["strength"] * 400 / math.log(10))
    assert elo["first_shown"][0] == pytest.approx(odds["first_shown"][0] * 400 / math.log(10))
    gain, error = elo["first_shown"]
    assert f"The first side gains {gain:+.0f} Elo ± {1.959964 * error:.0f} (95 % interval)." in done.stdout
    assert [row["superiority"] is None for row in elo["arms"]] == [False, False, True]


def test_ratings_of_ordo(place):
    """Ratings of a gauntlet of 4,000 games agree with Ordo's, from the testing guide of Lc0 (lczero.org).

    Ordo also fits White's advantage, and a score of 76 % is 202 Elo for it instead of 200.2. It reports -9.6 and -16.6
    Elo, and 98 % and 85 %.
    """
    rng, rows = random.Random(1), ["model_a,model_b,winner,group"]
    for k, (name, *games) in enumerate((("policytempdecay", 338, 1270, 392), ("lc0", 315, 1277, 408))):
        results = rng.sample(("model_a", "tie", "model_b"), 2000, counts=games)
        rows += [f"{name},sf,{result},{1000 * k + n // 2}" for n, result in enumerate(results)]
    (place / "gauntlet.csv").write_text("\n".join(rows))
    arms = numbers("gauntlet.csv", "--scale", "elo", "--prior", "none")["arms"]
    assert [row["name"] for row in arms] == ["sf", "policytempdecay", "lc0"]
    assert [row["strength"] - arms[0]["strength"] for row in arms[1:]] == pytest.approx([-9.6, -16.6], abs=0.5)
    assert [row["superiority"] for row in arms[:2]] == pytest.approx([0.98, 0.85], abs=0.015)


def test_scale_elo_counts_ties_as_halves(place):
    half, drop = (numbers("pudding.csv", "--ties", ties, "--scale", "elo") for ties in ("half", "drop"))
    assert numbers("pudding.csv", "--scale", "elo")["arms"] == half["arms"] != drop["arms"]


def test_difference_of_two_engines(place):
    """75 of 100 points are 400 log10(3) Elo with standard error 400 / ln 10 / sqrt(100 · 0.75 · 0.25)."""
    (place / "two.csv").write_text("model_a,model_b,winner\n" + "A,B,model_a\n" * 75 + "B,A,model_a\n" * 25)
    done = here("rank", "two.csv", "--scale", "elo", "--prior", "none")
    assert "\nA − B: +191 Elo ± 79." in done.stdout
    assert "A − B" not in here("rank", "two.csv").stdout


def test_against(place):
    """Differences from an arm as text, as JSON and in Python, also for arms that no votes connect."""
    shown = here("rank", "ladder.csv", "--against", "b").stdout
    assert re.search(r"\n +arm +log-odds above b\n +a +\+\d\.\d\d ± \d\.\d\d\n +c +", shown)
    (place / "apart.csv").write_text("first,second,wins_first,wins_second\na,b,60,40\nc,d,90,10\n")
    assert re.search(r"\n +c +—\n +d +—\n", here("rank", "apart.csv", "--against", "a").stdout)
    assert numbers("apart.csv", "--against", "a")["against"]["differences"][1]["low"] is None
    found, rows = duelbench.rank("ladder.csv"), numbers("ladder.csv", "--against", "b", "--scale", "elo")["against"]
    assert rows["arm"] == "b" and [row["arm"] for row in rows["differences"]] == ["a", "c", "d"]
    unit = 400 / math.log(10)
    for one, other in zip(found.against("b"), rows["differences"], strict=True):
        assert one.difference * unit == pytest.approx(other["difference"])
        assert other["high"] - other["low"] == pytest.approx(2 * 1.959964 * one.standard_error * unit)
    says = here("rank", "ladder.csv", "--against", "e")
    assert says.exit_code == 2 and "--against: there is no arm 'e'" in says.stderr
    with pytest.raises(ValueError, match="there is no arm 'e'"):
        found.against("e")


def test_side_that_always_wins(place):
    """If the first side always wins, its gain is the log-odds of 41 wins to 1 loss (with the prior), and uncertain."""
    (place / "first.csv").write_text("model_a,model_b,winner\n" + "A,B,model_a\nB,A,model_a\n" * 20)
    assert "The first side gains +3.71 log-odds ± 1.98 (95 % interval)." in here("rank", "first.csv").stdout
    p = 41 / 42
    variance = (40 * (1 - p) ** 2 + p**2 + (1 - p) ** 2) / (42 * p * (1 - p)) ** 2
    assert numbers("first.csv")["first_shown"] == pytest.approx([math.log(41), math.sqrt(variance)], rel=1e-3)


def test_winner_and_loser_have_no_order(place):
    """The columns winner and loser do not say which arm was shown first, so no effect of order is estimated."""
    rows = [f"{a},{b},j{n % 2}" for n in range(20) for a, b in ("xy", "yz", "xz", "zy")]
    (place / "won.csv").write_text("\n".join(["winner,loser,judge", *rows]) + "\n")
    assert numbers("won.csv")["first_shown"] is None
    assert {judge["first"] for judge in numbers("won.csv")["agreement"]["judges"]} == {None}


def test_looks(place):
    found = {looks: numbers("ladder.csv", "--looks", looks)["intervals"] for looks in ("one", "any")}
    assert found["any"]["looks"] == "any" and found["any"]["ranks"]["a"] == [1, 1]
    for name, (low, high) in found["any"]["ranks"].items():
        assert low <= found["one"]["ranks"][name][0] and high >= found["one"]["ranks"][name][1]
    hold = "These intervals hold for one look at the votes; to look after every vote, use --looks any."
    for looks in found:
        shown = here("rank", "ladder.csv", "--until", "top:1", "--looks", looks)
        assert shown.exit_code == 0 and (hold in shown.stdout) == (looks == "one")


# Sessions


def test_session(place):
    """A session with votes by judges and imported votes ranks like files, without votes on withdrawn arms."""
    session = Session.create(place / "live", "uniform", ["a", "b", "c", "d", "x"])
    says = here("rank", "live")
    assert says.exit_code == 2 and "live: this session has no votes yet" in says.stderr
    session.tell_votes(counts_of(LADDER, ties=2 - 2 * np.eye(4)))
    for _ in range(20):
        for k, ask in enumerate(session.ask(3, judge="ann")):
            answer = "tie" if k == 1 else "first" if ask.first < ask.second else "second"
            session.tell(ask.id, answer, judge="bob" if k else None)
    session.withdraw("x")
    table, kept = session.table, [vote for vote in session.votes if "x" not in (vote.first, vote.second)]
    assert np.array_equal(table.counts().wins, session.counts.wins)
    assert np.array_equal(table.counts().ties, session.counts.ties)
    assert table.judges == ("ann", "bob")
    assert [sum(vote.judge == judge for vote in kept) for judge in table.judges] == np.bincount(
        table.judge[table.judge >= 0]
    ).tolist()
    done = here("rank", "live")
    votes = f"{612 + len(kept)} votes, {len(kept)} by 2 named judges"
    assert done.stdout.startswith(f"live: a session of uniform, {votes}\n")
    here("session", "export", "live", "--counts", "-o", "counts.csv")
    ours, theirs = numbers("live"), numbers("counts.csv")
    assert ours["arms"] == theirs["arms"] and ours["intervals"] == theirs["intervals"]
    assert {judge["name"] for judge in ours["agreement"]["judges"]} == {"ann", "bob"}
    assert "give one session's directory alone" in here("rank", "live", "ladder.csv").stderr
    for wrong in (["--first", "a"], ["--strict"]):
        assert f"live: {wrong[0]} is about how to read a file of votes" in here("rank", "live", *wrong).stderr
    assert "this is a folder: name the files in it: counts.csv" in here("rank", ".").stderr


# Files


def test_files(place):
    done = here("rank", "ladder.csv", "-o", "r.csv", "-o", "r.tex", "-o", "r.PNG", "--json")
    assert json.loads(done.stdout)
    assert [f"wrote r.{suffix}" in done.stderr for suffix in ("csv", "tex", "PNG")] == [True] * 3
    rows = list(csv.DictReader(io.StringIO((place / "r.csv").read_text())))
    assert [(row["name"], row["tier"], row["best_rank"], row["worst_rank"]) for row in rows] == [
        ("a", "1", "1", "1"),
        ("b", "2", "2", "3"),
        ("c", "2", "2", "3"),
        ("d", "3", "4", "4"),
    ]
    text = (place / "r.tex").read_text()
    assert text.count(r"\midrule") == 3  # one below the head, two between tiers
    assert (place / "r.PNG").read_bytes()[:4] == b"\x89PNG"


def test_an_arm_without_votes():
    counts = counts_of([[0, 9, 0], [5, 0, 0], [0, 0, 0]])
    row = next(line for line in lines(rank(counts), counts) if line.split()[:1] == ["c"])
    assert "±" not in row and row.split()[2] == "1–3"
    assert r"c & 1--3 & 0.500 & $0.00$ & 0 \\" in latex(rank(counts), counts)


def test_figure():
    found = rank(counts_of(LADDER))
    (panel,) = rank_figure(found).axes
    assert [label.get_text() for label in panel.get_yticklabels()] == ["a", "b", "c", "d"]
    (bars,) = (each for each in panel.collections if len(each.get_paths()) == 4)
    ends = [path.vertices[:, 0].tolist() for path in bars.get_paths()]
    assert ends == [[0.75, 1.25], [1.75, 3.25], [1.75, 3.25], [3.75, 4.25]]
    assert panel.get_xlabel() == "rank, 95 % intervals (jointly)"


# Options of all commands that read votes


@pytest.mark.parametrize(
    ("verb", "ignored"),
    [
        (["rank"], set()),
        (["datasets", "build", "votes"], {"group"}),
        (["advise"], {"judge"}),
        (["session", "tell"], {"judge", "group"}),
    ],
)
def test_options_of_reading(verb, ignored):
    """All commands that read votes have the options that a ``votes:`` entry of a spec has."""
    command = main
    for name in verb:
        command = command.get_command(None, name)
    options = {each.name: each.help for each in command.params if isinstance(each, click.Option)}
    assert options.keys() >= VoteFileOptions.model_fields.keys() < VoteEntry.model_fields.keys()
    assert {name for name, text in options.items() if "no effect" in text.lower()} == ignored


# Judges


def test_judges(place):
    """A judge who always answers the same side and one who votes against the majority are named, and nobody else."""
    rng, lines = random.Random(3), ["first,second,winner,rater"]
    strength = {"a": 1.0, "b": 0.4, "c": -0.3, "d": -1.1}
    for _ in range(900):
        one, other = rng.sample(list(strength), 2)
        judge = rng.choice(["ann", "bob", "always", "anti"])
        better = rng.random() < 1 / (1 + math.exp(2 * (strength[other] - strength[one])))
        won = True if judge == "always" else better != (judge == "anti")
        lines.append(f"{one},{other},{one if won else other},{judge}")
    (place / "judged.csv").write_text("\n".join(lines) + "\n")
    shown = here("rank", "judged.csv", "--judge", "rater").stdout
    assert re.search(r"\nalways always prefers the arm shown first: 100 % of \d+ answers without ties \(p = ", shown)
    assert "\nanti agrees with the majority less often than average" in shown
    assert "ann" not in shown and "bob" not in shown
    found = numbers("judged.csv", "--judge", "rater")["agreement"]
    assert {(each["judge"], each["what"]) for each in found["striking"]} == {
        ("always", "first"), ("always", "agreement"), ("anti", "agreement")
    }  # fmt: skip
    assert sum(each["votes"] for each in found["judges"]) == 900


def test_a_judge_of_both_orders(place):
    """A judge who prefers the second arm in both orders is named; two answers to a question are one vote."""
    lines = ["model_a,model_b,winner,judge,question_id"]
    for n in range(20):
        lines += [f"x,y,model_b,llm,{n}", f"y,x,model_b,llm,{n}", f"x,y,model_a,ann,{n}"]
    (place / "both.csv").write_text("\n".join(lines) + "\n")
    assert "llm always prefers the arm shown second: 100 % of 40 answers" in here("rank", "both.csv").stdout
    found = numbers("both.csv")["agreement"]
    (llm,) = (each for each in found["judges"] if each["name"] == "llm")
    assert (llm["votes"], llm["ties"]["value"], llm["first"]["of"]) == (20, 1, 40)


@pytest.mark.parametrize(("until", "code"), [("top:1", 0), ("top:2", 1), ("ranks", 1), ("0.9", 2), ("top:4", 2)])
def test_until(place, until, code):
    assert here("rank", "ladder.csv", "--until", until).exit_code == code
