"""Where the numbers of a page come from: the spec that was run, on what, and which runs failed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from duelbench.plots.interactive.text import words
from duelbench.results.reader import Results

MOST_FAILURES = 50
"""Tracebacks on a page."""
MOST_CHARACTERS = 20_000
"""Of a traceback: its end, where the cause stands."""


def specs_html(sources: Sequence[Results]) -> str:
    """Return the text of every spec as it was run, and the same with all defaults and names resolved."""
    return "".join(
        f"{_name(results, sources)}<pre>{words(results.manifest.spec_text)}</pre>"
        f"<details><summary>with every default and name resolved</summary>"
        f"<pre>{words(json.dumps(results.manifest.spec, indent=1, ensure_ascii=False))}</pre></details>"
        for results in sources
    )


def environment_html(sources: Sequence[Results]) -> str:
    """Return what the manifests say about every execution: when, how, versions, commit, machine."""
    none = "<p>The manifest names none.</p>"
    return "".join(
        _name(results, sources) + ("".join(map(_execution, results.manifest.executions)) or none) for results in sources
    )


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
    failures = list(results.failures())
    if not failures:
        counts = [each.get("failed") for each in results.manifest.executions[-1:]]
        if any(isinstance(count, int) and count > 0 for count in counts):
            return f"<p>{counts[0]} runs failed; their records are not beside the results.</p>"
        return "<p>None is recorded.</p>"
    shown = "".join(
        f"<details><summary>{words('/'.join(labels))} run {number}: {words(_last_line(text))}</summary>"
        f"<pre>{words(text.strip()[-MOST_CHARACTERS:])}</pre></details>"
        for labels, number, text in failures[:MOST_FAILURES]
    )
    more = len(failures) - MOST_FAILURES
    return shown + (f"<p>and {more:,} more</p>" if more > 0 else "")


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["no traceback"])[-1]


def _name(results: Results, sources: Sequence[Results]) -> str:
    return f"<h3>{words(results.directory)}</h3>" if len(sources) > 1 else ""
