"""``duelbench datasets``: matrices are shown, and fetched."""

import re

from click.testing import CliRunner
from tests.served_files import CONTENT, pair

from duelbench.cli import main
from duelbench.sources.downloads import DOWNLOADS
from tests.commands import here


def test_show_a_dataset(tmp_path):
    shown = here("datasets", "show", "six-rankers").stdout
    assert re.search(r"Condorcet winner +0\n", shown)
    assert "0.55" in shown
    assert "3–5" in shown  # the exact tie
    (tmp_path / "m.csv").write_text("0.5,0.7\n0.3,0.5\n")
    assert "0.7" in here("datasets", "show", tmp_path / "m.csv").stdout


def test_the_verb(served, tmp_path, monkeypatch):
    (served / "pair.npz").write_bytes(CONTENT)
    monkeypatch.setitem(DOWNLOADS, "pair", pair())
    first, second = (CliRunner().invoke(main, ["datasets", "fetch", "pair"]) for _ in range(2))
    assert first.output == f"pair  downloaded to {tmp_path / 'data' / 'pair.npz'}\n"
    assert second.output == f"pair  is there already: {tmp_path / 'data' / 'pair.npz'}\n"
    failed = CliRunner().invoke(main, ["datasets", "fetch", "mslr"])
    assert failed.exit_code == 2
    assert failed.stderr.startswith("error: cannot download ") and failed.stderr.count("\n") == 1
