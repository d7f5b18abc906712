"""Trial runs of the user's algorithms in a plan: their first rounds, interpreted and then compiled."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from duelbench.compiling.cache import cache_directory
from duelbench.errors import UserError
from duelbench.experiment.plan import Plan
from duelbench.experiment.series import Series
from duelbench.experiment.trial import rounds
from duelbench.experiment.trial.child import Child
from duelbench.experiment.trial.described import Described
from duelbench.results.identity import seed_of


def try_out(plan: Plan, announce: Callable[[str], None], *, compiled: bool = True) -> None:
    """Play the first rounds of every user's algorithm, with the fewest and with the most arms of the plan.

    Each is played as plain Python and, if ``compiled``, also compiled with bounds checks, each time in a separate
    process; both must give the same answers. An algorithm that has passed is not tried again until it changes.

    Raises UserError for the first mistake, with the line of the user's file if known.
    """
    seed, repeat = seed_of(plan.spec.seeds, plan.spec.seed, 0)
    said = set[str]()
    for series in _typical(plan.series):
        kind = series.algorithm.kind
        assert isinstance(kind, Described)
        mark = _mark(series, kind, compiled)
        if mark.exists():
            continue
        if series.algorithm.name not in said:
            said.add(series.algorithm.name)
            if compiled and not kind.kernels:
                announce(
                    f"note: {series.algorithm.name} runs as plain Python, a hundred times slower than compiled: "
                    "put @kernel before select and update"
                )
            announce(f"trying {series.algorithm.name} (not repeated until it changes)…")
        try_series(series, kind, seed, repeat, compiled)
        with contextlib.suppress(OSError):  # as on a full disk: the next command tries again
            mark.parent.mkdir(parents=True, exist_ok=True)
            mark.touch()


def _typical(series: Iterable[Series]) -> Iterator[Series]:
    """Yield, for each user's algorithm, the series with the fewest and the one with the most arms."""
    of: dict[str, list[Series]] = {}
    for each in series:
        if isinstance(each.algorithm.kind, Described):
            of.setdefault(each.algorithm.label, []).append(each)
    for same in of.values():
        by_arms = sorted(same, key=lambda each: each.dataset.dataset.arms)
        yield by_arms[0]
        if by_arms[-1].dataset.dataset.arms > by_arms[0].dataset.dataset.arms:
            yield by_arms[-1]


def try_series(series: Series, kind: Described, seed: int, repeat: int, compiled: bool = True) -> None:
    """Play the first rounds of a run of one series; see ``try_out``."""
    with Child() as child:
        plain = child.call(rounds.interpreted, series, seed, repeat, files=kind.texts)
    if not (compiled and kind.kernels):
        return
    with Child() as child:
        try:
            machine = child.call(rounds.compiled, series, seed, repeat, len(plain), files=kind.texts)
        except UserError as error:
            if error.line is None:
                error.line = rounds.line_of(kind, "select")
                error.message = f"{error.message.removesuffix(rounds.COMPILED_ONLY)}{rounds.COMPILED_ONLY}"
            raise
    if difference := rounds.first_difference(plain, machine):
        one, other = difference
        raise UserError(
            f"select answers {one} as plain Python but {other} compiled, at t = {one.t:,} with "
            f"{series.dataset.dataset.arms} arms: look for a global variable, a random number that does not come from "
            "rng, integers beyond 2⁶³ and a division by zero",
            source=str(kind.path),
            line=rounds.line_of(kind, "select"),
        )


def _mark(series: Series, kind: Described, compiled: bool) -> Path:
    """Return the file whose existence says that a series has passed."""
    how = "compiled" if compiled else "interpreted"
    return cache_directory(kind.all_text()) / f"{kind.class_name}-{series.digest[:16]}.tried-{how}"
