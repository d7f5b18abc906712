"""``duelbench check``: the plan, and the schema."""

import json

from tests.commands import here


def test_check_tells_the_plan(two, tmp_path):
    done = here("check", two)
    assert done.exit_code == 0, done.output
    assert "six-rankers (K = 6)" in done.stdout
    assert "3 of each pair, 6 in all" in done.stdout
    assert "rounds      12,000" in done.stdout
    assert not (tmp_path / "results").exists()


def test_check_prints_a_schema():
    schema = json.loads(here("check", "--schema").stdout)
    assert schema["$schema"].endswith("2020-12/schema")
    assert "d-ts+" in json.dumps(schema)
    assert "confidence constant" in json.dumps(schema)
