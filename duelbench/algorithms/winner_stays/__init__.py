"""Algorithms whose winner stays: it meets one challenger after the other, in longer and longer races."""
