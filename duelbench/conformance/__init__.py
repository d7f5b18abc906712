"""What shows an algorithm right: the contract, stepping = holding, compiled = interpreted, fast = literal.

``duelbench test`` asks it of one algorithm, the tests of all in the catalogue.
"""
