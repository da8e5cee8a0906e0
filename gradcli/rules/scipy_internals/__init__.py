"""SciPy's private compiled functions, which its Python code calls: the only place that knows them.

Written for SciPy 1.16 and 1.17; a private name that a version lacks is not served there.
"""
