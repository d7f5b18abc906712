"""Benchmarks for asv."""
