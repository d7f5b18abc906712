"""Validation of an algorithm's answers.

Without it, plain Python would index with a bool as a mask and truncate a count of 1.5. Compiled code has static types.
"""

import reprlib
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numba import types
from numba.core.errors import TypingError
from numba.extending import overload

from duelbench.algorithms.algorithm import Declared
from duelbench.arrays import Tiers
from duelbench.compiling.choice import tier
from duelbench.errors import AnswerError
from duelbench.kernels.duels import ORDER, UNDECLARED, check_duel, is_whole

IN_ORDER = (tuple, list, np.ndarray)
"""The types of an answer. A set does not keep the order of its numbers, and bytes are not numbers."""
NOT_WHOLE = "select must answer three whole numbers, first, second and count, not"
"""The beginning of numba's error message for a kernel with any other answer."""


def whole(answer: Any, t: int, arms: int) -> tuple[int, int, int]:
    """Return the answer of ``select`` at round ``t`` as integers. Raises AnswerError if it is not three integers."""
    try:
        first, second, count = answer if isinstance(answer, IN_ORDER) else ()
    except ValueError:
        first = second = count = None
    if type(first) is type(second) is type(count) is int and max(abs(first), abs(second), abs(count)) < 2**63:
        return first, second, count  # fast path, since this runs in every round
    if not (is_whole(first) and is_whole(second) and is_whole(count)):
        raise AnswerError(
            f"select answered {reprlib.repr(answer)} at t = {t}: "
            f"it must be three whole numbers, two arms from 0 … {arms - 1} and a count"
        )
    return int(first), int(second), int(count)


def check_answer(first: int, second: int, count: int, t: int, last: int, arms: int) -> None:
    """Raise AnswerError if an arm does not exist, or the duels do not end between rounds ``t`` and ``last``."""
    said = f"select answered ({first}, {second}, {count}) at t = {t}"
    if not (0 <= first < arms and 0 <= second < arms):
        raise AnswerError(f"{said}: arms are 0 … {arms - 1}")
    if not 1 <= count <= last - t + 1:
        raise AnswerError(f"{said}: the count must be 1 … {last - t + 1}, to end by t = {last}")


def check_program(first: int, second: int, count: int, arms: int, declared: int) -> None:
    """Raise AnswerError for the answer that ``duels.refuse`` recorded; ``declared`` is the kind of declaration made."""
    if declared == UNDECLARED:
        check_duel(first, second, count, arms)
    elif declared == ORDER:
        raise AnswerError(f"explore returned an array that does not have each of the arms 0 … {arms - 1} once")
    raise AnswerError(f"explore returned {first}: arms are 0 … {arms - 1}")


def checked_declaration(answer: Any, arms: int, horizon: int) -> tuple[Declared, int] | None:
    """Return the answer of ``declaration`` as integers. Raises AnswerError if it is not valid."""
    if answer is None:
        return None
    try:
        declared, rounds = answer if isinstance(answer, IN_ORDER) else ()
    except ValueError:
        declared = rounds = None
    if is_whole(rounds) and 0 <= rounds <= horizon:
        if declared is None:
            return None, int(rounds)
        if is_whole(declared) and 0 <= declared < arms:
            return int(declared), int(rounds)
        if isinstance(declared, tuple):
            return checked_tiers(declared, arms), int(rounds)
    raise AnswerError(
        f"declaration answered {reprlib.repr(answer)}: it must be None, or a winner from 0 … {arms - 1} (None if "
        f"there is none) or tiers of all arms, and the rounds before its declaration, 0 … {horizon}"
    )


def checked_tiers(answer: Any, arms: int) -> Tiers:
    """Return tiers as integers. Raises AnswerError if they do not contain every arm once."""
    tiers = answer if isinstance(answer, IN_ORDER) and all(isinstance(each, IN_ORDER) for each in answer) else ()
    listed = [arm for tier in tiers for arm in tier]
    if not (all(map(is_whole, listed)) and sorted(listed) == list(range(arms)) and all(map(len, tiers))):
        raise AnswerError(
            f"ranking answered {reprlib.repr(answer)}: it must be tiers with each of the {arms} arms once"
        )
    return tuple(tuple(map(int, tier)) for tier in tiers)


def checked_detections(answer: Any, horizon: int) -> tuple[int, ...]:
    """Return the answer of ``detections`` as integers. Raises AnswerError if they are not increasing rounds."""
    rounds: list[Any] = list(answer) if isinstance(answer, IN_ORDER) else [None]
    if not all(is_whole(t) for t in rounds) or not all(a < b for a, b in pairwise([0, *rounds, horizon + 1])):
        raise AnswerError(
            f"detections answered {reprlib.repr(answer)}: it must be a list of increasing rounds from 1 … {horizon}"
        )
    return tuple(map(int, rounds))


def checked_arm(answer: Any, arms: int) -> int:
    """Return the answer of ``recommendation``. Raises AnswerError if it is not an arm."""
    if not (is_whole(answer) and 0 <= answer < arms):
        raise AnswerError(
            f"recommendation answered {reprlib.repr(answer)}: it must be None or an arm from 0 … {arms - 1}"
        )
    return int(answer)


@cache
def look_at_types() -> None:
    """Register ``whole`` with numba: compiled, it does nothing for integers, and other types do not compile."""

    options: Any = tier().inlined

    @overload(whole, jit_options=options)
    def _compile_whole(answer, t, arms):  # type: ignore[no-untyped-def]  # numba compares signatures literally
        members: Any = answer if isinstance(answer, types.BaseTuple) else ()
        if len(members) != 3 or not all(isinstance(each, types.Integer) for each in members):
            raise TypingError(f"{NOT_WHOLE} {answer}")
        return lambda answer, t, arms: answer
