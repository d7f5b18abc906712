"""``duelbench rank``, and the options of all commands that read votes."""

import csv
import io
import json
import math
import random

import click
import numpy as np
import pytest

import duelbench
from duelbench.cli import main
from duelbench.cli.rank_tables import fragility_lines, latex, lines
from duelbench.errors import UserError
from duelbench.preferences.counts import PairCounts
from duelbench.votes.entries import VoteEntry
from duelbench.votes.fragility import Fragility
from duelbench.votes.ranking import rank
from duelbench.votes.reading import VoteFileOptions
from duelbench.votes.sessions.session import Session
from duelbench.votes.vote_figures import draw_ranking, rank_figure
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


def test_text(place):
    shown = here("rank", "pudding.csv").stdout
    assert shown.startswith("pudding.csv: 15 rows, read as counts of first against second, in wins_first, ")
    table = [line.split() for line in shown.splitlines()[3:9]]
    assert [row[0] for row in table] == [f"brand{each}" for each in (6, 2, 4, 3, 5, 1)]
    assert {row[2] for row in table} == {"1–6"}
    assert "No rank is decided." in shown
    assert "Dropping 9 of 543 votes without ties (1.7 %), or turning 5, would put brand2 above brand6." in shown
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
    drop, turn = found["fragility"]
    assert (drop["winner"], drop["change"], turn["change"]) == ("a", "drop", "turn")
    assert drop["votes"] == sum(votes for *_, votes in drop["cells"])


def test_python(place):
    """The functions return what the command prints; counts alone have no frame of votes."""
    asked(place / "q.csv", "question_id")
    for name in ("ladder.csv", "pudding.csv", "q.csv"):
        frame, printed = duelbench.rank(name).to_frame(), numbers(name)["arms"]
        assert frame.arm.tolist() == [row["name"] for row in printed]
        for column in ("tier", "best_rank", "worst_rank", "strength", "standard_error"):
            assert frame[column].tolist() == [row[column] for row in printed]
    votes = duelbench.read_votes("q.csv", ties="drop")
    assert votes.to_frame().groupby("group").size().tolist() == [2] * 40
    assert np.array_equal(duelbench.rank(votes).ranks, duelbench.rank(["q.csv"]).ranks)
    with pytest.raises(ValueError, match="single=True"):
        duelbench.read_votes("q.csv", single=False).to_frame()
    with pytest.raises(UserError, match="there is no such file"):
        duelbench.rank("gone.csv")
    with pytest.raises(UserError, match="winer"):
        duelbench.read_votes("q.csv", winer="x")


def test_kinds_of_intervals(place):
    lengths = {}
    for kind in ("simultaneous", "marginal", "bootstrap"):
        found = numbers("pudding.csv", "--intervals", kind)["intervals"]
        assert found["kind"] == kind
        lengths[kind] = sum(high - low for low, high in found["ranks"].values())
    assert lengths["simultaneous"] == 30 > lengths["bootstrap"]
    for kind, says in (
        ("marginal", "the interval of each arm contains its true rank with probability 90 %"),
        ("bootstrap", "90 % of the ranks by expected wins in bootstrap samples (independent votes), too short"),
    ):
        assert says in here("rank", "pudding.csv", "--intervals", kind, "--level", 0.9).stdout


WMT = "segment,system1Id,system1rank,system2Id,system2rank,system3Id,system3rank,who\n"


@pytest.fixture
def rankings(place):
    rng = np.random.default_rng(0)
    rows = [f"{n},x,{a},y,{b + 1},z,{c + 1},j{n % 3}" for n, (a, b, c) in enumerate(rng.integers(1, 5, (40, 3)))]
    (place / "rankings.csv").write_text(WMT + "\n".join(rows) + "\n")
    return place


def test_clusters(rankings):
    options = (), ("--clusters", "none"), ("--group", "segment")
    found = [numbers("rankings.csv", *each) for each in options]
    assert [each["intervals"]["clusters"] for each in found] == ["groups", "none", "groups"]
    assert [each["intervals"]["number"] for each in found] == [40, 120, 40]
    errors = [each["arms"][0]["standard_error"] for each in found]
    assert errors[0] == errors[2] != errors[1]
    assert "(40 groups)" in here("rank", "rankings.csv").stdout


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
        (["rankings.csv", "--looks", "any", "--intervals", "marginal"], "--looks any is for simultaneous intervals"),
        (["rankings.csv", "--prior", "none", "--judges", "model"], "--judges model needs a prior"),
        (["rankings.csv", "--level", "0.5"], "0.5 is not in the range"),
        (["rankings.csv", "--judges", "model"], "no judges are known: name their column by --judge"),
        (["rankings.csv", "--judge", "who", "--judges", "model", "--clusters", "judges"], "leave out --clusters"),
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


@pytest.mark.parametrize(
    ("column", "questions", "options", "clusters"),
    [
        ("question_id", 40, (), "40 groups"),
        ("prompt", 40, (), "40 groups"),
        ("Round", 6, (), "6 groups"),
        ("Round", 5, (), "independent votes"),  # fewer than two for each arm
        ("segment", 40, (), "independent votes"),
        ("item", 40, ("--clusters", "none"), "independent votes"),
        ("item", 40, ("--group", "item"), "40 groups"),
    ],
)
def test_questions_are_groups(place, column, questions, options, clusters):
    """Rows that repeat a question are a group, and a note says so where it was guessed."""
    asked(place / "q.csv", column, questions)
    done = here("rank", "q.csv", *options)
    assert f"({clusters})" in done.stdout
    note = f"note: q.csv: rows with the same {column!r} are a group of dependent votes; --clusters none takes them as"
    assert (note in done.stderr) == ("groups" in clusters and not options)


def test_both_orders(place):
    asked(place / "q.csv", "question_id")
    shown = here("rank", "q.csv").stdout
    assert "40 pairs of votes show two arms in both orders; 10 (25 %) have two results." in shown
    assert numbers("q.csv")["both_orders"] == {"pairs": 40, "differ": 10}


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
    """Games of PGN: two of one opening with colours reversed are a group, draws are halves, and White's advantage."""
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
    assert ("(60 groups)" if groups == 60 else "(independent votes)") in done.stdout
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
    """A gauntlet of 4,000 games whose ratings by Ordo are published in the testing guide of Lc0 (lczero.org).

    Ordo also fits White's advantage, and has 202 instead of 200.2 Elo at 76 %: it says -9.6, -16.6, and 98 % and 85 %.
    """
    rng, rows = random.Random(1), ["model_a,model_b,winner,opening"]
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
    """75 of 100 points are 400 log10(3) Elo, whose standard error is 400 / ln 10 / sqrt(100 · 0.75 · 0.25)."""
    (place / "two.csv").write_text("model_a,model_b,winner\n" + "A,B,model_a\n" * 75 + "B,A,model_a\n" * 25)
    done = here("rank", "two.csv", "--scale", "elo", "--prior", "none")
    assert "\nA − B: +191 Elo ± 79." in done.stdout
    assert "A − B" not in here("rank", "two.csv").stdout


def test_side_that_always_wins(place):
    """A judge who always chooses the first of equal arms: log-odds of 41 wins to 1 loss, with the prior, and wide."""
    (place / "first.csv").write_text("model_a,model_b,winner\n" + "A,B,model_a\nB,A,model_a\n" * 20)
    assert "The first side gains +3.71 log-odds ± 1.98 (95 % interval)." in here("rank", "first.csv").stdout
    p = 41 / 42
    variance = (40 * (1 - p) ** 2 + p**2 + (1 - p) ** 2) / (42 * p * (1 - p)) ** 2
    assert numbers("first.csv")["first_shown"] == pytest.approx([math.log(41), math.sqrt(variance)], rel=1e-3)


def test_winner_and_loser_have_no_order(place):
    """The order of these columns is no order of showing, so that no model takes wins for the effect of it."""
    rows = [f"{a},{b},j{n % 2}" for n in range(20) for a, b in ("xy", "yz", "xz", "zy")]
    (place / "won.csv").write_text("\n".join(["winner,loser,judge", *rows]) + "\n")
    assert numbers("won.csv")["first_shown"] is None
    model, alike = (numbers("won.csv", "--judges", how)["arms"] for how in ("model", "alike"))
    assert [row["strength"] for row in model] == pytest.approx([row["strength"] for row in alike], abs=0.1)


def test_maximum_likelihood(place):
    """One pair: the log-odds of 60 to 40 votes. An arm that has won all has no finite strength."""
    (place / "two.csv").write_text("first,second,wins_first,wins_second\nx,y,60,40\n")
    strengths = [numbers("two.csv", "--prior", prior)["arms"][0]["strength"] for prior in ("none", "weak")]
    assert strengths[0] == pytest.approx(math.log(1.5) / 2) and 0 < strengths[1] < strengths[0]
    assert "by maximum likelihood" in here("rank", "two.csv", "--prior", "none").stdout
    (place / "all.csv").write_text("first,second,wins_first,wins_second\nx,y,60,40\nx,z,9,0\n")
    wrong = here("rank", "all.csv", "--prior", "none")
    assert wrong.exit_code == 2 and "z won, or lost, all votes against others; leave out --prior none" in wrong.stderr


def test_looks(place):
    found = {looks: numbers("ladder.csv", "--looks", looks)["intervals"] for looks in ("one", "any")}
    assert found["any"]["looks"] == "any" and found["any"]["ranks"]["a"] == [1, 1]
    for name, (low, high) in found["any"]["ranks"].items():
        assert low <= found["one"]["ranks"][name][0] and high >= found["one"]["ranks"][name][1]
    hold = "These intervals hold for one look at the votes; to look after every vote, use --looks any."
    for looks in found:
        shown = here("rank", "ladder.csv", "--until", "top:1", "--looks", looks)
        assert shown.exit_code == 0 and (hold in shown.stdout) == (looks == "one")


def test_refused_rows(place):
    (place / "v.csv").write_text("a,b,winner\nx,y,x\ny,x,y\nx,x,x\n")
    done = here("rank", "v.csv")
    assert "1 of 3 rows refused: an arm is compared with itself (v.csv:4)" in done.stderr
    assert here("rank", "v.csv", "--json").stdout.startswith("{")


# Sessions


def test_session(place):
    """Votes of judges and imported ones, without those on withdrawn arms, rank as from files."""
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
    judged = numbers("live", "--judges", "model")["judges"]["judges"]
    assert {judge["name"] for judge in judged} == {"ann", "bob"}
    assert "give one session's directory alone" in here("rank", "live", "ladder.csv").stderr
    for wrong in (["--first", "a"], ["--strict"]):
        assert f"live: {wrong[0]} is about how to read a file of votes" in here("rank", "live", *wrong).stderr
    assert "there is no session in" in here("rank", ".").stderr


# Files


def test_files(place):
    done = here("rank", "ladder.csv", "-o", "r.csv", "-o", "r.tex", "-o", "r.png", "--json")
    assert json.loads(done.stdout)
    assert [f"wrote r.{suffix}" in done.stderr for suffix in ("csv", "tex", "png")] == [True] * 3
    rows = list(csv.DictReader(io.StringIO((place / "r.csv").read_text())))
    assert [(row["name"], row["tier"], row["best_rank"], row["worst_rank"]) for row in rows] == [
        ("a", "1", "1", "1"),
        ("b", "2", "2", "3"),
        ("c", "2", "2", "3"),
        ("d", "3", "4", "4"),
    ]
    text = (place / "r.tex").read_text()
    assert text.count(r"\midrule") == 3  # below the head, and two between tiers
    assert (place / "r.png").read_bytes()[:4] == b"\x89PNG"


def test_names_that_mean_something_to_tex():
    counts = counts_of(LADDER)
    named = type(counts)(("a_b", "$x$", r"\input{c}", "d & e"), counts.wins, counts.ties)
    text = latex(rank(named), named)
    assert r"a\_b &" in text and r"\$x\$ &" in text and r"d \& e &" in text
    assert r"\textbackslash{}input\{c\} &" in text


def test_an_arm_without_votes():
    counts = counts_of([[0, 9, 0], [5, 0, 0], [0, 0, 0]])
    row = next(line for line in lines(rank(counts), counts, []) if line.split()[:1] == ["c"])
    assert "±" not in row and row.split()[2] == "1–3"
    assert r"c & 1--3 & 0.500 & $0.00$ & 0 \\" in latex(rank(counts), counts)


def test_a_misspelt_arm_comes_last(place):
    """Arms with few votes neither lead nor widen the errors of the others, and a note names them."""
    (place / "typo.csv").write_text(
        (place / "ladder.csv").read_text().replace("a,", "arm01,") + "arm O1,d,1,0\nx,d,0,1\n"
    )
    found, without = (numbers("typo.csv", *arms)["arms"] for arms in ((), ("--arms", 4)))
    assert [row["name"] for row in found] == ["arm01", "b", "c", "d", "arm O1", "x"]
    assert [(row["best_rank"], row["worst_rank"]) for row in found[4:]] == [(1, 6)] * 2
    assert [row["name"] for row in without] == ["arm01", "b", "c", "d"]
    for one, other in zip(found, without, strict=False):
        assert one["standard_error"] == pytest.approx(other["standard_error"], rel=0.01)
    shown = here("rank", "typo.csv")
    assert "Arms with fewer than 6 votes come last: arm O1, x. --arms 4 leaves them out." in shown.stdout
    assert "relative to the mean of the arms without those of few votes" in shown.stdout
    assert "note: 'arm O1' (1) resembles 'arm01' (3): if they are one arm, use --alias" in shown.stderr


@pytest.mark.parametrize("value", ["0", "1", "nan", "0.5", str(2**63), "4", str(2**63 - 1)])
def test_number_of_arms(place, value):
    if value in ("4", str(2**63 - 1)):
        assert numbers("ladder.csv", "--arms", value) == numbers("ladder.csv")
    else:
        assert here("rank", "ladder.csv", "--arms", value).exit_code == 2


def test_characters_without_a_font(tmp_path, monkeypatch, capsys):
    """One sentence names them, unless an installed font has them."""
    wins, ties = counts_of(LADDER).wins, np.zeros((4, 4))
    found = rank(PairCounts(("\ue0d0", "通", "c", "d"), wins, ties))
    for fonts, missing in (((), {"U+E0D0", "通"}), (("STIXNonUnicode",), {"通"})):
        monkeypatch.setattr("duelbench.plots.style.OTHER_FONTS", fonts)
        draw_ranking(tmp_path / "ranks.png", found)
        (sentence,) = capsys.readouterr().err.splitlines()
        assert set(sentence.removeprefix("note: no installed font has ").partition(", so ")[0].split(", ")) == missing


def test_figure():
    found = rank(counts_of(LADDER))
    (panel,) = rank_figure(found).axes
    assert [label.get_text() for label in panel.get_yticklabels()] == ["a", "b", "c", "d"]
    (bars,) = (each for each in panel.collections if len(each.get_paths()) == 4)
    ends = [path.vertices[:, 0].tolist() for path in bars.get_paths()]
    assert ends == [[0.75, 1.25], [1.75, 3.25], [1.75, 3.25], [3.75, 4.25]]
    assert panel.get_xlabel() == "rank, 95 % intervals (jointly)"


# Fragility in words


def test_fragility_in_words():
    drop, turn = (
        Fragility(0, rival, change, votes, 1000.0) for rival, change, votes in ((1, "drop", 4), (2, "turn", 3))
    )
    assert fragility_lines([None, None], "abc") == []
    assert fragility_lines([drop, None], "abc") == [
        "Dropping 4 of 1,000 votes without ties (0.4 %) would put b above a."
    ]
    assert fragility_lines([drop, turn], "abc", " by Copeland score") == [
        "Dropping 4 of 1,000 votes without ties (0.4 %) would put b above a by Copeland score; "
        "turning 3 of 1,000 votes without ties (0.3 %) would put c above a by Copeland score."
    ]


def test_fragility_of_a_dataset(place):
    here("datasets", "build", "votes", "pudding.csv", "-o", "m.csv")
    shown = here("datasets", "show", "m.csv").stdout
    assert "Dropping 4 of 543 votes without ties (0.74 %), or turning 2, would put" in shown
    assert "above brand6 by Copeland score." in shown


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


# Judges who differ


def judged_votes(path, reliability, votes):
    """Write votes on seven arms by judges with these reliabilities; a tie has the weight 0.4."""
    rng, g = random.Random(3), [1, 0.6, 0.3, 0, -0.3, -0.6, -1]
    lines = ["first,second,winner,judge"]
    for _ in range(votes):
        i, j = rng.sample(range(7), 2)
        judge = rng.choice(list(reliability))
        z = reliability[judge] * (g[i] - g[j])
        (answer,) = rng.choices([f"arm{i}", "tie", f"arm{j}"], [math.exp(z / 2), 0.4, math.exp(-z / 2)])
        lines.append(f"arm{i},arm{j},{answer},{judge}")
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture
def judges(place):
    judged_votes(place / "differ.csv", {f"good{k}": 1.4 for k in range(6)} | {"coin": 0.0, "anti": -1.2}, 1000)
    judged_votes(place / "alike.csv", {f"judge{k}": 1.0 for k in range(8)}, 1000)
    return place


def test_judges_are_modelled_on_request(judges):
    alike, model = (numbers("differ.csv", "--judges", how) for how in ("alike", "model"))
    assert alike["judges"]["judges"] is None and alike["judges"]["held_out"]["supported"]
    found = {judge["name"]: judge["reliability"] for judge in model["judges"]["judges"]}
    assert found["anti"][0] < -2 * found["anti"][1]
    assert model["judges"]["opposed"] == ["anti"]
    lengths = [sum(high - low for low, high in each["intervals"]["ranks"].values()) for each in (alike, model)]
    assert lengths[1] < lengths[0]


def test_judges_in_words(judges):
    assert "Judges differ: --judges model predicts held-out votes better" in here("rank", "differ.csv").stdout
    assert "Judges differ" not in here("rank", "alike.csv").stdout
    assert "Answer against the majority: anti." in here("rank", "differ.csv", "--judges", "model").stdout
    assert "The data do not support the model of judges" in here("rank", "alike.csv", "--judges", "model").stdout


@pytest.mark.parametrize(("until", "code"), [("top:1", 0), ("top:2", 1), ("ranks", 1), ("0.9", 2), ("top:4", 2)])
def test_until(place, until, code):
    assert here("rank", "ladder.csv", "--until", until).exit_code == code
