"""numba's compile errors, reduced to one useful sentence and the user's line."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import NamedTuple

from duelbench.engine.answers import NOT_WHOLE

NO_MEMORY = (
    "a kernel cannot create arrays, lists, dicts or strings, nor use Python objects: create arrays in start, keep them "
    "in the state and fill them here, or remove every @kernel to run as plain Python"
)
"""The message for a kernel that would allocate memory."""
_NEEDS_MEMORY = re.compile(r"NRT required|Only accept returning of array|unicode_type|reflected list|DictType")
_PLACES = re.compile(r'File "([^"]+)", line (\d+)|\b(?:at|from) ([^()\n]+?) \((\d+)\)')
_SIGNATURE = re.compile(r"^\s*>>> (.*)$", re.MULTILINE)
_NOISE = re.compile(r"Failed in \w+ mode pipeline|During: |File |There are |\^$|<source elided>|def \w+\(|>>> |$")
_HINTS = {
    r"Untyped global name '(\w+)': Cannot determine Numba type of <class 'function'>": (
        "{0} is plain Python, and a kernel calls only kernels: put @kernel before it"
    ),
    r"Untyped global name 'breakpoint'": "to stop at a breakpoint, `duelbench run --interpreted -j 0`",
    r"Untyped global name '(\w+)'": "a kernel cannot use {0}: it can use only numbers, arrays and kernels",
    r"Use of unsupported opcode \(STORE_GLOBAL\)": "a kernel cannot change a global variable: keep it in the state",
    r"Unsupported context manager": "a kernel cannot use 'with': remove it; kernels do not warn of a division by zero",
    r"Unknown attribute '(\w+)' of type NumPyRandomGeneratorType": "numba has no rng.{0}: see duelbench/README.md",
    r"Unknown attribute '(\w+)' of type (?:\w+Tuple|\w+)\(": "it has no field {0}: use the fields of the state",
    rf"({NOT_WHOLE} .*)": "{0}",
}


class Complaint(NamedTuple):
    """What is wrong, in one sentence, and the user's file and line."""

    sentence: str
    file: str | None
    line: int | None


def complaint(error: Exception, texts: Mapping[str, str]) -> Complaint:
    """Return the meaning of an error of numba; ``texts`` are the user's files by name.

    numba's message is a page long: each kernel that was being compiled, from the innermost, and all failed attempts.
    """
    message = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
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
            if isinstance(node, ast.FunctionDef) and node.name in (*inside, "select"):
                return Complaint(sentence, file, node.lineno)
    return Complaint(sentence, None, None)


def _known(file: str, texts: Mapping[str, str]) -> str | None:
    """Return which of the files numba means; it writes a path relative to the current directory."""
    name = re.sub(r"^(\.\.?/)+", "", file.replace("\\", "/"))
    return next((each for each in texts if each == file or each.replace("\\", "/").endswith(f"/{name}")), None)


def _sentence(message: str) -> str:
    for words, hint in _HINTS.items():
        if match := re.search(words, message):
            return hint.format(*match.groups())
    signature = _SIGNATURE.search(message)
    if _NEEDS_MEMORY.search(message):
        return f"{signature[1]} needs memory, and {NO_MEMORY}" if signature else NO_MEMORY
    if signature and "No implementation of function" in message:
        return f"numba does not support {signature[1]} for these types"
    useful = [line.strip() for line in message.splitlines() if not _NOISE.match(line.strip())]
    return useful[0] if useful else message.partition("\n")[0]
