"""The JSON schema of a spec, for completion and help in editors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from duelbench.spec.entries import CLASS_IN_FILE
from duelbench.spec.model import Spec

_Schema = dict[str, Any]

_NAMES: _Schema = {
    "arms": {
        "description": "The names of the arms, in the order of the matrix.",
        "type": "array",
        "items": {"type": "string", "minLength": 1},
        "minItems": 2,
        "uniqueItems": True,
    }
}
_SCALAR: _Schema = {"type": ["number", "boolean", "string", "null"]}


def json_schema(
    algorithms: Mapping[str, type[BaseModel]],
    datasets: Mapping[str, type[BaseModel] | None],
    votes: type[BaseModel],
    changes: type[BaseModel],
) -> dict[str, Any]:
    """Return the JSON schema (draft 2020-12) of a spec.

    Parameters
    ----------
    algorithms
        The model of each algorithm's parameters, by catalogue name.
    datasets
        The model of each generator's parameters, by catalogue name; None for a fixed table.
    votes
        The model of the options of a file of votes.
    changes
        The model of the rules by which a dataset changes.
    """
    schema = Spec.model_json_schema()
    definitions = schema["$defs"]
    algorithm, dataset = definitions.pop("AlgorithmEntry"), definitions.pop("DatasetEntry")
    of_a_file = {"properties": {**algorithm["properties"], "reference": {"const": False}}}

    definitions["algorithm"] = _choice(
        {"type": "string", "enum": list(algorithms)},
        {"type": "string", "pattern": CLASS_IN_FILE},
        *(
            _entry(algorithm, {"name": {"const": name}}, _grids(_parameters(model, definitions)))
            for name, model in algorithms.items()
        ),
        {
            **_entry(of_a_file, {"name": {"type": "string", "pattern": CLASS_IN_FILE}}, {}),
            "additionalProperties": _grid(_SCALAR),
        },
    )
    definitions["dataset"] = _choice(
        {"type": "string", "enum": list(datasets)},
        *(
            _entry(dataset, {"name": {"const": name}}, _grids(_parameters(model, definitions)) if model else _NAMES)
            for name, model in datasets.items()
        ),
        _entry(dataset, {"file": {"type": "string", "minLength": 1}}, {"name": {"type": "string"}, **_NAMES}),
        _entry(
            dataset,
            {"votes": {"type": "string", "minLength": 1}},
            {"name": {"type": "string"}, **_NAMES, **_grids(_parameters(votes, definitions))},
        ),
    )
    definitions["change"] = {
        "type": "object",
        "properties": {"at": {"type": "number", "minimum": 2, "description": "The first round of the new matrix."}},
        "required": ["at"],
        "anyOf": [{"required": [key]} for key in ("name", "file", "votes")],
    }
    definitions["changes"] = {"additionalProperties": False, **changes.model_json_schema()}
    properties = schema["properties"]
    properties["algorithms"]["items"] = {"$ref": "#/$defs/algorithm"}
    properties["datasets"]["items"] = {"$ref": "#/$defs/dataset"}
    for listed in (properties["regret"], definitions["Feedback"]["properties"]["delay"]):
        listed["anyOf"] = [listed["items"], {key: listed.pop(key) for key in ("type", "items", "minItems")}]
    for key in ("title", "horizons", "regret", "figures"):  # their descriptions give the defaults
        del properties[key]["default"]
    properties["smoke"] = {
        "type": "object",
        "description": properties["smoke"]["description"],
        "properties": {key: {"$ref": f"#/properties/{key}"} for key in properties if key not in ("name", "smoke")},
        "minProperties": 1,
        "additionalProperties": False,
    }
    schema["description"] = "An experiment: every algorithm on every dataset, `runs` times."
    schema["required"] = ["datasets", "algorithms"]  # the name has a default: the file's
    schema["allOf"] = [
        {"oneOf": [{"required": ["horizon"]}, {"required": ["horizons"]}]},
        {"anyOf": [{"required": ["runs"]}, {"required": ["seeds"]}, {"required": ["only_runs"]}]},
        {"not": {"required": ["runs", "seeds"]}},
        {"not": {"required": ["seed", "seeds"]}},
    ]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **_without_null(schema)}


def _choice(*alternatives: _Schema) -> _Schema:
    return {"anyOf": list(alternatives)}


def _entry(written: _Schema, identity: _Schema, parameters: _Schema) -> _Schema:
    """Return the schema of one named entry, from the common schema of all entries."""
    shared = {key: value for key, value in written["properties"].items() if key not in ("name", "file", "votes")}
    if "changes" in shared:
        listed = {"type": "array", "items": {"$ref": "#/$defs/change"}, "minItems": 1}
        about = {"description": shared["changes"]["description"]}
        shared["changes"] = {**about, "anyOf": [listed, {"$ref": "#/$defs/changes"}]}
    (key,) = identity
    described = {"description": written["properties"][key]["description"], **identity[key]}
    return {
        "type": "object",
        "properties": {key: described, **shared, **parameters},
        "required": [key],
        "additionalProperties": False,
    }


def _parameters(model: type[BaseModel] | None, definitions: _Schema) -> _Schema:
    if model is None:
        return {}
    schema = model.model_json_schema()
    definitions.update(schema.get("$defs", {}))
    properties: _Schema = schema.get("properties", {})
    return properties


def _grids(parameters: _Schema) -> _Schema:
    return {name: _grid(parameter) for name, parameter in parameters.items()}


def _grid(scalar: _Schema) -> _Schema:
    """Return a schema that also accepts a list of values, which is a grid."""
    about: _Schema = {key: scalar[key] for key in ("description", "default") if key in scalar}
    value = {key: scalar[key] for key in scalar if key not in (*about, "title")}
    if "anyOf" in value:
        value["anyOf"] = [{"enum": ["none", None]} if each == {"type": "null"} else each for each in value["anyOf"]]
    return {**about, "anyOf": [value, {"type": "array", "items": value, "minItems": 1, "uniqueItems": True}]}


def _without_null(schema: Any) -> Any:
    """Drop nulls, which a spec has only as parameter values, and pydantic's titles, which only repeat the keys."""
    if isinstance(schema, list):
        return [_without_null(each) for each in schema if each != {"type": "null"}]
    if not isinstance(schema, dict):
        return schema
    kept = {
        key: _without_null(value)
        for key, value in schema.items()
        if not (key == "default" and value is None) and not (key == "title" and isinstance(value, str))
    }
    if len(kept.get("anyOf", ())) == 1:
        kept |= kept.pop("anyOf")[0]
    return kept
