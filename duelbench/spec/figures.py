"""The entries under ``figures:``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from duelbench.spec.values import BoundName, DirectoryName, Horizon, RegretKind, Title, distinct

Scale = Literal["log", "linear"]
Band = Literal["sem", "std", "quantiles", "none"]


class _Figure(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    regret: RegretKind | None = Field(None, description="The regret shown. Default: the first of the spec.")
    title: Title | None = Field(None, description="Printed above the figure. Default: none.")
    file: DirectoryName | None = Field(None, description="The file's name without suffix. Default: by kind and scales.")


class RegretFigure(_Figure):
    """Mean cumulative regret against t: one panel per dataset, one curve per algorithm."""

    kind: Literal["regret"] = Field(description="Curves of the mean cumulative regret.")
    x: Scale = Field("log", description="Scale of t.")
    y: Literal["linear", "log"] = Field("linear", description="Scale of the regret.")
    band: Band = Field(
        "sem",
        description="Around the mean: its standard error, the standard deviation, quantiles of the runs, or nothing.",
    )
    algorithms: tuple[str, ...] | None = Field(
        None, min_length=1, description="Labels of the curves to show. Default: all."
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
    """How an algorithm copes with more arms or later outcomes: one panel per grid of datasets, one curve each."""

    kind: Literal["scaling"] = Field(description="Curves of one number per run against the arms or the delay.")
    against: Literal["arms", "delay"] = Field("arms", description="The number of arms K, or the delay of outcomes.")
    show: Literal["regret", "duels", "errors"] = Field(
        "regret",
        description="The regret at `at`, the duels until a winner was declared, or the share of those that are wrong.",
    )
    at: Horizon | None = Field(None, description="The round t at which it is taken. Default: the largest horizon.")
    x: Scale = Field("log", description="Scale of the arms or the delay.")
    y: Literal["linear", "log"] = Field("log", description="Scale of what is shown.")
    algorithms: tuple[str, ...] | None = Field(
        None, min_length=1, description="Labels of the curves to show. Default: all."
    )


Figure = Annotated[RegretFigure | StdFigure | ScalingFigure, Field(discriminator="kind")]
DEFAULT_FIGURES: tuple[Figure, ...] = (RegretFigure(kind="regret"), RegretFigure(kind="regret", y="log"))
