"""The mistakes of ``mistakes.txt``, each as an algorithm."""

import re
from pathlib import Path
from typing import NamedTuple

from numba.core import config

from duelbench.experiment import trial

KERNELS = '''\
from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench import Algorithm, kernel
from duelbench.arrays import Record, record
from duelbench.kernels.draws import below


class Counts(NamedTuple):
    arms: int
    wins: np.ndarray
    place: Record


@kernel
def select(state, t, last, rng):
    first = below(state.arms, rng)
    second = below(state.arms, rng)
    return first, second, 1


@kernel
def update(state, first, second, wins, count):
    state.wins[first] += wins
    state.wins[second] += count - wins
    state.place[0].duels += count


class Mine(Algorithm):
    """All arms alike."""

    name = "mine"
    State = Counts
    select = staticmethod(select)
    update = staticmethod(update)

    patience: int = Field(20, ge=1, description="not used")

    def start(self, arms, horizon):
        return Counts(arms, np.zeros(arms, np.int64), record(duels=0))
'''
PROGRAM = '''\
import numpy as np
from pydantic import Field

from duelbench import Program, duel, kernel
from duelbench.kernels.draws import below


@kernel
def match(world, first, second, duels):
    wins = duel(world, first, second, duels)
    return first if 2 * wins >= duels else second


@kernel
def explore(world, state, rng):
    champion = below(world.arms, rng)
    for other in range(world.arms):
        state.met[other] += 1
        champion = match(world, champion, other, state.duels)
    return champion


class Mine(Program):
    """The champion meets all arms."""

    name = "mine"
    explore = explore

    duels: int = Field(15, ge=1, description="of a match")

    def start(self, arms, horizon):
        return self.state(met=np.zeros(arms, np.int64))
'''
PLAIN, PLAIN_PROGRAM = (text.replace("@kernel\n", "").replace(", kernel\n", "\n") for text in (KERNELS, PROGRAM))
ANSWER = "    return first, second, 1\n"
SPEC = "horizon: 1e4\nruns: 2\ndatasets: [six-rankers]\nalgorithms: ['mine.py:Mine']\n"


class Mistake(NamedTuple):
    """A mistake: the ``text`` of the file, the ``line`` that the error must name, if any, and part of the message.

    ``plain``: the file has no kernels. ``fatal``: the process dies or hangs. ``compiles``: numba compiles the file.
    """

    name: str
    text: str
    line: int | None
    cause: str
    plain: bool
    fatal: bool
    compiles: bool

    def is_answered_by(self, said: str, file: Path) -> bool:
        """Tell whether an error message names the line and the cause."""
        if self.line is not None:
            return said.startswith(f"{file}:{self.line}: ") and self.cause in said
        places = rf"{re.escape(str(file))}(:\d+)?: ", rf"{re.escape(str(file.with_name('spec.yaml')))}:4: "
        return re.match("|".join(places), said) is not None and self.cause in said


def _mistakes():
    text = (Path(__file__).parent / "mistakes.txt").read_text(encoding="utf-8")
    for section in text.split("\n== ")[1:]:
        compiles = section.startswith("what numba")
        for written in section.split("\n# ")[1:]:
            head, *lines = written.splitlines()
            name, program, plain, fatal = re.fullmatch(r"(.*?)(?: \[(program)? ?(plain)? ?(fatal)?\])?", head).groups()
            old, new, at, cause = (
                [line.removeprefix(mark) for line in lines if line.startswith(mark)] for mark in ("-", "+", "@ ", "! ")
            )
            before = "".join(f"{line}\n" for line in old)
            base = (PLAIN_PROGRAM if plain else PROGRAM) if program else PLAIN if plain else KERNELS
            assert base.count(before) == 1, name
            made = base.replace(before, "".join(f"{line}\n" for line in new))
            there = [number for number, line in enumerate(made.splitlines(), 1) if at and at[0] in line]
            assert len(there) == len(at), name
            yield Mistake(name, made, *(there or [None]), cause[0], bool(plain), bool(fatal), compiles)


MISTAKES = list(_mistakes())


class Here:
    """A stand-in for a worker process: runs the trial in this process, without time limits."""

    def __init__(self, texts=()):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def call(self, function, *arguments):
        return function(*arguments, heartbeat=self)

    submit = call

    def result(self, task):
        return task

    def begin(self, note, seconds):
        pass

    def end(self):
        pass


def try_here(monkeypatch):
    """Try a user's algorithms in this process."""
    monkeypatch.setattr(trial, "Worker", Here)
    monkeypatch.setenv("PYTHONBREAKPOINT", "0")
    for name in ("DISABLE_JIT", "BOUNDSCHECK"):
        monkeypatch.setattr(config, name, getattr(config, name))
