"""Parameters of datasets: refused out of range, and read as users write numbers."""

import pytest
from pydantic import Field, ValidationError

from duelbench.errors import UserError
from duelbench.sources.generators import (
    BtlUniform,
)
from duelbench.sources.parameters import Parameters, validated


@pytest.mark.parametrize(
    "wrong", [{"arms": 1}, {"arms": 10_001}, {"arms": "5"}, {"arms": True}, {"seed": -1}, {"x": 1}]
)
def test_parameters_out_of_range_are_refused(wrong):
    with pytest.raises(ValidationError):
        BtlUniform(**wrong)


def test_numbers_may_be_written_in_floating_point():
    assert BtlUniform(arms=1e2, seed=3.0).model_dump() == {"arms": 100, "seed": 3}


def test_an_unknown_parameter_is_told_the_names_that_a_spec_has():
    class Changes(Parameters):
        source: int = Field(0, alias="from")
        to: int = 0

    with pytest.raises(UserError, match=r"no parameter 'form' \(did you mean 'from'\?\): there is from, to"):
        validated(Changes, {"form": 1})
