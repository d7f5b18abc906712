"""Pydantic's errors in plain words, for any model of parameters."""

from typing import Annotated, Literal

import pytest
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from duelbench.spec.validation import explain, mistake


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")
    size: int = Field(2, ge=2)


def _even(value: int) -> int:
    if value % 2:
        raise mistake("{it} is odd: write an even number")
    return value


class Parameters(BaseModel):
    model_config = ConfigDict(extra="forbid")
    alpha: float = Field(0.51, gt=0, allow_inf_nan=False)
    batches: int = Field(3, le=9)
    variant: Literal["condorcet", "copeland"] = "copeland"
    fast: bool = False
    delta: float | Literal["auto"] = "auto"
    inner: Inner | None = None
    listed: list[Inner] = []
    named: dict[str, Inner] = {}
    pair: tuple[int, ...] = Field((1, 2), min_length=2, max_length=3)
    even: Annotated[int, AfterValidator(_even)] = 2
    code: str = Field("a", pattern="^[a-z]$")

    @field_validator("batches")
    @classmethod
    def _not_seven(cls, batches: int) -> int:
        if batches == 7:
            raise ValueError("seven is not allowed")
        return batches


@pytest.mark.parametrize(
    ("data", "key", "sentence"),
    [
        ({"alhpa": 1}, ("alhpa",), "unknown key 'alhpa' (did you mean 'alpha'?)"),
        ({"labl": 1}, ("labl",), "unknown key 'labl' (did you mean 'label'?)"),
        ({"alpha": 0}, ("alpha",), "'alpha' must be greater than 0, not 0"),
        ({"alpha": "big"}, ("alpha",), "'alpha' must be a number, not 'big': write 0.5, say"),
        ({"alpha": float("nan")}, ("alpha",), "'alpha' must be a finite number, not nan"),
        ({"batches": 2.5}, ("batches",), "'batches' must be a whole number, not 2.5"),
        ({"batches": 10}, ("batches",), "'batches' must be at most 9, not 10"),
        ({"batches": 7}, ("batches",), "'batches': seven is not allowed"),
        (
            {"variant": "copland"},
            ("variant",),
            "'variant' must be 'condorcet' or 'copeland', not 'copland' (did you mean 'copeland'?)",
        ),
        ({"fast": "maybe"}, ("fast",), "'fast' must be true or false, not 'maybe'"),
        ({"delta": [1]}, ("delta",), "'delta' must be a number, not a list"),
        ({"inner": {"size": 1}}, ("inner", "size"), "'size' must be at least 2, not 1"),
        ({"inner": {"siz": 1}}, ("inner", "siz"), "unknown key 'siz' (did you mean 'size'?)"),
        ({"inner": {"label": 1}}, ("inner", "label"), "unknown key 'label': the keys here are size"),
        ({"inner": 3}, ("inner",), "'inner' must be a mapping, not 3: write it as {key: value, …}"),
        ({"listed": [{}, {"siez": 1}]}, ("listed", 1, "siez"), "unknown key 'siez' (did you mean 'size'?)"),
        ({"listed": [3]}, ("listed", 0), "item 1 of 'listed' must be a mapping, not 3: write it as {key: value, …}"),
        ({"named": {"a": {"seize": 1}}}, ("named", "a", "seize"), "unknown key 'seize' (did you mean 'size'?)"),
        ({"pair": [1]}, ("pair",), "'pair' is too short: give at least 2"),
        ({"pair": [1, 2, 3, 4]}, ("pair",), "'pair' is too long: give at most 3"),
        ({"even": 3}, ("even",), "'even' is odd: write an even number"),
        ({"code": "AB"}, ("code",), "'code': it should match pattern '^[a-z]$'"),
        ({"alpha": None}, ("alpha",), "'alpha' must be a number, not nothing"),
    ],
)
def test_sentences(data, key, sentence):
    with pytest.raises(ValidationError) as caught:
        Parameters.model_validate(data)
    assert explain(caught.value, Parameters, also=("label",)) == (sentence, key)


def test_an_unknown_key_comes_before_what_it_leaves_missing():
    class Needs(BaseModel):
        model_config = ConfigDict(extra="forbid")
        arms: int

    with pytest.raises(ValidationError) as caught:
        Needs.model_validate({"amrs": 3})
    assert explain(caught.value, Needs) == ("unknown key 'amrs' (did you mean 'arms'?)", ("amrs",))


def test_a_model_without_parameters():
    class Nothing(BaseModel):
        model_config = ConfigDict(extra="forbid")

    with pytest.raises(ValidationError) as caught:
        Nothing.model_validate({"alpha": 3})
    assert explain(caught.value, Nothing) == (
        "unknown key 'alpha': there are no parameters here, remove it",
        ("alpha",),
    )


def test_a_model_that_refuses_as_a_whole():
    class Either(BaseModel):
        size: int | None = None

        @model_validator(mode="after")
        def _given(self):
            if self.size is None:
                raise ValueError("give 'size' or 'arms'")
            return self

    with pytest.raises(ValidationError) as caught:
        Either.model_validate({})
    assert explain(caught.value, Either) == ("give 'size' or 'arms'", ())
