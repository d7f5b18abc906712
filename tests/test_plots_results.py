"""Reading an experiment's directory back, and what is said when it is not one."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from duelbench.errors import UserError
from duelbench.layout import SUMMARY_COLUMNS, header
from duelbench.plots.results import Results
from duelbench.spec.figures import RegretFigure, StdFigure
from tests.experiments import resolved, seal, write_results

HEADER = header(SUMMARY_COLUMNS) + "\n"
FIGURES = [
    {"kind": "regret", "x": "linear", "y": "log", "band": "none", "regret": "weak", "title": None, "file": None},
    {"kind": "std", "at": 1000.0, "normalize_by": "null", "title": "T", "file": "f"},
]
SPEC: dict[str, Any] = resolved(
    [{"label": "NA", "title": "Same"}, {"label": "02", "title": "Same"}],
    ["null"],
    figures=FIGURES,
    horizons=(100, 1000),
    regret=("weak", "copeland"),
).model_dump(mode="json")
SUMMARY = HEADER + "NA,null,weak,1000,2,5,1,0.7,4,4,5,6,6,,,\nNA,null,weak,100,1,3,,,3,3,3,3,3,,,\n"


def written(tmp_path: Path, spec: Any = SPEC, summary: str | None = SUMMARY) -> Path:
    (tmp_path / "manifest.json").write_text(json.dumps({"spec": spec, "versions": {"duelbench": "0"}}))
    if summary is not None:
        (tmp_path / "summary.csv").write_text(summary)
    return seal(tmp_path)


def test_series_come_in_order_of_t_under_labels_that_look_like_missing_values(tmp_path: Path) -> None:
    results = Results(written(tmp_path))

    assert list(results.series("NA", "null", "weak")["mean"]) == [3.0, 5.0]
    assert results.series("02", "null", "weak").empty
    assert results.checkpoints == [100, 1000]
    assert results.value("sem", "NA", "null", "weak", 1000) == 0.7
    assert math.isnan(results.value("std", "NA", "null", "weak", 100) or 0.0)
    assert results.value("mean", "NA", "null", "weak", 10) is None


def test_a_summary_of_before_there_was_a_shape_is_read(tmp_path: Path) -> None:
    old = SUMMARY.replace(",skewness,kurtosis", "")
    assert old != SUMMARY
    results = Results(written(tmp_path, summary=old))
    assert results.value("std", "NA", "null", "weak", 1000) == 1.0
    assert math.isnan(results.value("kurtosis", "NA", "null", "weak", 1000) or 0.0)


def test_figures_of_the_manifest_keep_their_settings(tmp_path: Path) -> None:
    assert Results(written(tmp_path)).spec.figures == (
        RegretFigure(kind="regret", x="linear", y="log", band="none", regret="weak"),
        StdFigure(kind="std", at=1000, normalize_by="null", title="T", file="f"),
    )


def test_datasets_that_share_a_title_are_told_apart(tmp_path: Path) -> None:
    assert Results(written(tmp_path)).panels == [("NA", "Same (NA)"), ("02", "Same (02)")]


def test_the_first_regret_of_the_spec_is_the_default_and_an_unrecorded_one_is_refused(tmp_path: Path) -> None:
    results = Results(written(tmp_path))
    assert results.regret_kind(None) == "weak"
    with pytest.raises(UserError, match="'copeland', but the runs recorded weak"):
        results.regret_kind("copeland")


def test_a_missing_directory_a_folder_of_experiments_and_an_unfinished_one_get_advice(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"there is no directory .*duelbench run"):
        Results(tmp_path / "absent")
    with pytest.raises(UserError, match=r"no manifest\.json.*duelbench run"):
        Results(tmp_path)
    inner = tmp_path / "inner"
    inner.mkdir()
    written(inner, summary=None)
    with pytest.raises(UserError, match=r"such as .*inner"):
        Results(tmp_path)
    with pytest.raises(UserError, match=r"no summary\.csv yet: `duelbench run`"):
        Results(inner)


@pytest.mark.parametrize(
    ("summary", "words"),
    [
        (HEADER, "no finished run"),
        ("", "not the summary"),
        ("t,mean\n1,2\n", "not the summary"),
        (SUMMARY.replace(",q50,", ",median,"), "not the summary"),
        (SUMMARY.replace("0.7", "often"), "not the summary"),
    ],
)
def test_a_broken_summary_is_named(tmp_path: Path, summary: str, words: str) -> None:
    with pytest.raises(UserError, match=words) as caught:
        Results(written(tmp_path, summary=summary))
    assert caught.value.source == str(tmp_path / "summary.csv")


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (SPEC | {"figures": [{"kind": "pie"}]}, r"spec\.figures\.0"),
        (SPEC | {"horizons": []}, r"spec\.horizons"),
        ({}, r"spec\.name"),
    ],
)
def test_a_broken_manifest_is_named_with_the_place(tmp_path: Path, spec: Any, words: str) -> None:
    with pytest.raises(UserError, match=words) as caught:
        Results(written(tmp_path, spec))
    assert caught.value.source == str(tmp_path / "manifest.json")


@pytest.mark.parametrize("text", ["", "[]", '{"versions": {}}', "{"])
def test_something_else_than_a_manifest_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(UserError, match="it is not a manifest"):
        Results(tmp_path)


def test_a_table_of_one_endless_line_is_not_read(tmp_path, monkeypatch):
    """To look for columns in 100 MB of commas takes minutes."""
    directory = write_results(tmp_path, resolved(["d"], ["a"]), [])
    (directory / "summary.csv").write_text(HEADER.strip() + "," * 100_000)
    monkeypatch.setattr("pandas.read_csv", lambda *_, **__: pytest.fail("was read"))
    with pytest.raises(UserError, match="is not the summary of an experiment"):
        Results(directory)
