"""Common mistakes in differentiating one step: texts in the formula language that stand for a right formula.

In a wrong partial, `d` is the right one, `v` the result of the step, and other names are the parameters of its rule.
"""

from __future__ import annotations

from typing import NamedTuple

# The implausibility of a mistake; of those that account for the components, the lowest is reported.
OF_A_CONSTANT, OF_A_TERM, OF_A_PARTIAL, OF_A_PART, OF_AN_ARGUMENT, OF_THE_FUNCTION = 0, 2, 4, 5, 6, 7


class WrongPartial(NamedTuple):
    """A wrong partial as a text, and words for the mistake in the names of `step_texts.description`."""

    text: str
    words: str
    implausibility: int = OF_A_PARTIAL


# Wrong contributions to an argument, whatever the rule.
TERMS = (
    WrongPartial("0 * d", "{term} is missing", OF_A_TERM - 1),
    WrongPartial("-d", "{term} has the wrong sign", OF_A_TERM),
    WrongPartial("2 * d", "{term} is counted twice: a factor of 1/2 is missing", OF_A_TERM),
    WrongPartial("d / 2", "{term} counts half: a factor of 2 is missing, or one of 1/2 too many", OF_A_TERM),
)
_FACTOR = "the factor {right} of the chain rule, {derivative},"
# Wrong partials for a partial that is the same number everywhere.
OF_CONSTANTS = (
    WrongPartial("sign(d)", f"{_FACTOR} is missing", OF_A_CONSTANT),
    WrongPartial("d * abs(d)", f"{_FACTOR} appears twice", OF_A_CONSTANT),
)
# The same for a partial that divides by a number `n` of terms less `k`, which the candidate takes for `n` less `1 - k`.
OF_COUNTS = WrongPartial(
    "d * (n - k) / (n - 1 + k)",
    f"{_FACTOR} divides by {{divisor}}; the candidate divides by {{other}}",
    OF_A_CONSTANT,
)
# Wrong partials for a formula.
OF_FORMULAS = (WrongPartial("1", f"{_FACTOR} is missing"), WrongPartial("d * d", f"{_FACTOR} appears twice"))
OF_SELECTIONS = (WrongPartial("1", "the mask of {step} is missing"),)
INSTEAD = "{derivative} is {right}; the candidate has {wrong}"

# Wrong partials by rule and argument. Every rule without a constant partial is also tried with the result and the
# arguments in its place.
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
    "log": (("1 / (x * log(10))", "1 / (x * log(2))"),),
    "log1p": (("1 / x",),),
    "log10": (("log(10) / x", "1 / x", "1 / (x * log(2))"),),
    "log2": (("log(2) / x", "1 / x", "1 / (x * log(10))"),),
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

# Wrong values of a step by rule, and those by rule and the position of an argument that is constant.
FUNCTIONS: dict[str, tuple[str, ...]] = {
    "log": ("log10(x)", "log2(x)"),
    "log10": ("log(x)", "log2(x)"),
    "log2": ("log(x)", "log10(x)"),
    "log1p": ("log(x)",),
    "sqrt": ("x",),
    "square": ("x",),
    **{name: (f"{name}(x * pi / 180)",) for name in ("sin", "cos", "tan")},
    "radians": ("x",),
    "degrees": ("x",),
}
WITH_CONSTANT: dict[tuple[str, int], tuple[str, ...]] = {
    ("add", 0): ("y",),
    ("add", 1): ("x", "x - y"),
    ("sub", 0): ("-y", "x + y"),
    ("sub", 1): ("x", "x + y"),
    ("mul", 0): ("y", "x * x * y"),
    ("mul", 1): ("x", "x * y * y"),
    ("div", 1): ("x", "x / (y * y)"),
    ("pow", 1): ("x ** (y - 1)", "x ** (y + 1)"),
}
