"""A spec file, loaded."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from duelbench.spec.model import Spec
from duelbench.spec.source import read
from duelbench.spec.validation import explain


def load(path: Path) -> Spec:
    """Read and validate a spec; its name defaults to the file's stem.

    Raises
    ------
    UserError
        With file, line and one sentence, for the first thing that is wrong.
    """
    source = read(path)
    try:
        spec = Spec.model_validate({"name": path.stem, **source.data})
    except ValidationError as error:
        sentence, key = explain(error, Spec)
        if key == ("name",) and "name" not in source.data:
            sentence = f"the file needs another name, or a 'name' inside: {sentence}"
        raise source.error(sentence, key) from None
    spec._source = source
    return spec
