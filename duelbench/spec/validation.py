"""Turning pydantic's errors into plain sentences: what is wrong, and what to write instead."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from duelbench.errors import Key, did_you_mean
from duelbench.spec.yaml_file import scalar

# pydantic's error types (up to their first underscore) and the expected kind of value
_EXPECTED = {
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "string": "text",
    "list": "a list",
    "tuple": "a list",
    "dict": "a mapping",
    "model": "a mapping",
    "finite": "a finite number",
}
_PYDANTIC_SUBJECT = re.compile(r"^\w+ should")
_BOUNDS = {
    "greater_than": ("gt", "greater than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
}


def mistake(sentence: str, *key: Key) -> PydanticCustomError:
    """Return an error with this sentence for a validator to raise.

    ``key`` is the path from the value being validated to the mistake; ``{it}`` in the sentence becomes the name of the
    key there.
    """
    return PydanticCustomError("mistake", "{sentence}", {"sentence": sentence, "key": key})


@contextmanager
def below(*key: Key) -> Iterator[None]:
    """Add ``key`` before the path of a ``mistake`` raised in this block."""
    try:
        yield
    except PydanticCustomError as error:
        context = error.context or {}
        raise mistake(context["sentence"], *key, *context["key"]) from None


def explain(error: ValidationError, model: type[BaseModel], also: Iterable[str] = ()) -> tuple[str, tuple[Key, ...]]:
    """Describe the first error in one plain sentence.

    Unknown keys come first: a misspelt key is often the reason that another one is missing. ``also`` are further keys
    that are valid at the top level, for suggestions.

    Returns
    -------
    sentence, key
        ``key`` is the path of the invalid entry in the validated data.
    """
    errors = error.errors(include_url=False)
    first = next((each for each in errors if each["type"] == "extra_forbidden"), errors[0])
    key, holders = _walk(model, first["loc"])
    context = first.get("ctx", {})
    if first["type"] == "mistake":
        key = (*key, *context["key"])
        return context["sentence"].replace("{it}", _subject(key)), key
    if first["type"].startswith("union_tag"):
        key = (*key, context["discriminator"].strip("'"))
    known = [name for holder in holders for name in holder.model_fields]
    if len(key) == 1:
        known += also
    return _sentence(first, key, known, holders), key


def show(value: object) -> str:
    """Return a value as a spec writes it, shortened."""
    match value:
        case None:
            return "nothing"
        case bool():
            return str(value).lower()
        case str():
            return repr(value if len(value) <= 40 else f"{value[:37]}...")
        case int() | float():
            return repr(value).removesuffix(".0")
        case Mapping():
            return "a mapping"
        case list() | tuple():
            return "a list"
    return type(value).__name__


def _sentence(error: ErrorDetails, key: tuple[Key, ...], known: list[str], holders: list[type[BaseModel]]) -> str:
    kind, value, context, it = error["type"], error["input"], error.get("ctx", {}), _subject(key)
    if kind == "extra_forbidden":
        near = did_you_mean(str(key[-1]), known)
        return f"unknown key {str(key[-1])!r}{near or _instead(known)}"
    if kind == "missing":
        return f"{it} is missing: add it"
    if kind == "union_tag_not_found":
        return f"{it} is missing: write {' or '.join(f'{key[-1]}: {tag}' for tag in _tags(holders))}"
    if kind == "union_tag_invalid":
        *others, last = map(repr, _tags(holders))
        tag = value[key[-1]] if isinstance(value, Mapping) else context["tag"]
        return f"{it} must be {', '.join(others)} or {last}, not {show(tag)}{_near(tag, _tags(holders))}"
    if kind in ("literal_error", "enum"):
        words = re.findall(r"'([^']*)'", context["expected"])
        it = _subject(tuple(part for part in key if isinstance(part, str)))  # the value itself tells which item
        return f"{it} must be {context['expected']}, not {show(value)}{_near(value, words)}"
    if kind in _BOUNDS:
        bound, relation = _BOUNDS[kind]
        return f"{it} must be {relation} {show(context[bound])}, not {show(value)}"
    if kind == "too_short":
        fewest = context["min_length"]
        return f"{it} is empty: give at least one" if fewest == 1 else f"{it} is too short: give at least {fewest}"
    if kind == "too_long":
        return f"{it} is too long: give at most {context['max_length']}"
    if kind == "value_error":
        return f"{it}: {context['error']}" if key else str(context["error"])
    expected = _EXPECTED.get(kind.partition("_")[0])
    if expected is None or (expected == "text" and kind != "string_type"):
        return f"{it}: {_PYDANTIC_SUBJECT.sub('it should', error['msg'])}"
    return f"{it} must be {expected}, not {show(value)}{_advice(expected, value, key, known)}"


def _advice(expected: str, value: object, key: tuple[Key, ...], known: list[str]) -> str:
    if expected == "a list":
        return ": write it in [ ], or one '- ' line per item"
    if expected == "a mapping":
        return ": write it as {key: value, …}"
    if isinstance(value, list) and f"{key[-1]}s" in known:
        return f": a list goes under '{key[-1]}s'"
    if isinstance(value, str) and "number" in expected:
        examples = "1000 or 1e6" if "whole" in expected else "0.5"
        return f": write, for example, {examples}" if isinstance(scalar(value), str) else ": remove the quotes"
    return ": put it in quotes" if expected == "text" and isinstance(value, bool | int | float) else ""


def _subject(key: tuple[Key, ...]) -> str:
    """Return the name of the entry at a key path: ``'runs'``, ``item 2 of 'horizons'``."""
    match key:
        case (*_, str(name), int(index)):
            return f"item {index + 1} of {name!r}"
        case (*_, last):
            return repr(last)
    return "the value"


def _near(value: object, words: list[str]) -> str:
    return did_you_mean(value, words) if isinstance(value, str) else ""


def _instead(known: list[str]) -> str:
    return f": the keys here are {', '.join(known)}" if known else ": no parameters are allowed here, remove it"


def _walk(model: type[BaseModel], loc: tuple[Key, ...]) -> tuple[tuple[Key, ...], list[type[BaseModel]]]:
    """Follow ``loc`` through the annotations.

    Returns the path in the data, without the names of union members that pydantic adds to ``loc``, and the models that
    have the last part of the path as a field, or as an unknown key.
    """
    here: list[Any] = [model]
    holders: list[type[BaseModel]] = []
    path: list[Key] = []
    for part in loc:
        models = [each for each in here if _is_model(each)]
        if len(models) > 1:  # a tagged union: this part is the tag
            here = [each for each in models if part in _tags([each])]
            continue
        inner = [member for each in here for member in _inside(each, part)]
        if not inner and (not models or any(not _is_model(each) and each is not NoneType for each in here)):
            continue  # the name of a union member
        holders, here = models, inner
        path.append(part)
    union = [each for each in here if _is_model(each)]
    return tuple(path), union if len(union) > 1 else holders


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _inside(annotation: Any, part: Key) -> Iterator[Any]:
    if _is_model(annotation):
        if part in annotation.model_fields:
            yield from _members(annotation.model_fields[part].annotation)
    elif get_origin(annotation) in (list, tuple) and isinstance(part, int):
        yield from _members(get_args(annotation)[0])
    elif get_origin(annotation) is dict:
        yield from _members(get_args(annotation)[1])


def _members(annotation: Any) -> Iterator[Any]:
    """Yield the alternatives of an annotation, without ``Annotated``."""
    if get_origin(annotation) is Annotated:
        yield from _members(get_args(annotation)[0])
    elif get_origin(annotation) in (Union, UnionType):
        for member in get_args(annotation):
            yield from _members(member)
    else:
        yield annotation


def _tags(models: list[type[BaseModel]]) -> list[str]:
    """Return the tags of a union of models: the values of their Literal fields without a default."""
    return [
        tag
        for model in models
        for field in model.model_fields.values()
        if field.is_required() and get_origin(field.annotation) is Literal
        for tag in get_args(field.annotation)
    ]
