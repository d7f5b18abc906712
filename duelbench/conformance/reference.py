"""Load and call a user's reference implementation (a function), and compare it with an algorithm."""

import inspect
import reprlib
from collections.abc import Callable, Generator, Iterator
from typing import Any

import numpy as np

from duelbench.algorithms.algorithm import Algorithm, Declared
from duelbench.algorithms.catalogue import UsersFile
from duelbench.arrays import Ints
from duelbench.compiling.imports import importing_from
from duelbench.conformance.case import CheckFailed, Reference
from duelbench.conformance.rounds import simulate, streams
from duelbench.engine.answers import checked_arm, checked_tiers
from duelbench.engine.rollout import Streams
from duelbench.errors import UserError, did_you_mean
from duelbench.preferences.matrix import PreferenceMatrix

TAKES = ("P", "horizon", "policy", "environment")


def loaded(there: UsersFile, algorithm: Algorithm) -> Reference:
    """Load a user's function, which runs its file; see ``called_with_parameters``."""
    names: dict[str, Any] = {"__name__": f"duelbench_reference_{there.path.stem}", "__file__": str(there.path)}
    with importing_from(there.path.parent):
        exec(compile(there.text, str(there.path), "exec", dont_inherit=True), names)
    function, file = names.get(there.class_name), str(there.path)
    if not inspect.isfunction(function):
        defined = [name for name, each in names.items() if inspect.isfunction(each)]
        raise UserError(
            f"there is no function {there.class_name!r}{did_you_mean(there.class_name, defined)}: write def "
            f"{there.class_name}({', '.join(TAKES)}, …), which returns the (horizon, 2) arms or yields duels",
            source=file,
        )
    return called_with_parameters(function, algorithm, file)


def called_with_parameters(function: Callable[..., Any], algorithm: Algorithm, file: str = "") -> Reference:
    """Return the reference implementation that calls ``function`` with the parameters of the algorithm.

    If the algorithm takes ties, the function has one more parameter ``T``, the probabilities of ties.

    Raises UserError if the function does not accept these parameters.
    """
    parameters, name = algorithm.model_dump() | ({"T": None} if algorithm.takes_ties else {}), function.__name__
    try:
        inspect.signature(function).bind(*TAKES, **parameters)
    except TypeError as error:
        call = ", ".join([*TAKES, *(f"{each}=…" for each in parameters)])
        line = getattr(getattr(function, "__code__", None), "co_firstlineno", None)
        raise UserError(
            f"it is called as {name}({call}), but {error}", source=file or inspect.getfile(function), line=line
        ) from None

    def played_course(matrix: PreferenceMatrix, horizon: int, rngs: Streams) -> tuple[Ints, Any]:
        named = parameters | ({"T": matrix.ties} if algorithm.takes_ties else {})
        played = function(matrix.P.copy(), horizon, rngs.policy, rngs.environment, **named)
        if not inspect.isgenerator(played):
            return _checked(played, horizon, matrix.arms, name), ...
        exploration = _checked_duels(played, matrix.arms, name)
        return course(exploration, horizon, asked_once_more=not algorithm.uses_horizon)

    return played_course


def course(exploration: Iterator[Any], horizon: int, asked_once_more: bool = False) -> tuple[Ints, Any]:
    """Return the (horizon, 2) path of an exploration, and its declaration with the number of rounds before it.

    After the exploration, the arm that it returns, or the first of an order, duels itself. With ``asked_once_more``, a
    declaration that depends on the last duel counts, too.
    """
    path: list[tuple[int, int]] = []
    while len(path) < horizon + asked_once_more:
        try:
            path.append(next(exploration))
        except StopIteration as end:
            if isinstance(end.value, list):
                answer, held = tuple(map(tuple, end.value)), end.value[0][0]
            else:
                answer, held = end.value if isinstance(end.value, tuple) else (end.value, end.value)
            declared = answer, len(path)
            path += [(held, held)] * (horizon - len(path))
            return np.array(path, dtype=int).reshape(horizon, 2), declared
    return np.array(path[:horizon], dtype=int), None


def _checked_duels(exploration: Iterator[Any], arms: int, name: str) -> Generator[tuple[int, int], None, Any]:
    while True:
        try:
            duel = next(exploration)
        except StopIteration as end:
            answer = end.value
            break
        try:
            first, second = (checked_arm(arm, arms) for arm in duel)
        except (TypeError, ValueError):
            raise CheckFailed(
                f"{name} yielded {reprlib.repr(duel)}: it yields the two arms of each duel, of 0 … {arms - 1}"
            ) from None
        yield first, second
    try:
        if isinstance(answer, list):
            checked_tiers(answer, arms)
        else:
            checked_arm(answer[1] if isinstance(answer, tuple) and len(answer) == 2 else answer, arms)
    except ValueError:
        raise CheckFailed(
            f"{name} returned {reprlib.repr(answer)}: it returns an arm of 0 … {arms - 1}; (None, arm), if there is no "
            "winner; or a list of tiers, best first"
        ) from None
    return answer


def _checked(path: Any, horizon: int, arms: int, name: str) -> Ints:
    answered = np.asarray(path)
    if (
        answered.shape != (horizon, 2)
        or answered.dtype.kind not in "iu"
        or not np.all((answered >= 0) & (answered < arms))
    ):
        what = f"{answered.dtype} of shape {answered.shape}"
        raise CheckFailed(f"{name} returned {what}: it is the (horizon, 2) = ({horizon}, 2) arms of 0 … {arms - 1}")
    return answered.astype(np.int64)


def first_difference(
    algorithm: Algorithm, reference: Reference, matrix: PreferenceMatrix, horizon: int, seed: int
) -> str:
    """Describe where the path or declaration of run 0 first differs from the reference; empty if they are equal."""
    path, declared = reference(matrix, horizon, streams(seed, 0))
    mine, said = engine_course(algorithm, matrix, horizon, seed)
    differ = np.flatnonzero(np.any(path != mine, axis=1))
    if len(differ):
        t = int(differ[0])
        return f"at t = {t + 1:,} it duels {tuple(mine[t].tolist())} and the reference {tuple(path[t].tolist())}"
    if declared is not ... and declared != said:
        return f"it declares {said} and the reference {declared}"
    return ""


def engine_course(
    algorithm: Algorithm, matrix: PreferenceMatrix, horizon: int, seed: int
) -> tuple[Ints, tuple[Declared, int] | None]:
    """Return the (horizon, 2) arms of run 0, played round by round, and its declaration."""
    K = matrix.arms
    numbers = np.arange(float(K * K)).reshape(1, K, K)  # use the index of a pair as its "regret"
    rounds, rngs = np.arange(1, horizon + 1), streams(seed, 0)
    played = simulate(algorithm, matrix.P, numbers, rounds, *rngs, stepping=True, T=matrix.ties)
    numbered = np.diff(played.regret[0], prepend=0.0).astype(int)
    return np.stack(np.divmod(numbered, K), axis=1), played.declaration
