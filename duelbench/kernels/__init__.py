"""Compiled pieces that two families of algorithms or more share."""
