"""Algorithms that draw arms with probabilities proportional to the exponentials of estimated gains."""
