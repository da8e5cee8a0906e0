"""Computation with SymPy: closed forms of recorded programs, and formulas rewritten to keep more digits."""
