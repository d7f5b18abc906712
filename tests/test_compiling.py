"""Kernels: calls from Python and from each other, compiling in two tiers, and which tier works."""

import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from duelbench.compiling import choice, linking
from duelbench.compiling.choice import trial
from duelbench.compiling.dispatcher import Kernel
from duelbench.compiling.jit import kernel
from duelbench.compiling.tiers import tier_of
from duelbench.engine.streams import stream
from duelbench.errors import UserError
from duelbench.votes.sessions.session import Session
from tests.comparison import python, tiers_of
from tests.sessions import sides, voted


@kernel
def halved(x, by=2.0):
    """Return x / 2."""
    return x / by


INTERPRETED = """
from duelbench.compiling.jit import kernel
@kernel
def f(x): return x + 1
print(f(1), type(f).__name__)
"""


def test_interpreted():
    assert python("-W", "error", "-c", INTERPRETED, NUMBA_DISABLE_JIT="1").stdout.split() == ["2", "function"]


@kernel(inline=False)
def factorial(n):
    return 1 if n <= 1 else n * factorial(n - 1)


@kernel
def scaled(x, by=2.0):
    if x < 0.0:
        raise ValueError("x is negative")
    return x * by


@kernel
def summed(n, x):
    return factorial(n) + factorial(3) + scaled(x) + scaled(x, by=3.0) + scaled(x, 1)


@kernel(inline=False)
def walked(steps, rng):
    place = 0.0
    for step in range(steps):
        place += rng.beta(2.0 + step, 3.0) if place < 3.0 else -rng.random()
    return place


def test_linked_twice():
    """A function linked to a kernel has no unused arguments, and is kept apart from the one that numba links."""
    twice = Kernel(lambda n, rng: walked(n, rng) + walked(n + 1, rng), choice.tier, kept=False)
    plain = numba.njit(lambda n, rng: walked(n, rng))
    twice(3, stream(1))
    assert plain(3, stream(1)) == pytest.approx(walked.py_func(3, stream(1)), rel=1e-12)


def test_recursion_exceptions_and_defaults():
    assert summed(5, np.float64(1.0)) == 120 + 6 + 2.0 + 3.0 + 1.0
    with pytest.raises(ValueError, match="x is negative"):
        summed(5, np.float64(-1.0))


STATM = Path("/proc/self/statm")


def resident_kilobytes():
    return int(STATM.read_text().split()[1]) * 4 if STATM.exists() else 0


def count(*objects):
    return [sys.getrefcount(each) for each in objects]


def test_session_is_the_same_interpreted(request):
    def asks():
        session = Session("rucb", ["a", "b", "c"], seed=3)
        voted(session, 60)
        return sides(session.votes)

    compiled = asks()
    request.getfixturevalue("interpreted")
    assert asks() == compiled


def test_session_keeps_no_memory():
    session = Session("uniform", arms=4, seed=3)
    player = session._player
    watched = (player._policy, player._policy.bit_generator, *player._state)

    def rounds(number):
        for _ in range(number):
            session.select()
            session.update(wins=1)

    rounds(1000)
    before, memory = count(*watched), resident_kilobytes()
    rounds(10_000)
    assert count(*watched) == before
    assert resident_kilobytes() - memory < 300  # losing a block in each call would add 480


@pytest.mark.parametrize("number", [1, 2])
def test_references_after_an_exception(number):
    def refuse(values, rng):
        if rng.random() < 2.0:
            raise ValueError("no")
        return values[0]

    tier = tier_of(number)
    refusing = Kernel(refuse, tier=lambda: tier, kept=False)
    values, rng = np.zeros(3), np.random.default_rng(1)
    counted = []
    for _ in range(50):
        with pytest.raises(ValueError, match="no"):
            refusing(values, rng)
        counted.append(count(values, rng, rng.bit_generator))
    assert counted[1:] == counted[:-1]


def test_no_arrays_for_python():
    """Kernels return no arrays to Python: the wrapper would release a reference that it does not own."""

    def whole(values):
        return values

    tier = tier_of(2)
    with pytest.raises(Exception, match="a kernel that Python calls returns numbers, not array"):
        Kernel(whole, tier=lambda: tier, kept=False)(np.zeros(3))


@kernel
def same(values):
    return values


@kernel
def total(values):
    total = 0.0
    for value in same(values):
        total += value
    return total


LINKED = """
import numpy as np
from llvmlite.binding import Linkage
from numba.core import event

from duelbench.compiling.jit import kernel

@kernel
def inlined(p, rng):
    return rng.geometric(p)

@kernel(inline=False)
def called(p, rng):
    return rng.geometric(p / 2.0)

@kernel
def outermost(p, rng):
    drawn = inlined(p, rng) + inlined(0.7, rng) + inlined(0.1, rng)
    return drawn + called(p, rng) + called(0.8, rng) + rng.geometric(p)

with event.install_recorder("numba:compile") as compiled:
    print(outermost(0.4, np.random.default_rng(3)))
rng = np.random.default_rng(3)
print(sum(rng.geometric(p) for p in (0.4, 0.7, 0.1, 0.2, 0.4, 0.4)))
names = [each.data["dispatcher"].py_func.__name__ for _, each in compiled.buffer if each.is_start]
for name in ("inlined", "called", "outermost", "random_geometric"):
    print(name, names.count(name))
(whole,) = outermost.for_python.overloads.values()
shared = [each.name for each in whole.library._final_module.functions if each.linkage == Linkage.linkonce_odr]
print(shared)
for each in (inlined, called):
    compiled = each.for_kernels.overloads.values()
    print(*(result.library.get_pointer_to_function(result.fndesc.llvm_func_name) for result in compiled))
"""


def test_linking(tmp_path):
    """The second tier compiles each kernel once, for calls from Python, and emits and keeps nothing else."""
    (tmp_path / "script.py").write_text(LINKED)
    tiers_of(tmp_path / "cache")
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "DUELBENCH_TIER": "2"}
    computed, expected, *counts, shared, inlined, called = python(tmp_path / "script.py", **cache).stdout.splitlines()
    assert computed == expected
    assert counts == ["inlined 1", "called 1", "outermost 1", "random_geometric 1"]  # for all ways to call it
    assert shared == "[]"  # a kernel has its own copies of what it calls: the optimiser may change the calls
    assert [inlined, called] == ["0", "0"]  # they have no machine code of their own
    (kept,) = (tmp_path / "cache").rglob("*.nbi")
    assert "outermost" in kept.name


PLAY = """
import hashlib
import sys
from pathlib import Path
import numpy as np
from duelbench.algorithms.catalogue import find
from duelbench.conformance.rounds import simulate
from duelbench.engine.streams import stream
from duelbench.conformance.case import order

matrix = order(5, 0.65, winners=3)
for name in sys.argv[1:]:
    streams = stream(1, environment=name), stream(1, policy=name)
    course = simulate(find(name, Path())(), matrix.P, matrix.P[None], np.array([10, 100, 3000]), *streams)
    results = [course.regret.tobytes(), course.duels.tobytes(), *(str(each.bit_generator.state) for each in streams)]
    print(name, hashlib.sha256(repr(results).encode()).hexdigest())
"""


def played(tier, *algorithms):
    done = python("-W", "error", "-c", PLAY, *algorithms, DUELBENCH_TIER=str(tier))
    assert done.stderr == ""
    return done.stdout.splitlines()


@pytest.mark.slow
def test_tiers_give_the_same_bits():
    """D-TS gives the same bits in both tiers; ``make test-all`` has all algorithms in tier 1, which compiles slowly."""
    assert played(1, "d-ts") == played(2, "d-ts")


@pytest.mark.parametrize("number", [1, 2])
def test_trial(number):
    assert trial(number) == ""


def test_trial_notices_lost_references(monkeypatch):
    monkeypatch.setattr(linking, "ForPython", NotCounting)
    assert trial() == "changed reference counts"


class NotCounting(linking.Compiler):
    def define_pipelines(self):
        self.state.flags.no_cpython_wrapper = False
        return super().define_pipelines()


BROKEN = """
import sys
import numba.core.codegen
del numba.core.codegen.JITCodeLibrary
from duelbench.compiling.choice import tier
print(tier().number)
"""


def test_the_tier_below_serves(tmp_path):
    """If tier 2 fails, tier 1 is used; one line says so, and the failure is recorded."""
    tiers_of(tmp_path)
    for note in tmp_path.rglob("tier-2.*"):
        note.unlink()
    done = python("-c", BROKEN, NUMBA_CACHE_DIR=str(tmp_path), DUELBENCH_TIER="")
    assert done.stdout == "1\n"
    (line,) = done.stderr.splitlines()
    assert "is not as expected (ImportError: cannot import name 'JITCodeLibrary'" in line
    assert [each.name for each in tmp_path.rglob("tier-2.*")] == ["tier-2.failed"]


def test_unknown_numba_is_tried_in_a_process(monkeypatch, tmp_path, capsys):
    """An unknown version of numba is tried in a separate process, which may crash."""
    monkeypatch.setattr(choice, "cache_directory", lambda: tmp_path)
    monkeypatch.setattr(choice.numba, "__version__", "9.1.0")
    (tmp_path / "python").write_text("#!/bin/sh\nkill -SEGV $$\n")
    (tmp_path / "python").chmod(0o755)
    monkeypatch.setattr(choice.sys, "executable", str(tmp_path / "python"))
    assert not choice._passes()
    assert "numba 9.1.0 is not as expected (its trial ended with exit code -11)" in capsys.readouterr().err


@pytest.mark.parametrize(("wanted", "number"), [("1", 1), ("2", 2), ("", 2)])
def test_tier_by_variable(monkeypatch, wanted, number):
    monkeypatch.setenv(choice.VARIABLE, wanted)
    assert choice.tier.__wrapped__().number == number


def test_no_third_tier(monkeypatch):
    monkeypatch.setenv(choice.VARIABLE, "3")
    with pytest.raises(UserError, match="set it to 1 or 2"):
        choice.tier.__wrapped__()
