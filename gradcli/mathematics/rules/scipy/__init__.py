"""SciPy's functions for recorded arguments, by name, in terms of rules and NumPy's functions."""
