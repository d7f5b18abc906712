"""Algorithms that choose duels by confidence bounds on the preferences."""
