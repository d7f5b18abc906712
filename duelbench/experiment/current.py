"""Whether results are current for a spec, and for the files of users' algorithms."""

import os
import shlex
from collections.abc import Callable
from pathlib import Path

from duelbench.compiling.digest import code_digest
from duelbench.errors import UserError
from duelbench.results.results import Results, differences
from duelbench.spec.model import load
from duelbench.spec.resolved import ResolvedAlgorithm, ResolvedSpec
from duelbench.spec.yaml_file import read

_NAMED = 4
"""Maximum number of differences named in a line."""


def out_of_date(results: Results, plan: ResolvedSpec | None = None) -> str:
    """Return a line that says why results are out of date, and the command that helps; empty if they are current.

    Results are compared with ``plan``, by default that of the file they were run from. No code of that spec is run, as
    results may come from anybody: algorithms in files are compared by their text.
    """
    path = results.spec_file
    if plan is None:
        if path is None or not path.is_file() or _is_as_it_was(results, path):
            return ""
        try:
            plan = _plan_without_its_code(results, path)
        except UserError as error:
            return f"{results.directory} is not compared with its spec: {error}"
    if not (reasons := _reasons(results, plan)):
        return ""
    listed = "; ".join(reasons[:_NAMED]) + f"; {len(reasons) - _NAMED} more" * (len(reasons) > _NAMED)
    if _is_of_another(path, plan):
        return f"{results.directory} has the results of another spec, {path} ({listed})"
    return f"{results.directory} is out of date ({listed}): `{_command(results, plan)}` plays what has changed"


def _reasons(results: Results, plan: ResolvedSpec) -> list[str]:
    """Return the differences between results and a plan."""
    reasons = dict[str, None]()
    for series in plan.series:
        runs = results.runs.get(series.labels)
        new = [f"{'/'.join(series.labels)} is new"] if runs is None else differences(runs.series, series)
        reasons |= dict.fromkeys(new)
    return [*reasons]


def check_place(directory: Path, plan: ResolvedSpec, announce: Callable[[str], None], *, named: bool) -> None:
    """Print a line if a plan would replace results of another spec whose file still exists.

    Raises UserError unless the user has ``named`` the directory.
    """
    results = Results(directory)
    try:
        path = results.spec_file if results.has_manifest else None
        if not _is_of_another(path, plan):
            return
        if not _reasons(results, plan) and len(results.runs) == len(plan.series):
            return
    except UserError:  # the manifest cannot be read, and is replaced
        return
    owner = f"{directory} has the results of another spec, {path}"
    if named:
        announce(f"{owner}: runs of other settings are replaced")
        return
    place = directory.with_name(f"{directory.name}-2")
    raise UserError(f"{owner}: give yours another name, or another directory, as in `duelbench run … -o {place}`")


def _is_of_another(path: Path | None, plan: ResolvedSpec) -> bool:
    """Return whether the spec file of results exists and differs from the plan's."""
    return path is not None and path.is_file() and path.resolve() != plan.written.source.path.resolve()


def _command(results: Results, plan: ResolvedSpec) -> str:
    from duelbench.experiment.plan import directory_of

    words = ["duelbench", "run", os.path.relpath(plan.written.source.path)]
    words += ["--smoke"] * plan.written.small + [f"--{plan.mode}"] * (plan.mode != "compiled")
    if results.directory.resolve() != directory_of(plan).resolve():
        words += ["-o", str(results.directory)]
    return shlex.join(words)


def _is_as_it_was(results: Results, path: Path) -> bool:
    """Return whether a spec and its algorithms in files have the same text as when they were run.

    If so, no plan is needed: planning imports numba, which takes longer than drawing a figure. False if a matrix is in
    a file, since that may have changed.
    """
    if any(each.origin and (path.parent / each.origin).is_file() for each in results.ran.datasets):
        return False
    try:
        same = read(path).text == results.manifest.spec_text
    except UserError:
        return False
    return same and all(_as_written(each, path.parent, {}).code == each.code for each in results.ran.algorithms)


def _plan_without_its_code(results: Results, path: Path) -> ResolvedSpec:
    """Return the plan of a spec without running its code: algorithms in files are taken from the results.

    Their parameters and the digests of their files are updated. Algorithms in files that are new are left out.
    """
    from duelbench.experiment.plan import make_plan

    spec = load(path, smoke=results.manifest.small)
    before = {each.label: each for each in results.ran.algorithms}
    points = spec.expanded_algorithms()
    known = {
        point.label: _as_written(before[point.label], path.parent, dict(point.parameters))
        for point in points
        if point.entry.is_in_a_file and point.label in before
    }
    ours = {point.label for point in points if not point.entry.is_in_a_file}
    return make_plan(spec, results.ran.mode, only=ours | known.keys(), known=known)


def _as_written(algorithm: ResolvedAlgorithm, folder: Path, parameters: dict[str, object]) -> ResolvedAlgorithm:
    """Return an algorithm with the parameters of its entry and the digests of its files."""
    code = dict(algorithm.code)
    for name in code:
        kind, _, module = name.partition("its module ")
        file = algorithm.name.rpartition(":")[0] if name == "its file" else f"{module.replace('.', '/')}.py"
        if name == "its file" or (not kind and module):
            try:
                code[name] = code_digest((folder / file).read_text(encoding="utf-8"))
            except (OSError, ValueError, SyntaxError):
                code[name] = "cannot be read"
    return algorithm.model_copy(update={"code": code, "parameters": {**algorithm.parameters, **parameters}})
