"""Derived programs in LaTeX: the lines of the function, then the sensitivities with the chain rule.

`formulas` writes expressions, and `sweep` writes the lines.
"""
