"""Figures of recommended arms, checked through matplotlib's artists."""

import pytest

from duelbench.plots.kinds.identification import IdentificationFigure
from duelbench.plots.kinds.scaling import UNREACHED, ScalingFigure
from duelbench.results.results import Results
from tests.commands import here
from tests.experiments import played, resolved, write_results
from tests.tabled import PLAIN

pytestmark = pytest.mark.usefixtures("project_style")

VOTES = (10, 100, 1000)
NUMBERS = PLAIN | {"mean": 1, "std": 1, "sem": 1}
DATASETS = [
    {"label": f"gap={gap}", "grid": "gaps", "arms": 5, "identity": {"parameters": {"gap": gap}}} for gap in (0.05, 0.2)
]


def made(tmp_path, shares, datasets=("one",), horizons=(1000,), checkpoints=VOTES, **more):
    """Results with shares ``shares[label]`` of right runs at the checkpoints, for all datasets or for each."""
    more = {"recommend": "own", "count": "votes", "runs": 100} | more
    spec = resolved(datasets, list(shares), horizons=horizons, checkpoints=checkpoints, **more)
    rows = []
    for label, known in shares.items():
        for place, dataset in enumerate(spec.datasets):
            here = known[place] if isinstance(known[0], tuple) else known
            for t, right in zip(checkpoints, here, strict=True):
                cells = {"votes": t, "votes_sem": 5, "recommended_right": right, "simple": 0.1}
                ends = {"right_low": max(0, right - 0.1), "right_high": min(1, right + 0.1)}
                rows.append(((dataset.label, label, "copeland", t), NUMBERS | cells | ends))
    return Results(write_results(tmp_path, spec, rows))


def test_right_curves(tmp_path):
    results = made(tmp_path, {"a": (0.2, 0.5, 1.0), "b": (0.1, 0.2, 0.3)})
    (panel,) = IdentificationFigure(kind="identification").draw(results).axes
    assert [line.get_ydata().tolist() for line in panel.lines] == [[0.2, 0.5, 1.0], [0.1, 0.2, 0.3]]
    assert panel.get_xlabel() == "votes"
    (interval, _) = panel.collections
    ends = [end[1] for segment in interval.get_segments() for end in segment]
    assert ends == pytest.approx([0.1, 0.3, 0.4, 0.6, 0.9, 1.0])


def test_votes_to_right(tmp_path):
    shares = {"a": (0.9, 0.8, 0.9), "b": (0.9, 0.9, 0.9), "c": (0.1, 0.2, 0.3)}
    results = made(tmp_path, shares, DATASETS)
    figure = ScalingFigure(kind="scaling", against="gap", measure="votes_to_right", at=0.8)
    drawing = figure.draw(results)
    (panel,) = drawing.axes
    curves = [line for line in panel.lines if line.get_linestyle() != "None"]
    assert [list(line.get_xdata()) for line in curves] == [[0.05, 0.2]] * 3
    assert [list(line.get_ydata()) for line in curves] == [[1000] * 2, [10] * 2, [1000] * 2]
    assert UNREACHED in drawing.legends[0].get_title().get_text().replace("\n", " ")  # c
    assert panel.get_xlabel() == r"gap $\Delta$"
    assert "until 80%" in panel.get_ylabel()


BUDGETS = (100, 1000)
TABLE = IdentificationFigure(kind="identification", show="table")


def made_table(tmp_path, shares, **more):
    return made(tmp_path, shares, ("one", "two"), BUDGETS, BUDGETS, **more)


SHARES = {"poor": ((0.1, 0.2), (0.1, 0.2)), "good": ((0.6, 0.99), (0.2, 0.8)), "other": ((0.3, 0.96), (0.3, 0.97))}


def numbers(panel):
    return [text.get_text() for text in panel.texts]


def bold(panel):
    return [text.get_fontweight() == "bold" for text in panel.texts]


def test_table_bold_cells(tmp_path):
    first, second = TABLE.draw(made_table(tmp_path, SHARES)).axes
    # 100 runs distinguish 40 from 30 % in the mean of two datasets; intervals of ± 10 points overlap at 20 and 30 %.
    assert bold(first) == [True, True, True, False, False, True, False, False, True]
    assert bold(second) == [False, True, True, True, True, True, False, False, False]


@pytest.mark.parametrize(
    "figure", ["{kind: identification}", "{kind: identification, show: table}", "{kind: scaling, show: votes}"]
)
def test_recommended_arms_that_the_runs_did_not_record(tmp_path, monkeypatch, figure):
    """An edited spec asks for recommendations that the runs did not record, so they must be played again."""
    monkeypatch.chdir(tmp_path)
    text = "horizon: 30\nruns: 2\ndatasets: [{name: btl-uniform, arms: [3, 4]}]\nalgorithms: [uniform]\n"
    played(tmp_path, text)
    (tmp_path / "spec.yaml").write_text(f"{text}recommend: own\nfigures: [{figure}]\n")
    done = here("plot", "spec.yaml", "-o", "out", "-f", "png")
    assert (done.exit_code, "which these runs did not record: `duelbench run` the spec" in done.output) == (2, True)
