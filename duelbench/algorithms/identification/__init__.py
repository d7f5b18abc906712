"""Algorithms that name the best arm at a confidence or a budget."""
