"""The files that `draw` leaves behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from duelbench.errors import UserError
from duelbench.plots import draw
from duelbench.plots.figures import file_names
from duelbench.spec.figures import RegretFigure, ScalingFigure, StdFigure
from tests.drawings import experiment, linear

REGRET = {"kind": "regret", "x": "log", "y": "linear", "band": "sem", "regret": "copeland", "title": None, "file": None}
LOGLOG = REGRET | {"y": "log"}
STD = {"kind": "std", "at": 1000, "normalize_by": None, "title": None, "file": None}


def test_files_are_named_by_kind_and_scale_and_numbered_when_taken() -> None:
    scaling = [ScalingFigure(kind="scaling"), ScalingFigure(kind="scaling", show="duels", against="delay")]
    figures = [
        RegretFigure(kind="regret"),
        RegretFigure(kind="regret", y="log"),
        StdFigure(kind="std"),
        RegretFigure(kind="regret", band="std"),
        RegretFigure(kind="regret", file="mine"),
        StdFigure(kind="std", file="mine"),
        *scaling,
    ]
    names = ["regret", "regret-loglog", "std", "regret-2", "mine", "mine-2", "regret-by-arms", "duels-by-delay"]
    assert file_names(figures) == names


def test_every_figure_of_the_manifest_is_drawn_beside_it(tmp_path: Path) -> None:
    directory = experiment(tmp_path, {("d", "a"): linear(1)}, REGRET | {"file": "mine"}, STD)
    written = draw(directory, formats=("svg",))
    assert written == [directory / "mine.svg", directory / "std.svg"]
    assert all(path.stat().st_size > 0 for path in written)


def test_a_figure_of_ranks_is_drawn(tmp_path: Path) -> None:
    rows = {(dataset, label): linear(slope) for dataset in "de" for label, slope in (("a", 1), ("b", 2))}
    directory = experiment(tmp_path, rows, {"kind": "ranks"})
    assert draw(directory, formats=("svg",)) == [directory / "ranks.svg"]


def test_overrides_merge_figures_that_become_equal(tmp_path: Path) -> None:
    directory = experiment(tmp_path, {("d", "a"): linear(1)}, REGRET, LOGLOG, STD)
    assert draw(directory, formats=("svg",), y="log", band="none") == [
        directory / "regret-loglog.svg",
        directory / "std.svg",
    ]


def test_the_same_results_give_the_same_bytes_in_every_format(tmp_path: Path) -> None:
    directory = experiment(tmp_path, {("d", "a"): linear(1), ("d", "b"): linear(2)}, REGRET)
    first = {path.name: path.read_bytes() for path in draw(directory)}

    assert list(first) == ["regret.png", "regret.pdf", "regret.svg"]
    assert {path.name: path.read_bytes() for path in draw(directory)} == first
    assert b"<dc:date>" not in first["regret.svg"]
    assert b"CreationDate" not in first["regret.pdf"]


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="did you mean 'png'"):
        draw(tmp_path, formats=("pngg",))


def test_drawing_loads_neither_numba_nor_pyplot(tmp_path: Path) -> None:
    directory = experiment(tmp_path, {("d", "a"): linear(1)}, REGRET, STD)
    script = (
        "import sys; from pathlib import Path; from duelbench.plots import draw; "
        "draw(Path(sys.argv[1]), formats=('png',)); "
        "print([name for name in ('numba', 'matplotlib.pyplot', 'duelbench.engine') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(directory)], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.strip() == "[]"
