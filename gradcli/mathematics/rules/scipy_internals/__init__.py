"""SciPy's private compiled functions, which its Python code calls. No other package refers to them.

Written for SciPy 1.16 to 1.18. A private name that a version lacks is not supported there. A rule that only one of
these modules needs stands here as well: `filters`.
"""
