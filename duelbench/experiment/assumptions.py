"""The assumptions of algorithms that the matrices of an experiment do not meet."""

from duelbench.errors import UserError
from duelbench.experiment.run import instance
from duelbench.preferences.assumptions import CONDITIONS, unmet
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.results.manifest import Unmet
from duelbench.spec.resolved import Labels, ResolvedSpec

_OF_TRIPLES = {"total order", "SST", "γ-SST", "relaxed SST", "STI"}
_MOST_ARMS = 100
"""With more arms, conditions on triples are not checked: with 1,000 this would take half a minute."""


def unmet_in(plan: ResolvedSpec) -> Unmet:
    """Return the assumptions that are not met in the first run of each dataset, unless its preferences change."""
    seed, repeat = plan.seed_of(plan.numbers[0])
    found: dict[Labels, tuple[str, ...]] = {}
    for dataset in plan.datasets:
        try:
            matrix = instance(dataset, seed, repeat, shuffle_arms=False)
        except UserError:  # no arms for a submatrix: the run fails as well
            continue
        if not isinstance(matrix, PreferenceMatrix):
            continue
        checked = CONDITIONS.keys() - (_OF_TRIPLES if matrix.arms > _MOST_ARMS else set())
        for algorithm in plan.algorithms:
            known = [each for each in algorithm.kind.assumes.split(", ") if each in checked]
            try:
                failing = unmet(matrix, ", ".join(known), algorithm.parameters) if known else []
            except (KeyError, TypeError):  # a user's class lacks the parameter of a condition, or it is no number
                continue
            if failing:
                found[Labels(dataset.label, algorithm.label)] = tuple(failing)
    return found
