"""Algorithms that name the best arm with a given confidence or budget."""
