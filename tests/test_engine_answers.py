"""What algorithms answer is looked at: in plain Python its type as well, as numba does where it compiles."""

import numpy as np
import pytest

from duelbench.algorithms.catalogue import find
from duelbench.engine.simulate import simulate
from duelbench.engine.warm import warm
from duelbench.errors import UserError
from duelbench.sessions.session import Session
from tests import toys
from tests.comparison import MATRICES
from tests.experiments import played

SIX = MATRICES["six-rankers"]
WHOLE = "it is three whole numbers, two arms of 0 … 5 and a count"


def mine(tmp_path, answer="0, 1, 1", declared="None", compiled=False):
    text = toys.mine(answer, "if t < 12: return 0, 1, 1", declared)
    (tmp_path / "mine.py").write_text(text if compiled else toys.plain(text))
    return find("mine.py:Mine", tmp_path)


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ("7, 0, 1", "(7, 0, 1) at t = 12: arms are 0 … 5"),
        ("0, -1, 1", "(0, -1, 1) at t = 12: arms are 0 … 5"),
        ("0, 0, 0", "(0, 0, 0) at t = 12: of 6 arms it may duel two 1 … 2 times, up to t = 13"),
        ("0, 0, 3", "(0, 0, 3) at t = 12: of 6 arms it may duel two 1 … 2 times, up to t = 13"),
    ],
)
@pytest.mark.parametrize("compiled", [False, True])
def test_an_answer_out_of_range_is_quoted(tmp_path, answer, sentence, compiled):
    algorithm = mine(tmp_path, answer, compiled=compiled)()
    with pytest.raises(ValueError) as caught:
        simulate(algorithm, SIX, 13, per_decade=1)
    assert str(caught.value) == f"select answered {sentence}"


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        ("True, 0, 1", "(True, 0, 1)"),
        ("0, np.True_, 1", "(0, np.True_, 1)"),
        ("0, 1, True", "(0, 1, True)"),
        ("0, 1, 1.5", "(0, 1, 1.5)"),
        ("np.float64(0), 1, 1", "(np.float64(0.0), 1, 1)"),
        ("0, '1', 1", "(0, '1', 1)"),
        ("0, None, 1", "(0, None, 1)"),
        ("(0, 1)", "(0, 1)"),
        ("None", "None"),
        ("7", "7"),
        ("{5, 2, 1}", "{1, 2, 5}"),
        ("{5: 0, 2: 0, 1: 0}", "{1: 0, 2: 0, 5: 0}"),
        ("bytes([5, 2, 1])", "b'\\x05\\x02\\x01'"),
        ("10**30, 0, 1", f"({10**30}, 0, 1)"),
        ("0, 1, 10**30", f"(0, 1, {10**30})"),
    ],
)
def test_an_answer_that_is_no_whole_numbers_is_refused(tmp_path, answer, shown):
    kind = mine(tmp_path, answer)
    with pytest.raises(ValueError) as caught:
        simulate(kind(), SIX, 20)
    assert str(caught.value) == f"select answered {shown} at t = 12: {WHOLE}"
    session = Session(f"{tmp_path / 'mine.py'}:Mine", arms=6)
    for _ in range(11):
        session.select()
        session.update(0)
    with pytest.raises(ValueError) as caught:
        session.select()
    assert str(caught.value) == f"select answered {shown} at t = 12: {WHOLE}"


@pytest.mark.parametrize("answer", ["7, 0, 1", "0, 0, 3"])
@pytest.mark.parametrize("compiled", [False, True])
def test_a_session_refuses_what_the_simulation_refuses(tmp_path, answer, compiled):
    mine(tmp_path, answer, compiled=compiled)
    session = Session(f"{tmp_path / 'mine.py'}:Mine", arms=6)
    for _ in range(11):
        session.select()
        session.update(0)
    with pytest.raises(ValueError, match=r"select answered \(.*\) at t = 12: "):
        session.select(rounds=2)


def test_whole_numbers_of_numpy_are_answers(tmp_path):
    plain = simulate(mine(tmp_path, "2, 3, 1")(), SIX, 50)
    for answer in ("np.int32(2), np.uint8(3), np.int64(1)", "[2, 3, 1]", "np.array([2, 3, 1])"):
        other = simulate(mine(tmp_path, answer)(), SIX, 50)
        assert np.array_equal(plain.regret, other.regret)
        assert np.array_equal(plain.duels, other.duels)


@pytest.mark.parametrize("answer", ["0, 1, 1.5", "True, 0, True", "0, 1"])
def test_a_compiled_answer_of_other_types_does_not_compile(tmp_path, answer):
    (tmp_path / "mine.py").write_text(toys.mine(answer))
    with pytest.raises(UserError, match="select must answer three whole numbers, first, second and count, not"):
        warm([find("mine.py:Mine", tmp_path)()], lambda line: None)


@pytest.mark.parametrize(
    "declared", ["(-1, 3)", "(6, 3)", "(0, -5)", "(0, 21)", "(True, 3)", "(0, 2.0)", "0", "(1, 2, 3)"]
)
def test_a_declaration_out_of_range_is_refused(tmp_path, declared):
    with pytest.raises(ValueError, match=r"declaration answered .*: it is None, or a winner of 0 … 5, None"):
        simulate(mine(tmp_path, declared=declared)(), SIX, 20)
    assert simulate(mine(tmp_path, declared="(np.int32(5), 20)")(), SIX, 20).declaration == (5, 20)


def test_a_declaration_out_of_range_does_not_reach_the_results(tmp_path):
    mine(tmp_path, declared="(-1, -5)")
    text = "horizon: 20\nruns: 2\ndatasets: [six-rankers]\nalgorithms: ['mine.py:Mine']\n"
    execution = played(tmp_path, text).execution
    assert execution.played == 0
    assert "declaration answered (-1, -5)" in execution.failures[0].read_text()
