"""Reading votes: rows that compare two arms each, in files of any format and in Python objects."""
