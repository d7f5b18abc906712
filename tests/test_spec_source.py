"""Reading YAML: which scalars mean what, and where each key stands."""

import math

import pytest

from duelbench.spec.source import read


@pytest.fixture
def source(tmp_path):
    def write(text):
        path = tmp_path / "spec.yaml"
        path.write_bytes(text.encode("utf-8"))
        return read(path)

    return write


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e6", 1e6),
        ("1.5e-3", 0.0015),
        ("1E+4", 1e4),
        (".5", 0.5),
        ("2.", 2.0),
        ("-3", -3),
        ("010", 10),
        ("1_000_000", 1_000_000),
        ("1_0.5", 10.5),
        (".inf", math.inf),
        ("-.inf", -math.inf),
        ("true", True),
        ("FALSE", False),
        ("yes", "yes"),
        ("no", "no"),
        ("off", "off"),
        ("tRuE", "tRuE"),
        ("1:30", "1:30"),
        ("2016-12-05", "2016-12-05"),
        ("0x1F", "0x1F"),
        ("1__0", "1__0"),
        ("e5", "e5"),
        ("٣", "٣"),
        ("'1e6'", "1e6"),
        ('"true"', "true"),
        ("'null'", "null"),
        ("''", ""),
        ("|\n  a\n  b", "a\nb\n"),
    ],
)
def test_scalars(source, text, value):
    read_value = source(f"key: {text}\n").data["key"]
    assert read_value == value
    assert type(read_value) is type(value)


def test_lines_of_keys_and_items(source):
    spec = source("# a comment\na: 1\n\nb:\n  - x\n  - {c: 1,\n     d: [5,\n  6]}\n")
    assert spec.data == {"a": 1, "b": ["x", {"c": 1, "d": [5, 6]}]}
    lines = {("a",): 2, ("b",): 4, ("b", 0): 5, ("b", 1): 6, ("b", 1, "d"): 7, ("b", 1, "d", 0): 7, ("b", 1, "d", 1): 8}
    assert {key: spec.line(key) for key in lines} == lines


def test_a_key_that_is_not_there_has_the_line_of_its_nearest_ancestor(source):
    spec = source("\na: 1\nb:\n  - x\n  - y\n")
    assert spec.line(("b", 1, "missing", 0)) == 5
    assert spec.line(("b", 7)) == 3
    assert spec.line(("missing",)) == spec.line() == 2


def test_an_alias_points_where_it_is_used_and_its_contents_where_they_are(source):
    spec = source("a: &a\n  x: 1\nb: *a\n")
    assert spec.data == {"a": {"x": 1}, "b": {"x": 1}}
    assert spec.line(("b",)) == 3
    assert spec.line(("b", "x")) == 2


def test_byte_order_mark_and_windows_line_ends(source):
    spec = source("\ufeffa: 1\r\nb: 2\r\n")
    assert spec.data == {"a": 1, "b": 2}
    assert spec.line(("b",)) == 2


def test_error_has_source_line_and_key(source):
    spec = source("a:\n  b: 1\n")
    error = spec.error("change it", ("a", "b"))
    assert (error.source, error.line, error.key) == (str(spec.path), 2, ("a", "b"))
