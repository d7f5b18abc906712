"""Errors of numba and pydantic in users' code, reduced to one useful sentence and the user's line."""

import ast
import re
from collections.abc import Mapping
from typing import NamedTuple

from pydantic import ValidationError

from duelbench.engine.answers import NOT_WHOLE
from duelbench.kernels.duels import NOT_RETURNED, NOT_WHOLE_DUEL

NO_MEMORY = (
    "a kernel cannot create arrays, lists, dicts or strings, nor use Python objects: create arrays in start, keep them "
    "in the state and fill them here, or remove every @kernel to run as plain Python"
)
"""The message for a kernel that would allocate memory."""
AS_PLAIN_PYTHON = "`duelbench run SPEC --interpreted -j 0` runs it as plain Python"
NO_PRINT = f"a kernel cannot print: {AS_PLAIN_PYTHON}, which can"
_PRINTS = "missing Environment"
"""Part of the error message for a kernel with ``print``; such a kernel compiles."""
_NEEDS_MEMORY = re.compile(r"NRT required|Only accept returning of array|DictType")
_PLACES = re.compile(r'File "([^"]+)", line (\d+)|\b(?:at|from) ([^()\n]+?) \((\d+)\)')
_SIGNATURE = re.compile(r"^\s*>>> (.*)$", re.MULTILINE)
_NOISE = re.compile(r"Failed in \w+ mode pipeline|During: |File |There are |\^$|<source elided>|def \w+\(|>>> |$")
_HINTS = {
    r"Untyped global name '(\w+)': Cannot determine Numba type of <class 'function'>": (
        "{0} is plain Python, and a kernel calls only kernels: put @kernel before it"
    ),
    r"Untyped global name 'breakpoint'": f"a kernel cannot stop at a breakpoint: {AS_PLAIN_PYTHON}",
    r"Untyped global name '(\w+)'": "a kernel cannot use {0}: it can use only numbers, arrays and kernels",
    r"Use of unsupported opcode \(STORE_GLOBAL\)": "a kernel cannot change a global variable: keep it in the state",
    r"exception_match\(": "a kernel cannot choose an exception: test the condition before, or write except Exception",
    r"Unsupported context manager": "a kernel cannot use 'with': remove it; kernels do not warn of a division by zero",
    r"(?:NumPyRandomGeneratorType_|attribute ')(integers|choice)(?:\(|' of type NumPyRandomGeneratorType)": (
        "a kernel cannot use rng.{0}: below(n, rng) from duelbench.kernels.draws draws a whole number from 0 to n - 1"
    ),
    r"Unknown attribute '(\w+)' of type NumPyRandomGeneratorType": "numba has no rng.{0}: see duelbench/README.md",
    r"NumPyRandomGeneratorType_"
    r"(random|uniform|beta|gamma|exponential|standard_normal|normal|binomial|geometric)\(": (
        "in a kernel rng.{0} takes numbers and returns one: leave out size and arrays"
    ),
    r"NumPyRandomGeneratorType_(\w+)\(": "a kernel cannot use rng.{0}: see duelbench/README.md for those that it can",
    r"DictType": NO_MEMORY,
    r">>> str\(|mod\(Literal\[str\]|unicode_type|format spec in f-strings|of type Literal\[str\]": (
        f"a kernel cannot make text: {AS_PLAIN_PYTHON}, which can"
    ),
    r"setitem\(readonly array": "a kernel cannot change an array outside the state: keep it in the state",
    r"reflected list": "a kernel cannot use a list: create an array in start and keep it in the state",
    r"Unknown attribute '(\w+)' of type (?:\w+Tuple|\w+)\(": "it has no field {0}: use the fields of the state",
    rf"{NOT_RETURNED} (?:none|Optional)": "explore returns nothing at one of its ends: return an arm there",
    rf"((?:{NOT_WHOLE}|{NOT_WHOLE_DUEL}|{NOT_RETURNED}) .*)": "{0}",
}


class Complaint(NamedTuple):
    """What is wrong, in one sentence, and the user's file and line."""

    sentence: str
    file: str | None
    line: int | None


def complaint(error: Exception, texts: Mapping[str, str]) -> Complaint:
    """Explain an error of numba; ``texts`` are the user's files by name.

    numba's message is a page long: it lists all kernels being compiled, innermost first, and all failed attempts.
    """
    message = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    if _PRINTS in message:
        return print_in_kernel(texts) or Complaint(NO_PRINT, None, None)
    sentence = _sentence(message)
    for match in _PLACES.finditer(message):
        if file := _known(match[1] or match[3], texts):
            return Complaint(sentence, file, int(match[2] or match[4]))
    named = re.findall(r"'(\w+)'", sentence)
    inside = re.findall(r"<function (\w+) at", message)
    for file, text in texts.items():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Name) and node.id in named:
                return Complaint(sentence, file, node.lineno)
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef) and node.name in (*inside, "select", "explore"):
                return Complaint(sentence, file, node.lineno)
    return Complaint(sentence, None, None)


def is_of_numba(error: BaseException) -> bool:
    """Return whether ``complaint`` can explain an error; numba also raises errors other than NumbaError."""
    return type(error).__module__.startswith("numba.") or _PRINTS in str(error)


def print_in_kernel(texts: Mapping[str, str]) -> Complaint | None:
    """Return the first ``print`` in a kernel, if any: numba rejects it only when the code is not cached."""
    for file, text in texts.items():
        for function in ast.walk(ast.parse(text)):
            if isinstance(function, ast.FunctionDef) and function.decorator_list:
                for node in ast.walk(function):
                    if isinstance(node, ast.Name) and node.id == "print":
                        return Complaint(NO_PRINT, file, node.lineno)
    return None


def set_attribute(error: BaseException) -> str:
    """Return a message if a method sets an attribute of an algorithm, or an empty string for any other error."""
    first = error.errors()[0] if isinstance(error, ValidationError) else None
    if first is None or first["type"] != "frozen_instance":
        return ""
    return f"self.{first['loc'][0]} cannot be set, since an algorithm has only parameters: keep it in the state"


def _known(file: str, texts: Mapping[str, str]) -> str | None:
    """Return the user's file that numba names; its path is relative to the current directory."""
    name = re.sub(r"^(\.\.?/)+", "", file.replace("\\", "/"))
    return next((each for each in texts if each == file or each.replace("\\", "/").endswith(f"/{name}")), None)


def _sentence(message: str) -> str:
    for words, hint in _HINTS.items():
        if match := re.search(words, message):
            return hint.format(*match.groups())
    signature = _SIGNATURE.search(message)
    if _NEEDS_MEMORY.search(message):
        return f"{signature[1]} needs memory, and {NO_MEMORY}" if signature and "<" not in signature[1] else NO_MEMORY
    if signature and "No implementation of function" in message:
        return f"numba does not support {signature[1]} for these types"
    useful = [line.strip() for line in message.splitlines() if not _NOISE.match(line.strip())]
    return useful[0] if useful else message.partition("\n")[0]
