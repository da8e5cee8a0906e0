"""SymPy's side: the recorded program as a closed form, and formulas rewritten to keep more digits."""
