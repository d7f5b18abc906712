"""Helpers for tests of results: playing a spec, commands in separate processes, and made-up results."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from typing import Any, NamedTuple

from duelbench.experiment.backends import local
from duelbench.experiment.execute import execute
from duelbench.experiment.plan import make_plan
from duelbench.layout import MANIFEST, SUMMARY, SUMMARY_COLUMNS, SUMMARY_RANKED, SUMMARY_RECOMMENDATIONS
from duelbench.spec.model import load
from duelbench.spec.resolved import ResolvedSpec
from tests.comparison import ROOT

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
PLAIN = {**ENVIRONMENT, "NUMBA_DISABLE_JIT": "1"}
"""Environment of processes that compile nothing."""
VARIED = """\
horizon: 3e3
runs: 6
seed: 5
regret: [copeland, borda]
datasets:
  - six-rankers
  - {name: btl-uniform, arms: 4}
algorithms:
  - {name: rucb, alpha: [0.51, 0.8]}
  - d-ts
  - {name: btm, horizons: [100, 3e3]}
"""
SMALL = """\
horizon: 3e3
runs: 6
seed: 5
datasets: [six-rankers, {name: btl-uniform, arms: 4}]
algorithms: [{name: rucb, alpha: 0.51, label: rucb}, btm]
"""
"""The spec of the fixtures ``small`` and ``copy``."""


def own_algorithm(select="pass", head="", fields="pass", name="Own"):
    """Return the text of an algorithm in plain Python; ``select`` begins its select function, ``fields`` its class."""
    return f"""
{head}
from duelbench import Algorithm
def select(state, t, last, rng):
    {select}
    return 0, 1, 1
def update(state, first, second, wins, count): pass
class {name}(Algorithm):
    name = "{name.lower()}"
    State = list
    select, update = staticmethod(select), staticmethod(update)
    {fields}
    def start(self, arms, horizon): return []
"""


QUANTILES = ("q05", "q25", "q50", "q75", "q95")


class Played(NamedTuple):
    """A played experiment; ``said`` are the lines printed for the user, except lines about compiling."""

    plan: Any
    directory: Any
    execution: Any
    said: list[str]


def planned(base, text, *, smoke=False):
    """Return the plan of a spec, after writing its text to ``spec.yaml`` in ``base``."""
    (base / "spec.yaml").write_text(text)
    return make_plan(load(base / "spec.yaml", smoke=smoke))


def nothing(*_):
    """Ignore a report of progress."""


def played(base, text, into="out", workers=0, **options):
    """Play a spec into a directory in ``base``, by default in this process."""
    plan = planned(base, text)
    said: list[str] = []
    arguments = {"announce": said.append, "progress": nothing, **options}
    execution = execute(plan, base / into, arguments.pop("backend", None) or local(workers), **arguments)
    return Played(plan, base / into, execution, [line for line in said if "compiling" not in line])


def files(directory):
    """Return the bytes of all CSV files of results, by path."""
    return {path.relative_to(directory): path.read_bytes() for path in sorted(directory.rglob("*.csv"))}


def command(*arguments):
    """Return the command that starts ``duelbench`` in a separate process; it needs ``env=ENVIRONMENT``."""
    return [sys.executable, "-m", "duelbench", *map(str, arguments)]


def with_interrupts():
    """Let a process be interrupted even if the tests run in the background, where shells ignore interrupts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def called(base, *arguments, code=0):
    """Run a command in ``base``, which must exit with ``code``; return its output."""
    done = subprocess.run(
        command(*arguments), cwd=base, env=ENVIRONMENT, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


def wait_for(condition, seconds=120):
    """Wait until a condition holds."""
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def resolved(datasets, algorithms, *, figures=(), horizons=(1000,), regret=("copeland",), **others):
    """Return a resolved spec with these labels; a dataset may also be a mapping with the keys of its entry."""
    entries = [each if isinstance(each, dict) else {"label": each} for each in datasets]
    return ResolvedSpec(
        **{"name": "made", "title": "Made", "runs": 4, "checkpoints": horizons} | others,
        horizons=horizons,
        regret=regret,
        datasets=[{"title": f"Title of {each['label']}", "arms": 5, **each} for each in entries],
        algorithms=[{"label": label, "name": f"{label}.py:Own", "in_keys": {}} for label in algorithms],
        figures=figures,
    )


def write_results(directory, spec, rows, seconds=None):
    """Write results as if the spec had been run: ``rows`` are ((dataset, algorithm, regret, t), other cells)."""
    directory.mkdir(parents=True, exist_ok=True)
    manifest = {"spec": spec.model_dump(mode="json"), "executions": [], "seconds": seconds or {}}
    (directory / MANIFEST).write_text(json.dumps(manifest))
    with (directory / SUMMARY).open("w", newline="") as file:
        more = SUMMARY_RECOMMENDATIONS if spec.recommend != "none" else ()
        ranked = SUMMARY_RANKED if spec.order_goal else ()
        writer = csv.DictWriter(file, [*SUMMARY_COLUMNS, *more, *ranked])
        writer.writeheader()
        for place, cells in rows:
            writer.writerow(dict(zip(("dataset", "algorithm", "regret", "t"), place, strict=True)) | cells)
    return directory


COMPARED = """\
horizon: 1e4
runs: 40
seed: 5
datasets: [six-rankers]
algorithms: [{name: rucb, alpha: 0.51, label: rucb}, d-ts]
"""
