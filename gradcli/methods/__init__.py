"""Independent ways to a gradient: the tape, SymPy, 50 digits, finite differences."""
