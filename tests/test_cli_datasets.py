"""``duelbench datasets``: what is shown of a matrix. Downloads: test_sources_downloads."""

import re

from tests.commands import here


def test_show_a_dataset(tmp_path):
    shown = here("datasets", "show", "six-rankers").stdout
    assert re.search(r"Condorcet winner +0\n", shown)
    assert "0.55" in shown
    assert "3–5" in shown  # the exact tie
    (tmp_path / "m.csv").write_text("0.5,0.7\n0.3,0.5\n")
    assert "0.7" in here("datasets", "show", tmp_path / "m.csv").stdout
    (tmp_path / "m.csv").write_text('sushi,"udon, cold"\n0.5,0.7\n0.3,0.5\n')
    shown = here("datasets", "show", tmp_path / "m.csv").stdout
    assert re.search(r"^1 udon, cold +0.3 +0.5", shown, re.MULTILINE)
    assert re.search(r"Condorcet winner +0 sushi\n", shown)
