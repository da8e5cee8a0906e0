"""The gradient as source code: derives a Python function for the gradient of a Python function, with its control flow.

A derivation has four stages; each but the last is a package:

* `reading` parses a function, runs it on plain numbers and observes the values of its expressions;
* `intermediate` rewrites it as statements of one operation each, with every exit at the end of its block;
* `passes` write the reverse or the tangent statements, save the values that the reverse pass needs, and remove
unused statements;
* `languages` write the file in Python, C, LaTeX or for Numba, and `verification` compares the program with the tape
and with differences.
"""
