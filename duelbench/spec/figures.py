"""The entries under ``figures:``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, Protocol, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from duelbench.spec.validation import mistake
from duelbench.spec.values import BoundName, DirectoryName, Horizon, RegretKind, Title, distinct

Scale = Literal["log", "linear"]
Share = Annotated[float, Field(strict=True, gt=0, lt=1)]
Inches = Annotated[float, Field(strict=True, ge=1, le=40)]
Labels = Annotated[tuple[str, ...], AfterValidator(distinct)]
Legend = Literal["below", "right", "inside", "ends", "none"]
Band = Literal["sem", "std", "quantiles", "none"]


class _Figure(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    regret: RegretKind | None = Field(None, description="The regret shown. Default: the first of the spec.")
    title: Title | None = Field(None, description="Printed above the figure. Default: none.")
    file: DirectoryName | None = Field(None, description="The file's name without suffix. Default: by kind and scales.")
    datasets: Labels | None = Field(
        None,
        min_length=1,
        description="Labels of the datasets to show; that of a grid is all its points. Default: all.",
    )
    algorithms: Labels | None = Field(
        None,
        min_length=1,
        description="Labels of the algorithms to show; that of a grid is all its points. Default: all.",
    )
    size: Literal["column", "page"] | None = Field(
        None,
        description="As wide as a column of a paper, 3.5 inches, or its page, 7. Default: by the number of panels.",
    )
    width: Inches | None = Field(None, description="The width in inches, in place of `size`.")
    height: Inches | None = Field(None, description="The height in inches. Default: by what there is to see.")
    xlabel: Title | None = Field(None, description="What the horizontal axes say. Default: what they show.")
    ylabel: Title | None = Field(None, description="What the vertical axes say. Default: what they show.")
    legend: Legend | None = Field(
        None,
        description="Where curves are named: below or right of the panels, inside the first one, at their ends, or not "
        "at all. Default: below, and of more than 8 at their ends.",
    )

    @model_validator(mode="after")
    def _one_width(self) -> Self:
        if self.size is not None and self.width is not None:
            raise mistake("'size' and 'width' are both given: keep one of the two", "size")
        return self


class RegretFigure(_Figure):
    """Mean cumulative regret against t: one panel per dataset, one curve per algorithm."""

    kind: Literal["regret"] = Field(description="Curves of the mean cumulative regret.")
    x: Scale = Field("log", description="Scale of t.")
    y: Literal["linear", "log"] = Field("linear", description="Scale of the regret.")
    band: Band = Field(
        "sem",
        description="Around the mean: its standard error, the standard deviation, quantiles of the runs, or nothing.",
    )
    bounds: Annotated[tuple[BoundName, ...], AfterValidator(distinct)] = Field(
        (),
        description="Lines of constant · log t: LB, what any algorithm pays, and ECWB, what ECW-RMED pays, of copeland "
        "regret; RMED, what any algorithm pays, of condorcet regret.",
    )


class StdFigure(_Figure):
    """Standard deviation of the regret over runs: one panel per dataset, one bar per algorithm."""

    kind: Literal["std"] = Field(description="Bars of the regret's standard deviation over runs.")
    at: Horizon | None = Field(None, description="The round t at which it is taken. Default: the largest horizon.")
    normalize_by: str | None = Field(
        None, description="The label of an algorithm: bars are percentages of its mean regret."
    )


class ScalingFigure(_Figure):
    """A number against what varies in a grid: the arms, the delay, or a parameter of the datasets or the algorithms."""

    kind: Literal["scaling"] = Field(description="Curves of one number per run against a parameter.")
    against: str = Field(
        "arms",
        description="The number of arms K, the delay of outcomes, a number among the parameters of the datasets, such "
        "as gap, or one of which an algorithm has a list, such as alpha.",
    )
    show: Literal["regret", "duels", "errors", "votes", "votes_to_right"] = Field(
        "regret",
        description="The regret at `at`, the duels until a winner was declared, the share of those that are wrong, the "
        "votes asked for by `at`, or the votes from which on the share `at` of runs names a best arm. `measure` is "
        "another word for it.",
    )
    at: Horizon | Share | None = Field(
        None,
        description="The round t at which it is taken, by default the largest horizon; of votes_to_right the share of "
        "runs, by default 0.95.",
    )
    x: Scale = Field("log", description="Scale of what is on the horizontal axis.")
    y: Literal["linear", "log"] = Field("log", description="Scale of what is shown.")

    @model_validator(mode="before")
    @classmethod
    def _measure(cls, written: Any) -> Any:
        if isinstance(written, dict) and "measure" in written and "show" not in written:
            return {"show" if key == "measure" else key: value for key, value in written.items()}
        return written

    @property
    def round(self) -> int | None:
        """The round at which it is taken, where that is said."""
        return self.at if isinstance(self.at, int) else None

    @property
    def share(self) -> float:
        """The share of runs that votes_to_right waits for."""
        return 0.95 if self.at is None else float(self.at)


class IdentificationFigure(_Figure):
    """How surely the best arm is named: one panel per dataset, or a table; needs a budget, or `recommend`."""

    kind: Literal["identification"] = Field(description="The arms that are recommended, against votes.")
    show: Literal["right", "simple", "errors", "table"] = Field(
        "right",
        description="Curves of the share of runs whose arm has no regret, or of its simple regret; bars of the "
        "share of runs that are wrong at `at`; or a table of the share that is right after each of the horizons, "
        "darker where it is larger, algorithms in the order of their mean.",
    )
    at: Horizon | None = Field(None, description="The number of votes of the bars. Default: the budget.")
    x: Scale = Field("log", description="Scale of the votes.")
    y: Literal["linear", "log"] = Field("linear", description="Scale of what is shown.")


class RanksFigure(_Figure):
    """Mean ranks of the algorithms over the datasets, and which of them are not told apart: one axis."""

    kind: Literal["ranks"] = Field(description="Mean ranks over datasets, with Nemenyi's critical difference.")
    at: Horizon | None = Field(None, description="The round t at which they are ranked. Default: the largest horizon.")


class _Labelled(Protocol):
    @property
    def label(self) -> str: ...
    @property
    def grid(self) -> str | None: ...


Entry = TypeVar("Entry", bound=_Labelled)


def shown(named: Sequence[str] | None, entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries that a figure names, in its order; that of a grid is all its points, and None is everything.

    Raises KeyError with a name that none has.
    """
    if named is None:
        return list(entries)
    found: dict[str, Entry] = {}
    for name in named:
        these = [each for each in entries if each.label == name] or [each for each in entries if each.grid == name]
        if not these:
            raise KeyError(name)
        found |= {each.label: each for each in these}
    return [*found.values()]


Figure = Annotated[
    RegretFigure | StdFigure | ScalingFigure | IdentificationFigure | RanksFigure, Field(discriminator="kind")
]
DEFAULT_FIGURES: tuple[Figure, ...] = (RegretFigure(kind="regret"), RegretFigure(kind="regret", y="log"))
FIGURES_OF_A_BUDGET: tuple[Figure, ...] = (IdentificationFigure(kind="identification"), RegretFigure(kind="regret"))
