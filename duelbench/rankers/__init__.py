"""Preference matrices of rankers, from judged documents and simulated users."""
