"""NumPy's functions by name, each written with the rules: what `np.NAME` does when an argument is recorded.

A function here has NumPy's signature and calls rules or other NumPy functions.  An option that would change the meaning
and has no rule is refused by name.  Names with a dot are in a submodule of NumPy's.
"""

from __future__ import annotations

from typing import Any

from gradcli.rules.numpy_functions import (
    einsum,
    fourier,
    joining,
    linalg,
    moves,
    moving,
    padding,
    parts,
    polynomials,
    products,
    ramps,
    reading,
    reductions,
    scipy_special,
    sets,
    sorting,
    writing,
)
from gradcli.rules.numpy_functions.serving import FUNCTIONS, unsupported
from gradcli.rules.table import RULES

FAMILIES = (
    einsum,
    fourier,
    joining,
    linalg,
    moves,
    moving,
    padding,
    parts,
    polynomials,
    products,
    ramps,
    reading,
    reductions,
    scipy_special,
    sets,
    sorting,
    writing,
)

__all__ = ["FAMILIES", "FUNCTIONS", "UFUNCS", "ufunc_rule", "unsupported"]

# The words of NumPy's and SciPy's ufuncs that differ from ours.
UFUNCS = {
    "absolute": "abs",
    "fabs": "abs",
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "div",
    "true_divide": "div",
    "remainder": "mod",
    "mod": "mod",
    "power": "pow",
    "float_power": "pow",
    "negative": "neg",
    "positive": "pos",
    "conjugate": "conj",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctan2": "atan2",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
    "deg2rad": "radians",
    "rad2deg": "degrees",
    "gammaln": "lgamma",
    "loggamma": "log_gamma",
    "_zeta": "zeta",
    "psi": "digamma",
}


def ufunc_rule(name: str) -> Any:
    """The rule behind a NumPy or SciPy ufunc, or None."""
    return RULES.get(UFUNCS.get(name, name))
