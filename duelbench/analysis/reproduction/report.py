"""``REPRODUCTION.md``: every statement of the papers with our measurement, and whether they agree."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from duelbench.analysis.reproduction.library import Figure, Library, NotRunError, Paper
from duelbench.analysis.reproduction.stated import PAPERS
from duelbench.errors import UserError
from duelbench.markup import markdown_table
from duelbench.results.reader import Results

_VERDICTS = {True: "yes", False: "**no**", None: "undecided"}
NOT_RUN, NOT_READ = "not run", "not read"
_INTRODUCTION = """\
# What the papers state, and what we measured

`make report` writes this page from the results beside it. `make fig-dts-1a` makes the results of one figure, and
`make figures` those of all. Statements are paraphrased. A comparison is undecided if a change by two standard errors
would reverse it. Numbers after ± are standard errors; intervals in brackets extend two standard errors to either side.
"""


class _Section(NamedTuple):
    """The lines about a figure, the verdict on each of its statements, and an entry for each reason of disagreement."""

    lines: list[str]
    verdicts: list[str]
    disagreements: list[str]


def report(root: Path, papers: Sequence[Paper] = PAPERS, faults: set[str] | None = None) -> tuple[str, Counter[str]]:
    """Return the page in Markdown, and the number of statements by verdict.

    ``root`` has a directory of results for each figure; statements on figures without results are "not run". If results
    cannot be read, the reason is added to ``faults``, and statements on them are "not read".
    """
    library = Library(root)
    faults = set() if faults is None else faults
    verdicts: Counter[str] = Counter()
    sections, disagreements = [], []
    for paper in papers:
        sections += [f"## {paper.citation}\n", *([f"{paper.note}\n"] if paper.note else [])]
        for figure in paper.figures:
            section = _section(library, figure, faults)
            sections += section.lines
            verdicts.update(section.verdicts)
            authors = paper.citation.partition(".")[0]
            disagreements += [f"* {authors}, {each}" for each in section.disagreements]
    shown = [*_VERDICTS.values(), NOT_RUN, *([NOT_READ] if verdicts[NOT_READ] else [])]
    counted = ", ".join(f"{verdicts[verdict]} {verdict.strip('*')}" for verdict in shown)
    if disagreements:
        sections = ["## What does not agree\n", *disagreements, "", *sections]
    return "\n".join([_INTRODUCTION, f"Agreement of {verdicts.total()} statements: {counted}.\n", *sections]), verdicts


def _section(library: Library, figure: Figure, faults: set[str]) -> _Section:
    rows, verdicts, explanations = [], [], []
    disagreeing: dict[str, list[str]] = {}
    for statement in figure.statements:
        try:
            measured, agrees = statement.measure(library)
            verdict = _VERDICTS[agrees]
        except NotRunError:
            measured, verdict = "", NOT_RUN
        except UserError as error:
            faults.add(str(error))
            measured, verdict = "", NOT_READ
        verdicts.append(verdict)
        rows.append([statement.text, measured, verdict])
        if verdict == _VERDICTS[False]:
            disagreeing.setdefault(statement.otherwise, []).append(f"“{statement.text}”: {measured}.")
        elif verdict == _VERDICTS[None] and statement.otherwise:
            explanations.append(statement.otherwise)
    title = f"{figure.title} (`{figure.name}`)" if figure.name else figure.title
    lines = [f"### {title}\n", *(_provenance(library.root / figure.name) if figure.name else [])]
    lines += [*markdown_table(["stated", "measured", "agrees"], rows), ""]
    contained = {each for each in explanations for other in explanations if each != other and each in other}
    lines += [f"{explanation}\n" for explanation in dict.fromkeys(explanations) if explanation not in contained]
    lines += [
        f"![{figure.name}]({quote(path.relative_to(library.root).as_posix(), errors='replace')})\n"
        for path in sorted((library.root / figure.name).glob("*.png") if figure.name else ())
    ]
    link = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")  # as GitHub makes anchors
    disagreements = [
        f"[{figure.title}](#{link}): {' '.join(stated)} {why}".rstrip() for why, stated in disagreeing.items()
    ]
    return _Section(lines, verdicts, disagreements)


def _provenance(directory: Path) -> list[str]:
    """Return a line with the numbers of runs and rounds, and the computing time."""
    results = Results(directory)
    try:
        horizon, seconds = max(results.spec.horizons), results.manifest.total_seconds()
        counts = {int(max(each)) for labels in results.labels() if (each := results.series_runs(labels))}
    except UserError:
        return []
    if not counts:
        return []
    runs = " to ".join(f"{count:,}" for count in sorted({min(counts), max(counts)}))
    return [f"{runs} run{'' if counts == {1} else 's'}, T = {horizon:,}; {seconds:,.0f} core-seconds.\n"]
