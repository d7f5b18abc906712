"""The kinds of figures: one module with one class each.

Specs import these modules, so Matplotlib, SciPy and the results are imported in functions only.
"""
