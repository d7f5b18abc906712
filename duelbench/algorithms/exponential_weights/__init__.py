"""Algorithms that draw arms with chances in proportion to the exponentials of estimated gains."""
