"""Common mistakes in differentiating one step, by the step's rule: data in the formula language."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.mathematics.rules.compiled_formulas import GENERIC_FUNCTIONS
from gradcli.mathematics.rules.linalg.matrix_helpers import transposed
from gradcli.mathematics.rules.products import MATMUL

# Wrong factors on all contributions through one term, with their descriptions.
TERMS = (
    (0.0, "is missing"),
    (-1.0, "has the wrong sign"),
    (2.0, "is counted twice: a factor of 1/2 is missing"),
    (0.5, "counts half: a factor of 2 is missing, or one of 1/2 too many"),
)

# Wrong partials by rule and argument, where `v` is the result. Every rule without a constant partial is also tried with
# 1, the square of the partial, the result and the other arguments in its place.
_TURNED = ("{} * pi / 180", "{} * 180 / pi")
PARTIALS: dict[str, tuple[tuple[str, ...], ...]] = {
    "div": ((), ("-x / y", "-1 / y ** 2")),
    "pow": (
        ("x ** (y - 1)", "y * x ** y", "(y - 1) * x ** (y - 1)", "y * x ** (y - 2)", "x ** y / y"),
        ("v", "y * x ** (y - 1)", "v * log(y)", "log(x)"),
    ),
    "square": (("x",),),
    "exp": (("x * exp(x - 1)",),),
    "exp2": (("v", "x * exp2(x - 1)"),),
    "log10": (("log(10) / x",),),
    "log2": (("log(2) / x",),),
    "sqrt": (("1 / v", "v / 2", "1 / (2 * x)", "1 / 2"),),
    "root": (("1 / v", "v / 2", "1 / (2 * x)", "1 / 2"),),
    "cbrt": (("1 / (3 * v)", "1 / (v * v)"),),
    "sin": (tuple(text.format("cos(x)") for text in _TURNED),),
    "cos": (("cos(x)", *(text.format("-sin(x)") for text in _TURNED)),),
    "tan": (("1 / cos(x)", "1 + v", "1 - v ** 2", *(text.format("(1 + v ** 2)") for text in _TURNED)),),
    "asin": (("1 / (1 - x ** 2)", "1 / sqrt(1 + x ** 2)", "1 / cos(x)"),),
    "acos": (("-1 / (1 - x ** 2)", "-1 / sqrt(1 + x ** 2)", "-1 / sin(x)"),),
    "atan": (("1 / (1 + x)", "1 / (1 - x ** 2)", "1 / sqrt(1 + x ** 2)", "1 / (1 + x) ** 2"),),
    "tanh": (("1 - v", "1 + v ** 2", "1 - x ** 2", "1 / cosh(x)", "v * (1 - v)"),),
    "expit": (("x * (1 - x)", "1 - v", "v * (1 + v)", "v ** 2"),),
    "erf": (("exp(-x ** 2)", "exp(-x ** 2) / sqrt(pi)", "2 / sqrt(pi) * exp(-x)"),),
    "lgamma": (("log(x)",),),
    "gamma": (("digamma(x)",),),
    "hypot": (("x",), ("y",)),
}

# Wrong derivatives of a line that computes `v` from `x` in several steps.
FORMULAS = ("1", "v", "1 - v", "1 - v ** 2", "v * (1 - v)", "x * (1 - x)")

# Textbook forms of partials whose rules are written so as to keep more digits.
AT_SCHOOL = {
    ("pow", 0): "y * x ** (y - 1)",
    ("pow", 1): "v * log(x)",
    ("tanh", 0): "1 - v ** 2",
    ("tan", 0): "1 + v ** 2",
    ("div", 1): "-x / y ** 2",
    ("asin", 0): "1 / sqrt(1 - x ** 2)",
    ("acos", 0): "-1 / sqrt(1 - x ** 2)",
    ("atan", 0): "1 / (1 + x ** 2)",
    ("root", 0): "1 / (2 * v)",
}

# Wrong operations by rule, which also stand for wrong derivatives, and wrong ones with a constant argument.
OTHER_BASES = {"log": ("log10", "log2"), "log10": ("log", "log2"), "log2": ("log", "log10"), "log1p": ("log",)}
FUNCTIONS: dict[str, tuple[str, ...]] = {
    **{rule: tuple(f"{other}(x)" for other in others) for rule, others in OTHER_BASES.items()},
    "sqrt": ("x",),
    "square": ("x",),
    "sin": ("sin(x * pi / 180)",),
    "cos": ("cos(x * pi / 180)",),
    "tan": ("tan(x * pi / 180)",),
    "radians": ("x",),
    "degrees": ("x",),
    "exp2": ("exp(x)",),
}
WITH_CONSTANT: dict[tuple[str, int], tuple[str, ...]] = {
    ("add", 0): ("y",),
    ("add", 1): ("x", "x - y"),
    ("sub", 0): ("-y", "x + y"),
    ("sub", 1): ("x", "x + y"),
    ("mul", 0): ("y", "sqrt(abs(x)) * y", "x * x * y"),
    ("mul", 1): ("x", "x * sqrt(abs(y))", "x * y * y"),
    ("div", 1): ("x", "x / sqrt(abs(y))", "x / (y * y)"),
    ("pow", 1): ("x ** (y - 1)", "x ** (y + 1)"),
}
MATRICES: dict[str, tuple[tuple[str, Callable[..., Any]], ...]] = {
    "inv": (("{0}", lambda a: a), ("inv({0}.T)", lambda a: transposed(GENERIC_FUNCTIONS["inv"](a)))),
    "solve": (
        ("{0} @ {1}", MATMUL),
        ("solve({0}.T, {1})", lambda a, b: GENERIC_FUNCTIONS["solve"](transposed(a), b)),
    ),
    "matmul": (
        ("{0}.T @ {1}", lambda a, b: MATMUL(transposed(a), b)),
        ("{0} @ {1}.T", lambda a, b: MATMUL(a, transposed(b))),
    ),
}
