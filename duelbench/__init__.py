"""duelbench: a laboratory for dueling bandits."""

__version__ = "0.1.0"
