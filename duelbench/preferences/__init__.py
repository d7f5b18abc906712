"""Preference matrices, their properties, and the regret of duels."""
