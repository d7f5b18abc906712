"""Conformance checks of an algorithm, for pytest.

In a test suite::

    from duelbench.testing import checks
    from my_policy import MyPolicy
    from my_policy_reference import my_policy

    @checks(MyPolicy, MyPolicy(alpha=1.0), reference=my_policy)
    def test_conformance(check):
        check()

Each check is one test, such as ``test_conformance[MyPolicy(alpha=1.0)-prefix]``. It raises ``CheckFailed`` with what
was observed. A check is skipped, with the reason, if it does not apply to the algorithm or if no round tested it. Seeds
and sample sizes are fixed.

``duelbench test`` runs the same checks at the size ``FULL``, each in its own process, and compares compiled with
interpreted runs.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Floats
from duelbench.conformance.case import FULL, SMALL, USUAL, Case, CheckFailed, NotApplicable, Size, Untested
from duelbench.conformance.checks import CHECKS, run_check
from duelbench.conformance.reference import called_with_parameters
from duelbench.preferences.matrix import PreferenceMatrix

__all__ = ["FULL", "SMALL", "Check", "CheckFailed", "Size", "checks"]


@dataclass(frozen=True)
class Check:
    """One check of one algorithm.

    Call it to run the check. ``str()`` gives the ID of the test.

    Attributes
    ----------
    name : str
        The name of the check.
    algorithm : Algorithm
        The algorithm to check.
    reference : callable, optional
        Its reference implementation.
    instances : mapping of str to PreferenceMatrix
        The matrices to play on.
    size : Size
        The numbers of rounds and runs.
    """

    name: str
    algorithm: Algorithm
    reference: Callable[..., Any] | None
    instances: Mapping[str, PreferenceMatrix]
    size: Size

    def __call__(self) -> str:
        """Run the check.

        Returns
        -------
        str
            What was compared.

        Raises
        ------
        CheckFailed
            If the property does not hold.
        """
        __tracebackhide__ = True
        algorithm = self.algorithm
        reference = called_with_parameters(self.reference, algorithm) if self.reference else None
        try:
            return run_check(self.name, Case(algorithm, self.instances, reference, self.size))
        except (NotApplicable, Untested) as reason:
            pytest.skip(str(reason))

    def __str__(self) -> str:
        """Return ``MyPolicy(alpha=1.0)-valid-answers``, with the parameters that differ from their defaults."""
        algorithm = self.algorithm
        default = {name: field.default for name, field in type(algorithm).model_fields.items()}
        changed = [f"{name}={value!r}" for name, value in algorithm.model_dump().items() if value != default[name]]
        parameters = f"({', '.join(changed)})" if changed else ""
        return f"{type(algorithm).__name__}{parameters}-{self.name.replace(' ', '-')}"


def checks(
    *algorithms: type[Algorithm] | Algorithm,
    reference: Callable[..., Any] | None = None,
    instances: Mapping[str, PreferenceMatrix | Floats] | None = None,
    size: Size = SMALL,
) -> pytest.MarkDecorator:
    """Parametrize a test function by all checks of some algorithms.

    The test function takes one argument, ``check``, and calls it.

    Parameters
    ----------
    *algorithms : Algorithm classes or instances
        The algorithms to check; a class is checked with its default parameters.
    reference : callable, optional
        A reference implementation: a function of ``(P, horizon, policy, environment)`` and the parameters of the
        algorithm, which returns the arms, shape (horizon, 2); or, if the algorithm declares a winner, a generator that
        yields the arms of each duel and returns what is declared.
    instances : mapping of str to PreferenceMatrix or array_like, shape (K, K), optional
        The matrices to play on, by name; by default five small ones. Samples of runs use the first three.
    size : Size
        The numbers of rounds and runs: ``SMALL`` takes seconds for an algorithm with kernels, ``FULL`` about a minute.

    Returns
    -------
    pytest.MarkDecorator
        ``pytest.mark.parametrize("check", …)``; each parameter is a ``Check``.
    """
    matrices = {
        name: each if isinstance(each, PreferenceMatrix) else PreferenceMatrix(each)
        for name, each in (USUAL if instances is None else instances).items()
    }
    made = [each() if isinstance(each, type) else each for each in algorithms]
    each_check = [Check(name, algorithm, reference, matrices, size) for algorithm in made for name in CHECKS]
    return pytest.mark.parametrize("check", each_check, ids=str)
