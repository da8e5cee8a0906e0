"""NumPy's functions by name, each written with the rules: what `np.NAME` does when an argument is recorded.

A function here has NumPy's signature and calls rules or other NumPy functions.  An option that would change the meaning
and has no rule is refused by name.  Names with a dot are in a submodule of NumPy's.  A program of plain numbers imports
none of them: what most programs use is in `common`, imported when a function is asked for, the rest in `families`.
"""
