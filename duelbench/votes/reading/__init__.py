"""Read votes from files of any format and from Python objects. Each row compares two arms."""
