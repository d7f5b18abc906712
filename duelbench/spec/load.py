"""Loading a spec file."""

from pathlib import Path

from pydantic import ValidationError

from duelbench.errors import UserError
from duelbench.spec.model import Spec
from duelbench.spec.validation import explain
from duelbench.spec.yaml_file import Source, read


def load(path: Path, *, smoke: bool = False) -> Spec:
    """Read and validate a spec; its name defaults to the file's stem.

    With ``smoke`` the keys in its ``smoke`` block replace the keys beside it; otherwise they are only checked.

    Raises
    ------
    UserError
        For the first mistake, with file, line and one sentence.
    """
    if path.suffix == ".py":
        raise UserError("this is a Python file, not a spec: name its class in a spec", source=str(path))
    return specified(read(path), smoke=smoke)


def specified(source: Source, *, smoke: bool = False) -> Spec:
    """Validate a spec that has been read, as ``load`` does."""
    full = _validated(source)
    if full.smoke is None:
        if smoke:
            raise source.error("the spec has no small variant: add one, such as 'smoke: {runs: 2, horizon: 1e4}'")
        return full
    small = _validated(source.overlaid("smoke"))
    small._small = True
    return small if smoke else full


def _validated(source: Source) -> Spec:
    try:
        spec = Spec.model_validate({"name": source.path.stem, **source.data})
    except ValidationError as error:
        sentence, key = explain(error, Spec)
        if key == ("name",) and "name" not in source.data:
            sentence = f"the file needs another name, or a 'name' inside: {sentence}"
        raise source.error(sentence, key) from None
    spec._source = source
    return spec
