"""Questions in both orders: how their answers count."""

import json
from shutil import copytree

import numpy as np
import pytest

from duelbench.votes.reading.read import read_votes
from duelbench.votes.sessions.events import Vote
from duelbench.votes.sessions.requests import replied
from duelbench.votes.sessions.session import Session, votes_text
from duelbench.votes.sessions.standings import both_orders
from tests.commands import here
from tests.sessions import ARMS, session_verb, sides

pytestmark = pytest.mark.usefixtures("interpreted")


def both(algorithm="d-ts", flip="tie", **options):
    return Session(algorithm, ARMS, seed=1, orders="both", flip=flip, **options)


@pytest.mark.parametrize("algorithm", ["d-ts", "sparring"])
@pytest.mark.parametrize("late", [0, 1])
@pytest.mark.parametrize(
    ("answers", "flip", "answer", "wins", "ties", "text"),
    [
        (("first", "second"), "tie", "first", [1, 0], 0, "first"),
        (("second", "first"), "abstain", "second", [0, 1], 0, "second"),
        (("tie", "tie"), "half", "tie", [0, 0], 1, "tie"),
        (("first", "first"), "tie", "tie", [0, 0], 1, "tie"),
        (("second", "second"), "half", "tie", [0.5, 0.5], 0, "half"),
        (("first", "tie"), "abstain", "tie", [0, 0], 0, "none"),
    ],
)
def test_two_answers_are_one_vote(algorithm, late, answers, flip, answer, wins, ties, text, tmp_path):
    """Two answers in any order, also corrected, are one vote in the log, in an export and in the counts."""
    session = Session.create(tmp_path / "one", algorithm, ARMS, seed=1, orders="both", flip=flip)
    one, other = session.ask(item="q")
    assert (one.first, one.second, one.swap_of) == (other.second, other.first, None) and other.swap_of == one.id
    for place in (late, 1 - late):
        assert not session.votes
        ask = (one, other)[place]
        said = {"tell": ask.id, "answer": answers[place]}
        reply = replied(session, json.dumps(said).encode())
        assert reply["used"] == (bool(session.votes) and text != "none") and ("why" in reply) != reply["used"]
    (vote,) = session.votes
    assert (vote.id, vote.answer, vote.answers) == (one.id, answer, answers)
    assert (vote.flip or flip) == flip and (vote.flip is None) == (text == answer and answers != ("first", "first"))
    arms = [session.names.index(name) for name in (one.first, one.second)]
    for opened in (session, Session.open(tmp_path / "one")):
        counts = opened.counts
        assert [counts.wins[arms[0], arms[1]], counts.wins[arms[1], arms[0]]] == wins
        assert counts.ties[arms[0], arms[1]] == ties and opened.votes == [vote]
        assert np.array_equal(opened.table.counts().wins, counts.wins)
        won = opened._state.tally.won(range(3))  # what the algorithm learns
        assert won.sum() == (text != "none") and won.min() == 0
    row = votes_text([vote]).splitlines()[1].split(",")
    assert [row[2], *row[-3:]] == [text, "q", *answers]
    (tmp_path / "votes.csv").write_text(votes_text([vote]))
    if text != "none":
        assert read_votes([tmp_path / "votes.csv"]).counts.wins.sum() == sum(wins)
    if algorithm == "sparring" and text == "none":  # it asks for the same duel again
        (again, _) = session.ask(item="r")
        assert {again.first, again.second} == {one.first, one.second}
    session.correct(other.id, "second" if answers[0] == "first" else "first")
    assert session.votes[0].winner == (one.first if answers[0] == "first" else one.second if answers[0] == "second"
                                       else None)  # fmt: skip
    session.correct(other.id, answers[1])
    assert np.array_equal(session.counts.wins, counts.wins) and np.array_equal(session.counts.ties, counts.ties)


def test_unanswered_orders():
    """A question skipped in one order is open in neither; the judge who takes it over gets both."""
    session = both()
    one, other = session.ask(1, "ann", item="q")
    session.skip(other.id)
    assert not session.open_questions
    asks = session.ask(1, "bob")
    assert [(ask.item, ask.first, ask.second) for ask in asks] in (
        [("q", one.first, one.second), ("q", one.second, one.first)],
        [("q", one.second, one.first), ("q", one.first, one.second)],
    )
    session.tell(one.id, "first")
    assert not session.votes and session.tell(other.id, "second") and len(session.votes) == 1
    assert len(session.ask(3, "ann", orders="one")) == 3
    assert "it counts once" in json.dumps(replied(session, b'{"tell": 3, "answer": "tie"}'))


def test_correction_before_the_other_order(tmp_path):
    """If an answer that makes no vote yet is corrected, the log can be read and the session goes on."""
    session = Session.create(tmp_path / "one", "d-ts", ARMS, orders="both")
    one, other = session.ask()
    session.tell(one.id, "first")
    assert not session.correct(one.id, "second")
    opened = Session.open(tmp_path / "one")
    assert opened.tell(other.id, "first") and [vote.winner for vote in opened.votes] == [one.second]
    asks = session.ask()
    opened.refresh()
    assert sides(asks) == sides(opened.open_questions)
    assert len(Session.open(tmp_path / "one").ask()) == 2


def test_orders_of_a_session(tmp_path):
    (tmp_path / "arms.txt").write_text("a\nb\nc\n")
    place = str(tmp_path / "s")
    session_verb("new", place, "--algorithm", "d-ts", "--arms", str(tmp_path / "arms.txt"), "--orders", "both",
                 "--flip", "half")  # fmt: skip
    asked = session_verb("ask", place, "-n", "2", "--item", "q1").stdout.splitlines()
    assert len(asked) == 4 and len(session_verb("ask", place, "--orders", "one").stdout.splitlines()) == 1
    for number in range(1, 5):
        session_verb("tell", place, str(number), "first", "--judge", "ann" if number < 3 else "bob")
    said = " ".join(session_verb("show", place).stdout.split())
    assert (
        "In both orders: 100 % (34–100) of 2 questions got different answers, half a win for each arm; the" in said
    ), said
    assert "the position bias, for the arm shown first, is +50.0 percentage points (-9.6 to +50.0)" in said
    assert "(several may be best at once, so the column adds up to 1" in said
    assert "Votes by judge: ann 1, bob 1; all votes count the same." in said
    assert json.loads(session_verb("show", place, "--json").stdout)["both_orders"]["questions"] == 2
    counts = json.loads(session_verb("export", place, "--counts", "--json").stdout)
    assert any(0.5 in row for row in counts["wins"])
    copytree(place, tmp_path / "copy")
    one, other = Session.open(place), Session.open(tmp_path / "copy")
    assert one.votes == other.votes and sides(one.ask(2, "x")) == sides(other.ask(2, "x"))


def test_imported_votes_and_both_orders_have_no_order(tmp_path):
    """Tables with imported votes, or votes in both orders, are not ordered: they show no effect of the order."""
    session = Session("d-ts", ARMS, seed=1)
    session.tell(session.ask()[0].id, "first")
    assert session.table.ordered
    (one, other) = session.ask(orders="both")
    session.tell(one.id, "first")
    session.tell(other.id, "first")
    assert not session.table.ordered
    session = Session("d-ts", ARMS, seed=1)
    (tmp_path / "old.csv").write_text(f"first,second,winner\n{ARMS[0]},{ARMS[1]},first\n")
    session.tell_votes(tmp_path / "old.csv")
    session.tell(session.ask()[0].id, "first")
    assert not session.table.ordered


@pytest.mark.parametrize("questions", [1, 5, 20])
def test_interval_of_the_position_bias(questions):
    """The interval covers the bias even if few answers, all alike, have no variance."""
    rng, covered = np.random.default_rng(questions), []
    answers = [("first", "first"), ("second", "second"), ("first", "second")]
    for _ in range(300):
        chosen = [answers[k] for k in rng.choice(3, questions, p=[0.2, 0.02, 0.78])]
        votes = [
            Vote(1, "a", "b", "tie", None, None, "", "", True, None, pair, "tie" if pair[0] == pair[1] else None)
            for pair in chosen
        ]
        bias = both_orders(votes).first
        assert -0.5 <= bias.low <= bias.value <= bias.high <= 0.5 and bias.low < bias.high
        covered.append(bias.low <= 0.09 <= bias.high)
    assert np.mean(covered) > 0.9


def test_counts_of_both_orders(tmp_path):
    """Answers that differ do not count as imported votes, and two halves count as one vote of their judge."""
    (tmp_path / "old.csv").write_text("first,second,winner\n" + f"{ARMS[0]},{ARMS[1]},{ARMS[0]}\n" * 10)
    for flip in ("abstain", "half"):
        session = Session.create(tmp_path / flip, "d-ts", ARMS, seed=3, orders="both", flip=flip)
        session.tell_votes(tmp_path / "old.csv")
        for n in range(20):  # every fourth question gets different answers
            asks = session.ask(1, judge="llm", item=f"q{n}")
            for ask in asks:
                session.tell(ask.id, "first" if n % 4 == 0 or ask.first == asks[0].first else "second")
        exported = session_verb("export", str(tmp_path / flip))
        assert "note: 10 votes added by --votes left out" in exported.stderr
        votes = {"abstain": "25 votes, 15 by", "half": "30 votes, 20 by"}[flip]
        assert f"{votes} 1 named judge\n" in here("rank", str(tmp_path / flip)).stdout
