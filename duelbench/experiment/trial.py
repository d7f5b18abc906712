"""The trial of a user's algorithm: its first rounds, played in a worker process, since it may hang or crash.

They are played as plain Python, so that mistakes have a line number, and then compiled with bounds checks. Both must
give the same answers.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Self

import numba.core.config

from duelbench.algorithms.algorithm import Algorithm, Program
from duelbench.algorithms.catalogue import class_line, texts_of
from duelbench.compiling.cache import cache_directory
from duelbench.compiling.randomness import drawn_since, global_generators
from duelbench.engine.answers import checked_arm, checked_declaration
from duelbench.engine.complaint import print_in_kernel, set_attribute
from duelbench.engine.loops import made_loop
from duelbench.engine.play import Rules
from duelbench.engine.problem import problem_of
from duelbench.engine.rollout import LiveRun, Streams
from duelbench.engine.streams import outcomes_stream, policy_stream
from duelbench.engine.warm import warm
from duelbench.errors import AnswerError, UserError, place_in
from duelbench.experiment.answers import Answer, Enough
from duelbench.experiment.answers import answers as answers_of
from duelbench.experiment.class_checks import check_state, definition
from duelbench.experiment.run import ROUNDS_PER_VOTE, instance
from duelbench.processes import Heartbeat, Processes, WorkerDiedError
from duelbench.spec.resolved import ResolvedSpec, Series

ANSWERS = 300
"""The number of answers in a trial with at most ten arms."""
PAIRS = 30_000
"""The product of the numbers of answers and of ordered pairs: with more arms, fewer answers, since each is slower."""
FEWEST = 30
"""The smallest number of answers in a trial."""
PLAIN_SECONDS = 30.0
"""The time limit for one answer of interpreted code."""
COMPILED_SECONDS = 300.0
"""The time limit for one answer of compiled code, which may have to be compiled first."""
COMPILED_ONLY = " (compiled code only, not as plain Python)"
_HINTS = {
    "can't set attribute": ": numbers in the state cannot change: a program uses a variable, a policy a record, as in "
    "duelbench/README.md",
    "'State' object has no attribute": ": the state has the parameters of type bool, int or float, and what start "
    "passes to self.state",
    "'PlainWorld' object has no attribute": ": the world has only arms; start receives the horizon",
    "object does not support item assignment": ": keep what changes in arrays and records",
    ".__new__() ": ": pass a value for each field of the state",
    ".state() takes": ": name what start passes, as in self.state(wins=…)",
    "overflow encountered in scalar": ": keep counts in arrays of np.int64",
    "out of bounds for int": ": keep counts in arrays of np.int64",
}
"""Hints for errors whose message contains these words."""
_config: Any = numba.core.config


def try_out(plan: ResolvedSpec, announce: Callable[[str], None], *, compiled: bool = True) -> None:
    """Play the first rounds of every user's algorithm, with the fewest and with the most arms of the plan.

    An algorithm that has passed is not tried again until it changes. With ``compiled``, this also fills the cache.

    Raises UserError for the first mistake, with the line of the user's file if known.
    """
    seed, repeat = plan.seed_of(0)
    announced = set[str]()
    for series in _typical(plan.series):
        kind = series.algorithm.kind
        how = "compiled" if compiled else "interpreted"
        mark = cache_directory(kind.all_text()) / f"{kind.__name__}-{series.digest[:16]}.tried-{how}"
        if mark.exists():
            continue
        if series.algorithm.name not in announced:
            announced.add(series.algorithm.name)
            if compiled and not kind.compiled():
                functions = "explore and what it calls" if issubclass(kind, Program) else "select and update"
                announce(
                    f"note: {series.algorithm.name} runs as plain Python, a hundred times slower than compiled: "
                    f"put @kernel before {functions}"
                )
            announce(f"trying {series.algorithm.name} (not repeated until it or the spec changes)…")
        for note in try_series(series, seed, repeat, compiled):
            announce(note)
        with contextlib.suppress(OSError):  # as on a full disk: the next command tries again
            mark.parent.mkdir(parents=True, exist_ok=True)
            mark.touch()


def _typical(series: Iterable[Series]) -> Iterator[Series]:
    """Yield, for each user's algorithm, the series with the fewest and the one with the most arms."""
    of: dict[str, list[Series]] = {}
    for each in series:
        if each.algorithm.kind.source_text:
            of.setdefault(each.algorithm.label, []).append(each)
    for same in of.values():
        by_arms = sorted(same, key=lambda each: each.dataset.arms)
        yield by_arms[0]
        if by_arms[-1].dataset.arms > by_arms[0].dataset.arms:
            yield by_arms[-1]


def try_series(series: Series, seed: int, repeat: int, compiled: bool = True) -> list[str]:
    """Play the first rounds of a run of one series, and return notes; see ``try_out``."""
    kind = series.algorithm.kind
    with Worker(texts_of(kind)) as worker:
        worker.call(_watch_files, [*texts_of(kind)])
        plain = worker.call(first_answers, series, seed, repeat, PLAIN_SECONDS)
        notes = [
            f"note: {Path(user).name}:{line} opens {Path(file).name}: runs are not played again when it changes; make "
            "what it has a parameter, or remove the results after a change"
            for user, line, file in worker.call(_files_opened)
        ]
        if not (compiled and kind.compiled()):
            return notes
        if wrong := print_in_kernel(texts_of(kind)):
            raise UserError(wrong.sentence, source=wrong.file, line=wrong.line)
        checking = worker.submit(first_answers, series, seed, repeat, COMPILED_SECONDS, True)
        warm([(series.build(), series.dataset.arms)])  # in this process, meanwhile
        try:
            machine = worker.result(checking)
        except UserError as error:
            error.message += COMPILED_ONLY
            error.line = error.line or line_of(kind, _played(kind))
            raise
    for mine, theirs in zip(plain, machine, strict=False):
        if mine != theirs:
            said = "it duels" if issubclass(kind, Program) else "select answers"
            raise UserError(
                f"{said} {mine[1:]} as plain Python but {theirs[1:]} compiled, at t = {mine.t}: look for a global "
                "variable, a random number that does not come from rng, integers beyond 2⁶³ and a division by zero",
                source=next(iter(texts_of(kind))),
                line=line_of(kind, _played(kind)),
            )
    return notes


_opened: dict[tuple[str, int, str], None] = {}
"""The files that functions of a user's file have opened in this process: that file, the line, and the file opened."""


_watched: set[str] = set()
"""The user's files whose functions are watched in this process."""


def _watch_files(texts: Iterable[str], *, heartbeat: Heartbeat) -> None:
    """Notice the files that the user's functions open in this process from now on."""
    _watched.update(texts)
    _add_hook()


@cache
def _add_hook() -> None:
    sys.addaudithook(_notice)  # it cannot be removed, and is added once


def _notice(event: str, arguments: tuple[Any, ...]) -> None:
    if event != "open" or not isinstance(arguments[0], str) or arguments[0] in _watched:
        return
    frame: FrameType | None = sys._getframe()
    while frame is not None and not frame.f_code.co_filename.startswith("<frozen importlib"):
        if frame.f_code.co_filename in _watched and frame.f_code.co_name != "<module>":
            _opened[frame.f_code.co_filename, frame.f_lineno, arguments[0]] = None
            return
        frame = frame.f_back


def _files_opened(*, heartbeat: Heartbeat) -> list[tuple[str, int, str]]:
    """Return what ``_watch_files`` has noticed."""
    return [*_opened]


def _played(kind: type[Algorithm]) -> Any:
    """Return the function that asks for duels."""
    return kind.explore if issubclass(kind, Program) else kind.select


def line_of(kind: type[Algorithm], function: Any) -> int | None:
    """Return the line of a function in the file of a user's class, or of the class."""
    code: CodeType | None = getattr(getattr(function, "py_func", function), "__code__", None)
    if code is None or code.co_filename not in texts_of(kind):
        return class_line(kind.source_text, kind.__name__)
    return definition(texts_of(kind)[code.co_filename], code)


class Worker:
    """A context manager with one process for a user's code; ``texts`` are the user's files by name."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._pool, self._texts = Processes(1), texts

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Call ``function`` in the process, with the further argument ``heartbeat``."""
        return self._pool.submit(function, *arguments)

    def result(self, task: Future[Any]) -> Any:
        """Return the result of a call. Raises UserError, with the line if known, when the process hangs or dies."""
        try:
            return task.result()
        except WorkerDiedError as died:
            frames = re.findall(r'  File "(.*)", line (\d+)', died.traceback)  # innermost first
            known = [(file, int(line)) for file, line in frames if file in self._texts]
            file, line = known[0] if known else (next(iter(self._texts), None), None)
            limit = re.match(r"Timeout \((.*?)\)", died.traceback)
            what = f"too slow or endless: it took longer than {limit[1]}" if limit else str(died)
            raise UserError(f"at {died.note or 'loading'}, {what}", source=file, line=line) from None

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call ``function`` in the process and return its result; see ``submit`` and ``result``."""
        return self.result(self.submit(function, *arguments))


def first_answers(
    series: Series, seed: int, repeat: int, seconds: float, compiled: bool = False, *, heartbeat: Heartbeat
) -> list[Answer]:
    """Play the first rounds of a run in this process, which must not do anything else, and return the answers.

    Each answer may take this many ``seconds``. Raises UserError for a mistake.
    """
    _config.DISABLE_JIT, _config.BOUNDSCHECK = int(not compiled), 1
    os.environ["PYTHONBREAKPOINT"] = "0"
    step = _Step(series.algorithm.kind, seconds, heartbeat)
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.filterwarnings("error", "overflow encountered in scalar (add|subtract)", RuntimeWarning)
            return _first_answers(series, seed, repeat, compiled, step)
    except UserError:
        raise
    except BaseException as error:  # including KeyboardInterrupt, which is not Ctrl-C here
        with contextlib.redirect_stdout(io.StringIO()):
            raise step.explained(error, lambda: _first_answers(series, seed, repeat, compiled, step)) from None
    finally:
        heartbeat.end()


def _first_answers(series: Series, seed: int, repeat: int, compiled: bool, step: _Step) -> list[Answer]:
    algorithm, kind, arms = series.build(), series.algorithm.kind, series.dataset.arms
    generators = global_generators()
    problem = problem_of(
        instance(series.dataset, seed, repeat, series.spec.shuffle_arms), series.spec.regret, series.ties != "coin"
    )
    horizon = series.rows[-1]
    axes = {"horizon": horizon} if series.algorithm.horizons else {}
    identity = series.dataset.identity
    streams = Streams(
        outcomes_stream(seed, identity, repeat, **axes), policy_stream(seed, identity, repeat, algorithm, **axes)
    )
    rules = Rules(delay=series.dataset.delay, drop=series.ties == "drop")
    if series.spec.count == "votes":
        rules = rules._replace(votes=True, max_rounds=ROUNDS_PER_VOTE * horizon)
    step.begins("start", kind.start)
    state = algorithm.start(arms, horizon)
    check_state(kind, state)
    most, number = max(FEWEST, min(ANSWERS, PAIRS // arms**2)), 0

    def look(run: LiveRun, answer: Answer) -> None:
        nonlocal number, state
        state, number = run.state, number + 1
        if number == most:
            raise Enough
        step.begins(f"t = {answer.t + answer.duels:,} with {arms} arms", _played(kind))

    step.begins(f"t = 1 with {arms} arms", _played(kind))
    answers = answers_of(algorithm, problem, horizon, streams, rules, look, made_loop(kind) if compiled else None)
    if not isinstance(algorithm, Program):
        step.begins("declaration", kind.declaration)
        checked_declaration(algorithm.declaration(state), arms, rules.max_rounds or horizon)
    step.begins("recommendation", kind.recommendation)
    if (named := algorithm.recommendation(state)) is not None:
        checked_arm(named, arms)
    if drawn := drawn_since(generators):
        raise UserError(drawn, source=next(iter(texts_of(kind))), line=line_of(kind, _played(kind)))
    return answers


class _Step:
    """The user's function that is being called, the purpose of the call, and its time limit in ``seconds``."""

    def __init__(self, kind: type[Algorithm], seconds: float, heartbeat: Heartbeat) -> None:
        self._kind, self._seconds, self._heartbeat = kind, seconds, heartbeat
        self._doing = "start"
        self._function: Any = kind.start

    def begins(self, doing: str, function: Any) -> None:
        """Start the timer."""
        self._doing, self._function = doing, getattr(function, "py_func", function)
        self._heartbeat.begin(doing, self._seconds)

    def explained(self, error: BaseException, again: Callable[[], object]) -> UserError:
        """Return an exception as a UserError with the line of the innermost frame in the user's files.

        If no frame is there, since the function had already returned, play ``again`` to find the line of its return.
        """
        if place := place_in(error, texts_of(self._kind)):
            file, line, name = place
            if sentence := set_attribute(error):
                return UserError(sentence, source=file, line=line)
            hint = next((hint for words, hint in _HINTS.items() if words in str(error)), "")
            what = f"{name} fails with {type(error).__name__} at {self._doing}: {str(error) or 'no message'}{hint}"
            if isinstance(error, AnswerError):
                what = f"at {self._doing}, {error}"
            return UserError(what, source=file, line=line)
        what = str(error) if isinstance(error, AnswerError) else f"{type(error).__name__} at {self._doing}: {error}"
        named = next(iter(texts_of(self._kind)))
        return UserError(what, source=named, line=self._last_return(again) or line_of(self._kind, self._function))

    def _last_return(self, again: Callable[[], object]) -> int | None:
        returned = None

        def note(frame: FrameType, event: str, value: Any) -> None:
            nonlocal returned
            if event == "return" and frame.f_code is getattr(self._function, "__code__", None):
                returned = frame.f_lineno

        sys.setprofile(note)
        with contextlib.suppress(BaseException):
            again()
        sys.setprofile(None)
        return returned
