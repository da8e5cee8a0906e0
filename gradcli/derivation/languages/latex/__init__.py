"""A derived program in LaTeX: the lines of the function, then the sensitivities, each with the chain rule behind it.

`formulas` writes expressions, `sweep` the lines.
"""
