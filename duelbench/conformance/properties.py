"""The properties that ``duelbench test`` asks for, in its order: each says what was compared, or raises."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import numpy as np

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Floats
from duelbench.conformance import contract, foreign, holds, samples
from duelbench.conformance.against_literal import first_difference
from duelbench.conformance.claims import Case, CheckFailed, NotApplicable
from duelbench.conformance.instances import ODD, order
from duelbench.conformance.rounds import streams
from duelbench.conformance.statistics import demand_equal_means, resolution, two_samples
from duelbench.preferences.matrix import PreferenceMatrix

DELAYS = (2, 7, 50)
SHORT = (10, 20, 40, 70, 100)
"""Rounds at which holds are looked at that are not exact at small t: of such runs there is time for more."""
RELABELLED = 512
"""Runs on relabelled arms at most: many more would see in which order an algorithm has tried all pairs once."""
LONG = (30, 100, 300, 1000, 3000, 10_000)
"""And of longer ones."""


def arms_and_counts(case: Case) -> str:
    """Every answer names two arms and ends in time, wherever it must; all rounds count and regret never falls."""
    gaps = np.random.default_rng(1).exponential(50, case.size(400)).astype(np.int64)
    anywhere = np.cumsum(1 + gaps)
    for name, matrix in case.instances.items():
        for stepping in (False, True):
            with _on(name):
                contract.plays_validly(case.algorithm, matrix, anywhere, streams(1, 0), stepping=stepping)
    return (
        f"{anywhere[-1]:,} rounds on each matrix, with {len(anywhere)} checkpoints anywhere: every answer was two arms "
        "and a count that ends in time, and no regret fell"
    )


def odd_matrices(case: Case) -> str:
    """It gets along with two arms, exact ties, certain outcomes and no Condorcet winner."""
    longest = case.size(10_000)
    for name, matrix in ODD.items():
        for marks in ([1], [1, 2], [1, 10, 100, longest]):
            with _on(name):
                contract.plays_validly(case.algorithm, matrix, marks, streams(0, 0))
    return f"{len(ODD)} matrices, {longest:,} rounds each: K = 2, exact ties, certain outcomes, no Condorcet winner"


def late_outcomes(case: Case) -> str:
    """It gets along with outcomes that arrive late."""
    if not case.algorithm.sequential:
        raise NotApplicable("it waits for the outcomes of its batches (sequential = False)")
    rounds = case.size(10_000)
    for delay in DELAYS:
        for name, matrix in case.instances.items():
            for stepping in (False, True):
                with _on(f"{name}, outcomes after every {delay} rounds"):
                    marks = [10, 100, rounds]
                    contract.plays_validly(case.algorithm, matrix, marks, streams(0, 0), delay=delay, stepping=stepping)
    said = ", ".join(map(str, DELAYS[:-1]))
    return f"outcomes after every {said} or {DELAYS[-1]} rounds, {rounds:,} rounds each"


def same_seed(case: Case) -> str:
    """A seed decides, whatever else is played in the process."""
    marks = [10, 100, case.size(20_000)]
    for name, matrix in case.instances.items():
        for seed in range(2):
            with _on(name):
                contract.repeats_itself(
                    case.algorithm, matrix, marks, partial(streams, seed, 0), ODD["one winner, the rest tied"]
                )
    return f"2 seeds, {marks[-1]:,} rounds, alone and with other runs in between: the same duels"


def prefix(case: Case) -> str:
    """A shorter run of an anytime algorithm is the beginning of a longer one."""
    if case.algorithm.uses_horizon:
        raise NotApplicable("it is told the horizon (uses_horizon)")
    short = case.size(10_000)
    for name, matrix in case.instances.items():
        for seed in range(2):
            for stepping in (False, True):
                with _on(name):
                    luck = partial(streams, seed, 0)
                    contract.begins_alike(case.algorithm, matrix, (short, 10 * short), luck, stepping=stepping)
    return f"{short:,} rounds are the beginning of {10 * short:,}: 2 seeds, at each checkpoint"


def declaration(case: Case) -> str:
    """What it declares is an arm, or that there is none, and stays."""
    if not case.algorithm.declares():
        raise NotApplicable("it declares no winner")
    rounds = case.size(20_000)
    declared = []
    for name, matrix in {**case.instances, "two arms, certain": ODD["two arms, certain"]}.items():
        for seed in range(2):
            with _on(name):
                declared.append(contract.declares_arms(case.algorithm, matrix, rounds, partial(streams, seed, 0)))
    made = len(declared) - declared.count(None)
    return f"in {made} of {len(declared)} runs of {rounds:,} rounds it declares an arm, or none, once and for all"


def recommendation(case: Case) -> str:
    """To be asked which arm it recommends changes nothing."""
    marks = np.unique(np.geomspace(1, case.size(5_000), 40).astype(int))
    asked = 0
    for name, matrix in case.instances.items():
        with _on(name):
            asked += contract.is_not_moved_by_being_asked(case.algorithm, matrix, marks, partial(streams, 3, 0))
    return f"asked {asked} times in {marks[-1]:,} rounds: arms, and the run is that of nobody asking"


def any_duel(case: Case) -> str:
    """It learns from duels that it has not asked for as from its own, in whatever order they are told."""
    if not case.algorithm.learns_from_any_duel:
        raise NotApplicable("it learns from the duels that it asks for (learns_from_any_duel = False)")
    rounds = case.size(400)
    for name, matrix in case.instances.items():
        with _on(name):
            foreign.takes_them_in_any_order(case.algorithm, matrix, rounds, partial(streams, 4, 0))
            foreign.follows_them(case.algorithm, matrix.arms, rounds, partial(streams, 5, 0))
    return (
        f"{rounds:,} rounds on each matrix, between them duels of all pairs told in two orders, from either side, one "
        "by one or together: the same choices; and the arm that has won all it was told of is played"
    )


def relabelling(case: Case) -> str:
    """Relabelling arms changes nothing but labels."""
    if case.algorithm.in_order:
        raise NotApplicable("it takes arms or pairs in order (in_order)")
    marks, chosen = [case.size(1_000), case.size(3_000)], _varied(case)
    runs, worst = [], []
    ends = [case.ends((k + 1) / len(chosen)) for k in range(len(chosen))]
    for (name, matrix), end in zip(chosen.items(), ends, strict=True):
        other = matrix.relabelled(np.roll(np.random.default_rng(1).permutation(matrix.arms), 1))
        one, two = (samples.regret_run(case.algorithm, each, marks, k) for k, each in ((11, matrix), (12, other)))
        a, b = two_samples(one, two, end, most=RELABELLED)
        with _on(name):
            columns = [f"the regret at t = {t:,}" for t in marks]
            demand_equal_means(a, b, 5.0, columns, ("as it is", "relabelled"))
        runs.append(len(a))
        worst.append(resolution(a, b))
    seen = f"{100 * max(worst):.2g} % more or less mean regret would have been seen"
    return f"on {', '.join(chosen)}, {min(runs):,} runs each to t = {marks[-1]:,}: {seen}"


def stepping_is_holding(case: Case) -> str:
    """A hold is what its rounds would be one by one: the same where nothing is drawn, else in distribution."""
    found, rounds = holds.Replay(), case.size(50_000)
    ends = [case.ends((k + 1) / len(case.instances)) for k in range(len(case.instances))]
    for (name, matrix), end in zip(case.instances.items(), ends, strict=True):
        with _on(name):
            found += holds.replayed(case.algorithm, matrix, rounds, 4, partial(_is_over, end))
    said = []
    if found.exact:
        said.append(
            f"{found.exact:,} holds of up to {found.longest:,} rounds, played again round by round, are the same "
            f"duels; {found.ended:,} end by themselves, where one round too many would have been seen"
        )
    drawing = [f"{count:,} {what}" for count, what in ((found.random, "holds"), (found.blocks, "blocks")) if count]
    if drawing:
        said.append(f"{' and '.join(drawing)} draw what happens in them: {_in_distribution(case)}")
    elif not found.exact:
        said.append(f"no holds in {found.played:,} rounds: every answer is the same when last = t")
    return "; ".join(said)


def _in_distribution(case: Case) -> str:
    """Compare runs with holds and without them."""
    algorithm, longest = case.algorithm, case.size(10_000)
    chosen = _varied(case)
    cases: list[tuple[str, PreferenceMatrix, Floats | None]] = [(name, matrix, None) for name, matrix in chosen.items()]
    if type(algorithm).merge_equal_self_duels is not Algorithm.merge_equal_self_duels:
        tied = order(4, 0.9, winners=3)
        cases.append(("three tied winners", tied, samples.merged_tables(tied)))
    samples_of = [(marks, *each) for marks in (SHORT, tuple(t for t in LONG if t <= longest)) for each in cases]
    ends = [case.ends(2 * (k + 1) / len(samples_of)) for k in range(len(samples_of))]
    seen = []
    for (marks, name, matrix, costs), end in zip(samples_of, ends, strict=True):
        held, stepped = (
            samples.engine_run(algorithm, matrix, marks, seed, stepping=seed == 32, costs=costs) for seed in (31, 32)
        )
        with _on(name):
            compared = samples.compare(
                held, stepped, marks, matrix.arms, ("with holds", "round by round"), end, pairs=costs is None
            )
        seen.append((marks[-1], compared))
    return f"on {', '.join(name for name, _, _ in cases)}, {samples.in_words(seen)}"


def fast_is_literal(case: Case) -> str:
    """It is what its transcription is: the same path where both draw alike, else in distribution."""
    literal = case.literal
    if literal is None:
        raise NotApplicable("there is nothing to compare it with: --against FILE.py:function, a plain transcription")
    algorithm, rounds, paths, differs = case.algorithm, 300, 0, ""
    end = case.ends()
    for seed, horizon in ((1, 7), (1, 300), (2, 1000), (3, 1000)):
        for name, matrix in case.instances.items():
            if differs or (paths >= 2 * len(case.instances) and _is_over(end)):
                break
            differs = first_difference(algorithm, literal, matrix, horizon, seed)
            differs = differs and f"on {name} {differs}"
            paths, rounds = paths + 1, max(rounds, horizon)
    if not differs:
        return f"{paths} paths of up to {rounds:,} rounds are the same duel by duel"
    marks, chosen = [10, 30, 100, 300, *([600] if algorithm.compiled() else [])], _varied(case)
    until = [case.ends(3 * (k + 1) / len(chosen)) for k in range(len(chosen))]
    seen = []
    for (name, matrix), end in zip(chosen.items(), until, strict=True):
        one = samples.engine_run(algorithm, matrix, marks, 21)
        other = samples.literal_run(literal, matrix, marks, 21)
        with _on(name, f" (the paths are not the same: {differs})"):
            compared = samples.compare(one, other, marks, matrix.arms, ("played fast", "literally"), end, paired=True)
        seen.append((marks[-1], compared))
    return f"on {', '.join(chosen)}, {samples.in_words(seen)} (they draw otherwise: {differs})"


@contextmanager
def _on(matrix: str, more: str = "") -> Iterator[None]:
    """Say on which matrix something was seen."""
    try:
        yield
    except CheckFailed as error:
        raise CheckFailed(f"on {matrix}: {error}{more}") from None


def _varied(case: Case) -> dict[str, PreferenceMatrix]:
    """Return the first three instances: samples of runs take the time of all others together."""
    return dict(list(case.instances.items())[:3])


def _is_over(end: float) -> bool:
    return time.process_time() > end


PROPERTIES: dict[str, Callable[[Case], str]] = {
    "arms and counts": arms_and_counts,
    "odd matrices": odd_matrices,
    "late outcomes": late_outcomes,
    "same seed": same_seed,
    "prefix": prefix,
    "declaration": declaration,
    "recommendation": recommendation,
    "any duel": any_duel,
    "relabelling": relabelling,
    "stepping = holding": stepping_is_holding,
    "fast = literal": fast_is_literal,
}
"""By name, but for compiled = interpreted, which takes two processes."""
