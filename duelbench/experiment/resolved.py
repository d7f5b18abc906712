"""A plan as ``manifest.json`` has it."""

from __future__ import annotations

from duelbench.experiment.code import code_of
from duelbench.experiment.plan import Plan
from duelbench.spec.resolved import ResolvedAlgorithm, ResolvedDataset, ResolvedSpec


def resolved(plan: Plan) -> ResolvedSpec:
    """Return the spec with every default and name resolved."""
    spec = plan.spec
    return ResolvedSpec(
        name=spec.name,
        title=spec.title,
        horizons=spec.horizons,
        runs=plan.runs,
        only_runs=spec.only_runs,
        until=spec.until,
        seeds=spec.seeds,
        seed=None if spec.seeds is not None else spec.seed,
        shuffle_arms=spec.shuffle_arms,
        count=spec.count or "rounds",
        recommend=spec.recommend or "none",
        find=spec.find,
        regret=spec.regret,
        run_timeout=spec.run_timeout,
        feedback=spec.feedback,
        checkpoints=tuple(plan.checkpoints.tolist()),
        datasets=tuple(
            ResolvedDataset(
                label=planned.label,
                title=planned.dataset.title,
                arms=planned.dataset.arms,
                delay=planned.delay,
                grid=planned.grid,
                citation=planned.dataset.citation,
                identity=planned.dataset.identity(),
                point=planned.point,
                grid_title=planned.grid_title,
                origin=planned.origin,
                arm_names=planned.dataset.arm_names,
                changes=planned.dataset.shared_changes,
            )
            for planned in plan.datasets
        ),
        algorithms=tuple(
            ResolvedAlgorithm(
                label=planned.label,
                name=planned.reference,
                parameters=dict(planned.complete_parameters),
                horizons=planned.horizons,
                citation=planned.kind.citation,
                code=code_of(planned.kind, literal=planned.literal),
                literal=planned.literal,
                source=planned.kind.source_text or None,
                grid=planned.grid,
                point=planned.point,
                grid_title=planned.grid_title,
            )
            for planned in plan.algorithms
        ),
        figures=spec.figures,
    )
