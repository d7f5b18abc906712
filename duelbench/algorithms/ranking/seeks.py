"""SEEKS: stages in which arms are accepted, or go out, that are clearly better or worse than a good pivot.

The pivot is the worst of a set that TKS, or EQS, chooses; the margin is halved from stage to stage. The pseudo-code,
step by step, is ``duelbench/reference/quick_select.py``; the paths of both are equal, duel by duel
(``tests/test_catalogue.py``). The program of the authors also ends when it has accepted as many arms as were missing at
the start of a stage, and then declares wrong sets.

Hold. The duels of a pair come in blocks that cannot decide it on the way (``first_passage``). Once it has declared the
best arms, the first of them duels itself for the rest of the run.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.declaration import declare, nothing_declared
from duelbench.algorithms.ranking.eqs import choose, next_comparison
from duelbench.algorithms.ranking.tks import Tournament, begin_tournament, next_match, nothing_played
from duelbench.algorithms.ranking.top_k import TopK, list_others
from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import shuffle
from duelbench.kernels.first_passage import answer, interval_test, new_test, update

CHOOSING, FINDING_THE_WORST, SWEEPING = 0, 1, 2
"""The phases of a stage: the good arms are chosen, the worst of them is found, and all are compared with it."""


class SeeksState(NamedTuple):
    """``remaining``: the arms R of this stage, the first ``progress[0].length`` entries; ``order``: those accepted,
    and later what is declared.

    ``progress[0]`` has ``length``, how many are ``accepted``, the ``stage`` t and its ``phase``. While arms are
    compared with the pivot it is the first of ``remaining``; the next one is at ``place``, and ``kept`` many have been
    neither accepted nor out. ``tournament``: what chooses the pivot. ``test``: see ``first_passage``; ``order``,
    ``declared``: see ``declaration``.
    """

    top: int
    delta: float
    quick: bool
    remaining: Ints
    tournament: Tournament
    progress: Record
    test: Record
    order: Ints
    declared: Record


@kernel
def slack(state: SeeksState) -> float:
    """Return a third of ε of this stage."""
    return 2.0 ** -state.progress[0].stage / 3.0  # type: ignore[no-any-return]


@kernel
def share_of_delta(state: SeeksState) -> float:
    """Return a third of δ_t of this stage."""
    return 6.0 * state.delta / (math.pi**2 * state.progress[0].stage ** 2) / 3.0  # type: ignore[no-any-return]


@kernel(inline=False)
def begin_stage(state: SeeksState) -> None:
    """Begin to choose as many good arms of those that remain as are missing."""
    progress, tournament = state.progress[0], state.tournament
    progress.stage += 1
    progress.phase = CHOOSING
    for k in range(progress.length):
        tournament.choice.arms[k] = state.remaining[k]
    missing = state.top - progress.accepted
    if state.quick:
        choose(tournament.choice, 0, progress.length, missing, slack(state), share_of_delta(state), 1)
    else:
        begin_tournament(tournament, progress.length, missing, slack(state), share_of_delta(state), 1)


@kernel(inline=False)
def begin_sweep(state: SeeksState) -> None:
    """Move the pivot to the front."""
    progress, pivot = state.progress[0], state.tournament.choice.arms[0]
    place = 0
    while state.remaining[place] != pivot:
        place += 1
    for k in range(place, 0, -1):
        state.remaining[k] = state.remaining[k - 1]
    state.remaining[0] = pivot
    progress.phase = SWEEPING
    progress.place = 1
    progress.kept = 1


@kernel(inline=False)
def next_swept(state: SeeksState) -> bool:
    """Begin to compare the next arm with the pivot; return whether there was one."""
    progress, remaining = state.progress[0], state.remaining
    if progress.place == progress.length:
        return False
    epsilon = slack(state)
    delta = share_of_delta(state) / (progress.length - 1)
    interval_test(state.test, remaining[progress.place], remaining[0], epsilon, epsilon, epsilon, delta)
    progress.place += 1
    return True


@kernel
def learn(state: SeeksState) -> None:
    """Accept the arm that was compared with the pivot, keep it, or let it go out."""
    progress, test = state.progress[0], state.test[0]
    if test.verdict > 0:
        state.order[progress.accepted] = test.first
        progress.accepted += 1
    elif test.verdict == 0:
        state.remaining[progress.kept] = test.first
        progress.kept += 1


@kernel(inline=False)
def proceed(state: SeeksState, t: int, rng: np.random.Generator) -> None:
    """Begin the next comparison, of the next stage where this one is over, or declare the best arms."""
    progress, tournament = state.progress[0], state.tournament
    if progress.stage == 0:
        shuffle(state.remaining, progress.length, rng)
        begin_stage(state)
    elif progress.phase == SWEEPING:
        learn(state)
    while True:
        if progress.phase == CHOOSING:
            if state.quick:
                goes_on = next_comparison(tournament.choice, state.test, rng)
            else:
                goes_on = next_match(tournament, state.test, rng)
            if goes_on:
                return
            missing = state.top - progress.accepted
            begin_tournament(tournament, missing, 1, slack(state), share_of_delta(state), -1)
            progress.phase = FINDING_THE_WORST
        if progress.phase == FINDING_THE_WORST:
            if next_match(tournament, state.test, rng):
                return
            begin_sweep(state)
        if next_swept(state):
            return
        progress.length = progress.kept
        if progress.accepted >= state.top or progress.accepted + progress.length <= state.top:
            break
        begin_stage(state)
    listed = progress.accepted
    if listed < state.top:
        for k in range(progress.length):
            state.order[listed] = state.remaining[k]
            listed += 1
    list_others(state.order, listed)
    declare(state.declared, state.order[0], t)


@kernel
def select(state: SeeksState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the pair of the current comparison, or the first of the best arms against itself."""
    if state.declared[0].winner < 0 and not state.test[0].running:
        proceed(state, t, rng)
    return answer(state, last - t + 1)


class Seeks(TopK):
    """Find the best k arms: stage by stage, those that are clearly better or worse than a pivot leave."""

    name = "seeks"
    title = "SEEKS"
    citation = f"{TopK.citation}, SEEKS"
    assumes = "total order, SST, STI, no ties"
    State = SeeksState
    select = staticmethod(select)
    update = staticmethod(update)

    inner: Literal["tks", "eqs"] = Field("tks", description="what chooses the arms whose worst one is the pivot")

    def start(self, arms: int, horizon: int) -> SeeksState:
        """Return the state before the first round."""
        self.sizes(arms)
        return SeeksState(
            top=self.top,
            delta=self.delta,
            quick=self.inner == "eqs",
            remaining=np.arange(arms),
            tournament=nothing_played(arms),
            progress=record(length=arms, accepted=0, stage=0, phase=CHOOSING, place=0, kept=0),
            test=new_test(),
            order=np.arange(arms),
            declared=nothing_declared(),
        )
