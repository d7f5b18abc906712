"""Reductions of dueling bandits to multi-armed bandits."""
