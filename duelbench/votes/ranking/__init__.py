"""Ranks of the arms with their intervals, how fragile they are, and the reliability of judges."""
