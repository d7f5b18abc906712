"""The kinds of figures: one module each, with one class.

Specs import these modules, so they import Matplotlib, SciPy and the results in functions only.
"""
