"""NumPy's functions by name, each written with the rules: what `np.NAME` does when an argument is recorded.

A function here has NumPy's signature and calls rules or other NumPy functions.  An option that would change the meaning
and has no rule is refused by name.  Names with a dot are in a submodule of NumPy's.
"""

from __future__ import annotations

from gradcli.rules.numpy_functions import (
    counting,
    cumulative,
    differences,
    einsum,
    fourier,
    joining,
    linalg,
    missing,
    moves,
    moving,
    norms,
    padding,
    parts,
    polynomials,
    products,
    quantiles,
    ramps,
    reading,
    reductions,
    scipy_linalg,
    scipy_special,
    sets,
    sorting,
    statistics,
    writing,
)
from gradcli.rules.numpy_functions.serving import FUNCTIONS, unsupported
from gradcli.rules.numpy_functions.ufunc_methods import UFUNC_METHODS
from gradcli.rules.numpy_functions.ufuncs import MADE_OF_ROWS, UFUNCS, ufunc_function, ufunc_rule

FAMILIES = (
    counting,
    cumulative,
    differences,
    einsum,
    fourier,
    joining,
    linalg,
    missing,
    moves,
    moving,
    norms,
    padding,
    parts,
    polynomials,
    products,
    quantiles,
    ramps,
    reading,
    reductions,
    scipy_linalg,
    scipy_special,
    sets,
    sorting,
    statistics,
    writing,
)

__all__ = [
    "FAMILIES",
    "FUNCTIONS",
    "MADE_OF_ROWS",
    "UFUNCS",
    "UFUNC_METHODS",
    "ufunc_function",
    "ufunc_rule",
    "unsupported",
]
