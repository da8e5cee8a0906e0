"""The methods: derivatives by sweeps, differences, 50 digits and SymPy, and what is said of a run."""
