"""SciPy's functions for recorded arguments, by name, in terms of rules and NumPy's functions.

A rule that only one of these modules needs stands here as well: `cosine_transforms`.
"""
