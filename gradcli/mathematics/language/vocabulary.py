"""The vocabulary of the formula language: functions with their arities, alternative spellings, and constants."""

from __future__ import annotations

import keyword
import math

from gradcli.errors import RuleError
from gradcli.mathematics.language import special_functions
from gradcli.shared.frozen_record import Frozen

MANY = 1_000_000

Arity = tuple[int, int]
"""The smallest and the largest number of arguments."""


class Signature(Frozen):
    """The arguments of a function: the smallest and the largest number, and the names of those that have one.

    `may_be_input`: without brackets, its name is that of an input.
    """

    least: int
    most: int
    names: tuple[str, ...] = ()
    may_be_input: bool = False


OPERATORS: dict[str, Arity] = {
    **dict.fromkeys(("add", "sub", "mul", "div", "floordiv", "mod", "pow"), (2, 2)),
    **dict.fromkeys(("lt", "le", "gt", "ge", "eq", "ne", "logical_and", "logical_or"), (2, 2)),
    **dict.fromkeys(("neg", "pos", "logical_not"), (1, 1)),
}

_ONE_ARGUMENT = """
    abs sign exp exp2 expm1 log2 log10 log1p sqrt cbrt square reciprocal
    sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
    erf erfc gamma lgamma digamma sinc degrees radians floor ceil round trunc
    sum mean prod
"""

_TWO_ARGUMENTS = """
    maximum minimum fmax fmin atan2 hypot polygamma logaddexp logaddexp2 copysign fmod remainder heaviside dot
"""

PRIMITIVES: dict[str, Arity] = {
    **OPERATORS,
    **dict.fromkeys(_ONE_ARGUMENT.split(), (1, 1)),
    **dict.fromkeys(_TWO_ARGUMENTS.split(), (2, 2)),
    **{"log": (1, 2), "where": (3, 3), "clip": (3, 3)},
}
"""Functions that every target implements, with their smallest and largest number of arguments."""

BY_FORMULA: dict[str, Arity] = {
    # name: (the least, the largest number of arguments)
    "relu": (1, 1),
}
"""Functions that a row of the rule table defines by other functions, so that no target implements them."""

FUNCTIONS: dict[str, Arity] = {**PRIMITIVES, **BY_FORMULA, **special_functions.WORDS}
"""All functions by canonical name, with their smallest and largest number of arguments."""

MODULES = frozenset(["np", "numpy", "math", "cmath", "scipy", "sp", "sympy", "torch", "tf", "jnp", "mpmath"])
"""The names of modules whose functions go by their plain names here."""

ARRAY_WORDS = frozenset({"sum", "mean", "prod", "dot"})

FOLDED = frozenset({"maximum", "minimum", "fmax", "fmin", "logaddexp", "logaddexp2"})
"""Functions of two arguments that accept more: `max(a, b, c)` is `max(max(a, b), c)`."""

_SPELLINGS: dict[str, str] = {
    "add": "plus",
    "sub": "subtract",
    "mul": "multiply times",
    "div": "divide true_divide",
    "floordiv": "floor_divide",
    "pow": "power float_power",
    "neg": "negative",
    "pos": "positive",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
    "eq": "equal",
    "ne": "not_equal",
    "abs": "fabs absolute",
    "sign": "sgn signum",
    "maximum": "max",
    "minimum": "min",
    "log": "ln",
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "atan2": "arctan2",
    "asinh": "arcsinh arsinh",
    "acosh": "arccosh arcosh",
    "atanh": "arctanh artanh",
    "lgamma": "gammaln loggamma",
    "gamma": "tgamma",
    "digamma": "psi",
    "degrees": "rad2deg",
    "radians": "deg2rad",
    "ceil": "ceiling",
    "round": "rint",
    "trunc": "fix",
    "mean": "average",
}

ALIASES: dict[str, str] = {alias: name for name, spelled in _SPELLINGS.items() for alias in spelled.split()}
"""Alternative spellings with their canonical names."""

CONSTANTS: dict[str, float] = {"pi": math.pi, "tau": math.tau, "e": math.e, "inf": math.inf, "nan": math.nan}
"""Names with a predefined value, which the point may override."""

_OURS = frozenset(FUNCTIONS)


def canonical(word: str) -> str | None:
    """The canonical name of the function spelled `word`, or None if there is none."""
    name = word if word in FUNCTIONS else ALIASES.get(word)
    return name if name in FUNCTIONS else None


def most_arguments(name: str) -> int:
    """The largest number of arguments that may be typed for the function."""
    return MANY if name in FOLDED else FUNCTIONS[name][1]


def declare(name: str, arity: int) -> None:
    """Add a function to the language, or change the arity of one added before.

    Raises:
        RuleError: `name` is not a valid function name, or belongs to a built-in function or constant.
    """
    if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("__"):
        raise RuleError(f"{name!r} cannot be the name of a function.")
    if name in _OURS or name in ALIASES or name in CONSTANTS:
        raise RuleError(f"{name!r} already has a meaning in formulas; give the rule another name.")
    FUNCTIONS[name] = (arity, arity)


def undeclare(name: str) -> None:
    """Remove a function that `declare` added. Do nothing if there is none."""
    if name not in _OURS:
        FUNCTIONS.pop(name, None)
