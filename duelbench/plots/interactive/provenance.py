"""Where the numbers of a page come from: the spec that was run, on what, and which runs failed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from duelbench.layout import FAILED, FIRST_WORDS, run_file, run_number
from duelbench.plots.interactive.text import words
from duelbench.reading import regular
from duelbench.results.reader import Results

MOST_FAILURES = 50
"""Tracebacks on a page."""
MOST_CHARACTERS = 20_000
"""Of a traceback: its end, where the cause stands."""
MOST_BYTES = 1 << 20
"""Of the record of a failure that are read."""


def specs_html(sources: Sequence[Results]) -> str:
    """Return the text of every spec as it was run, and the same with all defaults and names resolved."""
    return "".join(
        f"{_name(results, sources)}<pre>{words(results.manifest.get('spec_text') or '')}</pre>"
        f"<details><summary>with every default and name resolved</summary>"
        f"<pre>{words(json.dumps(results.manifest.get('spec', {}), indent=1, ensure_ascii=False))}</pre></details>"
        for results in sources
    )


def environment_html(sources: Sequence[Results]) -> str:
    """Return what the manifests say about every execution: when, how, versions, commit, machine."""
    none = "<p>The manifest names none.</p>"
    return "".join(
        _name(results, sources) + ("".join(map(_execution, _executions(results))) or none) for results in sources
    )


def _executions(results: Results) -> list[Mapping[str, Any]]:
    found = results.manifest.get("executions")
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _execution(execution: Mapping[str, Any]) -> str:
    rows = "".join(
        f'<tr><th scope="row">{words(key)}</th><td>{words(_said(value))}</td></tr>' for key, value in execution.items()
    )
    return f'<table class="facts"><tbody>{rows}</tbody></table>'


def _said(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_said(each)}" for key, each in value.items())
    return "–" if value is None else str(value)


def failures_html(sources: Sequence[Results]) -> str:
    """Return the tracebacks that are recorded for runs of the spec, each under its last line."""
    return "".join(f"{_name(results, sources)}{_failures_of(results)}" for results in sources)


def _failures_of(results: Results) -> str:
    failures = list(_failures(results))
    if not failures:
        counts = [each.get("failed") for each in _executions(results)[-1:]]
        if any(isinstance(count, int) and count > 0 for count in counts):
            return f"<p>{counts[0]} runs failed; their records are not beside the results.</p>"
        return "<p>None is recorded.</p>"
    shown = "".join(
        f"<details><summary>{words(run)}: {words(last)}</summary><pre>{words(text)}</pre></details>"
        for run, last, text in failures[:MOST_FAILURES]
    )
    more = len(failures) - MOST_FAILURES
    return shown + (f"<p>and {more:,} more</p>" if more > 0 else "")


def _failures(results: Results) -> Iterator[tuple[str, str, str]]:
    """Yield the name, the last line and the traceback of every run that failed, in the order of the spec.

    A run that has since been finished does not count, nor one beyond those of the spec.
    """
    for dataset in results.spec.datasets:
        for algorithm in results.spec.algorithms:
            place = results.directory / dataset.label / algorithm.label
            found = {run_number(path.name, FAILED): path for path in place.glob(f"*{FAILED}")}
            numbers = results.spec.numbers(dataset.label, algorithm.label)
            for number in sorted(number for number in found if number is not None and number in numbers):
                if not (place / run_file(number)).exists() and (text := _record(found[number])) is not None:
                    lines = text.strip().splitlines()
                    last = lines[-1] if lines else "no traceback"
                    yield f"{dataset.label}/{algorithm.label} run {number}", last, "\n".join(lines)[-MOST_CHARACTERS:]


def _record(path: Path) -> str | None:
    """Return the traceback in the record of a failure, None where it cannot be read or is none of ours."""
    try:
        with regular(path).open("rb") as file:
            text = file.read(MOST_BYTES).decode(errors="replace")
    except OSError:
        return None
    return text.partition("\n")[2] if text.startswith(FIRST_WORDS) else None


def _name(results: Results, sources: Sequence[Results]) -> str:
    return f"<h3>{words(results.directory)}</h3>" if len(sources) > 1 else ""
