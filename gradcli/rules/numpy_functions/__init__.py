"""NumPy's functions by name, each written with the rules: what `np.NAME` does when an argument is recorded.

A function here has NumPy's signature and calls rules or other NumPy functions.  An option that would change the meaning
and has no rule is refused by name.  Names with a dot are in a submodule of NumPy's.  What most programs use is imported
here, the rest by `families` when a function is asked for that is not among it.
"""

from __future__ import annotations

from gradcli.rules.numpy_functions import joining, moves, moving, products, reading, reductions, writing
from gradcli.rules.numpy_functions.serving import FUNCTIONS, unsupported
from gradcli.rules.numpy_functions.ufunc_methods import UFUNC_METHODS
from gradcli.rules.numpy_functions.ufuncs import MADE_OF_ROWS, UFUNCS, ufunc_function, ufunc_rule

__all__ = [
    "FUNCTIONS",
    "MADE_OF_ROWS",
    "UFUNCS",
    "UFUNC_METHODS",
    "joining",
    "moves",
    "moving",
    "products",
    "reading",
    "reductions",
    "ufunc_function",
    "ufunc_rule",
    "unsupported",
    "writing",
]
