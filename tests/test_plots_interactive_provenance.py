"""Where the numbers of a page come from."""

import json

from duelbench.plots.interactive.provenance import MOST_FAILURES, environment_html, failures_html, specs_html
from duelbench.plots.results import Results
from tests.experiments import ONES_OWN, played

FAILING = """\
horizon: 100
runs: 60
seed: 5
datasets: [six-rankers]
algorithms: ["one.py:One"]
"""


def test_spec_and_environment_are_those_of_the_manifest(copy):
    results = Results(copy)
    assert specs_html([results]).startswith("<pre>horizon: 3e3\nruns: 6\n")
    assert "&quot;name&quot;: &quot;btm&quot;" in specs_html([results])
    said = environment_html([results])
    (execution,) = results.manifest["executions"]
    assert f"<td>{execution['commit'] or '–'}</td>" in said
    assert f"numba {execution['versions']['numba']}" in said
    assert f"cores {execution['machine']['cores']}" in said
    assert failures_html([results]) == "<p>None is recorded.</p>"


def test_each_failure_is_there_with_its_traceback(tmp_path):
    (tmp_path / "one.py").write_text(ONES_OWN.replace("DO", "assert rng.random() < 0.995, '<i>' + str(state.arms)"))
    done = played(tmp_path, FAILING)
    failed = len(done.execution.failures)
    assert 0 < failed < 60
    results = Results(done.directory)
    said = failures_html([results])
    assert said.count("<details>") == min(failed, MOST_FAILURES)
    assert "AssertionError: &lt;i&gt;6</summary><pre>Traceback" in said
    for path in done.directory.rglob("*.failed"):
        path.unlink()
    assert failures_html([results]) == f"<p>{failed} runs failed; their records are not beside the results.</p>"


def test_records_of_what_has_since_been_finished_or_is_none_are_not_shown(copy):
    place = copy / "six-rankers" / "btm"
    record = "# duelbench run key\nTraceback\nError: x\n"
    (place / "run-00002.failed").write_text(record)  # its run is there
    (place / "run-00006.failed").write_text(record)  # there are six
    (place / "other.failed").write_text(record)
    (place / "run-00001.csv").unlink()
    (place / "run-00001.failed").write_text("something else\n")
    assert failures_html([Results(copy)]) == "<p>None is recorded.</p>"
    (place / "run-00001.failed").write_text(record)
    assert "six-rankers/btm run 1: Error: x</summary><pre>Traceback\nError: x</pre>" in failures_html([Results(copy)])


def test_a_manifest_that_says_something_else_is_read_as_far_as_it_makes_sense(copy):
    path = copy / "manifest.json"
    manifest = json.loads(path.read_text())
    for executions in ("x", [1, {"<b>": ["&"]}], None):
        path.write_text(json.dumps(manifest | {"executions": executions, "spec_text": None}))
        results = Results(copy)
        said = environment_html([results]) + failures_html([results]) + specs_html([results])
        assert "<b>" not in said
        assert "None is recorded" in said


def test_several_are_told_apart_by_their_directories(copy, small):
    for say in (specs_html, environment_html, failures_html):
        said = say([Results(copy), Results(small)])
        assert said.count("<h3>") == 2
        assert f"<h3>{copy}</h3>" in said
