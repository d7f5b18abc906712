"""The provenance of the numbers on the page: the spec, the environment of its executions, and failed runs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from duelbench.plots.interactive.text import words
from duelbench.results.reader import Results

MOST_FAILURES = 50
"""Maximum number of tracebacks on the page."""
MOST_CHARACTERS = 20_000
"""Maximum length of a traceback; its end is kept, where the cause is."""


def specs_html(sources: Sequence[Results]) -> str:
    """Return the text of every spec that was run, and the spec with all defaults and names resolved."""
    return "".join(
        f"{_name(results, sources)}<pre>{words(results.manifest.spec_text)}</pre>"
        f"<details><summary>with every default and name resolved</summary>"
        f"<pre>{words(json.dumps(results.manifest.spec, indent=1, ensure_ascii=False))}</pre></details>"
        for results in sources
    )


def environment_html(sources: Sequence[Results]) -> str:
    """Return tables of all executions in the manifests: time, command, versions, commit, machine."""
    none = "<p>The manifest has no executions.</p>"
    return "".join(
        _name(results, sources) + ("".join(map(_execution, results.manifest.executions)) or none) for results in sources
    )


def _execution(execution: Mapping[str, Any]) -> str:
    rows = "".join(
        f'<tr><th scope="row">{words(key)}</th><td>{words(_text(value))}</td></tr>' for key, value in execution.items()
    )
    return f'<table class="facts"><tbody>{rows}</tbody></table>'


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_text(each)}" for key, each in value.items())
    return "–" if value is None else str(value)


def failures_html(sources: Sequence[Results]) -> str:
    """Return the recorded tracebacks of failed runs of the spec, each under its last line."""
    return "".join(f"{_name(results, sources)}{_failures_of(results)}" for results in sources)


def _failures_of(results: Results) -> str:
    failures = list(results.failures())
    if not failures:
        counts = [each.get("failed") for each in results.manifest.executions[-1:]]
        if any(isinstance(count, int) and count > 0 for count in counts):
            return f"<p>{counts[0]} runs failed; their tracebacks are not in the directory of results.</p>"
        return "<p>No failed runs are recorded.</p>"
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
