"""The protocol of algorithms: parameters, a state, and two kernels.

    select(state, t, last, rng) -> (first, second, count)   # 1 ≤ count ≤ last − t + 1
    update(state, first, second, wins, count)

``select`` asks for ``count`` duels of ``first`` against ``second``, and ``update`` receives how many of them ``first``
won. An algorithm that takes ties (``takes_ties``) has ``update(state, first, second, wins, ties, count)``; for others
each tie is decided by a coin or, if the user asks for it, dropped. ``t`` is the next round, from 1. ``last`` is the
last round that the answer may reach, before the preferences change for instance; it says nothing about checkpoints or
the end of the run. Most algorithms answer count = 1. An algorithm that knows that its next choices are the same
self-duel may answer a larger count: a *hold*. In each of its rounds the regret must have the same distribution as if
the algorithm answered round by round. For a self-duel ``wins`` is 0 and carries no information: an algorithm that
learns from self-duels tosses its own coin. Outcomes arrive in order, but with delayed feedback not before the next
``select``: what depends on t or on having played a round belongs in ``select``, what is learned belongs in ``update``.
"""

import json
from abc import abstractmethod
from collections import namedtuple
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from duelbench.arrays import Flags, Ints, Tiers
from duelbench.compiling.imports import Helper, code_and_values
from duelbench.compiling.jit import is_compiled
from duelbench.parameters import ParameterModel

Declared = int | Tiers | None
"""A winner, tiers, or None: there is no winner."""


class Algorithm(ParameterModel):
    """The base class of algorithms: fields are parameters, class attributes describe the algorithm.

    A subclass sets ``name``, ``State``, ``select`` and ``update`` and defines ``start``. The first line of its
    docstring is the line that ``duelbench list algorithms`` shows. Functions made with ``duelbench.kernel`` run in the
    compiled engine, plain functions in the interpreted one.

    Examples
    --------
    In a file ``mine.py``, an algorithm that duels every arm in turn against the arm with the highest share of wins::

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
    title: ClassVar[str]
    """What figures and tables call it; by default its name."""
    version: ClassVar[int] = 1
    """Raise it when an edit is meant to change runs; ``make fingerprints`` detects such edits."""

    citation: ClassVar[str] = ""
    assumes: ClassVar[str] = "nothing"
    """The assumptions of the guarantee: "nothing", "Condorcet winner", "total order, SST, STI"."""
    regret_order: ClassVar[str] = ""
    uses_horizon: ClassVar[bool] = False
    """Whether its choices depend on the horizon, so that each horizon needs a separate run."""

    supports_delay: ClassVar[bool] = True
    """Whether it accepts late outcomes. A batched algorithm waits for the outcomes of its batch instead."""

    learns_off_policy: ClassVar[bool] = False
    """Whether ``update`` accepts duels of any pair at any time, in any order, whether ``select`` asked for them or not:
    only the counts of outcomes matter. Sessions can then import votes, keep several duels open at once, and add or
    withdraw arms."""

    ends_blocks_at_checkpoints: ClassVar[bool] = False
    """Whether ``last`` is at most the next checkpoint: for blocks of several pairs, in which the order of the duels is
    not known. The draws of a run then depend on the checkpoints, although their distribution does not."""

    takes_ties: ClassVar[bool] = False
    """Whether it takes ties as a third outcome: it then has ``update(state, first, second, wins, ties, count)``."""

    in_order: ClassVar[bool] = False
    """Whether it visits arms or pairs in the order of their numbers by definition, so that labels affect its regret."""

    finds_order: ClassVar[bool] = False
    """Whether it looks for the order of the arms, or tiers of them, rather than for the best arm."""

    declares_tiers: ClassVar[bool] = False
    """Whether it declares tiers of arms, such as an order or the top k, instead of one winner."""

    may_declare_no_winner: ClassVar[bool] = False
    """Whether it may declare that no Condorcet winner exists; an arm that it declares must then be that winner."""

    source_text: ClassVar[str] = ""
    """The text of the user's file that defines it; empty for algorithms of duelbench."""

    helpers: ClassVar[Mapping[str, Helper]] = {}
    """The modules that the user's file imports from its folder, by name."""

    State: ClassVar[type]
    select: ClassVar[Any]
    update: ClassVar[Any]

    def __init_subclass__(cls, **keywords: Any) -> None:
        """Give an algorithm without a title its own name, not the title of the algorithm that it derives from."""
        super().__init_subclass__(**keywords)
        if "name" in vars(cls) and "title" not in vars(cls):
            cls.title = cls.name

    @abstractmethod
    def start(self, arms: int, horizon: int) -> Any:
        """Return a new state.

        Parameters
        ----------
        arms : int
            The number of arms, K ≥ 2.
        horizon : int
            The number of rounds to come.

        Returns
        -------
        State
            A NamedTuple of arrays and numbers for kernels; anything for plain Python.
        """

    @classmethod
    def receive(cls, state: Any, first: int, second: int, wins: int, count: int) -> None:
        """Call ``update`` with decided duels, whether the algorithm takes ties or not."""
        if cls.takes_ties:
            cls.update(state, first, second, wins, 0, count)
        else:
            cls.update(state, first, second, wins, count)

    def merge_equal_self_duels(self, state: Any, equal: Flags) -> None:
        """Receive, before the first round, which arms have self-duels of equal cost.

        The simulation calls this for arms whose self-duels cost the same in every kind of regret it records. Within a
        hold an algorithm may then answer with a self-duel of any of them. By default nothing happens.

        Parameters
        ----------
        state : State
            The state, which may be changed.
        equal : ndarray of bool, shape (K, K)
            Symmetric.
        """

    def hold_shares(self, state: Any) -> Ints | None:
        """Return the array of the state in which ``select`` divides a hold among several arms.

        In a shared hold each round is a self-duel of a random arm, and all orders of these rounds are equally likely
        given how many each arm has. ``select`` puts these numbers, whose sum is ``count``, into the row ``WHOLE`` of
        the array (``kernels.blocks``). The engine counts them, and sets the row to 0 after the hold. By default no hold
        is shared.
        """
        return None

    def declaration(self, state: Any) -> tuple[Declared, int] | None:
        """Return what is declared and when it was declared.

        After the last round the simulation asks an algorithm that has declared nothing, and does not use the horizon,
        for one more duel: so a conclusion that it draws from its last outcome still counts.

        Returns
        -------
        (int or None or Tiers, int) or None
            The winner, or the tiers of an algorithm that ``declares_tiers``, and the number of rounds before the
            declaration. None in place of the winner declares that no Condorcet winner exists. None as long as nothing
            is declared.
        """
        return None

    def ranking(self, state: Any) -> Tiers | None:
        """Return the arms, best first, in the order that the algorithm would report now.

        It must change nothing and draw nothing. By default these are the declared tiers.

        Returns
        -------
        tuple of tuple of int, or None
            Every arm once; arms in the same tier are not ordered. None leaves the order to the outcomes so far.
        """
        answer = (self.declaration(state) or (None,))[0]
        return answer if isinstance(answer, tuple) else None

    def recommendation(self, state: Any) -> int | None:
        """Return the arm that the algorithm would name as the best now.

        It must change nothing and draw nothing, so that a run is the same with and without recommendations. By default
        it is the declared winner, or the first arm of the declared tiers.

        Returns
        -------
        int or None
            None leaves the choice to the Copeland scores of the outcomes so far.
        """
        declared = self.declaration(state)
        return None if declared is None else first_arm(declared[0])

    @classmethod
    def learn_part(cls, state: Any, first: int, second: int, wins: int, ties: int, count: int) -> None:
        """Learn the outcomes of the first ``count`` duels of a block that contains a checkpoint.

        The state is a copy, which only ``recommendation`` and ``ranking`` read.
        """
        update = getattr(cls.update, "plain", cls.update)
        update(state, first, second, wins, *((ties,) if cls.takes_ties else ()), count)

    def detections(self, state: Any) -> Sequence[int] | Ints:
        """Return the rounds after which the algorithm restarted because it detected a change.

        An algorithm that detects changes overrides this. The value 700 means that the outcome of round 700 triggered
        the detection and that the algorithm starts anew in round 701. The simulation asks once, after the run, so the
        state must remember the rounds.

        Returns
        -------
        sequence of int
            Increasing rounds.
        """
        return ()

    @classmethod
    def detects(cls) -> bool:
        """Return whether the algorithm detects changes."""
        return cls.detections is not Algorithm.detections

    @classmethod
    def declares(cls) -> bool:
        """Return whether the algorithm ever declares a winner."""
        return cls.declaration is not Algorithm.declaration

    @classmethod
    def all_text(cls) -> str:
        """Return a text that identifies its machine code; see ``code_and_values``."""
        return code_and_values(cls.__module__, cls.source_text, cls.helpers)

    @classmethod
    def compiled(cls) -> bool:
        """Return whether the engine compiles its loop around this algorithm."""
        return is_compiled(cls.select) and is_compiled(cls.update)


class Program(Algorithm):
    """The base class of programs: fields are parameters, class attributes describe the algorithm.

    A subclass sets ``name`` and ``explore``. It defines ``start`` if ``explore`` needs arrays, which a kernel cannot
    create, or numbers that are computed once.

    ``explore(world, state, rng)`` plays by calling ``duel(world, first, second, count)``. ``world.arms`` is the number
    of arms. Its own random choices come from ``rng``. It returns the arm that it declares; or, in a program that
    ``declares_tiers``, an array of all arms, best first; or ``no_winner(world, arm)``, to declare that there is no
    Condorcet winner and play this arm. The state must hold what ``recommendation`` reads; anything else may be in local
    variables.

    With ``takes_ties`` it may call ``duel_with_ties``, which returns the wins and the ties. With delayed outcomes
    ``duel`` repeats the pair until the outcomes have arrived; the outcomes of the further duels are not used.

    Examples
    --------
    In a file ``mine.py``, a tournament of matches::

        import numpy as np

        from duelbench import Program, duel, kernel


        @kernel
        def explore(world, state, rng):
            left = world.arms
            while left > 1:
                for k in range(left // 2):
                    a, b = state.standing[2 * k], state.standing[2 * k + 1]
                    wins = duel(world, a, b, state.duels)
                    state.standing[k] = a if 2 * wins >= state.duels else b
                if left % 2 == 1:
                    state.standing[left // 2] = state.standing[left - 1]
                left = (left + 1) // 2
            return state.standing[0]


        class Tournament(Program):
            '''A tournament of matches.'''

            name = "tournament"
            explore = explore
            duels: int = 15

            def start(self, arms, horizon):
                return self.state(standing=np.arange(arms))

    Then ``{name: mine.py:Tournament, duels: 25}`` is an entry of a spec.
    """

    explore: ClassVar[Any]

    def start(self, arms: int, horizon: int) -> Any:
        """Return a new state, by default the parameters that are numbers.

        Parameters
        ----------
        arms : int
            The number of arms, K ≥ 2.
        horizon : int
            The number of rounds to come.

        Returns
        -------
        State
            What ``self.state`` returns, or another NamedTuple of arrays and numbers; anything for plain Python.
        """
        return self.state()

    def state(self, **more: Any) -> Any:
        """Return a state with the parameters that are numbers, and ``more`` arrays and numbers.

        A parameter whose type is not ``bool``, ``int`` or ``float``, such as one that may be None, is not in it. The
        names must always be the same.
        """
        kind = type(self)
        fields = {
            name: getattr(self, name)
            for name, field in kind.model_fields.items()
            if field.annotation in (bool, int, float)
        }
        fields |= more
        state_class: Any = vars(kind).get("State")
        if state_class is None:
            make: Any = namedtuple
            state_class = make("State", fields)
            state_class.__module__, state_class.__qualname__ = kind.__module__, f"{kind.__qualname__}.State"
            kind.State = state_class
        return state_class(**fields)

    def sizes(self, arms: int) -> Sequence[int]:
        """Return the sizes of the declared tiers, best first; by default each arm is a tier."""
        return (1,) * arms

    def declared(self, order: Ints) -> Declared:
        """Return what is declared when ``explore`` returns all arms: by default, tiers of these ``sizes``."""
        return tuple(tuple(order[a:b].tolist()) for a, b in pairwise(accumulate(self.sizes(len(order)), initial=0)))

    def declaration(self, state: Any) -> tuple[Declared, int] | None:
        """Return nothing: what ``explore`` returns is the declaration."""
        return None

    @classmethod
    def learn_part(cls, state: Any, first: int, second: int, wins: int, ties: int, count: int) -> None:
        """Learn nothing: by default a program recommends from the blocks that have ended."""

    @classmethod
    def declares(cls) -> bool:
        """Return that programs declare a winner."""
        return True

    @classmethod
    def compiled(cls) -> bool:
        """Return whether the engine compiles its loop around this program."""
        return is_compiled(cls.explore)


def first_arm(answer: Declared) -> int | None:
    """Return the arm that a declaration names as the best: the winner, or the first arm of the first tier."""
    return answer[0][0] if isinstance(answer, tuple) else answer


def parameters_of(algorithm: Algorithm) -> dict[str, Any]:
    """Return the parameters of an algorithm, ready for JSON, as keys and random streams use them.

    Members of a set are sorted by their text, since the order of a set depends on the process.
    """
    ready: dict[str, Any] = _in_order(algorithm, algorithm.model_dump(mode="json"))
    return ready


def canonical(algorithm: Algorithm) -> Algorithm:
    """Return the algorithm rebuilt from its parameters as JSON, which is the algorithm that its keys describe.

    Raises
    ------
    ValueError
        If a parameter changes when it is written as JSON: it would change numbers without changing keys.
    """
    again = type(algorithm)(**json.loads(json.dumps(parameters_of(algorithm), sort_keys=True)))
    if again != algorithm:
        fields = [name for name in type(algorithm).model_fields if getattr(again, name) != getattr(algorithm, name)]
        raise ValueError(f"{', '.join(fields) or 'an attribute'} is not the same when it has been written as JSON")
    return again


def _in_order(value: Any, written: Any) -> Any:
    """Return ``written``, pydantic's form of ``value``, with the members of every set sorted."""
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
