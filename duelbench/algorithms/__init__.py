"""The algorithms, one module each: parameters, state, kernels, citation, assumptions."""

from duelbench.algorithms.algorithm import Algorithm

__all__ = ["Algorithm"]
