"""Preference matrices: what they are, where they come from, and what a duel on them costs."""
