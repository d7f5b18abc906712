"""ANACONDA's test of an arm: has another one, in some range of rounds, beaten it by too much?

Of an ordered pair (a', a) ``δ̂_s = |A_s|² 1{a' is first, a is second, a' wins} − 1/2`` in round s. The arm a is bad
from s1 on if for some s2 > s1 the sum of δ̂ from s1 to s2 exceeds ``H(s2 − s1) = C log(T) K sqrt(max(s2 − s1, K²))``.
Asked for is the latest s1 for which that is so, as then a is bad on every range that has begun by then.

What has to be looked at. The sum grows only in rounds in which the pair scores, by ``|A|² − 1/2``, and else falls while
H does not. So s1 and s2 are two such rounds; or one of them is, and the other is the round right before or after it, as
s1 < s2. Of all the starts s1 of a pair (W₁ what the pair had scored before, ``p₁ = W₁ − (s1 − 1)/2``) most can be
forgotten, and no answer changes:

* *One with a later start not above it.* If p₂ ≤ p₁ and s2 is later than s1, the sum from s2 is at least that from s1,
  and H is no larger. What stays has increasing p.
* *One before the first round of the lowest layer that trusts a*: see ``replays``. So what stays has never exceeded H.
* *One above a chord.* If s ≤ t − K² then ``H(t − s)`` is C log(T) K sqrt(t − s), concave in s. A start between two
  others, all at least K² rounds old, whose p is not below the straight line between theirs, has ``p + H`` not below the
  lesser of theirs, now and ever after: one of these two exceeds H if it does. The later one only makes the answer
  later; the earlier one must be in the same layers: chords do not go over the first round of a layer.

What stays of the old starts is the increasing part of a convex minorant of the pair's walk, one for each layer. That of
n exchangeable steps has ln n edges on average, distributed as the cycles of a random permutation of n, 15 for a pair
that has scored 3 · 10⁶ times, and more than 64 of them with a probability below 10⁻¹⁹. ``CORNERS`` is the place for
each pair; should it ever not be enough, the eldest start is lost, ``course[0].lost`` counts it, and the run fails with
``all_starts_kept``. Starts less than K² rounds old are kept in a line of K² places, as a round has one at most.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.monitored.replays import Replays, begins_within, distrust, first_round_trusted
from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel

CORNERS = 64
"""Old starts of a pair at most."""


class Scores(NamedTuple):
    """What ordered pairs have scored in the episode, and from which rounds on.

    ``scale``: C log(T) K. ``scored[a', a]``: the sum of |A|². ``old_round``, ``old_scored``: (K, K, CORNERS) the old
    starts in order, each with what had been scored before; ``old[a', a]``: how many there are.

    Young starts stand in line, each at the place of its number modulo K². ``round``, ``before``: as above. ``pair``: a'
    K + a, −1 if it is forgotten. ``older``, ``newer``: the places of the next starts of that pair, −1 where there is
    none. ``eldest[pair]``, ``youngest[pair]``: the ends of that list. ``course[0]``: the numbers of the first in line
    and of the next to come; ``lost``: old starts for which there was no place; ``arm``, ``since``: which arm is bad
    since when, once the round after that is over, 0 if none is.
    """

    scale: float
    scored: Ints
    old_round: Ints
    old_scored: Ints
    old: Ints
    round: Ints
    before: Ints
    pair: Ints
    older: Ints
    newer: Ints
    eldest: Ints
    youngest: Ints
    course: Record


def new_scores(arms: int, scale: float, corners: int = CORNERS) -> Scores:
    """Return the scores at the start of an episode."""
    pairs = arms * arms
    return Scores(
        scale=scale,
        scored=np.zeros((arms, arms), np.int64),
        old_round=np.zeros((arms, arms, corners), np.int64),
        old_scored=np.zeros((arms, arms, corners), np.int64),
        old=np.zeros((arms, arms), np.int64),
        round=np.zeros(pairs, np.int64),
        before=np.zeros(pairs, np.int64),
        pair=np.zeros(pairs, np.int64),
        older=np.zeros(pairs, np.int64),
        newer=np.zeros(pairs, np.int64),
        eldest=np.full(pairs, -1),
        youngest=np.full(pairs, -1),
        course=record(first=0, next=0, lost=0, arm=0, since=0),
    )


def all_starts_kept(scores: Scores) -> None:
    """Raise ArithmeticError if an old start was lost: from then on the run may not be that of the paper."""
    lost = int(scores.course[0].lost)
    if lost:
        room = scores.old_round.shape[2]
        raise ArithmeticError(f"{lost:,} starts found no place among the {room} of their pair: increase CORNERS")


@kernel(inline=False)
def forget_scores(scores: Scores) -> None:
    """Begin anew."""
    arms = scores.scored.shape[0]
    for i in range(arms):
        for j in range(arms):
            scores.scored[i, j] = 0
            scores.old[i, j] = 0
            scores.eldest[i * arms + j] = -1
            scores.youngest[i * arms + j] = -1
    course = scores.course[0]
    course.first = 0
    course.next = 0
    course.since = 0


@kernel
def height(start: int, before: int) -> int:
    """Return twice the p of a start, and one."""
    return 2 * before - start


@kernel
def above_chord(rounds: Ints, scored: Ints, k: int, start: int, before: int) -> bool:
    """Return whether start k is not below the straight line from the one before it to a later one."""
    left, low = rounds[k - 1], height(rounds[k - 1], scored[k - 1])
    rise = height(rounds[k], scored[k]) - low
    whole: bool = rise * (start - left) >= (height(start, before) - low) * (rounds[k] - left)
    return whole


@kernel
def add_corner(scores: Scores, replays: Replays, i: int, j: int, count: int, start: int, before: int) -> int:
    """Put a start after the first ``count`` old ones, less those that it puts above a chord; return their number."""
    rounds, scored = scores.old_round[i, j], scores.old_scored[i, j]
    while (
        count >= 2
        and above_chord(rounds, scored, count - 1, start, before)
        and not begins_within(replays, rounds[count - 2], rounds[count - 1])
    ):
        count -= 1
    if count < rounds.shape[0]:
        rounds[count] = start
        scored[count] = before
    return count + 1


@kernel(inline=False)
def grow_old(scores: Scores, replays: Replays, i: int, j: int, start: int, before: int) -> None:
    """Put a start to the old ones of its pair."""
    rounds, scored = scores.old_round[i, j], scores.old_scored[i, j]
    trusted = first_round_trusted(replays, j)
    if start < trusted:
        return
    count = add_corner(scores, replays, i, j, scores.old[i, j], start, before)
    if count > rounds.shape[0]:  # layers have ended since, and arms have lost trust: look at all again
        count = 0
        for k in range(rounds.shape[0]):
            if rounds[k] >= trusted:
                count = add_corner(scores, replays, i, j, count, rounds[k], scored[k])
        count = add_corner(scores, replays, i, j, count, start, before)
        if count > rounds.shape[0]:
            scores.course[0].lost += 1  # the run will fail: see ``all_starts_kept``
            for k in range(rounds.shape[0] - 1):
                rounds[k] = rounds[k + 1]
                scored[k] = scored[k + 1]
            count = add_corner(scores, replays, i, j, rounds.shape[0] - 1, start, before)
    scores.old[i, j] = count


@kernel
def age(scores: Scores, replays: Replays, t: int) -> None:
    """Make starts old that are so in round t."""
    course, arms, room = scores.course[0], scores.scored.shape[0], scores.round.shape[0]
    while course.first < course.next:
        place = course.first % room
        if scores.round[place] > t - room:
            return
        course.first += 1
        pair = scores.pair[place]
        if pair >= 0:
            newer = scores.newer[place]
            scores.eldest[pair] = newer
            if newer >= 0:
                scores.older[newer] = -1
            else:
                scores.youngest[pair] = -1
            grow_old(scores, replays, pair // arms, pair % arms, scores.round[place], scores.before[place])


@kernel
def exceeds(scores: Scores, t: int, scored: int, start: int) -> bool:
    """Return whether what was scored from a start to round t is too much."""
    room = scores.round.shape[0]
    return scored - 0.5 * (t - start + 1) > scores.scale * math.sqrt(max(t - start, room))


@kernel
def bad_since(scores: Scores, i: int, j: int, t: int, weight: int, trusted: int) -> int:
    """Return since when, from ``trusted`` on, j is bad as i scores so much against it in round t; 0 if it is not."""
    if exceeds(scores, t, weight, t - 1):
        scores.course[0].arm = j
        scores.course[0].since = t
        return t - 1  # it does not matter if nobody trusted it then
    now, pair = scores.scored[i, j] + weight, i * scores.scored.shape[0] + j
    eldest = scores.eldest[pair]
    if eldest >= 0 and exceeds(scores, t, now - scores.before[eldest], scores.round[eldest]):  # else no young one does
        place = scores.youngest[pair]
        while place >= 0 and scores.round[place] >= trusted:
            if exceeds(scores, t, now - scores.before[place], scores.round[place]):
                return scores.round[place]  # type: ignore[no-any-return]
            place = scores.older[place]
    rounds, scored = scores.old_round[i, j], scores.old_scored[i, j]
    for k in range(scores.old[i, j] - 1, -1, -1):
        if rounds[k] < trusted:
            break
        if exceeds(scores, t, now - scored[k], rounds[k]):
            return rounds[k]  # type: ignore[no-any-return]
    return 0


@kernel
def add_start(scores: Scores, i: int, j: int, t: int) -> None:
    """Let round t be a start of the pair, and forget earlier ones that are not below it."""
    course, room, pair = scores.course[0], scores.round.shape[0], i * scores.scored.shape[0] + j
    before = scores.scored[i, j]
    new = height(t, before)
    place = scores.youngest[pair]
    while place >= 0 and height(scores.round[place], scores.before[place]) >= new:
        scores.pair[place] = -1
        place = scores.older[place]
    if place < 0:
        rounds, scored = scores.old_round[i, j], scores.old_scored[i, j]
        old = scores.old[i, j]
        while old > 0 and height(rounds[old - 1], scored[old - 1]) >= new:
            old -= 1
        scores.old[i, j] = old
    here = course.next % room
    course.next += 1
    scores.round[here] = t
    scores.before[here] = before
    scores.pair[here] = pair
    scores.older[here] = place
    scores.newer[here] = -1
    scores.youngest[pair] = here
    if place >= 0:
        scores.newer[place] = here
    else:
        scores.eldest[pair] = here


@kernel(inline=False)
def settle(scores: Scores, replays: Replays, over: int) -> None:
    """Take an arm from the layers that has become bad with a round that is over."""
    course = scores.course[0]
    if 0 < course.since < over:
        distrust(replays, course.arm, course.since)
        course.since = 0


@kernel
def score(scores: Scores, replays: Replays, i: int, j: int, t: int, weight: int) -> None:
    """Learn that i, first, has beaten j in round t; take j from the layers in which it is bad."""
    age(scores, replays, t)
    trusted = first_round_trusted(replays, j)
    if trusted <= t:
        since = bad_since(scores, i, j, t, weight, trusted)
        add_start(scores, i, j, t)
        if since > 0:
            distrust(replays, j, since)
    scores.scored[i, j] += weight
