"""What an algorithm is: parameters, a state, and two kernels.

    select(state, t, last, rng) -> (first, second, count)   # 1 ≤ count ≤ last − t + 1
    update(state, first, second, wins, count)

"Duel first against second, count times, then tell me how many of them first won." ``t`` is the next round, from 1.
``last`` is the last round the answer may reach: the simulation looks at the regret there (or the run ends). Most
algorithms answer count = 1. One that is committed, or that can tell that its next choices are the same self-duel for
a while, says for how long: a *hold*. A hold must leave the distribution of the regret at ``last`` as it
would be round by round. For a self-duel ``wins`` is 0 and means nothing: an algorithm that learns from
self-duels tosses its own coin. Outcomes arrive in order, but where feedback is delayed not before the next ``select``:
what depends on t or on having played a round belongs into ``select``, what is learned into ``update``.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from duelbench.arrays import Flags, Ints
from duelbench.compiling.imports import Helper
from duelbench.compiling.jit import is_compiled
from duelbench.compiling.values import code_and_values, values_of
from duelbench.parameters import ParameterModel


class Algorithm(ParameterModel):
    """An algorithm: its fields are its parameters, its class attributes say what it is.

    A subclass sets ``name``, ``State``, ``select`` and ``update`` and defines ``start``. Its docstring's first line
    is what ``duelbench list algorithms`` shows. Functions made with ``duelbench.kernel`` run in the compiled engine,
    plain functions in the interpreted one.

    Examples
    --------
    In a file ``mine.py``, an algorithm that duels each arm against the one that has won most of its duels so far::

        from typing import NamedTuple

        import numpy as np

        from duelbench import Algorithm, kernel


        class Counts(NamedTuple):
            wins: np.ndarray
            duels: np.ndarray


        @kernel
        def select(state, t, last, rng):
            best = 0
            for arm in range(len(state.wins)):
                if state.wins[arm] * state.duels[best] > state.wins[best] * state.duels[arm]:
                    best = arm
            return best, (t - 1) % len(state.wins), 1


        @kernel
        def update(state, first, second, wins, count):
            state.duels[first] += count
            state.wins[first] += wins
            state.duels[second] += count
            state.wins[second] += count - wins


        class Challenge(Algorithm):
            '''Every arm in turn against the leader.'''

            name = "challenge"
            State = Counts
            select = select
            update = update

            def start(self, arms, horizon):
                return Counts(np.zeros(arms, np.int64), np.zeros(arms, np.int64))

    Then ``{name: mine.py:Challenge}`` is an entry of a spec, and ``simulate("mine.py:Challenge", P, horizon=1000)``
    plays it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    name: ClassVar[str]
    version: ClassVar[int] = 1
    """To be raised when a change is meant to change runs; ``make fingerprints`` notices changes."""

    citation: ClassVar[str] = ""
    assumes: ClassVar[str] = "nothing"
    """What the guarantee asks of the preference matrix: "nothing", "Condorcet winner", "total order, SST, STI"."""
    regret_order: ClassVar[str] = ""
    uses_horizon: ClassVar[bool] = False
    """Whether the horizon changes what it does, so that each horizon is a run of its own."""

    supports_delay: ClassVar[bool] = True
    """Whether it copes with outcomes that arrive late. A batched one waits for those of its batch."""

    learns_off_policy: ClassVar[bool] = False
    """Whether ``update`` takes any duels of any pair at any time, asked for or not, in any order, and ``select`` goes
    on as if it had asked for them: of outcomes only their counts matter. So votes from elsewhere can be told, several
    duels be open at once, and arms come and go in a session."""

    in_order: ClassVar[bool] = False
    """Whether it takes arms or pairs in the order of their numbers by definition, so that these change its regret."""

    may_declare_no_winner: ClassVar[bool] = False
    """Whether it may declare that there is no Condorcet winner: then an arm that it declares must be that winner."""

    source_text: ClassVar[str] = ""
    """The text of the file it comes from when that is not part of duelbench."""

    helpers: ClassVar[Mapping[str, Helper]] = {}
    """The modules that this file imports from its folder."""

    values: ClassVar[str] = ""
    """The digest of the constants that these modules held when they had been loaded, see ``values_digest``."""

    State: ClassVar[type]
    select: ClassVar[Any]
    update: ClassVar[Any]

    @abstractmethod
    def start(self, arms: int, horizon: int) -> Any:
        """Return a new state for ``arms`` ≥ 2 arms; ``horizon`` is the number of rounds to come."""

    def merge_equal_self_duels(self, state: Any, equal: Flags) -> None:
        """Hear, before the first round, which arms' self-duels nobody will tell apart: (K, K), symmetric.

        The simulation says so of arms whose self-duels cost the same in every regret it records. In a hold an algorithm
        may then answer a self-duel of one of them where it would play another. Most do not care.
        """

    def declaration(self, state: Any) -> tuple[int | None, int] | None:
        """Return the declared winner and the number of rounds before its declaration; None while there is none.

        None in the place of the winner declares that there is no Condorcet winner. After the last round an algorithm
        that has declared nothing, and does not use the horizon, is asked for its duels once more: what is certain with
        its last duel is declared in time.
        """
        return None

    def recommendation(self, state: Any) -> int | None:
        """Return the arm that the algorithm would name as the best now; None to leave it to the Copeland scores so far.

        This one has declared it. It must change nothing, and draw nothing: a run is the same whether it is asked.
        """
        declared = self.declaration(state)
        return None if declared is None else declared[0]

    def detections(self, state: Any) -> Sequence[int] | Ints:
        """Return the rounds after which it has begun anew, in increasing order, because it noticed a change.

        One that does so overrides this: 700 says that the outcome of round 700 made it notice, and that it asks anew in
        round 701. The simulation asks once, when the run is over, so the state remembers the rounds.
        """
        return ()

    @classmethod
    def detects(cls) -> bool:
        """Tell whether the algorithm looks for changes at all."""
        return cls.detections is not Algorithm.detections

    @classmethod
    def declares(cls) -> bool:
        """Tell whether the algorithm ever declares a winner."""
        return cls.declaration is not Algorithm.declaration

    @classmethod
    def values_now(cls) -> str:
        """Return the digest of the constants that these modules hold now; runs leave it as it was."""
        return values_of(cls.__module__, cls.helpers)

    @classmethod
    def all_text(cls) -> str:
        """Return a text that stands for its file, what it imports from its folder, and the constants there now."""
        return code_and_values(cls.__module__, cls.source_text, cls.helpers)

    @classmethod
    def compiled(cls) -> bool:
        """Tell whether the engine may compile its loop around this algorithm."""
        return is_compiled(cls.select) and is_compiled(cls.update)


def parameters_of(algorithm: Algorithm) -> dict[str, Any]:
    """Return the parameters of an algorithm, ready for JSON: keys and random streams are made of them.

    Those of a set come in the order of their text; a set's own depends on the process.
    """
    ready: dict[str, Any] = _in_order(algorithm, algorithm.model_dump(mode="json"))
    return ready


def as_its_key_says(algorithm: Algorithm) -> Algorithm:
    """Return the algorithm of these parameters as JSON has them: what is played is what the keys of runs say.

    Raises ValueError when that is another one: then a parameter, as one that is left out of JSON or has no order there,
    would change numbers and no key.
    """
    again = type(algorithm)(**json.loads(json.dumps(parameters_of(algorithm), sort_keys=True)))
    if again != algorithm:
        fields = [name for name in type(algorithm).model_fields if getattr(again, name) != getattr(algorithm, name)]
        raise ValueError(f"{', '.join(fields) or 'an attribute'} is not the same when it has been written as JSON")
    return again


def _in_order(value: Any, written: Any) -> Any:
    """Return what pydantic has ``written`` for a ``value``, with the members of every set in it sorted."""
    fields = dict(value) if isinstance(value, BaseModel) else value
    match fields, written:
        case dict(), dict() if len(fields) == len(written):
            pairs = zip(fields.values(), written.items(), strict=True)
            return {name: _in_order(each, plain) for each, (name, plain) in pairs}
        case set() | frozenset() | list() | tuple(), list() if len(fields) == len(written):
            members = [_in_order(each, plain) for each, plain in zip(fields, written, strict=True)]
            return sorted(members, key=_text) if isinstance(fields, set | frozenset) else members
    return written


def _text(member: Any) -> str:
    return json.dumps(member, sort_keys=True)
