"""Checks of an algorithm in a test suite of its own, with pytest::

    from duelbench.testing import checks
    from my_policy import MyPolicy
    from my_policy_reference import my_policy

    @checks(MyPolicy, MyPolicy(alpha=1.0), reference=my_policy)
    def test_conformance(check):
        check()

Each check is a test of its own, such as ``test_conformance[MyPolicy(alpha=1.0)-prefix]``. It raises ``CheckFailed``
with what was seen. A check that does not apply to the algorithm, or in which nothing happened that could have failed,
is skipped with the reason. Seeds and sample sizes are fixed.

``duelbench test`` plays the same checks at the size ``FULL``, in processes of their own, and compares compiled with
interpreted runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Floats
from duelbench.conformance.case import FULL, SMALL, Case, CheckFailed, NotApplicable, Size, Untested
from duelbench.conformance.checks import CHECKS
from duelbench.conformance.instances import USUAL
from duelbench.conformance.reference import called_with_parameters, shipped
from duelbench.preferences.matrix import PreferenceMatrix

__all__ = ["FULL", "SMALL", "Check", "CheckFailed", "Size", "checks"]


@dataclass(frozen=True)
class Check:
    """A check of the list, by its ``name``, of an algorithm; a call makes it. ``str()`` is the test's ID."""

    name: str
    algorithm: Algorithm
    reference: Callable[..., Any] | None
    instances: Mapping[str, PreferenceMatrix]
    size: Size

    def __call__(self) -> str:
        """Return what was compared; raise CheckFailed, or skip the test."""
        __tracebackhide__ = True
        algorithm = self.algorithm
        reference = called_with_parameters(self.reference, algorithm) if self.reference else shipped(algorithm)
        try:
            return CHECKS[self.name](Case(algorithm, self.instances, reference, self.size))
        except (NotApplicable, Untested) as reason:
            pytest.skip(str(reason))

    def __str__(self) -> str:
        """Return ``MyPolicy(alpha=1.0)-valid-answers``, with the parameters that are not the default."""
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
    """Parametrize a test function by all checks of some algorithms; its argument is ``check``, to be called.

    Parameters
    ----------
    *algorithms : Algorithm classes or instances
        A class stands for the instance with its default parameters.
    reference : function, optional
        A reference implementation, called as those in ``duelbench.reference``: ``(P, horizon, policy, environment)``
        and the parameters of the algorithm. It returns the (horizon, 2) arms. An algorithm of the catalogue has one.
    instances : mapping of names to preference matrices, optional
        The matrices to play on; by default five small ones. Samples of runs are played on the first three.
    size : Size
        How much is played: ``SMALL`` takes seconds for an algorithm with kernels, ``FULL`` about a minute.

    Returns
    -------
    pytest.MarkDecorator
        ``pytest.mark.parametrize("check", …)``. Each parameter is a ``Check``.
    """
    matrices = {
        name: each if isinstance(each, PreferenceMatrix) else PreferenceMatrix(each)
        for name, each in (USUAL if instances is None else instances).items()
    }
    made = [each() if isinstance(each, type) else each for each in algorithms]
    return pytest.mark.parametrize("check", list(_all(made, reference, matrices, size)), ids=str)


def _all(
    algorithms: list[Algorithm],
    reference: Callable[..., Any] | None,
    instances: Mapping[str, PreferenceMatrix],
    size: Size,
) -> Iterator[Check]:
    for algorithm in algorithms:
        for name in CHECKS:
            yield Check(name, algorithm, reference, instances, size)
