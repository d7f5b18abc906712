"""Preference matrices: what they are, and what a duel on them costs."""
