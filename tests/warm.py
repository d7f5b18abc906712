"""Compile the loops of the catalogue into the kernel cache of the tests, on all cores: ``make test`` begins with it.

Without it the tests compile what they need, and several of them may wait for one loop.
"""

import tests.conftest  # noqa: F401  # the tests' home
from duelbench.algorithms.catalogue import catalogue
from duelbench.engine.warm import warm
from tests.catalogue import ROWS

ARMS = 5


def main():
    parameters = [(name, {}) for name in catalogue()] + [(row.name, row.parameters) for row in ROWS.values()]
    warm([(catalogue()[name](**chosen), ARMS) for name, chosen in parameters], print)


if __name__ == "__main__":
    main()
