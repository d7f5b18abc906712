"""The summary of what there is; more of it is in test_plots_present.py."""

import json

import pytest

from duelbench.errors import UserError
from duelbench.layout import MANIFEST, SERIES
from duelbench.runs.partial import summary_so_far
from duelbench.spec.resolved import ResolvedSpec


def spec_of(directory):
    return ResolvedSpec.model_validate(json.loads((directory / MANIFEST).read_text())["spec"])


def test_runs_of_another_spec_and_beyond_it_do_not_count(copy):
    spec = spec_of(copy)
    place = copy / "six-rankers" / "rucb"
    fewer = spec.model_copy(update={"runs": 4})
    text, missing = summary_so_far(copy, fewer)
    assert not missing
    assert ",4," in text.splitlines()[1]
    (place / "run-00000.csv").rename(place / "run-00003.csv")
    assert summary_so_far(copy, spec)[1] == ["six-rankers/rucb: 4 of 6 runs"]
    (place / SERIES).unlink()
    assert summary_so_far(copy, spec)[1] == ["six-rankers/rucb: 0 of 6 runs"]


def test_numbers_of_another_kind_are_refused(copy):
    spec = spec_of(copy).model_copy(update={"regret": ("copeland", "borda")})
    with pytest.raises(UserError, match="these are not the numbers of a run"):
        summary_so_far(copy, spec)
