"""What is asked next, and what becomes of answers: late, twice, after arms have changed."""

import pytest

from duelbench.errors import UserError
from duelbench.preferences.counts import PairCounts
from duelbench.sessions import session as module
from duelbench.sessions.session import Session
from tests.sessions import ARMS, sides, voted


@pytest.fixture
def clock(monkeypatch):
    """A function that lets seconds pass."""
    time = [0]

    def passes(seconds):
        time[0] += seconds

    def now():
        return f"2026-01-01T{time[0] // 3600:02}:{time[0] // 60 % 60:02}:{time[0] % 60:02}.000+00:00"

    monkeypatch.setattr(module, "now", now)
    return passes


def test_many_duels_are_open_at_once_and_answers_count_as_they_come():
    session = Session("rucb", ARMS, seed=1)
    asks = session.ask(20, "ann")
    assert [ask.id for ask in asks] == list(range(1, 21))
    assert session.round == 21
    for ask in reversed(asks):
        assert session.tell(ask.id, "first" if ask.first < ask.second else "second")
    assert session.open_asks == []
    assert session.recommended == "arm 0"
    assert [vote.id for vote in session.votes] == list(range(20, 0, -1))
    assert {vote.judge for vote in session.votes} == {"ann"}
    assert session.round == 21


def test_the_order_of_answers_to_open_duels_does_not_matter():
    def told(order):
        session = Session("d-ts", ARMS, seed=3)
        asks = session.ask(12)
        for k in order:
            session.tell(asks[k].id, "first" if asks[k].first < asks[k].second else "tie")
        return sides(session.ask(12))

    assert told(range(12)) == told(range(11, -1, -1))


def test_others_have_one_question_whose_duels_several_judges_may_have():
    session = Session("btm", ARMS, seed=1, horizon=100_000)
    blocks = set()
    while len(session.votes) < 400:
        asks = session.ask(50, "ann")
        if not asks:
            break
        pairs = {frozenset((ask.first, ask.second)) for ask in asks}
        assert len(pairs) == 1
        blocks.add(len(asks))
        if len(asks) < 50:  # all of the question are handed out
            assert session.ask(1, "bob") == []
            assert not session.finished
        before = session.round
        for ask in asks[::-1]:
            session.tell(ask.id, "first" if ask.first < ask.second else "second")
        assert session.round >= before
    assert max(blocks) > 1


def test_which_is_shown_first_is_drawn_and_the_answer_is_of_what_was_shown():
    session = Session("uniform", ["a", "b"], seed=1, variant="round-robin")
    asks = session.ask(200)
    first = sum(ask.first == "a" for ask in asks)
    assert 70 < first < 130
    for ask in asks:
        session.tell(ask.id, "first" if ask.first == "a" else "second")
    assert session.counts.wins.tolist() == [[0, 200], [0, 0]]


def test_a_tie_is_a_tie_and_the_algorithm_hears_a_fair_coin():
    session = Session("rucb", ["a", "b"], seed=1)
    for ask in session.ask(400):
        session.tell(ask.id, "tie")
    assert session.counts.wins.sum() == 0
    assert session.counts.ties.tolist() == [[0, 400], [400, 0]]
    coins = [vote.coin for vote in session.votes]
    assert 160 < coins.count("first") < 240
    known = session._player._state.comparisons.wins
    won = sum((vote.first == "a") == (vote.coin == "first") for vote in session.votes)
    assert known.tolist() == [[0, won], [400 - won, 0]]
    assert session.recommended == "a"  # of equals the first


@pytest.mark.parametrize("algorithm", ["rucb", "sparring"])
def test_an_expired_ask_is_asked_again_and_a_late_answer_is_recorded(algorithm, clock):
    session = Session(algorithm, ARMS, seed=1, expires=3600)
    (ask,) = session.ask(1, "ann")
    assert ask.expires == "2026-01-01T01:00:00.000+00:00"
    clock(3599)
    if algorithm == "sparring":
        assert session.ask(1, "bob") == []
    clock(1)
    assert session.open_asks[0].id == ask.id  # nobody has taken it over: it is not too late yet
    (again,) = session.ask(1, "bob", expires=10)
    assert (again.id, {again.first, again.second}) == (ask.id + 1, {ask.first, ask.second})
    assert again.expires == "2026-01-01T01:00:10.000+00:00"
    assert session.open_asks == [again]
    used = session.tell(ask.id, "first")
    assert used is (algorithm == "rucb")
    assert session.tell(ask.id, "first") is used
    assert session.tell(again.id, "first", "carl") is True
    assert [(vote.judge, vote.used) for vote in session.votes] == [("ann", used), ("carl", True)]
    assert session.counts.votes.sum() == 4
    assert session.round == (3 if used else 2)


def test_an_answer_to_an_expired_ask_that_nobody_else_has_is_in_time(clock):
    session = Session("btm", ARMS, horizon=1000, expires=60)
    (ask,) = session.ask()
    clock(3600)
    assert session.tell(ask.id, "second") is True


def test_what_is_given_back_is_asked_next():
    session = Session("d-ts", ARMS, seed=1)
    asks = session.ask(3)
    session.give_back(asks[1].id)
    session.give_back(asks[1].id)
    assert [ask.id for ask in session.open_asks] == [1, 3]
    (again,) = session.ask()
    assert {again.first, again.second} == {asks[1].first, asks[1].second}
    session.give_back(again.id)
    assert session.tell(again.id, "tie") is True  # the judge has thought again
    assert session.ask()[0].id == 5
    with pytest.raises(UserError, match="ask 4 is answered"):
        session.give_back(4)


def test_what_a_judge_gave_back_goes_to_another_one():
    session = Session("rucb", ARMS, seed=1)
    (back,) = session.ask(judge="ann")
    session.give_back(back.id)
    pair = {back.first, back.second}
    again, _ = session.ask(2, judge="bob")
    assert {again.first, again.second} == pair
    session = Session("btm", ARMS, seed=1, horizon=1000)
    (back,) = session.ask(judge="ann")
    session.give_back(back.id)
    (again,) = session.ask(judge="ann")  # there is nothing else to ask
    assert {again.first, again.second} == {back.first, back.second}
    assert session.tell(again.id, "first") is True
    session = Session("d-ts", ARMS, seed=1)
    (back,) = session.ask(judge="ann")
    session.give_back(back.id)
    session.ask(2, judge="ann")
    assert [each.state for each in session._course.handed.values()] == ["returned", "open", "open"]
    session.ask(judge="bob")
    assert [each.state for each in session._course.handed.values()] == ["replaced", "open", "open", "open"]


def test_wrong_answers_are_refused_and_change_nothing():
    session = Session("rucb", ARMS)
    session.ask()
    with pytest.raises(UserError, match="there is no ask 2"):
        session.tell(2, "first")
    with pytest.raises(UserError, match="first, second or tie, not 'both'"):
        session.tell(1, "both")
    with pytest.raises(ValueError, match="whole number"):
        session.tell("1", "first")
    with pytest.raises(UserError, match="a judge is one line"):
        session.tell(1, "first", "ann\n")
    for n in (0, 1001):
        with pytest.raises(ValueError, match="n must be between"):
            session.ask(n)
    with pytest.raises(ValueError, match="expires must be a number of seconds"):
        session.ask(expires=-1)
    assert session.votes == []
    session.tell(1, "first")
    with pytest.raises(UserError, match="was answered 'first' before"):
        session.tell(1, "second")
    assert session.tell(1, "first") is True
    assert len(session.votes) == 1


def test_arms_come_and_go_with_their_votes():
    session = Session("d-ts", ARMS, seed=1)
    told = voted(session, 40)
    asks = [*session.open_asks, *session.ask(6)]
    before = session.counts
    session.add_arm("arm 3")
    assert session.names == (*ARMS, "arm 3")
    assert (session.counts.wins[:3, :3] == before.wins).all()
    assert session.round == 1 + told
    newcomer = [ask for ask in session.ask(10) if "arm 3" in (ask.first, ask.second)]
    assert newcomer
    session.withdraw_arm("arm 1")
    assert session.names == ("arm 0", "arm 2", "arm 3")
    assert not any("arm 1" in (ask.first, ask.second) for ask in session.open_asks)
    gone = next(ask for ask in asks if "arm 1" in (ask.first, ask.second))
    assert session.tell(gone.id, "first") is False  # but it is a vote
    votes = session._course.tally.counts().votes.sum()
    assert votes == 2 * (told + 1)
    session.add_arm("arm 1")
    assert session.names == (*ARMS, "arm 3")
    assert session.counts.votes.sum() == votes
    assert session.round == told + 2
    with pytest.raises(UserError, match="is an arm already"):
        session.add_arm("arm 1")
    for name in ("arm 0", "arm 2"):
        session.withdraw_arm(name)
    with pytest.raises(UserError, match="at least two arms"):
        session.withdraw_arm("arm 1")
    with pytest.raises(UserError, match="was withdrawn before"):
        session.withdraw_arm("arm 0")
    with pytest.raises(UserError, match="there is no arm 'arm 9'"):
        session.withdraw_arm("arm 9")


def test_arms_of_others_are_fixed():
    session = Session("btm", ARMS, horizon=100)
    for change in (session.add_arm, session.withdraw_arm):
        with pytest.raises(UserError, match="the arms of btm are fixed"):
            change("arm 0")


def test_beginning_anew_is_to_be_told_the_same_counts():
    """Whoever is told the votes of a session from elsewhere asks what it would ask after a change of arms."""
    session = Session("rucb", [*ARMS, "arm 3"], seed=1)
    voted(session, 60)
    for ask in session.open_asks:
        session.tell(ask.id, "first")
    session.withdraw_arm("arm 3")
    other = Session("rucb", ARMS, seed=1)
    state = session._player._state
    won = state.comparisons.wins
    other.tell_votes(PairCounts(tuple(ARMS), won.astype(float), won * 0.0))
    assert other._player._state.comparisons.wins.tolist() == won.tolist()
    assert other._player._state.comparisons.sign.tolist() == state.comparisons.sign.tolist()
    assert other.round == session.round


def test_votes_from_elsewhere_are_told_once():
    session = Session("d-ts", ARMS, seed=1)
    votes = PairCounts(("arm 2", "arm 0"), [[0, 30], [5, 0]], [[0, 4], [4, 0]])
    assert session.tell_votes(votes, "old.csv") == 39
    assert session.counts.wins[2, 0] == 30
    assert session.counts.ties[0, 2] == 4
    (ask,) = session.ask()
    session.tell(ask.id, "first")
    session.add_arm("arm 3")
    assert session.counts.votes.sum() == 2 * 40
    session.withdraw_arm("arm 3")
    assert session.round == 41
    assert session.recommended in ("arm 1", "arm 2")  # whoever has lost no pair
    assert session._player._state.comparisons.wins.sum() == 40
    assert len(session.votes) == 1
    with pytest.raises(UserError, match=r"told already, as 'old\.csv'"):
        session.tell_votes(votes, "again.csv")
    with pytest.raises(UserError, match="there are votes on 'x', no arm of the session"):
        session.tell_votes(PairCounts(("x", "arm 0"), [[0, 1], [0, 0]], [[0, 0], [0, 0]]))
    with pytest.raises(UserError, match="weights"):
        session.tell_votes(PairCounts(("arm 1", "arm 0"), [[0, 0.5], [0, 0]], [[0, 0], [0, 0]]))
    with pytest.raises(UserError, match="no vote"):
        session.tell_votes(PairCounts(("arm 1", "arm 0"), [[0, 0], [0, 0]], [[0, 0], [0, 0]]))
    with pytest.raises(UserError, match="learns from the duels that it asks for alone"):
        Session("sparring", ARMS).tell_votes(votes)


@pytest.mark.parametrize("name", ["rucb", "d-ts", "rcs", "ccb", "rmed1", "ecw-rmed"])
def test_it_ends_when_an_algorithm_would_only_duel_the_winner_with_itself(name):
    session = Session(name, ["a", "b"], seed=1)
    while asks := session.ask():
        session.tell(asks[0].id, "first" if asks[0].first == "a" else "second")
    assert session.finished
    assert session.recommended == "a"
    assert 5 < len(session.votes) < 300
    before = session.round
    assert session.ask(3) == []
    assert session.round == before
    session.add_arm("c")
    assert not session.finished
    assert any("c" in (ask.first, ask.second) for ask in session.ask(3))


def test_a_horizon_ends_it():
    session = Session("uniform", ARMS, horizon=7)
    assert len(session.ask(10)) == 7
    assert not session.finished
    for ask in session.open_asks:
        session.tell(ask.id, "first")
    assert session.finished
