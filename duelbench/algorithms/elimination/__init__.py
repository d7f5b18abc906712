"""Explore until all arms but one are out, then play that one."""
