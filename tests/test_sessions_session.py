"""A session asks what the simulation would have duelled."""

import numpy as np
import pytest

from duelbench.algorithms.catalogue import catalogue
from duelbench.conformance.rounds import pair_tables, simulate
from duelbench.engine.streams import stream
from duelbench.errors import UserError
from duelbench.sessions.session import Session
from duelbench.sources.tables import TABLES

CYCLIC = TABLES["cyclic4"].matrix()
HORIZON = 5_000


@pytest.mark.parametrize("name", list(catalogue()))
@pytest.mark.parametrize("stepping", [False, True])
def test_a_session_makes_the_choices_of_the_simulation(name, stepping):
    environment, policy = np.random.default_rng(3), stream(8, session=name)
    marks = np.arange(50, HORIZON + 1, 50)
    course = simulate(catalogue()[name](), CYCLIC.P, pair_tables(4), marks, environment, policy, stepping=stepping)

    environment = np.random.default_rng(3)
    session = Session(name, arms=4, seed=8, horizon=HORIZON)
    duels = np.zeros((4, 4), np.int64)
    while session.round <= HORIZON:
        duel = session.select(1 if stepping else 50 - (session.round - 1) % 50)
        assert session.select(3) == duel
        p = CYCLIC.P[duel.first, duel.second]
        if duel.first == duel.second:
            session.update(0)
        elif duel.count == 1:
            session.update(int(environment.random() < p))
        else:
            session.update(int(environment.binomial(duel.count, p)))
        duels[duel.first, duel.second] += duel.count
        if (session.round - 1) % 50 == 0:
            place = (session.round - 1) // 50 - 1
            assert np.array_equal(duels.ravel(), course.regret[:, place])
    assert np.array_equal(duels, course.duels)


def test_seeds_and_parameters_matter():
    def choices(**how):
        session = Session("rucb", arms=5, **how)
        answers = []
        for k in range(300):
            duel = session.select()
            answers.append((duel.first, duel.second))
            session.update(wins=k % 3 == 0)
        return answers

    assert choices(seed=1) == choices(seed=1)
    assert choices(seed=1) != choices(seed=2)
    assert choices(seed=1) != choices(seed=1, alpha=3.0)


def test_a_session_without_horizon_goes_on():
    session = Session("d-ts", arms=2)
    for _ in range(500):
        duel = session.select()
        session.update(duel.count if duel.first == 1 else 0)
    assert session.round == 501
    assert (session.select().first, session.select().second) == (1, 1)


def test_the_horizon_ends_it():
    session = Session("btm", arms=3, horizon=2)
    for _ in range(2):
        session.select(rounds=10)
        session.update(0)
    assert session.round == 3
    with pytest.raises(ValueError, match="all 2 rounds have been played"):
        session.select()


def test_a_block_never_passes_the_horizon():
    session = Session("rmed1", arms=2, horizon=40)
    while session.round <= 40:
        duel = session.select(rounds=10**6)
        assert session.round + duel.count <= 41
        session.update(duel.count if duel.first < duel.second else 0)


def test_wrong_use_is_refused():
    with pytest.raises(UserError, match="rucb"):
        Session("rucbb", arms=3)
    with pytest.raises(ValueError, match="two arms"):
        Session("rucb", arms=1)
    with pytest.raises(ValueError, match="horizon"):
        Session("btm", arms=3)
    with pytest.raises(ValueError, match="alpha"):
        Session("rucb", arms=3, alpha=-1)
    with pytest.raises(ValueError, match="beta"):
        Session("rucb", arms=3, beta=1)
    session = Session("rucb", arms=3)
    with pytest.raises(ValueError, match="select first"):
        session.update(1)
    session.select()
    for wins in (-1, 2):
        with pytest.raises(ValueError, match="between 0 and 1"):
            session.update(wins)
    session.update(1)
    with pytest.raises(ValueError, match="select first"):
        session.update(1)
    assert session.round == 2


@pytest.mark.parametrize("wins", [0.5, 1.0, np.float64(0.3), "1", None])
def test_wins_that_are_no_whole_number_are_refused_and_the_duel_waits(wins):
    session = Session("rucb", arms=3)
    duel = session.select()
    with pytest.raises(ValueError, match="wins must be a whole number, not "):
        session.update(wins)
    assert session.select() == duel
    assert session.round == 1
    session.update(np.int64(1))
    assert session.round == 2


@pytest.mark.parametrize("wins", [True, np.True_, np.int32(1)])
def test_wins_may_be_any_kind_of_whole_number(wins):
    one, other = Session("rucb", arms=3), Session("rucb", arms=3)
    for session, won in ((one, wins), (other, 1)):
        session.select()
        session.update(won)
    assert repr(one._player._state) == repr(other._player._state)


@pytest.mark.parametrize(
    "arguments", [{"arms": 2.5}, {"arms": "3"}, {"arms": 3, "horizon": 10.5}, {"arms": 3, "horizon": 0}]
)
def test_arms_and_horizons_are_whole_numbers(arguments):
    with pytest.raises(ValueError, match=r"arms|horizon"):
        Session("rucb", **arguments)
    with pytest.raises(ValueError, match="rounds must be a whole number"):
        Session("rucb", arms=3).select(rounds=2.5)


@pytest.mark.parametrize("rounds", [0, -5])
@pytest.mark.parametrize("name", list(catalogue()))
def test_asking_for_no_rounds_is_refused(name, rounds):
    session = Session(name, arms=3, horizon=100)
    with pytest.raises(ValueError, match="round"):
        session.select(rounds=rounds)
