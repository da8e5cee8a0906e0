"""Hints for NumPy methods that need bare numbers, such as `A.dot(x)` and `rng.normal(mean)`: what to write instead."""

from __future__ import annotations

import dis
from types import FrameType

import numpy as np

from gradcli.rules.function_registry import FUNCTIONS
from gradcli.rules.nondifferentiable import NUMPY

WRITING = frozenset(("fill", "partition", "put", "resize", "sort"))  # methods that write into the array itself
METHODS = frozenset(
    name for name in set(dir(np.ndarray)).intersection(dir(np)).difference(WRITING) if callable(getattr(np, name))
)  # methods of plain arrays that also exist as NumPy functions

# Random draws rewritten so that their parameters are followed: a draw without parameters, then transformed.
_DRAWS = {
    "normal": "loc + scale * rng.standard_normal(size)",
    "uniform": "low + (high - low) * rng.random(size)",
    "exponential": "scale * rng.standard_exponential(size)",
    "lognormal": "np.exp(mean + sigma * rng.standard_normal(size))",
    "laplace": "loc + scale * rng.laplace(size=size)",
    "logistic": "loc + scale * rng.logistic(size=size)",
    "gumbel": "loc + scale * rng.gumbel(size=size)",
    "rayleigh": "scale * rng.rayleigh(size=size)",
    "weibull": "rng.standard_exponential(size) ** (1 / a)",
    "pareto": "np.expm1(rng.standard_exponential(size) / a)",
    "multivariate_normal": "mean + np.linalg.cholesky(cov) @ rng.standard_normal(len(mean))",
    "permutation": "x[rng.permutation(len(x))]",
    "permuted": "x[rng.permutation(len(x))]",
    "shuffle": "x[rng.permutation(len(x))]",
}
_PLAIN_DRAWS = ("beta", "binomial", "chisquare", "dirichlet", "f", "gamma", "geometric", "hypergeometric",
                "multinomial", "negative_binomial", "noncentral_chisquare", "poisson", "standard_gamma", "standard_t",
                "triangular", "vonmises", "wald", "zipf")  # fmt: skip
_FOREIGN = ("pack", "pack_into", "c_float", "c_double", "c_longdouble")  # functions of `struct` and `ctypes`


def way_out(frame: FrameType) -> str | None:
    """The hint for the method that a frame is calling, or None."""
    name = called_method(frame)
    if name in _DRAWS:
        return f"A draw takes bare numbers. Write {_DRAWS[name]}, in which the parameters are seen."
    if name == "choice":
        value = "Of a recorded x write x[rng.choice(len(x), size)]"
        return f"{value}. The draws do not follow p smoothly: pass p=gradcli.stop_gradient(p) to mean it."
    if name in _FOREIGN:
        return f"What {name} makes is no Python number and has no derivative: pass gradcli.stop_gradient(x) to mean it."
    if name in _PLAIN_DRAWS:
        return f"The draws of {name} do not follow its parameters smoothly: pass gradcli.stop_gradient(x) to mean it."
    if name == "dot":
        return "A method of a plain array takes bare numbers: write A @ x, or np.dot(A, x)."
    if name is not None and (name in FUNCTIONS or name in NUMPY):
        return f"A method of a plain array takes bare numbers: write np.{name}(a, x)."
    return None


def called_method(frame: FrameType) -> str | None:
    """The name of the attribute that a frame is calling: the innermost call that starts at the same source position."""
    instructions = list(dis.get_instructions(frame.f_code))
    call = max((each for each in instructions if each.offset <= frame.f_lasti), key=lambda each: each.offset)
    if not call.opname.startswith("CALL") or call.positions is None:
        return None
    begins = call.positions.lineno, call.positions.col_offset
    named = [
        each
        for each in instructions
        if each.opname in ("LOAD_METHOD", "LOAD_ATTR")
        and each.offset < call.offset
        and each.positions is not None
        and (each.positions.lineno, each.positions.col_offset) == begins
    ]
    return str(named[-1].argval) if named else None
