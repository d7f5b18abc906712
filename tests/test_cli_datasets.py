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
    assert re.search(r"^ +1 udon, cold +0.3 +0.5", shown, re.MULTILINE)
    assert re.search(r"Condorcet winner +0 \(sushi\)\n", shown)


def test_a_dataset_of_results_is_shown_as_a_run_had_it(tmp_path, monkeypatch):
    from tests.experiments import played

    text = (
        "horizon: 9\nruns: 2\ndatasets: [{name: sushi16, submatrix: {size: 3, per_run: true}}]\nalgorithms: [uniform]\n"
    )
    _, directory, _, _ = played(tmp_path, text)
    shown = [here("datasets", "show", directory / "sushi16", "--run", run).output for run in (0, 1)]
    assert all("K = 3 of 16 (run" in each and "chosen arms: " in each for each in shown)
    assert shown[0].splitlines()[2] != shown[1].splitlines()[2]
    monkeypatch.setenv("COLUMNS", "60")
    assert all(len(line) <= 60 for line in here("datasets", "show", "sushi16").output.splitlines())
