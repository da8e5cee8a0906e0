"""Formulas that keep the digits which a node of a run loses: known rewrites, recognised by the rules of the nodes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import starmap
from typing import Any, NamedTuple

import numpy as np

from gradcli.language import evaluate, parse
from gradcli.language.vocabulary import CONSTANTS
from gradcli.rules import functions
from gradcli.traces.node import CONSTANT, TraceNode
from gradcli.traces.trace import Trace


class Operand(NamedTuple):
    """An operand of a rewrite: a node of the run, or a constant, and its value."""

    source: int
    value: Any


class Rewrite(NamedTuple):
    """Another formula for a node, in the formula language; `{0}`, `{1}` stand for its operands.

    Where it needs the largest number of its first operand, that is called `m`.
    """

    formula: str
    operands: tuple[Operand, ...]
    with_largest: bool = False

    def text(self, write: Callable[[int], str]) -> str:
        """The formula with the operands as they are written in the user's names."""
        texts = [str(x.value) if x.source == CONSTANT else write(x.source) for x in self.operands]
        filled = PLACE.sub(lambda found: _filled(found, texts), self.formula)
        return f"{filled} with m = max({texts[0]})" if self.with_largest else filled

    def value(self) -> Any:
        """What it gives when it is computed as the program computes, from the recorded operands."""
        names = {f"operand{n}": x.value for n, x in enumerate(self.operands)}
        if self.with_largest:
            names["m"] = np.max(names["operand0"])
        tree = parse(PLACE.sub(lambda found: f"{found[1]}operand{found[2]}", self.formula))
        with np.errstate(all="ignore"):
            return evaluate(tree, {**CONSTANTS, **names}, functions())


DEPTH = 4  # steps back to which two operands are compared
PLACE = re.compile(r"(\(?)\{(\d)\}(?=(\)?))")
ATOM = re.compile(r"[%\w.#]+(\[[^\[\]]*\])*(\([^()]*\))?")


def _filled(found: re.Match[str], texts: list[str]) -> str:
    """An operand in its place; in brackets where it is more than a name and has none of its own."""
    bracket, text = found[1], texts[int(found[2])]
    own = bracket and found[3]
    return bracket + (text if own or ATOM.fullmatch(text) else f"({text})")


class Rewriting:
    """The known rewrites of the nodes of one run."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    def of(self, index: int) -> Rewrite | None:
        """A formula that may keep what node `index` loses; None where none is known."""
        made = self.trace.nodes[index]
        patterns = PATTERNS.get(made.operation, ())
        return next((found for pattern in patterns if (found := pattern(self, made)) is not None), None)

    def argument(self, made: TraceNode, position: int, *rules: str) -> TraceNode | None:
        """The node of an argument, if one of `rules` made it; through casts and aliases."""
        source = made.sources[position]
        while source != CONSTANT:
            found = self.trace.nodes[source]
            if found.operation in rules:
                return found
            if not (found.is_alias or (found.rule is not None and found.rule.casts)):
                return None
            source = found.sources[0]
        return None

    def is_one(self, made: TraceNode, position: int) -> bool:
        """Whether an argument is the constant 1."""
        return made.sources[position] == CONSTANT and bool(np.all(np.equal(made.operands[position], 1)))

    def operand(self, made: TraceNode, position: int) -> Operand:
        """An argument."""
        return Operand(made.sources[position], made.operands[position])

    def base(self, made: TraceNode, position: int) -> Operand | None:
        """What an argument is the square of."""
        found = self.argument(made, position, "square", "mul", "pow")
        if found is None:
            return None
        if found.operation == "mul" and not self.same(self.operand(found, 0), self.operand(found, 1)):
            return None
        if found.operation == "pow" and not np.all(np.equal(found.operands[1], 2)):
            return None
        return self.operand(found, 0)

    def difference(self, x: Operand, y: Operand) -> Operand | None:
        """What `x` is more than `y`, where both are the same but for a term, so that it need not be computed."""
        for term, rest in self._terms(x):
            if self.same(rest, y):
                return term
            for other, same in self._terms(y):
                if self.same(rest, same) and term.source == other.source == CONSTANT:
                    return Operand(CONSTANT, term.value - other.value)
        return None

    def same(self, x: Operand, y: Operand, depth: int = DEPTH) -> bool:
        """Whether two operands are one, or were computed in the same way from the same."""
        if x.source == y.source:
            return x.source != CONSTANT or bool(np.array_equal(x.value, y.value))
        if not depth or CONSTANT in (x.source, y.source):
            return False
        one, other = self.trace.nodes[x.source], self.trace.nodes[y.source]
        alike = one.rule is not None and one.rule is other.rule and one.static == other.static
        pairs = zip(starmap(Operand, one.arguments()), starmap(Operand, other.arguments()), strict=False)
        return alike and all(self.same(a, b, depth - 1) for a, b in pairs)

    def _terms(self, x: Operand) -> Iterator[tuple[Operand, Operand]]:
        """The two terms of a sum, each with the other one."""
        made = None if x.source == CONSTANT else self.trace.nodes[x.source]
        if made is not None and made.operation == "add":
            first, second = self.operand(made, 0), self.operand(made, 1)
            yield from ((first, second), (second, first))


Pattern = Callable[[Rewriting, TraceNode], Rewrite | None]


def _one_less_cosine(run: Rewriting, made: TraceNode) -> Rewrite | None:
    if run.is_one(made, 0) and (cosine := run.argument(made, 1, "cos")):
        return Rewrite("2 * sin({0} / 2)**2", (run.operand(cosine, 0),))
    if run.is_one(made, 1) and (cosine := run.argument(made, 0, "cos")):
        return Rewrite("-2 * sin({0} / 2)**2", (run.operand(cosine, 0),))
    return None


def _exponential_less_one(run: Rewriting, made: TraceNode) -> Rewrite | None:
    if run.is_one(made, 1) and (power := run.argument(made, 0, "exp")):
        return Rewrite("expm1({0})", (run.operand(power, 0),))
    if run.is_one(made, 0) and (power := run.argument(made, 1, "exp")):
        return Rewrite("-expm1({0})", (run.operand(power, 0),))
    return None


def _complement_of_a_square(run: Rewriting, made: TraceNode) -> Rewrite | None:
    """1 - tanh(x)**2, 1 - sin(x)**2 and 1 - cos(x)**2."""
    squared = run.argument(made, 1, "square", "mul", "pow") if run.is_one(made, 0) else None
    if squared is None or run.base(made, 1) is None:
        return None
    for rule, formula in (("tanh", "1 / cosh({0})**2"), ("sin", "cos({0})**2"), ("cos", "sin({0})**2")):
        if inner := run.argument(squared, 0, rule):
            return Rewrite(formula, (run.operand(inner, 0),))
    return None


def _difference_of_roots(run: Rewriting, made: TraceNode) -> Rewrite | None:
    first, second = run.argument(made, 0, "sqrt"), run.argument(made, 1, "sqrt")
    if not (first and second):
        return None
    a, b = run.operand(first, 0), run.operand(second, 0)
    return _by_difference(run, a, b, "{2} / (sqrt({0}) + sqrt({1}))")


def _by_difference(run: Rewriting, a: Operand, b: Operand, formula: str) -> Rewrite:
    """A formula in `{2}`, the difference of the operands: the term by which they differ, if that is all."""
    term = run.difference(a, b)
    if term is not None:
        return Rewrite(formula, (a, b, term))
    return Rewrite(formula.replace("({2})", "({0} - {1})").replace("{2}", "({0} - {1})"), (a, b))


def _difference_of_squares(run: Rewriting, made: TraceNode) -> Rewrite | None:
    a, b = run.base(made, 0), run.base(made, 1)
    return None if a is None or b is None else Rewrite("({0} - {1}) * ({0} + {1})", (a, b))


def _variance(run: Rewriting, made: TraceNode) -> Rewrite | None:
    """The mean of squares less the square of the mean."""
    mean = run.argument(made, 0, "mean")
    x = run.base(mean, 0) if mean else None
    squared = run.argument(made, 1, "square", "mul", "pow")
    inner = run.argument(squared, 0, "mean") if squared and run.base(made, 1) is not None else None
    if x is None or inner is None or not run.same(run.operand(inner, 0), x):
        return None
    return Rewrite("mean(({0} - mean({0}))**2)", (x,))


def _difference_of_logarithms(run: Rewriting, made: TraceNode) -> Rewrite | None:
    first, second = run.argument(made, 0, "log"), run.argument(made, 1, "log")
    if not (first and second):
        return None
    return _by_difference(run, run.operand(first, 0), run.operand(second, 0), "log1p({2} / {1})")


def _difference_of_waves(run: Rewriting, made: TraceNode) -> Rewrite | None:
    for rule, formula in (
        ("sin", "2 * cos(({0} + {1}) / 2) * sin({2} / 2)"),
        ("cos", "-2 * sin(({0} + {1}) / 2) * sin({2} / 2)"),
        ("exp", "exp({1}) * expm1({2})"),
    ):
        first, second = run.argument(made, 0, rule), run.argument(made, 1, rule)
        if first and second:
            return _by_difference(run, run.operand(first, 0), run.operand(second, 0), formula)
    return None


def _logarithm_of_one_more(run: Rewriting, made: TraceNode) -> Rewrite | None:
    if added := run.argument(made, 0, "add"):
        for one, other in ((0, 1), (1, 0)):
            if run.is_one(added, one):
                return Rewrite("log1p({0})", (run.operand(added, other),))
    if (less := run.argument(made, 0, "sub")) and run.is_one(less, 0):
        return Rewrite("log1p(-{0})", (run.operand(less, 1),))
    return None


def _logarithm_of_a_sum(run: Rewriting, made: TraceNode) -> Rewrite | None:
    total = run.argument(made, 0, "sum")
    power = run.argument(total, 0, "exp") if total else None
    return None if power is None else Rewrite("m + log(sum(exp({0} - m)))", (run.operand(power, 0),), True)


def _root_of_squares(run: Rewriting, made: TraceNode) -> Rewrite | None:
    added = run.argument(made, 0, "add")
    if added is None:
        return None
    a, b = run.base(added, 0), run.base(added, 1)
    return None if a is None or b is None else Rewrite("hypot({0}, {1})", (a, b))


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
