"""The checks in order. Each returns a text: what was compared, and the smallest mistake it would detect.

Seeds, rounds and runs are fixed, so a check has the same result on every machine. The numbers here are for the size
``FULL``; smaller sizes scale them.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import numpy as np

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.catalogue import texts_of
from duelbench.arrays import Floats
from duelbench.conformance import contract, holds, statistics
from duelbench.conformance.case import ODD, TIED, Case, CheckFailed, NotApplicable, Untested, order
from duelbench.conformance.reference import first_difference
from duelbench.conformance.rounds import streams
from duelbench.errors import AnswerError, place_in
from duelbench.preferences.matrix import PreferenceMatrix

DELAYS = (2, 7, 50)
SHORT = (10, 20, 40, 70, 100)
"""Checkpoints of additional short runs, which show holds that are not exact at small t."""
LONG = (30, 100, 300, 1000, 3000, 10_000)
COMPILED = "compiled = interpreted"
"""The check that needs two processes, which ``verdicts`` adds."""
FEWEST_ANSWERS = 300
"""The number of answers of a run whose holds are replayed, at any size."""
SHORTEST_PATH = 200
"""The number of rounds of the paths that are compared with the reference, at any size."""
LARGER_GAPS = "give it larger gaps (--instance NAME)"
SOONER = f"{LARGER_GAPS} or, if its budget is fixed, a smaller one (-p NAME=VALUE)"


def valid_answers(case: Case) -> str:
    """Every answer is two arms and a valid count, for any checkpoints; rounds add up; regret never decreases."""
    gaps = np.random.default_rng(1).exponential(50, max(40, case.rounds(400))).astype(np.int64)
    anywhere = np.cumsum(1 + gaps)
    for name, matrix in case.instances.items():
        for stepping in (False, True):
            with _on(case, name):
                contract.plays_validly(case.algorithm, matrix, anywhere, streams(1, 0), stepping=stepping)
    return f"{anywhere[-1]:,} rounds on each instance with {len(anywhere)} random checkpoints: all answers are valid"


def edge_cases(case: Case) -> str:
    """The algorithm works with two arms, exact ties, certain outcomes and no Condorcet winner."""
    longest = max(100, case.rounds(10_000))
    for name, matrix in ODD.items():
        for marks in ([1], [1, 2], [1, 10, 100, longest]):
            with _on(case, name):
                contract.plays_validly(case.algorithm, matrix, marks, streams(0, 0))
    return f"{longest:,} rounds on {len(ODD)} matrices: K = 2, exact ties, certain outcomes, no Condorcet winner"


def delayed_outcomes(case: Case) -> str:
    """The algorithm works with delayed outcomes."""
    rounds, late = max(200, case.rounds(10_000)), 0
    for delay in DELAYS:
        for name, matrix in case.instances.items():
            for stepping in (False, True):
                with _on(case, f"{name}, outcomes after every {delay} rounds"):
                    run = contract.plays_validly(
                        case.algorithm, matrix, [10, 100, rounds], streams(0, 0), delay=delay, stepping=stepping
                    )
                late += run.informative
    if not late:
        raise Untested(f"no two different arms duelled in {rounds:,} rounds, so no outcome was late: {LARGER_GAPS}")
    said = ", ".join(map(str, DELAYS[:-1]))
    return f"outcomes after every {said} or {DELAYS[-1]} rounds, {rounds:,} rounds each: all answers are valid"


def reproducible(case: Case) -> str:
    """The seed alone determines the run, even if other runs are played in the process."""
    marks = [10, 100, max(200, case.rounds(20_000))]
    for name, matrix in case.instances.items():
        beside = matrix.relabelled(list(range(matrix.arms))[::-1])
        for seed in range(2):
            with _on(case, name):
                contract.repeats_itself(case.algorithm, matrix, marks, partial(streams, seed, 0), beside)
    return f"2 seeds, {marks[-1]:,} rounds, alone and beside another run: the same duels"


def prefix(case: Case) -> str:
    """A shorter run of an anytime algorithm is a prefix of a longer one."""
    short = max(100, case.rounds(10_000))
    for name, matrix in case.instances.items():
        for seed in range(2):
            for stepping in (False, True):
                with _on(case, name):
                    rngs = partial(streams, seed, 0)
                    contract.begins_alike(case.algorithm, matrix, (short, 10 * short), rngs, stepping=stepping)
    return f"{short:,} rounds are the beginning of {10 * short:,}: 2 seeds, at each checkpoint"


def declaration(case: Case) -> str:
    """A declaration is an arm, or that there is no winner, and does not change."""
    rounds = case.rounds(20_000)
    declared = []
    for name, matrix in {**case.instances, "two arms, certain": ODD["two arms, certain"]}.items():
        for seed in range(2):
            with _on(case, name):
                declared.append(contract.declares_arms(case.algorithm, matrix, rounds, partial(streams, seed, 0)))
    made = len(declared) - declared.count(None)
    if not made:
        raise Untested(f"no run of {rounds:,} rounds declares a winner: {SOONER}")
    return f"{made} of {len(declared)} runs of {rounds:,} rounds declare an arm or none, once and for all"


def recommendation(case: Case) -> str:
    """Asking for a recommendation changes nothing."""
    marks = np.unique(np.geomspace(1, case.rounds(10_000), 40).astype(int))
    named = 0
    for name, matrix in case.instances.items():
        with _on(case, name):
            named += contract.is_not_moved_by_being_asked(case.algorithm, matrix, marks, partial(streams, 3, 0))
    if not named:
        raise Untested(f"it recommends no arm of its own in {marks[-1]:,} rounds: {SOONER}")
    return f"{named:,} recommendations in runs of {marks[-1]:,} rounds: each is an arm, and asking changes nothing"


def foreign_duels(case: Case) -> str:
    """The algorithm learns from duels that it did not choose as from its own, in any order."""
    rounds, learns = max(200, case.rounds(400)), False
    for name, matrix in case.instances.items():
        with _on(case, name):
            contract.takes_foreign_duels_in_any_order(case.algorithm, matrix, rounds, partial(streams, 4, 0))
            learns |= contract.follows_foreign_duels(case.algorithm, matrix.arms, 600, partial(streams, 5, 0))
    if not learns:
        raise Untested("no duel that it has not asked for changes what it plays: set learns_off_policy = False")
    return (
        f"{rounds:,} rounds on each instance, with foreign duels in two orders, as (i, j) or (j, i), one by one or "
        "grouped: the same choices; and an arm that wins all foreign duels is played or recommended"
    )


def label_invariance(case: Case) -> str:
    """Permuting the labels of the arms does not change the mean regret."""
    marks, chosen = [case.rounds(1_000), case.rounds(3_000)], _varied(case)
    worst, runs = [], case.runs(512)
    for name, matrix in chosen.items():
        other = matrix.relabelled(np.roll(np.random.default_rng(1).permutation(matrix.arms), 1))
        one, two = (statistics.regret_run(case.algorithm, each, marks, k) for k, each in ((11, matrix), (12, other)))
        with _on(case, name, ": shuffle the arms at the beginning, or set in_order = True if their order is meant"):
            a, b = statistics.two_samples(one, two, runs, case.beat)
            columns = [f"the regret at t = {t:,}" for t in marks]
            statistics.demand_equal_means(a, b, 5.0, columns, ("as it is", "relabelled"))
        if a[:, -1].any():
            worst.append(statistics.resolution(a, b))
    if not worst:
        raise Untested(f"no run has any regret until t = {marks[-1]:,}: give it another instance (--instance NAME)")
    seen = f"{statistics.in_per_cent(max(worst))} more or less mean regret would be detected"
    return f"on {', '.join(chosen)}, {runs:,} runs each to t = {marks[-1]:,}: {seen}"


def holding(case: Case) -> str:
    """A hold equals its rounds played one by one: exactly if it draws nothing, else in distribution."""
    found, rounds = holds.Replay(), case.rounds(50_000)
    answers = max(FEWEST_ANSWERS, case.rounds(5_000))
    for name, matrix in case.instances.items():
        with _on(case, name):
            found += holds.replayed(case.algorithm, matrix, rounds, 4, answers)
    drawing = [f"{count:,} {what}" for count, what in ((found.random, "holds"), (found.blocks, "blocks")) if count]
    if not (found.exact or drawing):
        raise Untested(f"no answer in {found.played:,} rounds is a hold. If it should have holds, {LARGER_GAPS}")
    said = []
    if found.exact:
        seen = ", where an off-by-one hold would be detected" if found.ended else ""
        said.append(
            f"{found.exact:,} holds of up to {found.longest:,} rounds are the same duels round by round; "
            f"{found.ended:,} end on their own{seen}"
        )
    if drawing:
        said.append(f"{' and '.join(drawing)} draw what happens in them: {_in_distribution(case)}")
    elif not found.ended:
        raise Untested(
            f"{found.exact:,} holds, but no hold ended on its own, so an off-by-one hold would not be detected. If its "
            "holds can end, give it an instance on which they do (--instance NAME)"
        )
    return "; ".join(said)


def _in_distribution(case: Case) -> str:
    """Compare runs with holds and without them."""
    algorithm, longest = case.algorithm, max(case.rounds(10_000), LONG[2])
    chosen = _varied(case)
    cases: list[tuple[str, PreferenceMatrix, Floats | None]] = [(name, matrix, None) for name, matrix in chosen.items()]
    if type(algorithm).merge_equal_self_duels is not Algorithm.merge_equal_self_duels:
        tied = order(4, 0.9, winners=3)
        cases.append(("three tied winners", tied, statistics.merged_tables(tied)))
    seen = []
    for marks, runs in ((SHORT, case.runs(2048)), (tuple(t for t in LONG if t <= longest), case.runs(1024))):
        for name, matrix, costs in cases:
            held, stepped = (
                statistics.engine_run(algorithm, matrix, marks, seed, stepping=seed == 32, costs=costs)
                for seed in (31, 32)
            )
            sides = "with holds", "round by round"
            with _on(case, name):
                compared = statistics.compare(
                    held, stepped, marks, matrix.arms, sides, runs, case.beat, pairs=costs is None
                )
            seen.append((marks[-1], compared))
    return f"on {', '.join(name for name, _, _ in cases)}, {statistics.in_words(seen)}"


def reference(case: Case) -> str:
    """The algorithm equals its reference implementation: the same path or, if their draws differ, in distribution."""
    implementation = case.reference
    if implementation is None:
        raise NotApplicable("no reference implementation is given: --against FILE.py:function")
    algorithm, differs = case.algorithm, ""
    longest, chosen, runs = case.size.reference_rounds, _varied(case), case.runs(512)
    instances = {**case.instances, **(TIED if algorithm.takes_ties else {})}
    horizons = 7, max(SHORTEST_PATH, 2 * longest), max(SHORTEST_PATH, 2 * longest)
    for seed, horizon in enumerate(horizons, start=1):
        for name, matrix in instances.items():
            if not differs:
                with _on(case, name):
                    differs = first_difference(algorithm, implementation, matrix, horizon, seed)
                differs = differs and f"on {name} {differs}"
    if not differs:
        paths = len(horizons) * len(instances)
        return f"{paths} paths of up to {max(horizons):,} rounds are the same duel by duel"
    marks = [*(t for t in (10, 30, 100, 300) if t < longest), longest]
    seen = []
    for name, matrix in chosen.items():
        one = statistics.engine_run(algorithm, matrix, marks, 21)
        other = statistics.reference_run(implementation, matrix, marks, 21)
        sides = "in the algorithm", "in the reference"
        with _on(case, name, f" (the paths are not the same: {differs})"):
            compared = statistics.compare(one, other, marks, matrix.arms, sides, runs, case.beat, paired=True)
        seen.append((marks[-1], compared))
    return f"on {', '.join(chosen)}, {statistics.in_words(seen)} (their draws differ: {differs})"


@contextmanager
def _on(case: Case, instance: str, more: str = "") -> Iterator[None]:
    """Add the name of the instance to the message of a failure, and the line of an invalid answer."""
    case.beat()
    try:
        yield
    except (CheckFailed, AnswerError) as error:
        file, line, _ = place_in(error, texts_of(type(case.algorithm))) or ("", 0, "")
        place = f" {file}:{line}:" if file else ""
        raise CheckFailed(f"on {instance}:{place} {error}{more}") from None


def _varied(case: Case) -> dict[str, PreferenceMatrix]:
    """Return only the first three instances, since samples of runs take longer than all other checks together."""
    return dict(list(case.instances.items())[:3])


CHECKS: dict[str, Callable[[Case], str]] = {
    "valid answers": valid_answers,
    "edge cases": edge_cases,
    "delayed outcomes": delayed_outcomes,
    "reproducible": reproducible,
    "prefix": prefix,
    "declaration": declaration,
    "recommendation": recommendation,
    "off-policy": foreign_duels,
    "label invariance": label_invariance,
    "holds": holding,
    "reference": reference,
}
"""The checks by name, without ``COMPILED``."""


def run_check(name: str, case: Case) -> str:
    """Run a check and return the text on what was compared. Raises NotApplicable, Untested or CheckFailed."""
    if reason := inapplicable(name, case.algorithm):
        raise NotApplicable(reason)
    return CHECKS[name](case)


def inapplicable(name: str, algorithm: Algorithm) -> str:
    """Return why a check does not apply to an algorithm, or an empty string. Nothing is played."""
    own = type(algorithm).recommendation is not Algorithm.recommendation
    match name:
        case "delayed outcomes" if not algorithm.supports_delay:
            return "it waits for the outcomes of its batches (supports_delay = False)"
        case "prefix" if algorithm.uses_horizon:
            return "it knows the horizon (uses_horizon = True)"
        case "declaration" if not algorithm.declares():
            return "it declares no winner"
        case "recommendation" if not (own or algorithm.declares()):
            return "it has no recommendation of its own"
        case "off-policy" if not algorithm.learns_off_policy:
            return "it learns from the duels that it asks for (learns_off_policy = False)"
        case "label invariance" if algorithm.in_order:
            return "it takes arms or pairs in order (in_order = True)"
        case _ if name == COMPILED and not algorithm.compiled():
            return "it is plain Python, nothing is compiled"
    return ""
