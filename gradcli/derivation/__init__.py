"""The gradient as source code: a Python function in, the function of its gradient out, its control flow kept.

A derivation goes through four stages, a package each but the last:

* `reading` reads the text of a function, runs it on plain numbers and notes what each expression is;
* `intermediate` writes it as statements of one operation each, with every exit at the end of its block;
* `passes` write the statements that carry sensitivities backwards or tangents forwards, save what the way back needs,
  and remove what nothing needs;
* `languages` write the file in Python, C, LaTeX or for Numba, and `verification` runs it against the tape and against
  differences.
"""
