"""Timing of compiled runs, and duelbench's own benchmark suite."""
