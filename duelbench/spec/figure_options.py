"""The entries under ``figures:``."""

import math
import re
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal, Protocol, Self, TypeVar, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from duelbench.spec.validation import mistake, show
from duelbench.spec.values import BoundName, DirectoryName, Horizon, RegretKind, Title, distinct

Scale = Literal["log", "linear"]
_Share = Annotated[float, Field(strict=True, gt=0, lt=1)]
_Inches = Annotated[float, Field(strict=True, ge=1, le=40)]
_Labels = Annotated[tuple[str, ...], AfterValidator(distinct)]
_Legend = Literal["below", "right", "inside", "ends", "none"]
Band = Literal["sem", "std", "quantiles", "none"]
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", "p", ">", "h")
"""Matplotlib's signs of the markers of curves."""


def _limits(written: object) -> object:
    match written:
        case [int() | float() as low, int() | float() as high] if low >= high:
            raise mistake(f"{{it}} must begin with the smaller number: write [{show(high)}, {show(low)}]")
        case [_, _]:
            return tuple(written)
    raise mistake(f"{{it}} must be two numbers, such as [100, null] (null: from the content), not {show(written)}")


def _colour(written: str) -> str:
    from matplotlib.colors import is_color_like, to_hex

    if not is_color_like(written):
        raise mistake(f"{{it}} must be a colour such as red, tab:blue or '#d9601a', not {show(written)}")
    return to_hex(written)


_Limit = Annotated[float, Field(allow_inf_nan=False)] | None
Limits = Annotated[tuple[_Limit, _Limit], BeforeValidator(_limits, json_schema_input_type=tuple[_Limit, _Limit])]
_LINE_STYLE = rf"(-|--|-\.|:)[{''.join(MARKERS)}]?"


def _line_style(written: str) -> str:
    if not re.fullmatch(_LINE_STYLE, written):
        signs = " ".join(MARKERS)
        raise mistake(
            f"{{it}} must be -, --, -. or :, optionally with one of {signs}, such as --o, not {show(written)}"
        )
    return written


_Style = Annotated[str, AfterValidator(_line_style)]


class Look(BaseModel):
    """What curves look like: keys of a figure of curves, and at the top of a spec."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    xlim: Limits | None = Field(
        None, description="Limits of the horizontal axes, such as [100, null]; null: from the content."
    )
    ylim: Limits | None = Field(None, description="Limits of the vertical axes, such as [0, 2000].")
    colors: dict[str, Annotated[str, AfterValidator(_colour)]] = Field(
        {},
        description="The colour of algorithms by label, such as {d-ts: red, rucb: '#2a1a8a'}. Default: each algorithm "
        "of duelbench has its own look, unless another one of the spec has it; variants of one share its hue.",
    )
    styles: dict[str, _Style] = Field(
        {},
        description="The line of algorithms by label, as in Matplotlib: -, --, -. or :, optionally with a marker "
        f"({' '.join(MARKERS)}), such as {{d-ts: --o, rucb: ':'}}.",
    )


class AnyFigure(BaseModel):
    """The options of all kinds of figures."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    regret: RegretKind | None = Field(None, description="The regret shown. Default: the first in the spec.")
    title: Title | None = Field(None, description="Printed above the figure. Default: none.")
    file: DirectoryName | None = Field(
        None, description="The file name without suffix. Default: from the kind and the scales."
    )
    datasets: _Labels | None = Field(
        None,
        min_length=1,
        description="Labels of the datasets to show; the label of a grid selects all its points. Default: all.",
    )
    algorithms: _Labels | None = Field(
        None,
        min_length=1,
        description="Labels of the algorithms to show; the label of a grid selects all its points. Default: all.",
    )
    size: Literal["column", "page"] | None = Field(
        None,
        description="The width: a column of a paper (3.5 inches) or its page (7 inches). Default: from the number of "
        "panels.",
    )
    width: _Inches | None = Field(None, description="The width in inches, instead of `size`.")
    height: _Inches | None = Field(None, description="The height in inches. Default: from the content.")
    xlabel: Title | None = Field(None, description="Label of the horizontal axes. Default: the quantity they show.")
    ylabel: Title | None = Field(None, description="Label of the vertical axes. Default: the quantity they show.")
    legend: _Legend | None = Field(
        None,
        description="Where curves are named: below or right of the panels, inside the first one, at the ends of the "
        "curves, or nowhere. Default: below; at the ends if one panel has more than 8 curves, unless these are tails "
        "or profiles, whose ends are close.",
    )
    caption: Title | None = Field(
        None, description="Text beside the legend; none: no text. Default: the statistic and the number of runs."
    )

    @model_validator(mode="after")
    def _one_width(self) -> Self:
        if self.size is not None and self.width is not None:
            raise mistake("'size' and 'width' are both given: keep one", "size")
        return self

    def captioned(self, caption: str) -> str:
        """Return the caption in the spec, else ``caption``."""
        return caption if self.caption is None else "" if self.caption == "none" else self.caption


class CurvesFigure(Look, AnyFigure):
    """The options of the kinds of figures that have curves."""

    x: Scale
    y: Scale

    @property
    def has_curves(self) -> bool:
        """Whether the figure shows curves."""
        return True

    @model_validator(mode="after")
    def _positive(self) -> Self:
        for name, scale, limits in (("xlim", self.x, self.xlim), ("ylim", self.y, self.ylim)):
            if scale == "log" and any(end is not None and end <= 0 for end in limits or ()):
                raise mistake(
                    f"{name!r} must be positive on a logarithmic axis: write null, or '{name[0]}: linear'", name
                )
        return self

    @property
    def span(self) -> tuple[float, float]:
        """The ends of ``xlim``, infinite where there are none."""
        low, high = self.xlim or (None, None)
        return -math.inf if low is None else low, math.inf if high is None else high


class RegretFigure(CurvesFigure):
    """Mean cumulative regret against t: one panel per dataset, one curve per algorithm."""

    kind: Literal["regret"] = Field(description="Curves of the mean cumulative regret.")
    x: Scale = Field("log", description="Scale of t.")
    y: Scale = Field("linear", description="Scale of the regret.")
    band: Band = Field(
        "sem",
        description="Around the mean: its standard error, the standard deviation, quantiles of the runs, or nothing.",
    )
    bounds: Annotated[tuple[BoundName, ...], AfterValidator(distinct)] = Field(
        (),
        description="Asymptotic bounds, drawn as constant · log t. For copeland regret: LB, the lower bound of all "
        "consistent algorithms, and ECWB, the regret of ECW-RMED; for condorcet regret: RMED, the lower bound.",
    )


class StdFigure(AnyFigure):
    """Standard deviation of the regret over runs: one panel per dataset, one bar per algorithm."""

    kind: Literal["std"] = Field(description="Bars of the regret's standard deviation over runs.")
    at: Horizon | None = Field(None, description="The round t shown. Default: the largest horizon.")
    normalize_by: str | None = Field(
        None, description="The label of an algorithm; bars are then percentages of its mean regret."
    )


class ScalingFigure(CurvesFigure):
    """A statistic against a grid parameter: the arms, the delay, or a parameter of the datasets or the algorithms."""

    kind: Literal["scaling"] = Field(description="Curves of a statistic of the runs against a parameter.")
    against: str = Field(
        "arms",
        description="The horizontal axis: the number of arms (arms), the delay of outcomes (delay), a numeric "
        "parameter of the datasets, such as gap, or a parameter that an algorithm has a list of, such as alpha.",
    )
    show: Literal["regret", "duels", "errors", "votes", "votes_to_right", "votes_to_tau"] = Field(
        "regret",
        description="The regret at `at`; the duels until a winner is declared; the share of declared winners that are "
        "wrong (errors); the votes by `at`; the votes after which the share `at` of runs is right (votes_to_right); or "
        "those after which the mean Kendall tau distance is at most `at` (votes_to_tau). `measure` is a synonym of "
        "this key.",
    )
    at: Horizon | _Share | None = Field(
        None,
        description="The round t shown, by default the largest horizon; for votes_to_right the share of runs, by "
        "default 0.95, and for votes_to_tau the distance, by default 0.05.",
    )
    x: Scale = Field("log", description="Scale of the horizontal axis.")
    y: Scale = Field("log", description="Scale of the vertical axis.")

    @model_validator(mode="before")
    @classmethod
    def _measure(cls, written: Any) -> Any:
        if isinstance(written, dict) and "measure" in written and "show" not in written:
            return {"show" if key == "measure" else key: value for key, value in written.items()}
        return written

    @property
    def round(self) -> int | None:
        """The round shown, None if the spec does not give it."""
        return self.at if isinstance(self.at, int) else None

    @property
    def share(self) -> float:
        """The share of runs that must be right, for votes_to_right; the largest distance, for votes_to_tau."""
        default = 0.95 if self.show == "votes_to_right" else 0.05
        return default if self.at is None else float(self.at)


class IdentificationFigure(CurvesFigure):
    """How reliably the goal is found: one panel per dataset, or a table; needs a budget, or `recommend`."""

    kind: Literal["identification"] = Field(description="The quality of the recommended arms, against votes.")
    show: Literal["right", "simple", "tau", "errors", "table"] = Field(
        "right",
        description="Curves of the share of runs that find a best arm, or what `find` says (right), of the simple "
        "regret (simple), or of the Kendall tau distance of the order, if that is the goal (tau); bars of the share of "
        "runs that are wrong at `at` (errors); or a table of the share of runs that are right after each horizon or, "
        "with `find: ranking`, of pairs in the right order, darker where it is larger, algorithms sorted by their mean "
        "(table).",
    )
    at: Horizon | None = Field(None, description="The number of votes at which bars are shown. Default: the budget.")
    x: Scale = Field("log", description="Scale of the votes.")
    y: Scale = Field("linear", description="Scale of the vertical axis.")

    @property
    def has_curves(self) -> bool:
        """Whether the figure shows curves, not bars or a table."""
        return self.show not in ("errors", "table")

    @model_validator(mode="after")
    def _of_curves(self) -> Self:
        if not self.has_curves:
            for name in Look.model_fields:
                if getattr(self, name):
                    raise mistake(f"{name!r} is for curves, and this figure has none: remove it", name)
        return self


class TailFigure(CurvesFigure):
    """The share of runs whose regret is larger than x, against x: how bad the worst runs are."""

    kind: Literal["tail"] = Field(description="The distribution of the regret over runs, from the files of the runs.")
    at: Horizon | None = Field(None, description="The round t shown. Default: the largest horizon.")
    x: Scale = Field("log", description="Scale of the regret.")
    y: Scale = Field("log", description="Scale of the share of runs.")


class ProfileFigure(CurvesFigure):
    """A performance profile: the share of datasets on which the regret is at most τ times the best, against τ."""

    kind: Literal["profile"] = Field(description="The share of datasets on which the regret is near the best.")
    at: Horizon | None = Field(None, description="The round t shown. Default: the largest horizon.")
    x: Scale = Field("log", description="Scale of the multiples τ of the best regret.")
    y: Scale = Field("linear", description="Scale of the share of datasets.")


class RanksFigure(AnyFigure):
    """Mean ranks over datasets on one axis; bars join algorithms without significant difference."""

    kind: Literal["ranks"] = Field(description="Mean ranks over datasets, with Nemenyi's critical difference.")
    at: Horizon | None = Field(None, description="The round t at which they are ranked. Default: the largest horizon.")


class _Labelled(Protocol):
    @property
    def label(self) -> str: ...
    @property
    def grid(self) -> str | None: ...


Entry = TypeVar("Entry", bound=_Labelled)


def shown(named: Sequence[str] | None, entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries that a figure names, in its order; the label of a grid selects its points, None all entries.

    The title of an entry of results does as well. Raises KeyError with a name that no entry and no grid has.
    """
    if named is None:
        return list(entries)
    selected: dict[str, Entry] = {}
    for name in named:
        matches = (
            [each for each in entries if each.label == name]
            or [each for each in entries if each.grid == name]
            or [each for each in entries if getattr(each, "title", None) == name]
        )
        if not matches:
            raise KeyError(name)
        selected |= {each.label: each for each in matches}
    return [*selected.values()]


Figure = Annotated[
    RegretFigure | StdFigure | ScalingFigure | IdentificationFigure | TailFigure | ProfileFigure | RanksFigure,
    Field(discriminator="kind"),
]
KINDS: tuple[type[AnyFigure], ...] = get_args(get_args(Figure)[0])


def distinct_figures(figures: Iterable[Figure]) -> tuple[Figure, ...]:
    """Return the figures, each of several equal ones once."""
    found: list[Figure] = []
    for figure in figures:
        if figure not in found:
            found.append(figure)
    return tuple(found)


DEFAULT_FIGURES: tuple[Figure, ...] = (RegretFigure(kind="regret"), RegretFigure(kind="regret", y="log"))
FIGURES_OF_A_BUDGET: tuple[Figure, ...] = (IdentificationFigure(kind="identification"), RegretFigure(kind="regret"))
