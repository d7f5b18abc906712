"""``make report``: writes REPRODUCTION.md, every statement of the papers with our measurement and whether they agree.

The statements are in ``papers/``, a file for each paper in the order of the page. A figure or table has a ``title``,
``results`` (the directory of an experiment, or of several by title) and ``statements``::

    - text: WS-W's regret is flat near 100 from t = 500 to 4000
      as_read: {algorithm: WS-W, stated: {500: 100, 4000: 100}, within: 1.25}
      otherwise: This is printed if they do not agree, or may not, and says why. It may be a list of texts.

A statement paraphrases the paper, and names a measure of ``comparisons.py`` or ``published_numbers.py`` with its
arguments:

* ``algorithm``, ``algorithms``, ``to``, ``than``, ``dataset``, ``datasets``: labels in the results; by default the
  first dataset, or all;
* ``at``: a round or a number of votes, by default the horizon;
* ``stated``: numbers of the paper, or ``[number, standard error]``; ``{}`` in a label or as ``at`` stands for the keys;
* ``within``: the largest factor, or difference, that is agreement. Where a paper says "comparable", it is our choice.

``shown: false``: the runs and images of these results are shown with another figure. A run without a declaration counts
with the horizon where duels are counted, and as wrong where right declarations are.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ValidationError, validate_call

from duelbench.errors import Key, UserError
from duelbench.files import write_whole
from duelbench.markup import markdown_table
from duelbench.results.results import Results
from duelbench.spec.yaml_file import SpecFile, read
from results.reproduction import comparisons, published_numbers
from results.reproduction.estimates import Finding, NotRunError

MEASURES = {
    name: validate_call(config={"arbitrary_types_allowed": True})(each)
    for module in (comparisons, published_numbers)
    for name, each in vars(module).items()
    if getattr(each, "__annotations__", {}).get("return") is Finding
}
"""The functions that return a finding; they raise a ValidationError if their arguments are of the wrong kind."""
PAPERS = sorted(Path(__file__).parent.glob("papers/*.yaml"))
YES, NO, UNDECIDED, NOT_RUN = "yes", "**no**", "undecided", "not run"
_INTRODUCTION = """\
# What the papers state, and what we measured

`make report` writes this page from the results beside it. `make fig-dts-1a` makes the results of one figure, and
`make figures` those of all. Statements are paraphrased. A comparison is undecided if a change by two standard errors
would reverse it. Numbers after ± are standard errors; intervals in brackets extend two standard errors to either side.
"""


@cache
def _results(directory: Path) -> Results:
    """Return the results in a directory. Raises NotRunError if there is neither a summary nor a table of bounds."""
    results = Results(directory)
    if not (results.finished or (directory / published_numbers.TABLE).exists()):
        raise NotRunError(f"{directory.name} has no results")
    return results


class Statement(BaseModel, extra="allow"):
    """A statement; the measure is the key that remains, with its arguments."""

    text: str
    otherwise: str | list[str] = ""


class Figure(BaseModel, extra="forbid"):
    """A figure or table of a paper."""

    title: str
    results: str | dict[str, str]
    shown: bool = True
    statements: list[Statement]


class Paper(BaseModel, extra="forbid"):
    """A paper, and a note on how we read it."""

    paper: str
    note: str = ""
    figures: list[Figure]


class Judged(NamedTuple):
    """A statement, what was measured, the verdict, and why they may not agree."""

    text: str
    measured: str
    verdict: str
    why: str


def report(root: Path, papers: Sequence[Path] = PAPERS) -> tuple[str, Counter[str]]:
    """Return the page in Markdown, and the number of statements by verdict.

    ``root`` has a directory of results for each figure; statements on figures without results are "not run".
    """
    verdicts: Counter[str] = Counter()
    sections, disagreements = [], []
    for path in papers:
        source = read(path)
        with _errors_of(source):
            paper = Paper.model_validate(source.data)
        sections += [f"## {paper.paper}\n", *([f"{paper.note.rstrip()}\n"] if paper.note else [])]
        for place, figure in enumerate(paper.figures):
            judged = []
            for number, statement in enumerate(figure.statements):
                with _errors_of(source, "figures", place, "statements", number, *(statement.model_extra or ())):
                    judged.append(_judged(statement, figure.results, root))
            verdicts.update(each.verdict for each in judged)
            shown = figure.results if figure.shown and isinstance(figure.results, str) else None
            title = f"{figure.title} (`{shown}`)" if shown else figure.title
            sections += [f"### {title}\n", *(_provenance(Results(root / shown)) if shown else [])]
            sections += [*markdown_table(["stated", "measured", "agrees"], [each[:3] for each in judged]), ""]
            sections += _explanations(judged)
            pictures = sorted((root / shown).glob("*.png")) if shown else []
            sections += [f"![{shown}]({shown}/{picture.name})\n" for picture in pictures]
            link = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")  # as GitHub makes anchors
            about = f"* {paper.paper.partition('.')[0]}, [{figure.title}](#{link})"
            disagreements += [f"{about}: {each}" for each in _disagreements(judged)]
    if disagreements:
        sections = ["## What does not agree\n", *disagreements, "", *sections]
    counted = ", ".join(f"{verdicts[each]} {each.strip('*')}" for each in (YES, NO, UNDECIDED, NOT_RUN))
    counts = f"Agreement of {verdicts.total()} statements: {counted}.\n"
    return "\n".join([_INTRODUCTION, counts, *sections]), verdicts


@contextmanager
def _errors_of(source: SpecFile, *place: Key) -> Iterator[None]:
    """Turn errors about the text at a place in a file into a UserError with its line."""
    try:
        yield
    except ValidationError as error:
        first = error.errors()[0]
        raise source.error(f"{first['loc'][-1]}: {first['msg']}", (*place, *first["loc"])) from None
    except ValueError as error:
        raise source.error(str(error), place) from None


def _judged(statement: Statement, named: str | dict[str, str], root: Path) -> Judged:
    """Judge a statement on the results with these names. Raises ValueError if the statement is invalid."""
    measure = statement.model_extra or {}
    if len(measure) != 1 or not measure.keys() <= MEASURES.keys():
        raise ValueError(f"a statement has a text and one measure, maybe `otherwise`. Measures: {', '.join(MEASURES)}")
    ((name, arguments),) = measure.items()
    why = statement.otherwise if isinstance(statement.otherwise, str) else " ".join(statement.otherwise)
    try:
        if isinstance(named, str):
            measured, agrees = MEASURES[name](_results(root / named), **arguments)
        else:
            several = {title: _results(root / each) for title, each in named.items()}
            measured, agrees = MEASURES[name](several, **arguments)
    except NotRunError as missing:
        return Judged(statement.text, str(missing), NOT_RUN, why)
    return Judged(statement.text, measured, {True: YES, False: NO, None: UNDECIDED}[agrees], why)


def _explanations(judged: Sequence[Judged]) -> list[str]:
    """Return why statements are undecided, leaving out reasons that another one contains."""
    found = dict.fromkeys(each.why for each in judged if each.verdict == UNDECIDED and each.why)
    return [f"{why}\n" for why in found if not any(why != other and why in other for other in found)]


def _disagreements(judged: Sequence[Judged]) -> list[str]:
    """Return an entry for each reason why statements do not agree."""
    found: dict[str, list[str]] = {}
    for each in judged:
        if each.verdict == NO:
            found.setdefault(each.why, []).append(f"“{each.text}”: {each.measured}.")
    return [" ".join([*stated, why]).rstrip() for why, stated in found.items()]


def _provenance(results: Results) -> list[str]:
    """Return a line with the numbers of runs and rounds, and the computing time."""
    if not results.finished:
        return []
    counts = {int(max(results.series_runs(labels), default=0)) for labels in results.runs} - {0}
    runs = " to ".join(f"{count:,}" for count in sorted({min(counts), max(counts)}))
    rounds, seconds = max(results.spec.horizons), results.manifest.total_seconds()
    return [f"{runs} run{'' if counts == {1} else 's'}, T = {rounds:,}; {seconds:,.0f} core-seconds.\n"]


def main(directory: Path) -> None:
    """Write the page into a directory of results, and print the number of statements by verdict."""
    text, verdicts = report(directory)
    if verdicts.keys() == {NOT_RUN}:
        raise UserError(f"there are no results of the papers' figures in {directory}: make them by `make figures`")
    write_whole(directory / "REPRODUCTION.md", text)
    for verdict, count in verdicts.items():
        print(f"{count:>4}  {verdict.strip('*')}")
    print(directory / "REPRODUCTION.md")


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]))
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
