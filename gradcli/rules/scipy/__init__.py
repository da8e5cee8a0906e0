"""SciPy's functions by name, each written with the rules and NumPy's functions."""
