"""Rounding to what is known."""

import math

import pytest

from duelbench.tables.rounding import grouped, to_the_error


@pytest.mark.parametrize(
    ("mean", "error", "said"),
    [
        (1379.31, 14.2, ["1379", "14"]),
        (12345.6, 321.0, ["12350", "320"]),
        (0.0123456, 0.00045, ["0.01235", "0.00045"]),
        (3.0, 0.0996, ["3.00", "0.10"]),  # which rounds up to another place
        (99.96, 9.96, ["100", "10"]),
        (5.0, 1.25, ["5.0", "1.2"]),  # halves to even
        (123.0, 4567.0, ["100", "4600"]),
        (1e9, 12345678.0, ["1000000000", "12000000"]),
        (2.5e-7, 1.2e-8, ["0.000000250", "0.000000012"]),
        (-0.001, 0.2, ["0.00", "0.20"]),
        (-12.34, 0.2, ["-12.34", "0.20"]),
        (250.5, 0.0, ["250.5", "0"]),
        (250.0, 0.0, ["250", "0"]),
    ],
)
def test_the_error_says_to_what_place(mean, error, said):
    assert to_the_error(mean, error, error=error) == said


def test_without_an_error_four_digits():
    assert to_the_error(1379.31, error=math.nan) == ["1379"]
    assert to_the_error(0.0123456, error=math.nan) == ["0.01235"]
    assert to_the_error(123456.0, error=math.nan) == ["123500"]
    assert to_the_error(0.0, error=math.nan) == ["0.000"]


def test_thousands():
    assert [grouped(each, ",") for each in ("999", "1000", "1234567.891", "-1000", "0.0001")] == [
        *("999", "1,000", "1,234,567.891", "-1,000", "0.0001")
    ]
    assert grouped("12350", "{,}") == "12{,}350"
