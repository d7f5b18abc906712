"""The page: figures, numbers, spec, environment and failures in one file, with the scripts that draw them.

The page loads nothing else: its content security policy forbids the browser to request anything and to run any script
but the ones in the page, whatever titles and tracebacks contain.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from string import Template

from duelbench import __version__
from duelbench.errors import UserError
from duelbench.plots.identification import error_bars, recommended_kind
from duelbench.plots.interactive.bars import bars_section
from duelbench.plots.interactive.checkpoints import checkpoints_payload
from duelbench.plots.interactive.curves import identification_section, regret_section, scaling_section
from duelbench.plots.interactive.provenance import environment_html, failures_html, specs_html
from duelbench.plots.interactive.section import Section
from duelbench.plots.interactive.shares import shade_rules, shares_section
from duelbench.plots.interactive.text import embedded, heading
from duelbench.plots.std import std_bars
from duelbench.results.reader import Results
from duelbench.spec.figures import Figure, IdentificationFigure, RanksFigure, RegretFigure, ScalingFigure, StdFigure
from duelbench.writing import whole

PAGE = "figures.html"
BESIDE = Path(__file__).parent


def write_page(results: Results, figures: Mapping[str, Figure], into: Path) -> Path:
    """Write the page of these figures, by file name, into a directory and return its path.

    The same results give the same bytes. Raises UserError when Plotly is not installed, a figure needs something that
    the results do not have, or the file cannot be written.
    """
    text = page_text(results, figures)
    path = into / PAGE
    try:
        into.mkdir(parents=True, exist_ok=True)
        with whole(path) as file:
            file.write(text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise UserError(
            f"the page cannot be written ({error.strerror}): choose another place with -o", source=str(path)
        ) from error
    return path


def page_text(results: Results, figures: Mapping[str, Figure]) -> str:
    """Return the HTML of the page. Raises UserError as ``write_page``."""
    plotly = _plotly()
    sections = {stem: section_of(figure, results) for stem, figure in figures.items()}
    ids = {stem: f"figure-{place}" for place, stem in enumerate(sections, 1)}
    script = (BESIDE / "page.js").read_text(encoding="utf-8")
    payload = {
        "figures": [section.payload(ids[stem]) for stem, section in sections.items() if section.panels],
        "summary": checkpoints_payload(results),
    }
    title = " + ".join(dict.fromkeys(each.spec.title or each.spec.name for each in results.sources))
    return Template((BESIDE / "page.html").read_text(encoding="utf-8")).substitute(
        title=heading(title),
        scripts=" ".join(f"'sha256-{b64encode(sha256(each.encode()).digest()).decode()}'" for each in (plotly, script)),
        style=(BESIDE / "page.css").read_text(encoding="utf-8") + shade_rules(),
        links="".join(f'<a href="#{ids[stem]}">{heading(each.title or stem)}</a>' for stem, each in sections.items()),
        figures="".join(section.html(ids[stem], stem) for stem, section in sections.items()),
        specs=specs_html(results.sources),
        environment=environment_html(results.sources),
        failures=failures_html(results.sources),
        version=__version__,
        plotly=plotly,
        payload=embedded(payload),
        script=script,
    )


def section_of(figure: Figure, results: Results) -> Section:
    """Return the section of a figure of the spec."""
    match figure:
        case RegretFigure():
            return regret_section(figure, results)
        case StdFigure():
            return bars_section(figure, std_bars(figure, results))
        case ScalingFigure():
            return scaling_section(figure, results)
        case IdentificationFigure(show="table"):
            return shares_section(figure, results)
        case IdentificationFigure(show="errors"):
            return bars_section(figure, error_bars(figure, results, recommended_kind(figure, results)))
        case IdentificationFigure():
            return identification_section(figure, results)
        case RanksFigure():
            from duelbench.plots.ranks import rank_bars  # scipy's tests take half a second to load

            return bars_section(figure, rank_bars(figure, results))


def _plotly() -> str:
    """Return the text of plotly.js, which comes with the Python package."""
    try:
        from plotly.offline import get_plotlyjs
    except ImportError:
        raise UserError("a page needs Plotly, which is not installed: `pip install 'duelbench[html]'`") from None
    return str(get_plotlyjs())
