"""What duelbench costs, for asv: `make benchmarks BASE=COMMIT` compares two commits.

The benchmarks use only the command line, `simulate` and `load_results`, so that they also run on old commits. They
measure processor time, including child processes, because it depends less on other load than wall-clock time.
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ARMS = 16
GAPS = np.subtract.outer(np.arange(ARMS), np.arange(ARMS))
P = 0.5 - GAPS / 200
"""Arm i beats arm j with probability 1/2 + (j − i) / 200."""
ALGORITHMS = {
    "ccb": 1_000_000,
    "d-ts": 100_000,
    "ecw-rmed": 1_000_000,
    "merge-rucb": 3_000_000,
    "rex3": 1_000_000,
    "rmed1": 3_000_000,
    "rucb": 3_000_000,
    "sparring": 3_000_000,
    "versatile-db": 1_000_000,
    "ws-w": 10_000_000,
}
"""Numbers of rounds that take a few tenths of a second."""
PROGRAMS = {"btm": 1_000_000, "knockout": 1_000_000, "probe-rank": 1_000_000, "select": 1_000_000}
SPEC = "horizon: 10\nruns: {}\ncheckpoints_per_decade: 1\ndatasets: [cyclic4]\nalgorithms: [uniform]\n"


def processor_time():
    """Return the processor seconds of this process and of the processes that it has waited for."""
    spent = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in spent)


def python(*arguments, **environment):
    """Run Python with these arguments."""
    command = [sys.executable, *map(str, arguments)]
    subprocess.run(command, env=os.environ | environment, stdout=subprocess.DEVNULL, check=True)


class _Timed:
    timer = staticmethod(processor_time)
    timeout = 3600  # wall-clock seconds on a busy machine
    number = 1
    warmup_time = 0.0


class Rounds(_Timed):
    """Seconds for playing a run; ``ALGORITHMS`` and ``PROGRAMS`` give the numbers of rounds."""

    repeat = (3, 5, 2.0)  # least and greatest number, seconds; twice, as asv has two rounds

    def setup(self, name):
        """Compile the algorithm, or load its machine code."""
        from duelbench import simulate

        self.simulate = simulate
        simulate(name, P, horizon=1)

    def time_algorithm(self, name):
        """Play an algorithm."""
        self.simulate(name, P, horizon=ALGORITHMS[name], shuffle_arms=True)

    def time_program(self, name):
        """Play a program, in blocks of duels."""
        self.simulate(name, P, horizon=PROGRAMS[name], shuffle_arms=True)

    def time_hold(self, name):
        """Play 10⁸ rounds, almost all of which are self-duels of the best arm."""
        self.simulate(name, "six-rankers", horizon=1e8, shuffle_arms=True)

    time_hold.params = ("d-ts", "rucb")
    time_algorithm.params = tuple(ALGORITHMS)
    time_program.params = tuple(PROGRAMS)


class Compiling(_Timed):
    """Seconds until an algorithm has played its first round with an empty kernel cache."""

    repeat, rounds = 2, 1
    params = ("rucb", "d-ts", "knockout")

    def time_compile(self, name):
        """Compile all that an algorithm needs."""
        code = f"import duelbench; duelbench.simulate({name!r}, [[0.5, 0.6], [0.4, 0.5]], horizon=1)"
        with tempfile.TemporaryDirectory() as empty:
            python("-c", code, NUMBA_CACHE_DIR=empty)


class Start(_Timed):
    """Seconds for a process that does little."""

    repeat = 5

    def time_help(self):
        """Print the help of the command."""
        python("-m", "duelbench", "--help")

    def time_import(self):
        """Import the package."""
        python("-c", "import duelbench")

    def time_import_simulate(self):
        """Import ``simulate``."""
        python("-c", "from duelbench import simulate")


class Results(_Timed):
    """Seconds for reading the complete results of a spec."""

    repeat = rounds = min_run_count = 1
    params = (100, 100_000)
    param_names = ("runs",)

    def setup_cache(self):
        """Run the specs."""
        for runs in self.params:
            Path(f"{runs}.yaml").write_text(SPEC.format(runs), encoding="utf-8")
            python("-m", "duelbench", "run", f"{runs}.yaml")

    setup_cache.timeout = 3600

    def time_rerun(self, runs):
        """Run the spec again: there is nothing to do."""
        python("-m", "duelbench", "run", f"{runs}.yaml")

    def time_load(self, runs):
        """Read every run file into a data frame."""
        python("-c", f"from duelbench import load_results; load_results('results/{runs}').runs")
