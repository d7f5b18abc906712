"""Kernels that two or more families of algorithms share."""
