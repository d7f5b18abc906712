"""The algorithms, a module each in the folder of its family: parameters, state, kernels, citation, assumptions."""

from duelbench.algorithms.algorithm import Algorithm

__all__ = ["Algorithm"]
