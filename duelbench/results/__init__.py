"""Experiments on disk: the files of results, and the classes that write and read them."""
