"""Numbers in the Python API give a right answer or one error sentence, also beyond 63 bits and for NaN."""

import numpy as np
import pytest

from duelbench import Changing, PreferenceMatrix, advise, explore, simulate
from duelbench.algorithms.catalogue import catalogue
from duelbench.errors import UserError
from duelbench.preferences.counts import PairCounts

P = [[0.5, 0.6, 0.7], [0.4, 0.5, 0.8], [0.3, 0.2, 0.5]]
VOTES = PairCounts(("a", "b", "c"), np.array([[0, 9, 8], [4, 0, 6], [2, 5, 0]]), np.zeros((3, 3)))
NEVER = [-(2**31), 2**63, 10**400, float("inf"), float("nan"), True, np.True_, np.uint64(2**63), 2.5, "3", None, 1j]
"""Values that no argument may have."""


def advice(votes=VOTES, **more):
    return advise(votes, **{"budget": 4, "algorithms": ["uniform"], "runs": 2, "jobs": 0, **more}).curve.right.tolist()


WHOLE = [
    (lambda value: simulate("uniform", P, horizon=value).regret.tolist(), 3, [0, 10**12 + 1]),
    (lambda value: simulate("uniform", P, horizon=9, delay=value).regret.tolist(), 3, [0, 2**31]),
    (lambda value: explore(np.argmax, [0.1, 0.9], value).plays.tolist(), 3, [0, 10**12 + 1]),
    (lambda value: explore(np.argmax, [0.1, 0.9], 9, seed=value).plays.tolist(), 3, [-1]),
    (lambda value: Changing([(1, P), (value, P)]).starts, 3, [0, 1]),
    (lambda value: Changing([(1, P), (3, P)]).at(value).P.tolist(), 3, [0]),
    (lambda value: PreferenceMatrix(P).submatrix([0, value]).P.tolist(), 2, [0, 3, -1]),
    (lambda value: advice(budget=value), 3, [0, 2**31]),
]
"""A call with a whole number, a valid value, and values that it refuses."""


@pytest.mark.parametrize(("call", "valid", "wrong"), WHOLE)
def test_whole_numbers(call, valid, wrong):
    expected = call(valid)
    assert all(call(same) == expected for same in (float(valid), np.int64(valid), np.uint8(valid), np.float32(valid)))
    for value in [*wrong, *NEVER]:
        with pytest.raises((UserError, ValueError), match=r"must be|there is no arm|listed twice|does not come after"):
            call(value)


REAL = [
    (lambda value: explore(np.argmax, [0.1, 0.9], 9, delta=value), [0, 1, *NEVER[:-2]], "delta must be"),
    (lambda value: explore(np.argmax, [value, 0.9], 9), [-1, 1.5, *NEVER[:5], 1j, "a", None], "means must be"),
    (lambda value: PreferenceMatrix([[0.5, value], [0.5, 0.5]]), [0, -1, 2**31, *NEVER], "it must add up|numbers only|"
     "finite|between 0 and 1"),
    (lambda value: PreferenceMatrix(P).with_tie_share(value), [-1, 2**31, *NEVER], "share of ties .* must be"),
    (lambda value: PreferenceMatrix(P).relabelled([0, 1, value]), [0, 3, -1, 2.0, *NEVER], "not a permutation"),
    (lambda value: advice(margin=value), [-1, 1, 2**31, *NEVER[:-2]], "margin must be a number from 0 to 0.5"),
    (lambda value: advice(strength=value), [0, -1, float("inf"), float("nan"), True, "3", 1j], "strength is"),
    (lambda value: PairCounts(("a", "b"), np.array([[0, value], [0, 0]], object), np.zeros((2, 2))),
     [-1, 10**400, float("inf"), float("nan"), None, 1j], "wins must be"),
]  # fmt: skip
"""A call with a number, values that it refuses, and words of the error message."""


@pytest.mark.parametrize(("call", "wrong", "words"), REAL)
def test_numbers(call, wrong, words):
    for value in wrong:
        with pytest.raises((UserError, ValueError), match=words):
            call(value)


@pytest.mark.parametrize("each", [60_000_000, 1e12])
def test_too_many_earlier_votes(each):
    """D-TS learns earlier votes one by one, so it refuses more than 100 million."""
    many = PairCounts(("a", "b"), np.array([[0, each], [each, 0]]), np.zeros((2, 2)))
    with pytest.raises(UserError, match=r"continue from at most 100,000,000 votes, not .*000,000: give a random part"):
        advice(many, algorithms=["d-ts"])


EXTREME = [
    ("btm", {"gamma": 1e300}),
    ("select", {"budget": 10**400}),
    ("knockout", {"delta": 1e-320}),
]


@pytest.mark.parametrize(("name", "parameters"), EXTREME)
def test_extreme_parameters(name, parameters):
    with pytest.raises(ValueError, match="write 0, or a number from"):
        simulate(catalogue()[name](**parameters), [[0.5, 0.6], [0.4, 0.5]], horizon=100)
