"""The figures of a spec: the options that all kinds share, and the kinds themselves.

A kind is a class in a module of its own in ``duelbench.plots.kinds``, where it is found.
"""

import pkgutil
import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Annotated, Any, ClassVar, Literal, Self, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from duelbench.spec.titles import written_title
from duelbench.spec.validation import mistake, show
from duelbench.spec.values import DirectoryName, Horizon, RegretKind, Title, distinct, order_goal

Scale = Literal["log", "linear"]
_Inches = Annotated[float, Field(strict=True, ge=1, le=40)]
_Labels = Annotated[tuple[str, ...], AfterValidator(distinct)]
_Legend = Literal["below", "right", "inside", "ends", "none"]
_Text = Annotated[Title, AfterValidator(written_title)]
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", "p", ">", "h")
"""Matplotlib codes of the markers of curves."""


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
    """The look of curves: keys of a figure of curves, or of the whole spec."""

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


class FigureEntry(BaseModel):
    """A figure of a spec, with the options of all kinds.

    A subclass with a field ``kind`` is a kind of that name. It adds its own options and defines ``draw``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    _kinds: ClassVar[dict[str, type["FigureEntry"]]] = {}

    regret: RegretKind | None = Field(None, description="The regret shown. Default: the first in the spec.")
    title: _Text | None = Field(None, description="Printed above the figure. Default: none.")
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
    xlabel: _Text | None = Field(None, description="Label of the horizontal axes. Default: the quantity they show.")
    ylabel: _Text | None = Field(None, description="Label of the vertical axes. Default: the quantity they show.")
    legend: _Legend | None = Field(
        None,
        description="Where curves are named: below or right of the panels, inside the first one, at the ends of the "
        "curves, or nowhere. Default: below; at the ends if one panel has more than 8 curves, unless these are tails "
        "or profiles, whose ends are close.",
    )
    caption: _Text | None = Field(
        None, description="Text beside the legend; none: no text. Default: the statistic and the number of runs."
    )

    @model_validator(mode="after")
    def _one_width(self) -> Self:
        if self.size is not None and self.width is not None:
            raise mistake("'size' and 'width' are both given: keep one", "size")
        return self

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        if "kind" in cls.model_fields:
            cls._kinds[cls.kind_name()] = cls

    @classmethod
    def kind_name(cls) -> str:
        """Return the name of the kind."""
        return str(get_args(cls.model_fields["kind"].annotation)[0])

    @property
    def stem(self) -> str:
        """The default name of its file, without suffix."""
        return self.kind_name()

    def defaults(self, spec: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options derived from the spec, given its fields before ``figures``.

        Raises an error for an option that does not fit the spec.
        """
        kinds = spec["regret"]
        if self.regret not in (None, *kinds):
            raise mistake(f"the regret {self.regret!r} is not recorded: add it to the spec's 'regret'", "regret")
        return {"regret": self.regret or kinds[0]}

    def check(self, datasets: Sequence[Any], algorithms: Sequence[Any]) -> None:
        """Raise UserError, with the option as ``key``, if the figure cannot show these datasets and algorithms."""

    def draw(self, results: Any) -> Any:
        """Draw the results as a Matplotlib figure. Raises UserError if they lack something that it shows."""
        raise NotImplementedError

    def captioned(self, caption: str) -> str:
        """Return the caption in the spec, else ``caption``."""
        return caption if self.caption is None else "" if self.caption == "none" else self.caption


class RoundFigure(FigureEntry):
    """A figure that shows one round."""

    at: Horizon | None = Field(None, description="The round t shown. Default: the largest horizon.")

    def defaults(self, spec: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options derived from the spec, including the round."""
        last = spec["horizons"][-1]
        found = super().defaults(spec)
        if self.at is not None and self.at > last:
            raise mistake(f"{self.at} is beyond the horizon: write at most {last}", "at")
        return found | {"at": self.at or last}


def check_recommended(spec: Mapping[str, Any], *key: str) -> None:
    """Raise an error if the spec records no recommended arms; ``key`` is the option of the figure that shows them."""
    if spec["recommend"] == "none":
        raise mistake("this figure shows recommended arms: add a 'budget', or 'recommend: own'", *key)


def check_ordered(spec: Mapping[str, Any]) -> None:
    """Raise an error if the goal of the spec is not an order: the figure shows a distance of orders."""
    if order_goal(spec.get("find")) is None:
        raise mistake("tau is the distance of an order: write 'find: ranking', or show another", "show")


def shown(named: Sequence[str] | None, entries: Sequence[Any]) -> list[Any]:
    """Return the entries that a figure names, in the figure's order.

    A name is the label of an entry or of a grid (all its points), or the title of a resolved entry; None selects all
    entries. Raises KeyError with an unknown name.
    """
    if named is None:
        return list(entries)
    selected: dict[str, Any] = {}
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


def figure_kinds() -> dict[str, type[FigureEntry]]:
    """Return the kinds of figures by name: one class in each module of ``duelbench.plots.kinds``."""
    place = import_module("duelbench.plots.kinds")
    for module in pkgutil.iter_modules(place.__path__, f"{place.__name__}."):
        import_module(module.name)
    return dict(sorted(FigureEntry._kinds.items()))
