"""Helpers for tests of pages: results with all kinds of figures, whose titles look like markup, and a parser."""

import json
from html.parser import HTMLParser

from duelbench.plots.drawing import draw_results
from duelbench.results.reader import Results
from duelbench.spec.resolved import ResolvedAlgorithm
from tests.drawings import row
from tests.experiments import resolved, write_results

EVIL = (
    "\"><script>document.title = 'run'</script> & $\\hat{\\alpha} = 10^{-3}$ 'ü' %{x} <a href=\"https://x.org\">y</a>"
)
READ = "\"><script>document.title = 'run'</script> & α̂ = 10⁻³ 'ü' %{x} <a href=\"https://x.org\">y</a>"
"""The text that a reader sees for EVIL."""
CHECKPOINTS = (10, 100, 1000)
FIGURES = (
    {"kind": "regret", "bounds": ["LB", "ECWB"], "title": EVIL},
    {"kind": "regret", "y": "log", "band": "quantiles", "xlabel": EVIL},
    {"kind": "std", "at": 100},
    {"kind": "scaling", "against": "arms"},
    {"kind": "identification"},
    {"kind": "identification", "show": "simple", "y": "log"},
    {"kind": "identification", "show": "errors"},
    {"kind": "identification", "show": "table"},
    {"kind": "ranks"},
    {"kind": "profile", "xlim": [None, 20]},
)
NAMES = [
    "regret", "regret-loglog", "std", "regret-by-arms", "identification-right", "identification-simple",
    "identification-errors", "identification-table", "ranks", "profile",
]  # fmt: skip


def made(directory, figures=FIGURES):
    """Results of two algorithms on two points of a grid; ``late`` has no regret before the last checkpoint."""
    datasets = [
        {"label": f"d-arms={arms}", "title": f"{EVIL}, K = {arms}", "arms": arms, "grid": "d", "point": {"arms": arms}}
        for arms in (5, 10)
    ]
    spec = resolved(
        datasets, ["late", "other", "none"], figures=figures, recommend="own", checkpoints=CHECKPOINTS, title=EVIL
    )
    algorithms = [ResolvedAlgorithm(label="late", name="d-ts", grid_title=EVIL), *spec.algorithms[1:]]
    spec = spec.model_copy(update={"algorithms": tuple(algorithms)})
    rows = []
    for place, dataset in enumerate(datasets, 1):
        for label, slope in (("late", 0.0), ("other", 0.37)):
            for t in CHECKPOINTS:
                mean = slope * t * place if slope or t < 1000 else 7.25
                right = 1 - 1 / (t + place)
                cells = row(mean, std=mean / 3) | {"votes": t, "simple": 1 / t, "recommended_right": right}
                cells |= {"right_low": right - 0.05, "right_high": right + 0.05 / t}
                rows.append(((dataset["label"], label, "copeland", t), cells))
    write_results(directory, spec, rows)
    lines = [f"d-arms={arms},copeland,{bound},1,{constant},k" for arms in (5, 10) for bound, constant in BOUNDS]
    (directory / "bounds.csv").write_text("dataset,regret,bound,matrices,constant,key\n" + "\n".join(lines) + "\n")
    manifest = json.loads((directory / "manifest.json").read_text())
    manifest |= {"spec_text": f"title: {EVIL}\n", "executions": [{"commit": "abc", "machine": {"host": EVIL}}]}
    (directory / "manifest.json").write_text(json.dumps(manifest))
    return directory


BOUNDS = (("LB", 3.5), ("ECWB", "inf"))


class Read(HTMLParser):
    """A page as a browser parses it: elements with attributes, the text outside of scripts, and the figures."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.said, self.scripts = [], [], []
        self._within = []
        self.feed(text)
        self.close()
        self.text = "".join(self.said)
        self.figures = [drawn for script in self.scripts[1:] if (drawn := figure_in(script))]

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self._within.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        while self._within and self._within.pop() != tag:
            pass

    def handle_data(self, data):
        if self._within[-1:] == ["script"]:
            self.scripts[-1] += data
        elif self._within[-1:] != ["style"]:
            self.said.append(data)


def figure_in(script):
    """The traces and the layout in a script of Plotly."""
    found, read, place = [], json.JSONDecoder(), script.index("Plotly.newPlot(") + len("Plotly.newPlot(")
    for _ in range(3):
        place += len(script[place:]) - len(script[place:].lstrip(" ,\n"))
        value, place = read.raw_decode(script, place)
        found.append(value)
    return {"data": found[1], "layout": found[2]}


def page(directory, **options):
    """Write the page of some results; return its path."""
    (path,) = draw_results(Results(directory), directory, formats=["html"], **options)
    return path
