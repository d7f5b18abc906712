"""ANACONDA's replays, and its test whether an arm is bad.

Replays. The stack holds the episode and the running replays, each with the arms that it trusts. Replays nest: a new
replay of length m preempts the current one until round s + m. Any replay that would end earlier is discarded. The ends
therefore decrease towards the top of the stack, and no two replays have the same length. Lengths are powers of 2 up to
twice the horizon, which bounds the depth of the stack.

Schedule. In round s of an episode that began in round e, a replay of each length m begins with probability
``1/sqrt(m (s − e))``; if several begin, the longest is played. The next round with a replay is drawn at once, by
thinning. The probability that a round has a replay decreases. So the gap to the next candidate is geometric, with the
probability of the first round that may be the candidate, and the candidate is kept with the ratio of its own
probability to this one. The length of its replay is then drawn by inversion, starting with the longest. This has the
same distribution as drawing all replays in every round, and costs nothing in the rounds between.

The test of an arm: has another one, in some range of rounds, beaten it by too much? The ordered pair (a', a) counts as
``δ̂_s = |A_s|² 1{a' is first, a is second, a' wins} − 1/2`` in round s. The arm a is bad from s1 on if for some s2 > s1
the sum of δ̂ from s1 to s2 exceeds ``H(s2 − s1) = C log(T) K sqrt(max(s2 − s1, K²))``. The test finds the latest such
s1, since a is then bad on every range that has begun by s1.

Which ranges must be checked. The sum grows only in rounds in which the pair scores, by ``|A|² − 1/2``; in all others it
falls, while H does not. So s1 and s2 are two such rounds; or one of them is, and the other is the round right before or
after it, since s1 < s2. Let W₁ be what the pair had scored before its start s1, and ``p₁ = W₁ − (s1 − 1)/2``. Most
starts can be forgotten without changing any answer:

* *A start with a later start not above it.* If p₂ ≤ p₁ and s2 is later than s1, the sum from s2 is at least the sum
  from s1, and H is no larger. The starts that remain have increasing p.
* *A start before the first round of the lowest layer that trusts a*. So no start that remains has ever exceeded H.
* *A start above a chord.* If s ≤ t − K² then ``H(t − s)`` is C log(T) K sqrt(t − s), concave in s. Consider a start
  between two others, all at least K² rounds old, whose p is not below the straight line between the other two. Its
  ``p + H`` is not below the smaller ``p + H`` of the other two, now and at all later times: if it exceeds H, so does
  one of the two. If this is the later one, the answer is only later; the earlier one must be in the same layers, so
  chords do not cross the first round of a layer.

The old starts that remain are the increasing part of a convex minorant of the pair's walk, one for each layer. The
number of edges of the minorant of n exchangeable steps is distributed as the number of cycles of a random permutation
of n: ln n on average. For a pair that has scored 3 · 10⁶ times that is 15, and the probability of more than 64 is below
10⁻¹⁹. ``_CORNERS`` is the number of old starts kept for each pair. If it is ever too small, the oldest start is lost,
``course[0].lost`` counts it, and the run fails with ``all_starts_kept``. Starts less than K² rounds old are kept in a
queue of K² places, since a round has at most one.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.arrays import Flags, Ints, Record, record
from duelbench.compiling.jit import kernel

NEVER = 2**62
"""A round after the last round of any run."""
LAYERS = 64
"""One for the episode, and one for every length up to 2⁶³."""


class Replays(NamedTuple):
    """The stack of layers, with the episode at place 0. ``start``, ``end``: the first and last round of each layer;
    ``arms``: the ``size`` arms that it trusts, in increasing order; ``trusts``: the same arms as flags.

    ``course[0]``: the ``depth`` of the stack, 0 before there is an episode; the round of the ``next`` replay, 0 if it
    is still to be drawn, and its ``length``.
    """

    horizon: int
    levels: int
    start: Ints
    end: Ints
    arms: Ints
    size: Ints
    trusts: Flags
    course: Record


def new_replays(arms: int, horizon: int) -> Replays:
    """Return the stack before the first episode; replays have lengths 2, 4, … up to 2^⌈log₂ T⌉."""
    return Replays(
        horizon,
        (horizon - 1).bit_length(),
        np.zeros(LAYERS, np.int64),
        np.zeros(LAYERS, np.int64),
        np.zeros((LAYERS, arms), np.int64),
        np.zeros(LAYERS, np.int64),
        np.zeros((LAYERS, arms), np.bool_),
        record(depth=0, next=0, length=0),
    )


@kernel
def push(replays: Replays, start: int, end: int) -> None:
    """Put a layer that trusts all arms on top of the stack."""
    course = replays.course[0]
    place = course.depth
    course.depth += 1
    replays.start[place] = start
    replays.end[place] = end
    for arm in range(replays.arms.shape[1]):
        replays.arms[place, arm] = arm
        replays.trusts[place, arm] = True
    replays.size[place] = replays.arms.shape[1]


@kernel(inline=False)
def begin_episode(replays: Replays, t: int) -> None:
    """Forget all layers, and begin an episode in round t. If a run counts votes, it may go on after the horizon."""
    replays.course[0].depth = 0
    replays.course[0].next = 0
    push(replays, t, NEVER)


@kernel(inline=False)
def _some_replay(levels: int, age: int) -> float:
    """Return the probability that a round ``age`` ≥ 1 rounds after the first of its episode has a replay."""
    none, length = 1.0, 1
    for _ in range(levels):
        length *= 2
        none *= 1.0 - 1.0 / math.sqrt(float(length) * age)
    return 1.0 - none


@kernel(inline=False)
def _longest_replay(levels: int, age: int, rng: np.random.Generator) -> int:
    """Draw the length of the longest replay in a round of this age that has a replay."""
    left = rng.random() * _some_replay(levels, age)
    longer_none, length = 1.0, 1
    for _ in range(levels):
        length *= 2
    while length > 2:
        chance = 1.0 / math.sqrt(float(length) * age)
        left -= longer_none * chance
        if left < 0.0:
            return length
        longer_none *= 1.0 - chance
        length //= 2
    return 2


@kernel(inline=False)
def draw_next(replays: Replays, t: int, rng: np.random.Generator) -> None:
    """Draw the first round from t on in which a replay begins, and the length of this replay."""
    course, episode = replays.course[0], replays.start[0]
    age = t - episode
    while True:
        most = _some_replay(replays.levels, age)
        age += rng.geometric(most) - 1
        if episode + age > replays.horizon:
            course.next = NEVER
            return
        if rng.random() * most < _some_replay(replays.levels, age):
            course.next = episode + age
            course.length = _longest_replay(replays.levels, age, rng)
            return
        age += 1


@kernel
def move_to(replays: Replays, t: int, rng: np.random.Generator) -> None:
    """Move to round t of the episode: remove finished layers from the stack, and push a replay that begins now."""
    course = replays.course[0]
    if t == replays.start[0]:
        return
    while course.depth > 1 and replays.end[course.depth - 1] < t:
        course.depth -= 1
    if course.next < t:
        draw_next(replays, t, rng)
    if course.next == t:
        end = min(t + course.length, replays.horizon)
        while course.depth > 1 and replays.end[course.depth - 1] <= end:
            course.depth -= 1
        push(replays, t, end)


@kernel
def _first_round_trusted(replays: Replays, arm: int) -> int:
    """Return the first round of the lowest layer that trusts an arm, ``NEVER`` if none does.

    No layer needs what happened to the arm before: the layers below have lost their trust in it for good.
    """
    for place in range(replays.course[0].depth):
        if replays.trusts[place, arm]:
            return replays.start[place]  # type: ignore[no-any-return]
    return NEVER


@kernel
def begins_within(replays: Replays, after: int, until: int) -> bool:
    """Return whether a layer begins later than in round ``after`` and no later than in round ``until``."""
    found = False
    for place in range(replays.course[0].depth):
        found |= after < replays.start[place] <= until
    return found


@kernel(inline=False)
def _distrust(replays: Replays, arm: int, since: int) -> None:
    """Remove an arm that is bad from round ``since`` on from all layers that began no later."""
    for place in range(replays.course[0].depth):
        if replays.start[place] <= since and replays.trusts[place, arm]:
            replays.trusts[place, arm] = False
            arms, size = replays.arms[place], 0
            for k in range(replays.size[place]):
                if arms[k] != arm:
                    arms[size] = arms[k]
                    size += 1
            replays.size[place] = size


_CORNERS = 64
"""The largest number of old starts of a pair."""


class Scores(NamedTuple):
    """What ordered pairs have scored in the episode, and from which rounds on.

    ``scale``: C log(T) K. ``scored[a', a]``: the sum of |A|². ``old_round``, ``old_scored``: (K, K, CORNERS) the old
    starts in order, each with what had been scored before; ``old[a', a]``: how many there are.

    Young starts form a queue: start n is at place n modulo K². ``round``, ``before``: its round, and what had been
    scored before. ``pair``: a' K + a, −1 if the start is forgotten. ``older``, ``newer``: the places of the next older
    and the next newer start of the same pair, −1 if there is none. ``eldest[pair]``, ``youngest[pair]``: the ends of
    this list. ``course[0]``: the numbers of the ``first`` start in the queue and of the ``next`` to come; ``lost``: the
    number of old starts for which there was no place; ``arm``, ``since``: when the round after ``since`` is over, the
    arm will be bad from ``since`` on; ``since`` is 0 if there is no such arm.
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


def new_scores(arms: int, scale: float, corners: int = _CORNERS) -> Scores:
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
    """Raise ArithmeticError if an old start was lost: from then on the run may differ from the paper's algorithm."""
    lost = int(scores.course[0].lost)
    if lost:
        room = scores.old_round.shape[2]
        raise ArithmeticError(f"{lost:,} starts found no place among the {room} of their pair: increase CORNERS")


@kernel(inline=False)
def forget_scores(scores: Scores) -> None:
    """Forget all scores and starts."""
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
def _height(start: int, before: int) -> int:
    """Return 2p − 1 for a start."""
    return 2 * before - start


@kernel
def _above_chord(rounds: Ints, scored: Ints, k: int, start: int, before: int) -> bool:
    """Return whether old start k is not below the straight line from start k − 1 to a later start."""
    left, low = rounds[k - 1], _height(rounds[k - 1], scored[k - 1])
    rise = _height(rounds[k], scored[k]) - low
    whole: bool = rise * (start - left) >= (_height(start, before) - low) * (rounds[k] - left)
    return whole


@kernel
def _add_corner(scores: Scores, replays: Replays, i: int, j: int, count: int, start: int, before: int) -> int:
    """Append a start to ``count`` old ones, after dropping those that are now above a chord; return their number."""
    rounds, scored = scores.old_round[i, j], scores.old_scored[i, j]
    while (
        count >= 2
        and _above_chord(rounds, scored, count - 1, start, before)
        and not begins_within(replays, rounds[count - 2], rounds[count - 1])
    ):
        count -= 1
    if count < rounds.shape[0]:
        rounds[count] = start
        scored[count] = before
    return count + 1


@kernel(inline=False)
def _grow_old(scores: Scores, replays: Replays, i: int, j: int, start: int, before: int) -> None:
    """Add a start to the old ones of its pair."""
    rounds, scored = scores.old_round[i, j], scores.old_scored[i, j]
    trusted = _first_round_trusted(replays, j)
    if start < trusted:
        return
    count = _add_corner(scores, replays, i, j, scores.old[i, j], start, before)
    if count > rounds.shape[0]:  # layers may have ended, and arms lost trust: check all again
        count = 0
        for k in range(rounds.shape[0]):
            if rounds[k] >= trusted:
                count = _add_corner(scores, replays, i, j, count, rounds[k], scored[k])
        count = _add_corner(scores, replays, i, j, count, start, before)
        if count > rounds.shape[0]:
            scores.course[0].lost += 1  # the run will fail: see ``all_starts_kept``
            for k in range(rounds.shape[0] - 1):
                rounds[k] = rounds[k + 1]
                scored[k] = scored[k + 1]
            count = _add_corner(scores, replays, i, j, rounds.shape[0] - 1, start, before)
    scores.old[i, j] = count


@kernel
def age(scores: Scores, replays: Replays, t: int) -> None:
    """Move the starts that are K² rounds old in round t from the queue to the old ones."""
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
            _grow_old(scores, replays, pair // arms, pair % arms, scores.round[place], scores.before[place])


@kernel
def _exceeds(scores: Scores, t: int, scored: int, start: int) -> bool:
    """Return whether the sum from a start to round t exceeds H."""
    room = scores.round.shape[0]
    return scored - 0.5 * (t - start + 1) > scores.scale * math.sqrt(max(t - start, room))


@kernel
def _bad_since(scores: Scores, i: int, j: int, t: int, weight: int, trusted: int) -> int:
    """Return the latest start from ``trusted`` on since which j is bad if i scores ``weight`` in round t; 0 if none."""
    if _exceeds(scores, t, weight, t - 1):
        scores.course[0].arm = j
        scores.course[0].since = t
        return t - 1  # it does not matter if nobody trusted it then
    now, pair = scores.scored[i, j] + weight, i * scores.scored.shape[0] + j
    eldest = scores.eldest[pair]
    if eldest >= 0 and _exceeds(scores, t, now - scores.before[eldest], scores.round[eldest]):  # else no young one does
        place = scores.youngest[pair]
        while place >= 0 and scores.round[place] >= trusted:
            if _exceeds(scores, t, now - scores.before[place], scores.round[place]):
                return scores.round[place]  # type: ignore[no-any-return]
            place = scores.older[place]
    rounds, scored = scores.old_round[i, j], scores.old_scored[i, j]
    for k in range(scores.old[i, j] - 1, -1, -1):
        if rounds[k] < trusted:
            break
        if _exceeds(scores, t, now - scored[k], rounds[k]):
            return rounds[k]  # type: ignore[no-any-return]
    return 0


@kernel
def _add_start(scores: Scores, i: int, j: int, t: int) -> None:
    """Add round t as a start of the pair, and forget earlier starts that are not below it."""
    course, room, pair = scores.course[0], scores.round.shape[0], i * scores.scored.shape[0] + j
    before = scores.scored[i, j]
    new = _height(t, before)
    place = scores.youngest[pair]
    while place >= 0 and _height(scores.round[place], scores.before[place]) >= new:
        scores.pair[place] = -1
        place = scores.older[place]
    if place < 0:
        rounds, scored = scores.old_round[i, j], scores.old_scored[i, j]
        old = scores.old[i, j]
        while old > 0 and _height(rounds[old - 1], scored[old - 1]) >= new:
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
    """Remove the arm that became bad with the end of round ``over`` or before, if any, from the layers."""
    course = scores.course[0]
    if 0 < course.since < over:
        _distrust(replays, course.arm, course.since)
        course.since = 0


@kernel
def score(scores: Scores, replays: Replays, i: int, j: int, t: int, weight: int) -> None:
    """Record that i, the first arm, has beaten j in round t; remove j from the layers in which it is bad."""
    age(scores, replays, t)
    trusted = _first_round_trusted(replays, j)
    if trusted <= t:
        since = _bad_since(scores, i, j, t, weight, trusted)
        _add_start(scores, i, j, t)
        if since > 0:
            _distrust(replays, j, since)
    scores.scored[i, j] += weight
