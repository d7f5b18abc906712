"""Results with the titles and figures that their spec has now."""

import pytest

from duelbench.errors import UserError
from duelbench.layout import SUMMARY
from duelbench.plots.present import present
from duelbench.runs.partial import summary_so_far
from tests.experiments import SMALL, played


def test_figures_of_now_are_drawn_unless_more_has_changed(copy, tmp_path):
    played(tmp_path, SMALL)
    said = []
    (tmp_path / "spec.yaml").write_text(SMALL + "figures: [{kind: std}]\n")
    assert [each.kind for each in present(copy, announce=said.append).spec.figures] == ["std"]
    (tmp_path / "spec.yaml").write_text(SMALL.replace("seed: 5", "seed: 6") + "figures: [{kind: std}]\n")
    assert [each.kind for each in present(copy, announce=said.append).spec.figures] == ["regret", "regret"]
    assert len(said) == 1
    assert said[0].endswith("spec.yaml, it has changed in seed")
    with pytest.raises(UserError, match="is not of this spec: it has changed in seed"):
        present(copy, spec=tmp_path / "spec.yaml", announce=said.append)
    (tmp_path / "spec.yaml").unlink()
    assert present(copy, announce=said.append).spec.figures
    assert len(said) == 1


def test_what_there_is_of_an_unfinished_experiment_and_what_is_missing(copy, tmp_path):
    whole = present(copy, announce=pytest.fail)
    (copy / SUMMARY).rename(tmp_path / SUMMARY)
    with pytest.raises(UserError, match=r"no summary\.csv yet"):
        present(copy, announce=pytest.fail)
    said = []
    (copy / "six-rankers" / "btm" / "run-00005.csv").write_text("torn")
    for path in (copy / "btl-uniform" / "rucb").glob("run-*"):
        path.unlink()
    part = present(copy, so_far=summary_so_far, announce=said.append)
    assert said == ["six-rankers/btm: 5 of 6 runs", "btl-uniform/rucb: 0 of 6 runs"]
    same = part.series("six-rankers", "rucb", "copeland")
    assert same.reset_index(drop=True).equals(whole.series("six-rankers", "rucb", "copeland").reset_index(drop=True))
    assert set(part.series("six-rankers", "btm", "copeland")["runs"]) == {5}
    assert part.series("btl-uniform", "rucb", "copeland").empty
    for path in copy.glob("*/*/run-*"):
        path.unlink()
    with pytest.raises(UserError, match=r"no run of .* has finished"):
        present(copy, so_far=summary_so_far, announce=said.append)


def test_the_summary_so_far_of_all_runs_is_the_summary(copy):
    results = present(copy, announce=pytest.fail)
    assert summary_so_far(copy, results.spec) == ((copy / SUMMARY).read_text(), [])
