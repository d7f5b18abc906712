"""What a table is asked to show, checked against what the results hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from duelbench.errors import UserError, did_you_mean
from duelbench.results.reader import Results
from duelbench.spec.figures import Entry, shown


@dataclass(frozen=True)
class Asked:
    """What is shown: the regret, the share of runs whose recommended arm is ``right``, its ``simple`` regret, or votes.

    ``kind``: of regret. ``rounds``, ``datasets`` and ``algorithms``: where, the latter by label.
    """

    show: Literal["regret", "right", "simple", "votes"]
    kind: str
    rounds: tuple[int, ...]
    datasets: tuple[str, ...]
    algorithms: tuple[str, ...]

    @property
    def sign(self) -> int:
        """1 where less is better, else -1."""
        return -1 if self.show == "right" else 1


def ask(
    results: Results,
    *,
    show: Literal["regret", "right", "simple", "votes"] = "regret",
    kind: str | None = None,
    rounds: Sequence[int] = (),
    datasets: Sequence[str] = (),
    algorithms: Sequence[str] = (),
) -> Asked:
    """Return what is asked for; of what is not said it is the spec's first regret, the horizon and everything.

    Raises UserError when the results do not hold it.
    """
    source = str(results.directory)
    if show != "regret" and results.spec.recommend == "none":
        raise UserError(
            f"--show {show} is of the arms that are recommended, and these runs recommend none: write a 'budget', or "
            "'recommend: own', in the spec and run again",
            source=source,
        )
    kinds = results.spec.regret
    if kind is not None and kind not in kinds:
        raise UserError(
            f"the runs recorded {', '.join(kinds)} regret, and not {kind!r}{did_you_mean(kind, kinds)}: "
            "choose among these, or add it to the spec's `regret` and run again",
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
        near = did_you_mean(name, known) or f": there is {', '.join(known)}"
        raise UserError(f"there is no {what} {name!r} in it{near}", source=source) from None
