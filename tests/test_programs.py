"""Programs: ``duel`` plays blocks, the arm that ``explore`` returns is declared, and mistakes have clear errors."""

import numpy as np
import pytest

from duelbench import Program, Session, duel, kernel, no_winner, simulate
from duelbench.algorithms.catalogue import find
from duelbench.algorithms.identification.parwis import Parwis
from duelbench.algorithms.identification.single_elimination import Nts
from duelbench.conformance.rounds import streams
from duelbench.engine.play import Problem, Rules
from duelbench.engine.rollout import Streams, rollout
from duelbench.errors import AnswerError
from duelbench.experiment.answers import answers
from duelbench.kernels.duels import LONGEST, block_limit, duel_with_ties
from tests.playing import Shares, played

P = np.array([[0.5, 0.8, 0.8], [0.2, 0.5, 0.6], [0.2, 0.4, 0.5]])


def program(explore, **attributes):
    """Return a program in plain Python."""
    return type("Mine", (Program,), {"name": "mine", "explore": explore, "__module__": __name__, **attributes})()


def run(explore, marks, problem=None, rngs=None, **how):
    rules = Rules(**{name: how.pop(name) for name in list(how) if name in Rules._fields})
    rngs = rngs or Streams(Shares(), np.random.default_rng(1))
    mine = program(explore, declares_tiers=True, may_declare_no_winner=True)
    return rollout(mine, problem or Problem(P, 1 - P[None]), np.array(marks), rngs, rules, **how)


def test_blocks_end_at_changes_only():
    seen, limits = [], []

    def explore(world, state, rng):
        limits.append(block_limit(world))
        seen.append(duel(world, 0, 1, 10))
        limits.append(block_limit(world))
        seen.append(duel(world, 1, 0, 3))
        return 2

    def blocks(problem, marks, **rules):
        counts = []
        run(explore, marks, problem, watch=lambda ledger: counts.append(int(ledger.place[0].t) - 1), **rules)
        return counts

    assert blocks(Problem(P, 1 - P[None]), [4, 100]) == [10, 13, 100]
    assert seen == [int(10 * 0.8), int(3 * 0.2)]
    assert limits == [LONGEST, LONGEST]
    changing = Problem.changing([1, 6, 12], [P, P.T.copy(), P], [1 - P[None]] * 3)
    seen.clear()
    assert blocks(changing, [100]) == [5, 10, 11, 13, 100]
    assert seen == [int(5 * 0.8) + int(5 * 0.2), int(1 * 0.8 > 0.5) + int(2 * 0.2)]
    assert blocks(Problem(P, 1 - P[None]), [3, 15], stepping=True) == list(range(1, 16))


@kernel
def two_matches(world, state, rng):
    for arm in (1, 2):
        duel(world, 0, arm, 10)
        state.best[0] = arm
    return 2


@pytest.mark.parametrize("explore", [two_matches, lambda *given: two_matches.plain(*given)], ids=["compiled", "plain"])
@pytest.mark.parametrize("rules", [{}, {"stepping": True}], ids=["blocks", "stepping"])
def test_recommendations_know_all_outcomes(explore, rules):
    """At a checkpoint, the program first continues to its next duel, so a recommendation reflects all outcomes."""
    found = rollout(
        program(
            explore,
            start=lambda self, arms, horizon: self.state(best=np.zeros(1, np.int64)),
            recommendation=lambda self, state: int(state.best[0]),
        ),
        Problem(P, 1 - P[None]), np.array([9, 10, 15, 20]), streams(3, 0), Rules(**rules), recommend="own",
    )  # fmt: skip
    assert found.recommended.tolist() == [0, 1, 1, 2]


def test_late_outcomes_are_waited_for():
    seen = []

    def explore(world, state, rng):
        seen.append(duel(world, 0, 1, 5))
        seen.append(duel(world, 1, 1, 1))
        seen.append(duel(world, 1, 2, 7))
        return 0

    found = run(explore, [100], delay=7)
    assert seen == [4, 0, int(0.6 * 7) + 0]
    assert found.duels.tolist() == [[79, 7, 0], [0, 1, 13], [0, 0, 0]]  # rounds 6, 7 and 16 to 21 go unused
    assert found.declaration == (0, 21)


def test_ties():
    matrix_ties = np.array([[0, 0.5, 0], [0.5, 0, 0], [0, 0, 0]])
    seen = []

    def explore(world, state, rng):
        seen.append(duel_with_ties(world, 0, 1, 8))
        return 0

    class Halves(Shares):
        def binomial(self, n, p):
            return (n + 1) // 2 if p == 0.5 else n

    problem, rngs = Problem(P, 1 - P[None], T=matrix_ties), Streams(Halves(), None)
    run(explore, [100], problem, rngs)
    assert seen == [(4, 4)]
    found = run(explore, [100], problem, rngs, drop=True)
    assert seen[1][1] == 0 and found.declaration[1] == int(found.duels[0, 1]) > 8


def test_what_is_declared():
    for end, said in (
        (lambda world: 2, 2),
        (lambda world: np.int64(1), 1),
        (lambda world: no_winner(world, 1), None),
        (lambda world: np.array([2, 0, 1]), ((2,), (0,), (1,))),
    ):
        found = run(lambda world, state, rng, end=end: (duel(world, 0, 1, 6), end(world))[1], [50])
        assert found.declaration == (said, 6)
        held = 1 if said is None else said[0][0] if isinstance(said, tuple) else said
        assert found.duels[held, held] == 44
    whole = program(
        lambda world, state, rng: (duel(world, 0, 1, 6), 2)[1], declares_tiers=True, sizes=lambda self, K: (2, 1)
    )
    rngs = streams(1, 0)
    assert rollout(whole, Problem(P, 1 - P[None]), np.array([6]), rngs).declaration == (2, 6)
    planned = program(lambda world, state, rng: (duel(world, 0, 1, 6), 2)[1], uses_horizon=True)
    assert rollout(planned, Problem(P, 1 - P[None]), np.array([6]), rngs).declaration is None
    assert rollout(planned, Problem(P, 1 - P[None]), np.array([7]), rngs).declaration == (2, 6)
    assert run(lambda world, state, rng: duel(world, 0, 1, 6), [5]).declaration is None


MISTAKES = {
    "duel(world, 3, 1, 2)": r"duel\(world, 3, 1, 2\): arms are 0 … 2",
    "duel(world, 0, -1, 2)": r"duel\(world, 0, -1, 2\): arms are 0 … 2",
    "duel(world, 0, 1, 0)": r"duel\(world, 0, 1, 0\): the count must be 1 or more",
    "3": "explore returned 3",
    "-1": "explore returned -1",
    "no_winner(world, 3)": "explore returned 3",
    "state.order": "explore returned (an )?array",
    "state.order[1:]": "explore returned (an )?array",
}


@pytest.mark.parametrize(
    ("code", "decorated"),
    [*((code, "") for code in MISTAKES), ("duel(world, 0, 1, 0)", "@kernel\n"), ("state.order", "@kernel\n")],
)
def test_mistakes(code, decorated, tmp_path):
    (tmp_path / "mine.py").write_text(
        "import numpy as np\nfrom duelbench import Program, duel, kernel, no_winner\n\n\n"
        f"{decorated}def explore(world, state, rng):\n    duel(world, 0, 1, 3)\n    return {code}\n\n\n"
        "class Mine(Program):\n    name = 'mine'\n    explore = explore\n\n"
        "    def start(self, arms, horizon):\n        return self.state(order=np.zeros(arms, np.int64))\n"
    )
    mine = find("mine.py:Mine", tmp_path)()
    with pytest.raises(AnswerError, match=MISTAKES[code]) as error:
        simulate(mine, P, 100)
    if mine.compiled():
        assert f"explore in {tmp_path / 'mine.py'}: " in str(error.value) and "--interpreted" in str(error.value)


@pytest.mark.parametrize(
    ("end", "flag"), [(lambda world: [2, 0, 1], "declares_tiers"), (lambda world: no_winner(world, 1), "may_declare")]
)
def test_what_is_declared_needs_its_flag(end, flag):
    mine = program(lambda world, state, rng: (duel(world, 0, 1, 6), end(world))[1])
    with pytest.raises(AnswerError, match=f"set {flag}.* = True in the class"):
        rollout(mine, Problem(P, 1 - P[None]), np.array([50]), streams(1, 0))


def test_more_duels_than_there_are_rounds():
    """A block beyond the horizon is not a declaration, however long; nor is a ``no_winner`` that is not returned."""
    for count in (100, 2**62, 2**63 - 1):
        found = run(lambda world, state, rng, count=count: (duel(world, 0, 1, count), 2)[1], [50])
        assert (found.declaration, found.duels[0, 1]) == (None, 50)
    ignored = run(lambda world, state, rng: (no_winner(world, 1), duel(world, 0, 1, 6), 2)[2], [50])
    assert ignored.declaration == (2, 6)


def test_mistakes_of_plain_python():
    for wrong in (None, 1.0, True, [0, 1], [0, 1, 1], "a"):
        with pytest.raises(ValueError, match="explore returned"):
            run(lambda world, state, rng, wrong=wrong: wrong, [10])
    for wrong in ((0, 1, 1.0), (0.0, 1, 1), (True, 1, 1)):
        with pytest.raises(ValueError, match="it takes whole numbers"):
            run(lambda world, state, rng, wrong=wrong: duel(world, *wrong), [10])


@kernel
def tournament(world, state, rng):
    left = world.arms
    while left > 1:
        for k in range(left // 2):
            a, b = state.standing[2 * k], state.standing[2 * k + 1]
            state.standing[k] = a if 2 * duel(world, a, b, state.duels) >= state.duels else b
        if left % 2 == 1:
            state.standing[left // 2] = state.standing[left - 1]
        left = (left + 1) // 2
    return state.standing[0]


class Tournament(Program):
    name = "tournament"
    explore = tournament
    duels: int = 15
    share: float = 0.5
    label: str = ""

    def start(self, arms, horizon):
        return self.state(standing=np.arange(arms))


def test_state_has_the_parameters_that_are_numbers():
    state = Tournament(duels=3).start(4, 10)
    assert state._fields == ("duels", "share", "standing") and state.duels == 3
    assert type(state) is Tournament.State
    with pytest.raises(TypeError):
        Tournament().state(other=1)


@pytest.mark.parametrize("rules", [{}, {"delay": 6}, {"stepping": True}, {"votes": True, "max_rounds": 200}])
def test_compiled_is_interpreted(rules):
    plain = program(tournament.py_func if hasattr(tournament, "py_func") else tournament,
                    start=lambda self, arms, horizon: Tournament().start(arms, horizon))  # fmt: skip
    one, other = (
        rollout(each, Problem(P, 1 - P[None]), np.array([7, 33, 100]), streams(3, 0), Rules(**rules), recommend="own")
        for each in (Tournament(), plain)
    )
    assert np.array_equal(one.regret, other.regret) and np.array_equal(one.duels, other.duels)
    assert one.declaration == other.declaration
    assert one.recommended.tolist() == other.recommended.tolist()


@pytest.mark.parametrize(
    "algorithm", [Parwis(), program(lambda world, state, rng: [duel(world, 0, 1, 1) for _ in iter(int, 1)])]
)
@pytest.mark.parametrize("error", [KeyboardInterrupt, TimeoutError])
def test_an_exception_between_blocks_ends_the_run(algorithm, error, monkeypatch):
    monkeypatch.setattr("duelbench.engine.rollout.COMPILED_PART", 20)

    def progress(rounds):
        raise error

    with pytest.raises(error):
        rollout(algorithm, Problem(P, 1 - P[None]), np.array([10**10]), streams(1, 0), progress=progress)


def test_answers_are_blocks():
    blocks = answers(Nts(h=0.2), P, 10_000, streams(2, 0))
    assert sum(each.duels for each in blocks) == 10_000
    assert [each.t for each in blocks] == np.cumsum([1, *(each.duels for each in blocks[:-1])]).tolist()


def test_a_session_asks_for_blocks():
    """A session asks for a block in parts of any size, without repeating duels that are answered."""
    session = Session("nts", 3, seed=1)
    pairs = []
    for rounds in (3, 2, 5, 1, 4):
        asked = session.select(rounds)
        assert asked.count == rounds
        pairs.append({asked.first, asked.second})
        session.update(rounds // 2)
    assert all(pair == pairs[0] for pair in pairs) and session.round == 16


def test_shares(interpreted):
    blocks, live = played(Tournament(duels=4), P, 20)
    assert blocks == [(0, 1, 4), (0, 2, 4), (0, 0, 12)]
    assert live.declaration() == (0, 8)
