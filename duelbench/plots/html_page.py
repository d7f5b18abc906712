"""The page of ``duelbench plot -f html``: figures, numbers, specs, versions and failures in one file.

It works offline: its content security policy forbids the browser to request anything, and to run any script but those
of Plotly, whatever titles and tracebacks contain.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from html import escape

from plotly.io import to_html
from plotly.offline import get_plotlyjs

from duelbench import __version__
from duelbench.plots.plotly_figures import checkpoints, drawn
from duelbench.results.reader import Results
from duelbench.spec.figure_options import Figure
from duelbench.spec.titles import plain

MOST_FAILURES = 50  # tracebacks on the page
CONFIG = {"displaylogo": False, "showSendToCloud": False, "modeBarButtonsToRemove": ["lasso2d", "select2d"]}
AXIS = {"automargin": True, "gridcolor": "#e4e4e4", "zeroline": False}
MARGIN = {"t": 90, "b": 60, "l": 60, "r": 20}
LOOK = {"layout": {"xaxis": AXIS, "yaxis": AXIS, "margin": MARGIN, "hoverlabel_align": "left"}}
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; form-action 'none'; script-src"
STYLE = """
body { max-width: 1200px; margin: auto; padding: 1rem; font: 15px/1.45 system-ui, sans-serif; }
h2 { border-top: 1px solid #ddd; padding-top: 1rem; }
nav a { margin-right: 1rem; }
pre { background: #f6f6f6; padding: 1rem; overflow: auto; }
"""
NUMBERS_CAPTION = "Columns of summary.csv, the least mean regret first. Choose a dataset above, a checkpoint below."


def page_text(results: Results, figures: Mapping[str, Figure]) -> str:
    """Return the HTML of the page of these figures, by file name; the same results give the same text.

    Raises UserError when a figure needs something that the results do not have.
    """
    shown = [(figure.title or stem, *drawn(figure, results)) for stem, figure in figures.items()]
    shown.append(("Numbers at a checkpoint", checkpoints(results), NUMBERS_CAPTION))
    scripts, sections = [get_plotlyjs()], []
    for place, (title, figure, caption) in enumerate(shown, 1):
        figure.layout.template = LOOK
        text = to_html(figure, CONFIG, include_plotlyjs=False, full_html=False, div_id=f"figure-{place}")
        # To the last closing tag: if a title could end the script, the browser would not run it, as its hash differs.
        scripts += re.findall(r"<script[^>]*>(.*)</script>", text, re.DOTALL)
        sections.append((title, f"{text}<p>{_title(caption)}</p>"))
    named = len(results.sources) > 1
    sections.append(("Spec, versions and failures", "".join(_provenance(each, named) for each in results.sources)))
    title = _title(" + ".join(dict.fromkeys(each.spec.title or each.spec.name for each in results.sources)))
    hashes = " ".join(f"'sha256-{b64encode(sha256(each.encode()).digest()).decode()}'" for each in scripts)
    links = "".join(f'<a href="#{place}">{_title(name)}</a>' for place, (name, _) in enumerate(sections, 1))
    body = "".join(f'<h2 id="{place}">{_title(name)}</h2>{text}\n' for place, (name, text) in enumerate(sections, 1))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY} {hashes}">
<title>{title}</title>
<style>{STYLE}</style>
<script>{scripts[0]}</script>
</head>
<body>
<h1>{title}</h1>
<nav>{links}</nav>
<noscript><p>The figures are drawn by a script in this file: enable JavaScript to see them.</p></noscript>
{body}<footer>duelbench {__version__}</footer>
</body>
</html>
"""


def _title(title: str) -> str:
    """Return a title for HTML: ``$\\alpha$-RUCB`` as ``α-RUCB``."""
    return escape(plain(title))


def _provenance(results: Results, named: bool) -> str:
    """Return the spec of results, the executions that made them, and the tracebacks of runs that failed."""
    manifest, failures = results.manifest, list(results.failures())
    texts = {
        "Spec": manifest.spec_text,
        "Spec with every default and name resolved": json.dumps(manifest.spec, indent=1, ensure_ascii=False),
        "Executions: command, versions, commit, machine": json.dumps(manifest.executions, indent=1, ensure_ascii=False),
    }
    for labels, number, text in failures[:MOST_FAILURES]:
        last = (text.strip().splitlines() or ["no traceback"])[-1]
        texts[f"Failed: {'/'.join(labels)} run {number}: {last}"] = text.strip()
    if len(failures) > MOST_FAILURES:
        texts["Failed"] = f"{len(failures) - MOST_FAILURES:,} more runs"
    heading = f"<h3>{escape(str(results.directory))}</h3>" if named else ""
    return heading + "".join(
        f"<details><summary>{escape(what)}</summary><pre>{escape(text)}</pre></details>" for what, text in texts.items()
    )
