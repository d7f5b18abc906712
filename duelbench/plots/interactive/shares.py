"""The heat table of identification for the page, in HTML, with intervals shown when the mouse is on a cell."""

from __future__ import annotations

import math

from duelbench.plots.heat_table import LIGHT_TEXT_FROM, SHADE_NAMES, heat_caption, shades_of, shares_shown
from duelbench.plots.identification import recommended_kind
from duelbench.plots.interactive.section import Section
from duelbench.plots.interactive.text import heading
from duelbench.plots.style import SHADES
from duelbench.results.reader import Results
from duelbench.spec.figures import IdentificationFigure


def shares_section(figure: IdentificationFigure, results: Results) -> Section:
    """Return the tables that ``heat_table`` draws, one for each budget. Raises as ``identification_figure``."""
    kind = recommended_kind(figure, results)
    shown = shares_shown(figure, results, kind)
    counted = "votes" if results.spec.count == "votes" else "rounds"
    tables = []
    for place, budget in enumerate(shown.budgets):
        head = "".join(f'<th scope="col"><span>{heading(name)}</span></th>' for name in shown.columns)
        lines = []
        for line, row in enumerate(shown.rows):
            shades = shades_of(shown.shares[place][line])
            cells = []
            for column, share in enumerate(shown.shares[place][line]):
                classes = [f"shade-{shades[column]}"] + ["best"] * bool(shown.best[place][line, column])
                hover = f"{row.title}, {shown.columns[column]}: "
                if math.isnan(share):
                    hover += "no results"
                elif column:
                    low, high = (ends[place, line, column - 1] for ends in (shown.known.low, shown.known.high))
                    hover += f"{share:.1%} ({low:.1%} to {high:.1%})"
                else:
                    hover += f"{share:.1%}"
                text = "–" if math.isnan(share) else f"{100 * share:.0f}"
                cells.append(f'<td class="{" ".join(classes)}" title="{heading(hover)}">{text}</td>')
            lines.append(f'<tr><th scope="row">{heading(row.title)}</th>{"".join(cells)}</tr>')
        tables.append(
            f'<div class="panel"><h3>{budget:,} {counted}</h3><table class="shares sortable"><thead><tr>'
            f'<th scope="col"></th>{head}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'
        )
    keys = "".join(f'<span class="key shade-{shade}">{name}</span>' for shade, name in enumerate(SHADE_NAMES))
    body = f'<div class="tables">{"".join(tables)}</div><p>{keys}</p>'
    return Section(figure.title or "", heat_caption(results, kind), table=body)


def shade_rules() -> str:
    """Return the CSS of the shades."""
    return "\n".join(
        f".shade-{place} {{ background: {shade}; color: {'white' if place >= LIGHT_TEXT_FROM else 'black'}; }}"
        for place, shade in enumerate(SHADES)
    )
