"""The requested content of a table, checked against the results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from duelbench.errors import UserError, did_you_mean
from duelbench.results.reader import Results
from duelbench.spec.figure_options import Entry, shown

Show = Literal["regret", "right", "simple", "tau", "votes"]


@dataclass(frozen=True)
class Asked:
    """The requested content of a table.

    ``show``: the regret, the share of runs that are ``right``, the ``simple`` regret, the Kendall ``tau`` distance, or
    the votes.
    ``kind``: the kind of regret. ``datasets`` and ``algorithms`` are labels.
    """

    show: Show
    kind: str
    rounds: tuple[int, ...]
    datasets: tuple[str, ...]
    algorithms: tuple[str, ...]

    @property
    def sign(self) -> int:
        """1 if smaller numbers are better, else -1."""
        return -1 if self.show == "right" else 1


def ask(
    results: Results,
    *,
    show: Show = "regret",
    kind: str | None = None,
    rounds: Sequence[int] = (),
    datasets: Sequence[str] = (),
    algorithms: Sequence[str] = (),
) -> Asked:
    """Return the requested content. Defaults: the spec's first regret, the horizon, all datasets and all algorithms.

    Raises UserError when the results do not have it.
    """
    source = str(results.directory)
    if show != "regret" and results.spec.recommend == "none":
        raise UserError(
            f"--show {show} needs recommended arms, which these runs did not record: add a 'budget', or "
            "'recommend: own', to the spec and run again",
            source=source,
        )
    if show == "tau" and not results.spec.finds_order:
        raise UserError("--show tau needs an order: add 'find: ranking' to the spec and run again", source=source)
    kinds = results.spec.regret
    if kind is not None and kind not in kinds:
        raise UserError(
            f"the runs recorded {', '.join(kinds)} regret, not {kind!r}{did_you_mean(kind, kinds)}: "
            "choose one of these, or add it to the spec's `regret` and run again",
            source=source,
        )
    for t in rounds:
        if t not in results.checkpoints:
            counted = "votes" if results.spec.count == "votes" else "t"
            nearest = min(results.checkpoints, key=lambda each: abs(each - t))
            raise UserError(
                f"nothing was recorded at {counted} = {t:,}: the nearest checkpoint is {nearest:,}", source=source
            )
    return Asked(
        show,
        kind or kinds[0],
        tuple(dict.fromkeys(rounds)) or (max(results.spec.horizons),),
        _labels(datasets, results.spec.datasets, "dataset", source),
        _labels(algorithms, results.spec.algorithms, "algorithm", source),
    )


def _labels(named: Sequence[str], entries: Sequence[Entry], what: str, source: str) -> tuple[str, ...]:
    try:
        return tuple(each.label for each in shown(named or None, entries))
    except KeyError as missing:
        (name,) = missing.args
        known = [each.label for each in entries]
        near = did_you_mean(name, known) or f": choose among {', '.join(known)}"
        raise UserError(f"the results have no {what} {name!r}{near}", source=source) from None
