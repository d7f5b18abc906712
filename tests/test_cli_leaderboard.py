"""``duelbench leaderboard``: the page beside the results, the figure among them."""

from tests.boards import results
from tests.commands import here


def test_the_page_is_written_beside_the_results_and_the_figure_among_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    missing = here("leaderboard")
    assert missing.exit_code == 2
    assert "there is no directory results/leaderboard" in missing.stderr
    results(tmp_path / "results/one", {("cyclic4", "d-ts"): 200, ("multisol", "d-ts"): 100})
    results(tmp_path / "results/two", {("cyclic4", "rucb"): 100})
    done = here("leaderboard", "results/one", "results/two")
    assert done.exit_code == 0
    assert done.stdout.split() == [
        *(f"results/one/leaderboard.{suffix}" for suffix in ("png", "pdf", "svg")), "results/LEADERBOARD.md",
    ]  # fmt: skip
    page = (tmp_path / "results/LEADERBOARD.md").read_text()
    assert "(one/leaderboard.png)" in page
    assert "| RUCB (`rucb`) | 1.0 (1)" in page
