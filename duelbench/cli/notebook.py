"""``run`` and ``plot`` as functions, and ``load_results``."""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duelbench.arguments import JOBS, whole_number
from duelbench.cli.inputs import spec_path
from duelbench.cli.terminal import Progress, announce, in_ipython, warn
from duelbench.errors import UserError
from duelbench.experiment.current import check_place, out_of_date
from duelbench.processes import available_cores
from duelbench.results.frames import Experiment, read_experiment
from duelbench.results.results import Results
from duelbench.spec.model import load, specified
from duelbench.spec.yaml_file import parse

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from duelbench.spec.resolved import ResolvedSpec


_SPEC = Path("spec")
"""Stands for the file of a spec given as a mapping, whose paths are relative to the working directory."""


def run(
    spec: str | Path | Mapping[str, Any],
    directory: str | Path | None = None,
    *,
    smoke: bool = False,
    jobs: int | None = None,
) -> Experiment:
    """Run the experiment of a spec, as ``duelbench run`` does, and return its results.

    Finished runs in the directory are reused: call it again to continue after an interrupt.

    Parameters
    ----------
    spec : str, Path or mapping
        A YAML file, the name of a shipped spec, or the content of a spec, which needs a ``name``.
    directory : str or Path, optional
        Where to write the results, by default ``results/NAME``.
    smoke : bool
        Run the small variant that ``smoke`` in the spec defines, by default into ``results/smoke/NAME``.
    jobs : int, optional
        The number of worker processes, by default one per core; 0 plays in this process.

    Returns
    -------
    Experiment
        The results, as ``load_results`` returns them.

    Raises
    ------
    UserError
        If the spec has a mistake or a run fails.
    ValueError
        If ``jobs`` is not a whole number in its range.

    Examples
    --------
    >>> import duelbench
    >>> spec = {"name": "small", "horizon": 1e3, "runs": 3, "datasets": ["cyclic4"], "algorithms": ["rucb"]}
    >>> duelbench.run(spec, jobs=0)
    Experiment('small': rows of 1 series, 50 summary, 150 runs)
    """
    from duelbench.experiment.backends import local  # not loaded to read or draw results: it imports numba
    from duelbench.experiment.execute import execute
    from duelbench.experiment.plan import directory_of
    from duelbench.experiment.trial import try_out

    jobs = available_cores() if jobs is None else whole_number("jobs", jobs, 0, JOBS)
    plan = _plan_of(spec, smoke)
    place = directory_of(plan) if directory is None else Path(directory)
    check_place(place, plan, announce, named=directory is not None)
    try_out(plan, warn)
    with Progress(plan.rounds, plan.count) as bar:
        done = execute(plan, place, local(jobs), announce=announce, progress=bar.show)
    for path in [*done.failures, *done.gone]:
        raise UserError("a run failed, and this has its traceback" if path in done.failures
                        else "another program removed or changed this: call run again", source=str(path))  # fmt: skip
    return read_experiment(Results(place))


def _plan_of(spec: str | Path | Mapping[str, Any], smoke: bool) -> ResolvedSpec:
    """Return the plan of a spec. Errors have no line number if the spec is a mapping."""
    from duelbench.experiment.plan import make_plan

    if not isinstance(spec, Mapping):
        return make_plan(load(spec_path(Path(spec)), smoke=smoke))
    if "name" not in spec:
        raise UserError("'name' is missing: add it, for the directory of the results", source=str(_SPEC))
    text = json.dumps(spec, default=_plain, ensure_ascii=False, indent=1)
    try:
        return make_plan(specified(parse(text, _SPEC), smoke=smoke))
    except UserError as error:
        if error.source == str(_SPEC):
            error.line = None
        raise


def _plain(value: object) -> Any:
    """Convert a value of a spec to JSON types."""
    if isinstance(value, Path):
        return str(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise UserError(f"{value!r} cannot be in a spec: write numbers, texts, lists and mappings", source=str(_SPEC))


def plot(directory: str | Path, *, partial: bool = False) -> dict[str, Figure]:
    """Draw the figures of an experiment, as ``duelbench plot`` does, without writing files.

    Parameters
    ----------
    directory : str or Path
        The directory of the results.
    partial : bool
        Draw an unfinished experiment from the runs so far.

    Returns
    -------
    dict of str to matplotlib.figure.Figure
        The figures by file name without suffix, ready to be changed and saved: ``figures["regret"].axes[0]``.

    Raises
    ------
    UserError
        If there are no results, or they lack something that a figure needs.
    """
    from duelbench.plots.drawing import file_names
    from duelbench.plots.style import styled

    if in_ipython():
        pyplot = importlib.import_module("matplotlib.pyplot")
        pyplot.switch_backend(pyplot.get_backend())  # loading the backend makes notebooks show figures inline
    results = Results(Path(directory), partial=announce if partial else None)
    if line := out_of_date(results):
        announce(f"note: {line}")
    with styled():
        return {
            name: figure.draw(results)
            for name, figure in zip(file_names(results.spec.figures), results.spec.figures, strict=True)
        }


def load_results(directory: str | Path) -> Experiment:
    """Read the results that ``duelbench run`` has written to a directory.

    Prints a line if the results are out of date for their spec or for the file of an algorithm. All runs are held in
    memory: about 60 bytes per run, checkpoint and kind of regret, plus 8 per varying parameter; 150 while reading.

    Parameters
    ----------
    directory : str or Path
        The directory of one experiment.

    Returns
    -------
    Experiment
        The spec, and frames of series, summary and runs.

    Raises
    ------
    UserError
        If the directory has no finished experiment, or a file in it is damaged.

    Examples
    --------
    >>> from duelbench import load_results
    >>> experiment = load_results("results/demo")
    >>> last = experiment.runs[experiment.runs.t == experiment.runs.t.max()]
    >>> last.groupby(["dataset", "algorithm"], observed=True).value.mean().round(1).to_dict()
    {('cyclic4', 'rucb'): 305.3, ('cyclic4', 'uniform'): 500.8}
    """
    results = Results(Path(directory))
    if line := out_of_date(results):
        announce(f"note: {line}")
    return read_experiment(results)
