"""Formulas that keep the digits which a row of a run loses: known rewrites, recognised by the rules of the rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gradcli.tape.tape import CONSTANT, Row, Tape


class Made(NamedTuple):
    """A row as a pattern sees it: the rule, the rows of the arguments, their values, how the whole is written."""

    rule: str
    sources: tuple[int, ...]
    values: tuple[Any, ...]
    text: str


class Rewriting:
    """The rewrites of one run.

    Args:
        tape: the run.
        write: how a row is written in the user's names.
    """

    def __init__(self, tape: Tape, write: Callable[[int], str]) -> None:
        self.tape = tape
        self.write = write

    def of(self, index: int) -> str | None:
        """A formula that keeps what row `index` loses, in the user's names; None where none is known."""
        made = self._made(index)
        patterns = PATTERNS.get(made.rule, ())
        return next((found for pattern in patterns if (found := pattern(self, made)) is not None), None)

    def _made(self, index: int) -> Made:
        row: Row = self.tape.rows[index]
        return Made(row[0].name, row[2::2], row[3::2], self.write(index))

    def argument(self, made: Made, position: int, *rules: str) -> Made | None:
        """The row of an argument, if one of `rules` made it; through casts and aliases."""
        source = made.sources[position]
        while source != CONSTANT:
            found = self._made(source)
            if found.rule in rules:
                return found
            if found.rule not in ("cast", "alias"):
                return None
            source = found.sources[0]
        return None

    def is_one(self, made: Made, position: int) -> bool:
        """Whether an argument is the constant 1."""
        return made.sources[position] == CONSTANT and bool(np.all(np.equal(made.values[position], 1)))

    def text(self, made: Made, position: int) -> str:
        """How an argument is written."""
        source = made.sources[position]
        return self.write(source) if source != CONSTANT else str(made.values[position])

    def base(self, made: Made, position: int) -> str | None:
        """What an argument is the square of."""
        found = self.argument(made, position, "square", "mul", "pow")
        if found is None:
            return None
        if found.rule == "mul" and self.text(found, 0) != self.text(found, 1):
            return None
        if found.rule == "pow" and not np.all(np.equal(found.values[1], 2)):
            return None
        return self.text(found, 0)


Pattern = Callable[[Rewriting, Made], str | None]


def _one_less_cosine(run: Rewriting, made: Made) -> str | None:
    if run.is_one(made, 0) and (cosine := run.argument(made, 1, "cos")):
        return f"2 * sin({run.text(cosine, 0)} / 2)**2"
    if run.is_one(made, 1) and (cosine := run.argument(made, 0, "cos")):
        return f"-2 * sin({run.text(cosine, 0)} / 2)**2"
    return None


def _exponential_less_one(run: Rewriting, made: Made) -> str | None:
    if run.is_one(made, 1) and (power := run.argument(made, 0, "exp")):
        return f"expm1({run.text(power, 0)})"
    if run.is_one(made, 0) and (power := run.argument(made, 1, "exp")):
        return f"-expm1({run.text(power, 0)})"
    return None


def _complement_of_a_square(run: Rewriting, made: Made) -> str | None:
    """1 - tanh(x)**2, 1 - sin(x)**2 and 1 - cos(x)**2."""
    squared = run.argument(made, 1, "square", "mul", "pow") if run.is_one(made, 0) else None
    if squared is None or run.base(made, 1) is None:
        return None
    for rule, pattern in (("tanh", "1 / cosh({})**2"), ("sin", "cos({})**2"), ("cos", "sin({})**2")):
        if inner := run.argument(squared, 0, rule):
            return pattern.format(run.text(inner, 0))
    return None


def _difference_of_roots(run: Rewriting, made: Made) -> str | None:
    first, second = run.argument(made, 0, "sqrt"), run.argument(made, 1, "sqrt")
    if first and second:
        a, b = run.text(first, 0), run.text(second, 0)
        return f"({a} - ({b})) / (sqrt({a}) + sqrt({b}))"
    return None


def _difference_of_squares(run: Rewriting, made: Made) -> str | None:
    a, b = run.base(made, 0), run.base(made, 1)
    return None if a is None or b is None else f"({a} - {b}) * ({a} + {b})"


def _variance(run: Rewriting, made: Made) -> str | None:
    """The mean of squares less the square of the mean."""
    mean = run.argument(made, 0, "mean")
    x = run.base(mean, 0) if mean else None
    squared = run.argument(made, 1, "square", "mul", "pow")
    inner = run.argument(squared, 0, "mean") if squared and run.base(made, 1) is not None else None
    if x is None or inner is None or run.text(inner, 0) != x:
        return None
    return f"mean(({x} - mean({x}))**2)"


def _difference_of_logarithms(run: Rewriting, made: Made) -> str | None:
    first, second = run.argument(made, 0, "log"), run.argument(made, 1, "log")
    if first and second:
        a, b = run.text(first, 0), run.text(second, 0)
        return f"log1p(({a} - ({b})) / ({b}))"
    return None


def _difference_of_waves(run: Rewriting, made: Made) -> str | None:
    for rule, pattern in (
        ("sin", "2 * cos(({0} + {1}) / 2) * sin(({0} - {1}) / 2)"),
        ("cos", "-2 * sin(({0} + {1}) / 2) * sin(({0} - {1}) / 2)"),
        ("exp", "exp({1}) * expm1({0} - {1})"),
    ):
        first, second = run.argument(made, 0, rule), run.argument(made, 1, rule)
        if first and second:
            return pattern.format(run.text(first, 0), run.text(second, 0))
    return None


def _logarithm_of_one_more(run: Rewriting, made: Made) -> str | None:
    if added := run.argument(made, 0, "add"):
        for one, other in ((0, 1), (1, 0)):
            if run.is_one(added, one):
                return f"log1p({run.text(added, other)})"
    if (less := run.argument(made, 0, "sub")) and run.is_one(less, 0):
        return f"log1p(-({run.text(less, 1)}))"
    return None


def _logarithm_of_a_sum(run: Rewriting, made: Made) -> str | None:
    total = run.argument(made, 0, "sum")
    power = run.argument(total, 0, "exp") if total else None
    if power is None:
        return None
    x = run.text(power, 0)
    return f"m + log(sum(exp({x} - m))) with m = max({x})"


def _root_of_squares(run: Rewriting, made: Made) -> str | None:
    added = run.argument(made, 0, "add")
    if added is None:
        return None
    a, b = run.base(added, 0), run.base(added, 1)
    return None if a is None or b is None else f"hypot({a}, {b})"


PATTERNS: dict[str, tuple[Pattern, ...]] = {
    "sub": (
        _one_less_cosine,
        _exponential_less_one,
        _complement_of_a_square,
        _difference_of_roots,
        _variance,
        _difference_of_squares,
        _difference_of_logarithms,
        _difference_of_waves,
    ),
    "log": (_logarithm_of_one_more, _logarithm_of_a_sum),
    "sqrt": (_root_of_squares,),
}
