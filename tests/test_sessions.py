"""Sessions in memory: questions, answers, and the parts of a session."""

import json

import jsonschema
import numpy as np
import pytest

from duelbench.algorithms.catalogue import catalogue
from duelbench.conformance.rounds import pair_tables, simulate
from duelbench.engine.streams import stream
from duelbench.errors import UserError
from duelbench.preferences.counts import PairCounts
from duelbench.sources.published_matrices import TABLES
from duelbench.votes.sessions import requests
from duelbench.votes.sessions import session as module
from duelbench.votes.sessions import session as view
from duelbench.votes.sessions.events import after, checked_name, coin_of, pairs_of, read_names
from duelbench.votes.sessions.log import creation_event
from duelbench.votes.sessions.player import PolicyPlayer, player_of
from duelbench.votes.sessions.requests import replied
from duelbench.votes.sessions.session import Session
from tests.proved import PLAIN
from tests.sessions import ARMS, sides, voted

pytestmark = pytest.mark.usefixtures("interpreted")  # ``test_compiling`` has a compiled session

# Names of arms and judges


def test_names():
    for name in ("a", "gpt, big", '"quoted"', "β", "名前", "a;b\\c", "=1+1", "#x", "x" * 200):
        assert checked_name(name) == name
    for name in ("", " a", "a ", "a\nb", "a\tb", "\x1b[2J", "\ud800", "a\u202eb", "x" * 201, 3, None):
        with pytest.raises(UserError):
            checked_name(name)


def test_names_file(tmp_path):
    path = tmp_path / "arms.txt"
    path.write_bytes("\ufeffa, b\r\n\r\n  β \nlast".encode())
    assert read_names(path) == ["a, b", "β", "last"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a\nb\na\n", r"arms.txt:3: 'a' is in line 1 already"),
        (b"a\nb\x1bc\n", r"arms.txt:2: the name of an arm is one line"),
        (b"a\n", r"arms.txt: a session needs at least two arms, and this has 1"),
        (b"\xff\xfe\n", "is not UTF-8 text"),
        (None, "cannot read"),
    ],
)
def test_names_file_errors(content, said, tmp_path):
    path = tmp_path / "arms.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UserError, match=said):
        read_names(path)


# Events, each a line of JSON


# Counted votes


# Seeds, times, coins and votes from elsewhere


def test_coins():
    tossed, again, other = ([coin_of(seed, ask, "tie") for ask in range(1000)] for seed in (1, 1, 2))
    assert 430 < tossed.count("first") < 570
    assert tossed == again != other
    assert coin_of(1, 1, "first") is None


def test_coins_of_votes():
    ties = np.array([[0.0, 1000.0], [1000.0, 0.0]])
    (pair,) = pairs_of(PairCounts(("b", "a"), ties * 0, ties), ["a", "b"], 0)
    assert (pair.first, pair.ties) == ("b", 1000)
    assert 430 < pair.coins < 570


def test_own_file_moves_with_session(tmp_path, monkeypatch):
    """The log has the relative path of a user's file, so both can be moved together."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "mine.py").write_text(PLAIN, encoding="utf-8")
    event = creation_event(tmp_path / "here" / "s", "here/mine.py:MyPolicy", ARMS, 0, None, None, {"alpha": 0.7})
    assert (event.algorithm, event.parameters) == ("../mine.py:MyPolicy", {"alpha": 0.7})
    session = Session.create("here/s", "here/mine.py:MyPolicy", ARMS)
    voted(session, 20)
    (tmp_path / "here").rename(tmp_path / "there")
    monkeypatch.chdir("/")
    moved = Session.open(tmp_path / "there" / "s")
    assert sides(moved.votes) == sides(session.votes)
    assert moved.round == session.round
    (tmp_path / "there" / "mine.py").write_text(PLAIN.replace("rng), 1\n", "rng), 1 // 0\n"), encoding="utf-8")
    with pytest.raises(UserError, match=r"mine.py:\d+: select fails with ZeroDivisionError"):
        Session.open(tmp_path / "there" / "s")
    (tmp_path / "there" / "mine.py").unlink()
    with pytest.raises(UserError, match=r"session.jsonl:1: cannot read .*mine.py"):
        Session.open(tmp_path / "there" / "s")


# The algorithm of a session


def player(name, arms=3, horizon=None, **parameters):
    return player_of(catalogue()[name](**parameters), arms, horizon, np.random.default_rng(1))


def test_declared():
    """Interleaved Filter declares when asked for another duel, so the session asks and then restores the state."""
    session = Session("if", ARMS, horizon=1_000, seed=1)
    while asks := session.ask(50):
        assert session._state.declared() is None
        for ask in asks:
            session.tell(ask.id, "first" if ask.first < ask.second else "second")
    assert session.finished and session._state.declared() == 0
    assert player("rucb").declared() is None


def test_recommended_is_most_probable():
    """Arm 0 beat two arms once each, and arm 1 beat one of them twenty times."""
    session = Session("rucb", ["a", "b", "c", "d"])
    wins = np.array([[0, 0, 1, 1], [0, 0, 20, 0], [0, 0, 0, 0], [0, 0, 0, 0]], float)
    assert session.recommended is None
    session.tell_votes(PairCounts(("a", "b", "c", "d"), wins, np.zeros((4, 4))))
    found = session.show()
    assert (found.recommended, found.leader) == (1, 1) and found.chance == max(row.chance for row in found.arms)
    assert session.recommended == "b" == said(session, {"show": True})["recommended"]


def test_recommended_is_declared(monkeypatch):
    session = Session("rucb", ARMS)
    for ask in session.ask(12):
        session.tell(ask.id, "first" if ask.first < ask.second else "second")
    assert session.recommended == "arm 0"
    monkeypatch.setattr(PolicyPlayer, "declared", lambda self: 2)
    assert session.recommended == "arm 2"
    found = session.show()
    assert (found.recommended, found.declared, found.arms[0].arm) == (2, 2, 0)
    assert found.chance == found.standing.chance < found.arms[0].chance


def test_standings_are_computed_once(monkeypatch):
    session, calls = Session("rucb", ARMS, seed=1), []
    known = view.standings
    monkeypatch.setattr(view, "standings", lambda *how, **more: (calls.append(more), known(*how, **more))[1])
    voted(session, 4)
    session.ask(2)
    assert calls == []
    replies = [said(session, {"show": True, "find": "borda", "margin": 0.1}) for _ in range(2)]
    assert replies[0] == replies[1] and len(calls) == 1
    assert session.recommended == session.recommended and len(calls) == 2
    session.tell(session.open_questions[0].id, "tie")
    assert session.recommended and len(calls) == 3
    session.add("arm 3")
    assert len(session.show().arms) == 4


# By numbers, one question at a time


CYCLIC = TABLES["cyclic4"].matrix()
HORIZON = 300


@pytest.mark.parametrize(
    ("name", "stepping"),
    [(name, step) for name in ("d-ts", "btm", "sparring") for step in (False, True)]
    + [(name, False) for name in ("rucb", "rmed1", "knockout", "tks")],
)
def test_same_choices_as_simulation(name, stepping):
    environment, policy = np.random.default_rng(3), stream(8, session=name)
    marks = np.array([HORIZON])
    course = simulate(catalogue()[name](), CYCLIC.P, pair_tables(4), marks, environment, policy, stepping=stepping)

    environment = np.random.default_rng(3)
    session = Session(name, arms=4, seed=8, horizon=HORIZON)
    duels = np.zeros((4, 4), np.int64)
    while session.round <= HORIZON:
        duel = session.select(1 if stepping else HORIZON - session.round + 1)
        assert session.select(3) == duel
        p = CYCLIC.P[duel.first, duel.second]
        if duel.first == duel.second:
            session.update(0)
        elif duel.count == 1:
            session.update(int(environment.random() < p))
        else:
            session.update(int(environment.binomial(duel.count, p)))
        duels[duel.first, duel.second] += duel.count
    questions = ~np.eye(4, dtype=bool) if name in ("d-ts", "d-ts+", "ccb") else np.ones((4, 4), bool)
    assert np.array_equal(duels[questions], course.duels[questions])  # arms share holds, which end beyond the horizon


def test_horizon():
    session = Session("btm", arms=3, horizon=2)
    for _ in range(2):
        session.select(rounds=10)
        session.update(0)
    assert session.round == 3
    with pytest.raises(ValueError, match="all 2 rounds have been played"):
        session.select()
    assert len(Session("uniform", ARMS, horizon=7).ask(20)) == 7


@pytest.mark.parametrize(
    ("algorithm", "arguments", "said"),
    [
        ("rucbb", {"arms": 3}, "rucb"),
        ("btm", {"arms": 3}, "horizon"),
        ("rucb", {"arms": ["a"]}, "from 2 to 5,000 arms, not 1"),
        ("rucb", {"arms": 3, "horizon": 10.5}, "horizon must be a whole number"),
        ("rucb", {"arms": 3, "alpha": -1}, "alpha"),
    ],
)
def test_wrong_arguments(algorithm, arguments, said):
    with pytest.raises((UserError, ValueError), match=said):
        Session(algorithm, **arguments)


def test_wrong_use():
    session = Session("rucb", arms=3)
    with pytest.raises(ValueError, match="select first"):
        session.update(1)
    with pytest.raises(ValueError, match=r"rounds must be a whole number from 1 to 1,000,000,000,000, not 0$"):
        session.select(rounds=0)
    duel = session.select()
    for wins, said in ((-1, "from 0 to 1"), (2, "from 0 to 1"), (0.5, "whole number"), ("1", "whole number")):
        with pytest.raises(ValueError, match=said):
            session.update(wins)
    assert session.select() == duel and session.round == 1
    session.update(np.int64(1))
    assert session.round == 2 and session._player._state.comparisons.wins[duel.first, duel.second] == 1
    with pytest.raises(ValueError, match="select first"):
        session.update(1)


# By names, any number of judges


@pytest.fixture
def clock(monkeypatch):
    """A function that advances the clock by seconds."""
    time = ["2026-01-01T00:00:00.000+00:00"]
    monkeypatch.setattr(module, "now", lambda: time[0])

    def passes(seconds):
        time[0] = after(time[0], seconds)

    return passes


def test_order_of_answers():
    def told(order):
        session = Session("d-ts", ARMS, seed=3)
        asks = session.ask(12)
        begun = session.round
        for k in order:
            session.tell(asks[k].id, "first" if asks[k].first < asks[k].second else "tie")
        assert [vote.id for vote in session.votes] == [asks[k].id for k in order]
        assert (session.open_questions, session.round) == ([], begun)
        return sides(session.ask(12))

    assert told(range(12)) == told(range(11, -1, -1))


def test_one_question():
    session = Session("btm", ARMS, seed=1, horizon=100_000)
    blocks = set()
    while len(session.votes) < 400:
        asks = session.ask(50, "ann")
        if not asks:
            break
        pairs = {frozenset((ask.first, ask.second)) for ask in asks}
        assert len(pairs) == 1
        blocks.add(len(asks))
        if len(asks) < 50:  # all copies of the question are handed out
            assert session.ask(1, "bob") == []
            assert not session.finished
        before = session.round
        for ask in asks[::-1]:
            session.tell(ask.id, "first" if ask.first < ask.second else "second")
        assert session.round >= before
    assert max(blocks) > 1


def test_order_shown():
    session = Session("uniform", ["a", "b"], seed=1, variant="round-robin")
    asks = session.ask(200)
    first = sum(ask.first == "a" for ask in asks)
    assert 70 < first < 130
    for ask in asks:
        session.tell(ask.id, "first" if ask.first == "a" else "second")
    assert session.counts.wins.tolist() == [[0, 200], [0, 0]]


@pytest.mark.parametrize("algorithm", ["d-ts", "rucb", "sparring"])
def test_items(algorithm):
    """A judge gets no pair twice on an item; a request without a result changes nothing."""
    session, other = (Session(algorithm, ARMS, seed=1) for _ in range(2))
    asks = []
    for item in ("q1", "q2") * 60:
        for judge in ("ann", None, "bob"):
            found, plain = session.ask(1, judge, item=item), []
            if found:
                plain = other.ask(1, judge, item=item)
            assert sides(found) == sides(plain)
            for ask in found:
                assert (ask.judge, ask.item) == (judge, item)
                asks.append((judge, item, frozenset((ask.first, ask.second))))
                for each in (session, other):
                    each.tell(ask.id, "first" if ask.first < ask.second else "second")
    assert len(set(asks)) == len(asks) >= 6 and not session.ask(1, "ann", item="q1")
    assert [(vote.judge, vote.item, frozenset((vote.first, vote.second))) for vote in session.votes] == asks
    assert session.ask(1, "ann", item="q3")


def test_item_of_an_unanswered_question():
    """A skipped pair goes to another judge on its item or the requested one, but not to its judge on that item."""
    session = Session("rucb", ARMS, seed=1)
    (ask,) = session.ask(1, "ann", item="q1")
    session.skip(ask.id)
    (bob,) = session.ask(1, "bob")
    session.skip(bob.id)
    (carl,) = session.ask(1, "carl", item="q2")
    assert (bob.item, carl.item) == ("q1", "q2")
    assert {carl.first, carl.second} == {bob.first, bob.second} == {ask.first, ask.second}
    session.skip(carl.id)
    assert all({new.first, new.second} != {ask.first, ask.second} for new in session.ask(3, "ann", item="q1"))


def test_ties_and_coins():
    session = Session("rucb", ["a", "b"], seed=1)
    for ask in session.ask(400):
        session.tell(ask.id, "tie")
    assert session.counts.wins.sum() == 0
    assert session.counts.ties.tolist() == [[0, 400], [400, 0]]
    known = session._player._state.comparisons.wins
    won = sum((vote.first == "a") == (vote.coin == "first") for vote in session.votes)
    assert known.tolist() == [[0, won], [400 - won, 0]]
    assert session.recommended in ("a", "b")


@pytest.mark.parametrize("algorithm", ["rucb", "sparring"])
def test_expired(algorithm, clock):
    session = Session(algorithm, ARMS, seed=1, expires=3600)
    (ask,) = session.ask(1, "ann")
    assert ask.expires == "2026-01-01T01:00:00.000+00:00"
    clock(3599)
    if algorithm == "sparring":
        assert session.ask(1, "bob") == []
    clock(1)
    assert session.open_questions[0].id == ask.id  # nobody has taken the question over, so the answer is not too late
    (again,) = session.ask(1, "bob", expires=10)
    assert (again.id, {again.first, again.second}) == (ask.id + 1, {ask.first, ask.second})
    assert again.expires == "2026-01-01T01:00:10.000+00:00"
    assert session.open_questions == [again]
    reply = said(session, {"tell": ask.id, "answer": "first"})
    used = reply["used"]
    assert used is (algorithm == "rucb")
    assert used or reply["why"].startswith("another judge was asked in the meantime")
    assert session.tell(ask.id, "first") is used
    assert session.tell(again.id, "first", "carl") is True
    assert [(vote.judge, vote.used) for vote in session.votes] == [("ann", used), ("carl", True)]
    assert session.counts.votes.sum() == 4
    assert session.round == (3 if used else 2)


def test_give_back():
    session = Session("d-ts", ARMS, seed=1)
    asks = session.ask(3)
    session.skip(asks[1].id)
    session.skip(asks[1].id)
    assert [ask.id for ask in session.open_questions] == [1, 3]
    (again,) = session.ask()
    assert {again.first, again.second} == {asks[1].first, asks[1].second}
    session.skip(again.id)
    assert session.tell(again.id, "tie") is True  # the judge has changed their mind
    assert session.ask()[0].id == 5
    with pytest.raises(UserError, match="question 4 is answered"):
        session.skip(4)


def test_wrong_answers():
    session = Session("rucb", ARMS)
    session.ask()
    for id, answer, judge, said in (
        (2, "first", None, "there is no question 2"),
        (1, "both", None, "first, second or tie, not 'both'"),
        ("1", "first", None, "whole number"),
        (1, "first", "ann\n", "a judge is one line"),
    ):
        with pytest.raises((UserError, ValueError), match=said):
            session.tell(id, answer, judge)
    assert session.votes == []
    session.tell(1, "first")
    with pytest.raises(UserError, match=r"is answered already \('first'\): change the answer with `correct`"):
        session.tell(1, "second")
    assert session.tell(1, "first") is True and len(session.votes) == 1


def test_arms_come_and_go():
    session = Session("d-ts", ARMS, seed=1)
    told = voted(session, 40)
    asks = [*session.open_questions, *session.ask(6)]
    before = session.counts
    session.add("arm 3")
    assert session.names == (*ARMS, "arm 3")
    assert (session.counts.wins[:3, :3] == before.wins).all()
    assert session.round == 1 + told
    newcomer = [ask for ask in session.ask(10) if "arm 3" in (ask.first, ask.second)]
    assert newcomer
    session.withdraw("arm 1")
    assert session.names == ("arm 0", "arm 2", "arm 3")
    assert sorted(row.name for row in session.show().arms) == ["arm 0", "arm 2", "arm 3"]
    assert not any("arm 1" in (ask.first, ask.second) for ask in session.open_questions)
    gone = next(ask for ask in asks if "arm 1" in (ask.first, ask.second))
    assert session.tell(gone.id, "first") is False  # but it counts as a vote
    votes = session._state.tally.counts().votes.sum()
    assert votes == 2 * (told + 1)
    session.add("arm 1")
    assert session.names == (*ARMS, "arm 3")
    assert session.counts.votes.sum() == votes
    assert session.round == told + 2
    with pytest.raises(UserError, match="is an arm already"):
        session.add("arm 1")
    for name in ("arm 0", "arm 2"):
        session.withdraw(name)
    with pytest.raises(UserError, match="at least two arms"):
        session.withdraw("arm 1")
    with pytest.raises(UserError, match="was withdrawn before"):
        session.withdraw("arm 0")
    with pytest.raises(UserError, match=r"there is no arm 'amr 1' \(did you mean 'arm 1'\?\)"):
        session.withdraw("amr 1")


def test_restart_learns_counts():
    """Imported votes give the same state as a change of arms in a session with these votes."""
    session = Session("rucb", [*ARMS, "arm 3"], seed=1)
    voted(session, 60)
    for ask in session.open_questions:
        session.tell(ask.id, "first")
    session.withdraw("arm 3")
    other = Session("rucb", ARMS, seed=1)
    state = session._player._state
    won = state.comparisons.wins
    other.tell_votes(PairCounts(tuple(ARMS), won.astype(float), won * 0.0))
    assert other._player._state.comparisons.wins.tolist() == won.tolist()
    assert other._player._state.comparisons.sign.tolist() == state.comparisons.sign.tolist()
    assert other.round == session.round


def test_tell_votes():
    session = Session("d-ts", ARMS, seed=1)
    votes = PairCounts(("arm 2", "arm 0"), [[0, 30], [5, 0]], [[0, 4], [4, 0]])
    assert session.tell_votes(votes, "old.csv") == 39
    assert session.counts.wins[2, 0] == 30
    assert session.counts.ties[0, 2] == 4
    (ask,) = session.ask()
    session.tell(ask.id, "first")
    session.add("arm 3")
    assert session.counts.votes.sum() == 2 * 40
    session.withdraw("arm 3")
    assert session.round == 41
    assert session.recommended in ("arm 1", "arm 2")
    wins = session._player._state.comparisons.wins
    assert wins.sum() == 40 and wins[2, 0] >= 30 > wins[0, 2]
    assert len(session.votes) == 1
    with pytest.raises(UserError, match=r"imported before, as 'old\.csv': --again \(in Python again=True\)"):
        session.tell_votes(votes, "old.csv")
    assert session.tell_votes(votes, "old.csv", again=True) == 39
    with pytest.warns(UserWarning, match=r"bob\.csv has at least the votes of old\.csv"):
        session.tell_votes(votes, "bob.csv")
    with pytest.raises(UserError, match=r"votes on 'x', which the session does not have: correct names \(--alias\)"):
        session.tell_votes(PairCounts(("x", "arm 0"), [[0, 1], [0, 0]], [[0, 0], [0, 0]]))
    with pytest.raises(UserError, match="weights"):
        session.tell_votes(PairCounts(("arm 1", "arm 0"), [[0, 0.5], [0, 0]], [[0, 0], [0, 0]]))
    with pytest.raises(UserError, match="takes at most 10,000,000 votes from elsewhere"):
        session.tell_votes(PairCounts(("arm 1", "arm 0"), [[0, 1e12], [1, 0]], [[0, 0], [0, 0]]))
    with pytest.raises(UserError, match="not 10,000,117"):
        session.tell_votes(PairCounts(("arm 1", "arm 0"), [[0, 1e7], [0, 0]], [[0, 0], [0, 0]]))
    with pytest.raises(UserError, match="no vote"):
        session.tell_votes(PairCounts(("arm 1", "arm 0"), [[0, 0], [0, 0]], [[0, 0], [0, 0]]))
    with pytest.raises(UserError, match="learns only from its own duels"):
        Session("sparring", ARMS).tell_votes(votes)


def test_question_of_before_an_arm_came():
    session = Session("d-ts", ARMS, seed=1)
    (ask,) = session.ask()
    session.add("arm 3")
    assert session.round == 1
    session.tell(ask.id, "first")
    assert session.round == 2


@pytest.mark.parametrize("name", ["rucb", "d-ts"])
def test_finished(name):
    session = Session(name, ["a", "b"], seed=1)
    while asks := session.ask():
        session.tell(asks[0].id, "first" if asks[0].first == "a" else "second")
    assert session.finished
    assert session.recommended == "a"
    assert 5 < len(session.votes) < 300
    before = session.round
    assert session.ask(3) == []
    assert session.round == before
    session.add("c")
    assert not session.finished
    assert any("c" in (ask.first, ask.second) for ask in session.ask(3))


# Requests of programs


SCHEMA = requests.schema()


def said(session, request):
    """Return the reply to a request; check both against the schema."""
    reply = replied(session, json.dumps(request).encode())
    verb = next(name for name in request if f"{name} request" in SCHEMA)
    for value, form in (request, f"{verb} request"), (reply, f"{'error' if 'error' in reply else verb} reply"):
        if "error" not in reply or form == "error reply":
            jsonschema.validate(json.loads(json.dumps(value)), SCHEMA[form])
    return reply


def test_all_questions_are_skipped():
    session = Session("uniform", ARMS, horizon=7)
    session.ask(2, "ann")
    session.ask(2, "bob")
    assert said(session, {"skip": "all", "judge": "ann"}) == {"skip": [1, 2]}
    assert [ask.id for ask in session.open_questions] == [3, 4]
    assert said(session, {"skip": [4]}) == {"skip": [4]}
    assert said(session, {"skip": "all"}) == {"skip": [3]} and session.open_questions == []
    assert "'skip' needs a list of numbers" in said(session, {"skip": 3})["error"]
    assert {ask.id for ask in session.ask(4)} == {5, 6, 7, 8}


@pytest.mark.parametrize("in_directory", [False, True])
def test_several_are_skipped_or_none(tmp_path, in_directory):
    made = Session.create(tmp_path / "s", "d-ts", ARMS) if in_directory else Session("d-ts", ARMS)
    made.ask(3)
    made.tell(3, "first")
    for wrong in (999, 3, "x", None):
        assert "error" in said(made, {"skip": [1, wrong]})
        assert [ask.id for ask in made.open_questions] == [1, 2]
        assert not in_directory or "returned" not in (tmp_path / "s" / "session.jsonl").read_text()
    assert said(made, {"skip": [2, 1, 2]}) == {"skip": [2, 1, 2]} and made.open_questions == []


@pytest.mark.parametrize(("answer", "corrected"), [("first", "second"), ("second", "tie"), ("tie", "first")])
def test_correct(answer, corrected):
    session, other = (Session("rucb", ARMS, seed=1) for _ in range(2))
    for one, third in ((session, answer), (other, corrected)):
        for ask in one.ask(5, "ann"):
            one.tell(ask.id, third if ask.id == 3 else answer)
    reply = said(session, {"correct": 3, "answer": corrected})
    assert reply == {"correct": 3, "answer": corrected, "used": True, "votes": 5}
    assert np.array_equal(session.counts.wins, other.counts.wins)
    assert np.array_equal(session.counts.ties, other.counts.ties)
    assert [(vote.id, vote.answer, vote.coin) for vote in session.votes] == [
        (vote.id, vote.answer, vote.coin) for vote in other.votes
    ]
    wins = [one._player._state.comparisons.wins for one in (session, other)]
    assert np.array_equal(*wins)  # counts of the algorithm


def test_correct_without_restart():
    session = Session("sparring", ARMS, seed=1)
    (ask,) = session.ask()
    session.tell(ask.id, "first")
    before = session.round, session._player
    reply = said(session, {"correct": ask.id, "answer": "second"})
    assert reply["used"] is False and reply["why"].startswith("the algorithm has learned the first answer")
    assert session.votes[0].winner == ask.second and (session.round, session._player) == before
    assert session.counts.wins[ARMS.index(ask.second), ARMS.index(ask.first)] == 1


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        (b"", "not JSON"),
        (b"{}", "there is no request in {}"),
        (b'{"aks": 1}', "did you mean 'ask'?"),
        (b'{"ask": 1, "jugde": "ann"}', "did you mean 'judge'?"),
        (b'{"ask": true}', "'ask' needs a number of questions, not true"),
        (b'{"tell": 1}', "needs an 'answer'"),
        (b'{"show": true, "until": "top:0"}', "K in top:K is from 1 to 2"),
        (b'{"show": true, "until": "rank"}', "'rank' is not a goal: give a probability between 0 and 1, ranks, top:K"),
        (b'{"show": true, "margin": 0.5}', "a margin is a probability from 0 to below 0.5, not 0.5"),
    ],
)
def test_request_errors(line, wrong):
    session = Session("rucb", ARMS, seed=1)
    reply = replied(session, line)
    assert list(reply) == ["error"]
    assert wrong in reply["error"]
    assert (session.round, session.votes, session.open_questions) == (1, [], [])
