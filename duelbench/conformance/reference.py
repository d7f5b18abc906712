"""The reference implementation of an algorithm: shipped, or a user's function."""

from __future__ import annotations

import inspect
import reprlib
from collections.abc import Callable, Generator, Iterator
from typing import Any

import numpy as np

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.catalogue import UsersFile
from duelbench.arrays import Ints
from duelbench.compiling.imports import importing_from
from duelbench.conformance.case import CheckFailed, Reference
from duelbench.conformance.paths import engine_course
from duelbench.conformance.rounds import streams
from duelbench.engine.answers import checked_arm, checked_tiers
from duelbench.engine.rollout import Streams
from duelbench.errors import UserError, did_you_mean
from duelbench.experiment.reference_runs import course as course_of
from duelbench.experiment.reference_runs import reference_of, reference_path
from duelbench.preferences.matrix import PreferenceMatrix

TAKES = ("P", "horizon", "policy", "environment")


def shipped(algorithm: Algorithm) -> Reference | None:
    """Return the reference implementation in ``duelbench.reference``; None for a user's algorithm."""
    try:
        reference_of(type(algorithm))
    except LookupError:
        return None
    return lambda matrix, horizon, rngs: reference_path(algorithm, matrix.P, horizon, rngs, T=matrix.ties)


def loaded(there: UsersFile, algorithm: Algorithm) -> Reference:
    """Load a user's function, which is called as those in ``duelbench.reference``. This runs its file."""
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

    That of an algorithm that takes ties has a parameter ``T``, as in ``duelbench.reference``.

    Raises UserError if the function does not take them.
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

    def course(matrix: PreferenceMatrix, horizon: int, rngs: Streams) -> tuple[Ints, Any]:
        named = parameters | ({"T": matrix.ties} if algorithm.takes_ties else {})
        played = function(matrix.P.copy(), horizon, rngs.policy, rngs.environment, **named)
        if not inspect.isgenerator(played):
            return _checked(played, horizon, matrix.arms, name), ...
        exploration = _checked_duels(played, matrix.arms, name)
        return course_of(exploration, horizon, asked_once_more=not algorithm.uses_horizon)

    return course


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
    """Return where the path or declaration of run 0 first differs from the reference's; empty if they are equal."""
    path, declared = reference(matrix, horizon, streams(seed, 0))
    mine, said = engine_course(algorithm, matrix, horizon, seed)
    differ = np.flatnonzero(np.any(path != mine, axis=1))
    if len(differ):
        t = int(differ[0])
        return f"at t = {t + 1:,} it duels {tuple(mine[t].tolist())} and the reference {tuple(path[t].tolist())}"
    if declared is not ... and declared != said:
        return f"it declares {said} and the reference {declared}"
    return ""
