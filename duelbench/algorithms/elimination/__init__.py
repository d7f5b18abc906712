"""Algorithms that explore until one arm is left, then play this arm."""
