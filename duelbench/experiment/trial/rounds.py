"""The first rounds of a user's algorithm, played interpreted or compiled, in another process."""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numba.core.config
import numpy as np

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.catalogue import class_line
from duelbench.compiling.hidden_inputs import other_inputs
from duelbench.engine.answers import check_answer, checked_arm, checked_declaration
from duelbench.engine.complaint import complaint, is_of_numba, set_attribute
from duelbench.engine.loops import loop_for
from duelbench.engine.play import Rules, new_ledger
from duelbench.engine.problem import problem_of
from duelbench.engine.rollout import Streams
from duelbench.engine.streams import outcomes_stream, policy_stream
from duelbench.errors import UserError, place_in
from duelbench.experiment.global_generators import drawn_since, global_generators
from duelbench.experiment.processes import Heartbeat
from duelbench.experiment.run import ROUNDS_PER_VOTE, instance
from duelbench.experiment.series import Series
from duelbench.experiment.trial.child import silence
from duelbench.experiment.trial.contract import check_state, definition
from duelbench.experiment.trial.described import Described
from duelbench.experiment.trial.watched import watched

ANSWERS = 300
"""The number of answers in a trial run with at most ten arms."""
PAIRS = 30_000
"""The product of the numbers of answers and of ordered pairs: with more arms, fewer answers, since each is slower."""
FEWEST = 30
"""The smallest number of answers in a trial run."""
A_CALL = 3.0
"""The time limit for one answer of interpreted code, in seconds."""
COMPILED_CALL = 2.0
"""The time limit for one answer of compiled code, in seconds."""
COMPILED_ONLY = " (compiled code only, not as plain Python)"
COMPILING = 300.0
"""The time limit for compilation, in seconds."""


class Step(NamedTuple):
    """An answer: ``duels`` of ``first`` against ``second`` from round ``t`` on."""

    t: int
    first: int
    second: int
    duels: int

    def __str__(self) -> str:
        return f"({self.first}, {self.second}, {self.duels})"


def interpreted(series: Series, seed: int, repeat: int, heartbeat: Heartbeat) -> list[Step]:
    """Play the first rounds of a run twice as plain Python, where a mistake has a line, and return the answers.

    Raises UserError for a mistake.
    """
    kind, told = _begin(series, heartbeat, DISABLE_JIT=1)
    try:
        with _undefined_numbers_noted(kind.texts):
            algorithm = series.algorithm.build()
            answers = max(FEWEST, min(ANSWERS, PAIRS // series.dataset.dataset.arms**2))
            steps = _play(algorithm, series, (seed, repeat), heartbeat, told, answers)
            again = _play(series.algorithm.build(), series, (seed, repeat), heartbeat, told, len(steps))
    except UserError:
        raise
    except BaseException as error:  # including KeyboardInterrupt, which is not Ctrl-C here
        raise told.of(error) from None
    if difference := first_difference(steps, again):
        one, other = difference
        inputs = other_inputs(str(kind.path), kind.source_text, kind.class_name, kind.helpers)
        raise UserError(
            f"played twice with the same seed, select answers {one} and then {other} at t = {one.t}: "
            "draw only from rng, and keep everything it remembers in the state that start makes"
            + (f"; it may depend on {inputs}" if inputs else ""),
            source=str(kind.path),
            line=told.function(algorithm.select),
        )
    return steps


def compiled(series: Series, seed: int, repeat: int, answers: int, heartbeat: Heartbeat) -> list[Step]:
    """Play and return ``answers`` answers of the same run, compiled with bounds checks. Raises UserError if it
    fails."""
    kind, told = _begin(series, heartbeat, BOUNDSCHECK=1)
    try:
        return _play(series.algorithm.build(), series, (seed, repeat), heartbeat, told, answers)
    except UserError:
        raise
    except BaseException as error:
        if is_of_numba(error):
            assert isinstance(error, Exception)
            sentence, file, line = complaint(error, kind.texts)
            raise UserError(f"this does not compile: {sentence}", source=file or str(kind.path), line=line) from None
        wrong = told.of(error)
        wrong.message += COMPILED_ONLY
        raise wrong from None


def _begin(series: Series, heartbeat: Heartbeat, **numbas: int) -> tuple[Described, _Told]:
    """Set numba's options in this process, before the user's file is loaded; return the class and the error context."""
    silence()
    for name, value in numbas.items():
        setattr(numba.core.config, name, value)
    heartbeat.compute("loading it", COMPILING)
    kind = series.algorithm.kind
    assert isinstance(kind, Described)
    return kind, _Told(kind)


@contextmanager
def _undefined_numbers_noted(files: Collection[str]) -> Iterator[None]:
    """Print one note, instead of NumPy's warnings, for each line of the user's files that divides by zero or so."""
    shown, others = set[tuple[str, int]](), warnings.showwarning

    def show(message: Warning | str, category: type[Warning], file: str, line: int, *more: Any) -> None:
        if file not in files or not issubclass(category, RuntimeWarning):
            others(message, category, file, line, *more)
        elif (file, line) not in shown:
            shown.add((file, line))
            so = " (the result is NaN, and no comparison with NaN is true)" if "invalid value" in str(message) else ""
            print(f"note: {file}:{line}: {message}{so}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.simplefilter("default", RuntimeWarning)
        warnings.showwarning = show  # type: ignore[assignment]
        yield


def line_of(kind: Described, function: str) -> int | None:
    """Return the line of a function of this name in the user's file, or of the class."""
    found = (each for each in ast.walk(ast.parse(kind.source_text)) if isinstance(each, ast.FunctionDef))
    return next((each.lineno for each in found if each.name == function), class_line(kind.source_text, kind.class_name))


def first_difference(one: list[Step], other: list[Step]) -> tuple[Step, Step] | None:
    """Return the first pair of answers that differ between two lists."""
    return next(((mine, theirs) for mine, theirs in zip(one, other, strict=False) if mine != theirs), None)


def _play(
    algorithm: Algorithm, series: Series, run: tuple[int, int], heartbeat: Heartbeat, told: _Told, answers: int
) -> list[Step]:
    """Play a run as ``play_run`` does, answer by answer, and return its first answers."""
    seed, repeat = run
    kind: Any = series.algorithm.kind
    preferences = instance(series.dataset, seed, repeat, series.shuffle_arms)
    problem = problem_of(preferences, series.regret, series.ties != "coin")
    arms = problem.arms
    horizons = series.algorithm.horizons
    rounds = series.checkpoints if horizons is None else np.array([horizons[-1]])
    axes = {} if horizons is None else {"horizon": horizons[-1]}
    identity = series.dataset.dataset.identity()
    streams = Streams(
        outcomes_stream(seed, identity, repeat, **axes), policy_stream(seed, identity, repeat, algorithm, **axes)
    )
    jit = algorithm.compiled()
    heartbeat.compute("start", A_CALL)
    told.doing = "start"
    generators = global_generators()
    state = algorithm.start(arms, int(rounds[-1]))
    told.refuse_draws(generators, algorithm.start)
    if not jit:
        check_state(type(algorithm), state, kind.kernels, str(kind.path))
        state = watched(state)
    algorithm.merge_equal_self_duels(state, problem.equal_self_duels())
    ledger = new_ledger(rounds, len(problem.regrets), arms, series.delay, ties=bool(problem.T.size))
    rules = Rules(delay=series.delay, drop=series.ties == "drop")
    if series.count == "votes":
        rules = rules._replace(votes=True, max_rounds=ROUNDS_PER_VOTE * int(rounds[-1]))
    place, steps = ledger.place[0], list[Step]()
    heartbeat.compute("compiling", COMPILING)
    loop = loop_for(type(algorithm))
    if jit:
        loop(state, problem, rules, ledger, 0, *streams)
    while place.checkpoint < len(rounds) and len(steps) < answers:
        t = int(place.t)
        told.doing = f"t = {t:,} with {arms} arms"
        heartbeat.compute(f"round {told.doing}", COMPILED_CALL if jit else A_CALL)
        before = ledger.duels.copy()
        _watching(algorithm.select, told, loop, state, problem, rules, ledger, 1, *streams)
        told.refuse_draws(generators, algorithm.select)
        refused = ledger.refused[0]
        if refused.t:
            check_answer(refused.first, refused.second, refused.count, refused.t, refused.last, arms)
        first, second = np.argwhere(ledger.duels != before)[0].tolist()
        steps.append(Step(t, first, second, int(ledger.duels[first, second] - before[first, second])))
    heartbeat.compute("declaration", A_CALL)
    told.doing, told.returned = "declaration", told.function(type(algorithm).declaration)
    checked_declaration(algorithm.declaration(state), arms, rules.max_rounds or int(rounds[-1]))
    told.doing, told.returned = "recommendation", told.function(type(algorithm).recommendation)
    if (named := algorithm.recommendation(state)) is not None:
        checked_arm(named, arms)
    heartbeat.end()
    return steps


def _watching(select: Any, told: _Told, function: Callable[..., None], *arguments: Any) -> None:
    """Call a function and record the line from which ``select`` returns."""
    code = getattr(select, "py_func", select).__code__

    def local(frame: FrameType, event: str, value: Any) -> Any:
        if event == "return":
            told.returned = frame.f_lineno
        return local

    def begin(frame: FrameType, event: str, value: Any) -> Any:
        return local if frame.f_code is code else None

    before = sys.gettrace()
    sys.settrace(begin)
    try:
        function(*arguments)
    finally:
        sys.settrace(before)


class _Told:
    """The context of an error: what the trial was ``doing``, and the line from which ``select`` has ``returned``."""

    def __init__(self, kind: Described) -> None:
        self.doing = "loading"
        self.returned: int | None = None
        self._kind = kind

    def function(self, function: Any) -> int | None:
        """Return the line of a function in the user's file."""
        code: CodeType | None = getattr(getattr(function, "py_func", function), "__code__", None)
        if code is None or code.co_filename != str(self._kind.path):
            return None
        return definition(self._kind.source_text, code)

    def refuse_draws(self, before: Mapping[str, object], function: Any) -> None:
        """Raise UserError, with the line of ``function``, if it drew from global generators."""
        if drawn := drawn_since(before):
            raise UserError(f"at {self.doing}, {drawn}", source=str(self._kind.path), line=self.function(function))

    def of(self, error: BaseException) -> UserError:
        """Return an exception as a UserError."""
        place = place_in(error, self._kind.texts)
        if place is None:
            line = self.returned
            if isinstance(error, ValueError) and "answered" in str(error):
                return UserError(str(error), source=str(self._kind.path), line=line)
            return UserError(f"{type(error).__name__} at {self.doing}: {error}", source=str(self._kind.path), line=line)
        file, line, name = place
        if sentence := set_attribute(error):
            return UserError(sentence, source=file, line=line)
        hint = next((hint for words, hint in _HINTS.items() if words in str(error)), "")
        return UserError(
            f"{name} fails with {type(error).__name__} at {self.doing}: {str(error) or 'no message'}{hint}",
            source=file,
            line=line,
        )


_HINTS = {
    "can't set attribute": ": numbers in a NamedTuple cannot change; put them in a record, as in duelbench/README.md, "
    "and write state.place[0].number",
    "object does not support item assignment": ": keep what changes in arrays and records",
}
"""Hints for errors whose message contains these words."""
