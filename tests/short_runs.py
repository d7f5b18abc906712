"""Short runs of every algorithm, every generator and the engine, and ``make fingerprints``, which records their paths.

Digests cover only integers: numbers of duels and rounds, arms, and probabilities rounded to nine digits. They do not
depend on the last bit of a logarithm, which differs between machines.
"""

import hashlib
import sys
import tempfile
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.catalogue import catalogue
from duelbench.arrays import Floats, Ints
from duelbench.engine.play import Problem
from duelbench.engine.problem import checkpoints
from duelbench.engine.rollout import Streams, rollout
from duelbench.experiment.code import ENGINE, subject_of
from duelbench.experiment.plan import make_plan
from duelbench.experiment.run import play_run
from duelbench.preferences.changing import segments
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.posterior import Posterior
from duelbench.sources import sequences, submatrix
from duelbench.sources.generators import GENERATORS, Generator
from duelbench.sources.sequences import changing_dataset
from duelbench.spec.model import load
from duelbench.versions.record import FILE, Fingerprint, Record, Subject, draws, read, source_digest, write
from duelbench.votes.matrices import VOTES, Voted


class Played(NamedTuple):
    """A subject and a function that returns the digests of its short runs, by name."""

    subject: Subject
    play: Callable[[], dict[str, str]]


_SHORT, _LONG = 2_000, 20_000
_GIVEN: Mapping[str, float] = {
    "C": 1e5, "S": 3, "alpha": 0.3, "beta": 0.1, "budget": 300, "delta": 0.1, "duels_per_pair": 15, "eta": 0.05,
    "eta_scale": 0.5, "explore": 5, "gamma": 0.1, "threshold": 2.5, "window": 20,
}  # fmt: skip
"""Values for parameters that are None by default."""
_TOGETHER: Mapping[str, Mapping[str, dict[str, Any]]] = {
    "active-ranking": {
        "tiers": {"radius": "program", "tiers": (1, 2)},
        "order": {"delta": 0.5, "radius": "program", "tiers": "order"},
    },
    "mdb": {"transfer=True": {"inner": "rucb", "transfer": True}},
    "select": {"other numbers": {"delta": 0.1, "gap": 0.08, "duels_per_pair": 15}, "budget": {"budget": 300}},
}
"""Sets of parameters of algorithms that refuse some of the others together."""


def subjects() -> list[Played]:
    """Return everything that has a version, with its short runs."""
    algorithms = [Played(subject_of(kind), partial(_algorithm_paths, kind)) for kind in catalogue().values()]
    generators = [Played(kind.subject(), partial(_generator_paths, kind)) for kind in GENERATORS.values()]
    return [
        Played(ENGINE, _engine_paths),
        *algorithms,
        *generators,
        Played(submatrix.SUBMATRICES, partial(_drawn_paths, _SUBMATRICES)),
        Played(sequences.CHANGES, partial(_drawn_paths, _CHANGES)),
        Played(VOTES, _voted_paths),
    ]


def _algorithm_paths(kind: type[Algorithm]) -> dict[str, str]:
    """Return digests of the paths on each instance with each set of parameters, and of one run at every round."""
    algorithms = variants(kind)
    paths = {
        f"{name}, {parameters}": _path_digest(algorithm, problem, checkpoints([horizon], 10))
        for parameters, algorithm in algorithms.items()
        for name, (problem, horizon) in instances().items()
    }
    problem, horizon = instances()["none"]
    return {**paths, "none, every round": _path_digest(algorithms["default"], problem, np.arange(1, horizon + 1))}


def variants(kind: type[Algorithm]) -> dict[str, Algorithm]:
    """Return the algorithm with its defaults, with each other choice of a parameter, and with other numbers."""
    sets: dict[str, dict[str, Any]] = {"default": {}}
    numbers: dict[str, float] = {}
    for name, field in kind.model_fields.items():
        default = field.default
        choices = (False, True) if field.annotation is bool else typing.get_args(field.annotation)
        if field.annotation is bool or typing.get_origin(field.annotation) is typing.Literal:
            sets |= {f"{name}={value}": {name: value} for value in choices if value != default}
        elif default is not None:
            numbers[name] = default + 1 if isinstance(default, int) else default * 1.25
        elif name in _GIVEN:
            numbers[name] = _GIVEN[name]
    if numbers:
        sets["other numbers"] = numbers
    sets |= _TOGETHER.get(kind.name, {})
    return {label: kind(**parameters) for label, parameters in sets.items()}


@cache
def instances() -> dict[str, tuple[Problem, int]]:
    """Return small problems, each with a horizon.

    ``winner`` has a Condorcet winner, ``none`` has three Copeland winners instead, ``ties`` has pairs at exactly 1/2,
    ``twenty`` has twenty arms, and in ``changing`` the order of the arms is reversed half-way.
    """
    order = np.clip(0.5 - 0.08 * np.subtract.outer(np.arange(5), np.arange(5)), 0, 1)
    winner = order[np.ix_(_FIVE, _FIVE)]
    cycle = order.copy()
    cycle[0, 2], cycle[2, 0] = 0.35, 0.65
    ties = np.where(order > 0.5, 0.7, np.where(order < 0.5, 0.3, 0.5))
    for first, second in ((0, 1), (2, 3), (1, 4)):
        ties[first, second] = ties[second, first] = 0.5
    upper = np.triu(0.52 + np.add.outer(7 * np.arange(20), 11 * np.arange(20)) % 23 / 60, 1)
    twenty = upper + np.tril(1 - upper.T, -1) + np.eye(20) / 2
    return {
        "winner": (_problem_of(winner), _LONG),
        "none": (_problem_of(cycle[np.ix_(_FIVE, _FIVE)]), _SHORT),
        "ties": (_problem_of(ties[np.ix_(_FIVE, _FIVE)]), _SHORT),
        "twenty": (_problem_of(twenty[np.ix_(_TWENTY, _TWENTY)]), _SHORT),
        "changing": (_problem_of(winner, winner.T.copy()), _SHORT),
    }


_FIVE = np.array([3, 1, 4, 0, 2])
_TWENTY = np.arange(20) * 7 % 20


def _problem_of(*matrices: Floats) -> Problem:
    """Return a problem in which the regret of a pair is its index, so that cumulative regret is an integer.

    The self-duels of all Copeland winners cost nothing, as they do in runs, so that algorithms may merge them.
    """
    P = [PreferenceMatrix(matrix).P for matrix in matrices]
    if len(P) == 1:
        return Problem(P[0], _costs(P[0]))
    return Problem.changing(1 + np.arange(len(P)) * (_SHORT // len(P)), P, [_costs(each) for each in P])


def _costs(P: Floats) -> Floats:
    numbers = 1.0 + np.arange(P.size).reshape(P.shape)
    wins = (P > 0.5).sum(axis=1)
    numbers[np.diag(wins == wins.max())] = 0.0
    return np.asarray(numbers[None], dtype=np.float64)


def _path_digest(algorithm: Algorithm, problem: Problem, rounds: Ints) -> str:
    """Return the digest of a run: duels at every checkpoint, recommendations, declarations and detections."""
    streams = Streams(np.random.default_rng([1, 0]), np.random.default_rng([1, 1]))
    run = rollout(algorithm, problem, rounds, streams, recommend="own", order=np.arange(problem.arms))
    winner, declared = run.declaration or (-1, -1)
    said = -2 if winner is None else str(winner) if isinstance(winner, tuple) else winner
    return digest(run.regret, run.duels, run.votes, run.recommended, said, declared, run.detections)


def _generator_paths(kind: type[Generator]) -> dict[str, str]:
    """Return the digests of matrices: with default parameters, of few arms, and with each other choice."""
    sets: dict[str, dict[str, Any]] = {"default": {}, "few arms": {"arms": 5}}
    for name, field in kind.model_fields.items():
        if field.annotation is bool:
            sets[f"{name}={not field.default}"] = {name: not field.default}
    if "seed" in kind.model_fields:
        sets["seed=3"] = {"seed": 3}
    made = {label: kind(**parameters) for label, parameters in sets.items()}
    paths = {label: _digest_of_matrices([family.draw(rng) for rng in _rngs()]) for label, family in made.items()}
    if kind.follows:
        for label, family in made.items():
            follow = [family.matrix(family.following(family.draw(rng), 500, rng)) for rng in _rngs()]
            paths[f"{label}, following"] = _digest_of_matrices(follow)
    return paths


_SUBMATRICES: Mapping[str, dict[str, Any]] = {
    "arms": {"submatrix": {"arms": (3, 0, 7)}},
    "size": {"submatrix": {"size": 4, "seed": 2}},
    "per run": {"submatrix": {"size": 4, "per_run": True}},
    "condorcet": {"submatrix": {"size": 4, "per_run": True, "condorcet": True}},
    "rare": {"name": "sushi16", "submatrix": {"size": 5, "per_run": True, "min_gap": 0.1}},
}
_CHANGES: Mapping[str, dict[str, Any]] = {
    "breakpoints": {"changes": {"breakpoints": 3}},
    "at random": {"changes": {"breakpoints": 3, "placed": "at random", "winner": "may stay"}},
    "every": {"changes": {"every": 400}},
    "per decade": {"changes": {"per_decade": 2, "winner": "not the first"}},
    "from": {"changes": {"rounds": [100, 900], "from": {"name": "btl-uniform", "arms": 10}}},
    "to": {"changes": {"breakpoints": 4, "to": {"name": "linear-order", "arms": 10}}},
    "walk": {"changes": {"breakpoints": 4, "walk": 0.1}},
    "listed": {"changes": [{"at": 50, "name": "flat-order"}, {"at": 70, "name": "uniform-random"}]},
    "renumbered": {"name": "linear-order", "changes": {"breakpoints": 3}},
    "following": {"name": "piecewise", "changes": {"breakpoints": 3}},
}


def _drawn_paths(entries: Mapping[str, dict[str, Any]]) -> dict[str, str]:
    """Return the digests of the matrices that entries of a spec describe."""
    paths = {}
    for label, entry in entries.items():
        name, part, changes = entry.get("name", "uniform-random"), entry.get("submatrix"), entry.get("changes")
        preferences = changing_dataset(name, None, None, part, Path(), None, changes, _SHORT)
        drawn = [segments(preferences.instance(rng)) for rng in _rngs()]
        matrices = [np.rint(matrix.P * 1e9) for _, each in drawn for matrix in each]
        paths[label] = digest(*(list(starts) for starts, _ in drawn), *matrices)
    return paths


def _voted_paths() -> dict[str, str]:
    """Return the digests of matrices sampled after votes."""
    counts = PairCounts(("a", "b", "c"), np.array([[0, 7, 3], [2, 0, 5], [4, 1, 0]]), np.zeros((3, 3)))
    made = {
        "default": Voted(Posterior(counts)),
        "strength=2": Voted(Posterior(counts, 2.0)),
        "condorcet": Voted(Posterior(counts), condorcet=True),
    }
    return {label: _digest_of_matrices([each.draw(rng) for rng in _rngs()]) for label, each in made.items()}


def _digest_of_matrices(matrices: Iterable[PreferenceMatrix]) -> str:
    """Return the digest of matrices to nine digits."""
    return digest(*(np.rint(each.P * 1e9) for each in matrices))


_SPECS: Mapping[str, str] = {
    "rounds": "horizon: 2000\nregret: [copeland, borda, weak, strong]\ndatasets: [six-rankers]\n"
    "algorithms: [rucb, {name: btm, horizons: [100, 2000]}]\nrecommend: copeland\n",
    "votes": "budget: 300\ndatasets: [cyclic4]\nalgorithms: [rucb, uniform]\nrecommend: btl\n",
    "delay": "horizon: 2000\nfeedback: {delay: 7}\nshuffle_arms: false\ndatasets: [{name: btl-uniform, arms: 5}]\n"
    "algorithms: [rucb]\nrecommend: borda\n",
    "changes": "horizon: 2000\ndatasets: [{name: uniform-random, arms: 5, changes: {breakpoints: 2}}]\n"
    "algorithms: [rucb, detect]\n",
}


def _engine_paths() -> dict[str, str]:
    """Return the digests of the rows of a few runs of specs."""
    paths = {}
    for label, text in _SPECS.items():
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory, "fingerprint.yaml")
            file.write_text(f"runs: 2\nseed: 4\n{text}")
            plan = make_plan(load(file))
        rows = [row for series in plan.series for run in range(2) for row in play_run(series, 4, run)]
        numbers: list[Any] = []
        for row in rows:
            numbers += [row.t, np.rint(np.array(row.regret) * 1e6), str(row.declared), str(row.noticed)]
            if row.recommended is not None:
                numbers += [row.recommended.votes, row.recommended.arm]
        paths[label] = digest(*numbers)
    return paths


def digest(*parts: ArrayLike | str | None) -> str:
    """Return eight hexadecimal digits that stand for integers, arrays of them and texts."""
    summed = hashlib.sha256()
    for part in parts:
        if isinstance(part, str):
            summed.update(part.encode())
        else:
            exact = np.asarray([] if part is None else part, dtype=np.float64)
            whole = exact.astype(np.int64)
            assert (whole == exact).all(), "not an integer"
            summed.update(f"{whole.shape}".encode() + whole.astype("<i8").tobytes())
    return summed.hexdigest()[:8]


def _rngs() -> list[np.random.Generator]:
    return [np.random.default_rng([2, run]) for run in range(2)]


def changed(record: Record, subject: Subject, paths: Mapping[str, str]) -> list[str]:
    """Return the names of paths that differ from the record or are missing on either side."""
    known = record.fingerprints.get((subject.group, subject.name))
    before = known.paths if known else {}
    return sorted(name for name in paths.keys() | before.keys() if paths.get(name) != before.get(name))


def updated(
    asked: Iterable[Played], record: Record, drawn: Mapping[str, str], announce: Callable[[str], None]
) -> tuple[Record, list[str]]:
    """Play the short runs of subjects whose source has changed, or of all if the engine's source or draws have changed.

    Return the new record, and a sentence for each subject that is not recorded: its version was lowered, or its paths
    differ although neither its version nor the engine's was raised and the draws are the same. Runs that are not
    recorded yet, such as those of a new option, are added if all recorded runs of the subject are unchanged.
    """
    every = {(each.subject.group, each.subject.name): each for each in asked}
    edited = {key for key, each in every.items() if not record.is_current(each.subject)}
    versions = {key: each.version for key, each in record.fingerprints.items()}
    raised = {key for key in edited if key in versions and every[key].subject.version > versions[key]}
    redrawn = dict(drawn) != dict(record.draws)
    engine = (ENGINE.group, ENGINE.name)
    found = {key: each for key, each in record.fingerprints.items() if key in every}
    wrong = []
    for key in every if redrawn or engine in edited else edited:
        subject, play = every[key]
        if key in versions and subject.version < versions[key]:
            wrong.append(f"{subject.name}: version is {subject.version}, was {versions[key]}: set it back")
            continue
        paths = play()
        differing = (
            [name for name in changed(record, subject, paths) if name in found[key].paths] if key in found else []
        )
        if not differing or redrawn or raised & {key, engine}:
            found[key] = Fingerprint(subject.version, source_digest(subject.modules), paths)
            how = "new" if key not in versions else "other paths" if differing else "same paths"
            announce(f"{subject.name}: {how}, version {subject.version}")
        else:
            behind = key if key in edited else engine
            wrong.append(
                f"{subject.name}: other paths than recorded ({'; '.join(differing)}): undo the edit or, if it is meant "
                f"to change runs, set version to {versions[behind] + 1} in {every[behind].subject.modules[0]}"
            )
    return replace(record, draws=dict(drawn), fingerprints=found), wrong


def main() -> None:
    """Write the record; if any path differs without a new version, write nothing and exit with 1."""
    before = read() if FILE.is_file() else Record(draws(), {})
    after, wrong = updated(subjects(), before, draws(), print)
    if wrong:
        print(*wrong, "nothing is recorded", sep="\n", file=sys.stderr)
        sys.exit(1)
    if after != before:
        write(after)


if __name__ == "__main__":
    main()
