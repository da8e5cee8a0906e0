"""Formulas that keep the digits that a node of a run loses: known rewrites, matched against the rules of the nodes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import product, starmap
from typing import Any, NamedTuple

import numpy as np

from gradcli.engine.traces.node import CONSTANT, TraceNode
from gradcli.engine.traces.trace import Trace
from gradcli.mathematics.language import Apply, Name, Number, Syntax, parse
from gradcli.mathematics.language.evaluation import evaluate
from gradcli.mathematics.language.vocabulary import CONSTANTS
from gradcli.mathematics.rules import RULES, functions
from gradcli.shared.float_errors import ignored_float_errors


class Operand(NamedTuple):
    """An operand of a rewrite: a node of the run, or a constant, and its value."""

    source: int
    value: Any


Known = dict[str, Operand]


class Rewrite(NamedTuple):
    """A replacement formula for a node, in the formula language; `{0}`, `{1}` stand for its operands.

    If it needs the largest element of its first operand, that is called `m`.
    """

    formula: str
    operands: tuple[Operand, ...]
    with_largest: bool = False

    def text(self, write: Callable[[int], str]) -> str:
        """The formula with its operands in the user's names."""
        texts = [str(x.value) if x.source == CONSTANT else write(x.source) for x in self.operands]
        filled = PLACE.sub(lambda place: _filled(place, texts), self.formula)
        return f"{filled} with m = max({texts[0]})" if self.with_largest else filled

    def value(self) -> Any:
        """The value of the formula for the recorded operands, in the program's precision."""
        names = {f"operand{n}": x.value for n, x in enumerate(self.operands)}
        if self.with_largest:
            names["m"] = np.max(names["operand0"])
        tree = parse(PLACE.sub(lambda place: f"{place[1]}operand{place[2]}", self.formula))
        with ignored_float_errors():
            return evaluate(tree, {**CONSTANTS, **names}, functions())


LARGEST = re.compile(r"\bm\b")  # matches formulas that need the largest element of their operand
# A pattern, and a formula in its operands in order: `{0}`, `{1}`, and `{2}` for the difference of the two.
REWRITES = (
    ("1 - cos(x)", "2 * sin({0} / 2)**2"),
    ("cos(x) - 1", "-2 * sin({0} / 2)**2"),
    ("exp(x) - 1", "expm1({0})"),
    ("1 - exp(x)", "-expm1({0})"),
    ("1 - square(tanh(x))", "1 / cosh({0})**2"),
    ("1 - square(sin(x))", "cos({0})**2"),
    ("1 - square(cos(x))", "sin({0})**2"),
    ("sqrt(x) - sqrt(y)", "{2} / (sqrt({0}) + sqrt({1}))"),
    ("mean(square(x)) - square(mean(x))", "mean(({0} - mean({0}))**2)"),
    ("square(x) - square(y)", "({0} - {1}) * ({0} + {1})"),
    ("log(x) - log(y)", "log1p({2} / {1})"),
    ("sin(x) - sin(y)", "2 * cos(({0} + {1}) / 2) * sin({2} / 2)"),
    ("cos(x) - cos(y)", "-2 * sin(({0} + {1}) / 2) * sin({2} / 2)"),
    ("exp(x) - exp(y)", "exp({1}) * expm1({2})"),
    ("log(1 + x)", "log1p({0})"),
    ("log(1 - x)", "log1p(-{0})"),
    ("log(sum(exp(x)))", "m + log(sum(exp({0} - m)))"),
    ("sqrt(square(x) + square(y))", "hypot({0}, {1})"),
)
DEPTH = 4  # levels of steps compared to find equal operands
PLACE = re.compile(r"(\(?)\{(\d)\}(?=(\)?))")
ATOM = re.compile(r"[%\w.#]+(\[[^\[\]]*\])*(\([^()]*\))?")


def _filled(match: re.Match[str], texts: list[str]) -> str:
    """An operand inserted in a formula, in brackets if it needs them and has none."""
    bracket, text = match[1], texts[int(match[2])]
    own = bracket and match[3]
    return bracket + (text if own or ATOM.fullmatch(text) else f"({text})")


class Rewriting:
    """The known rewrites of the nodes of one run."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    def of(self, index: int) -> Rewrite | None:
        """A formula that may keep the digits that node `index` loses; None if none is known."""
        made = self.trace.nodes[index]
        if made.rule is None or made.rule.casts:
            return None
        for pattern, formula in _patterns():
            if known := next(self._matches(pattern, Operand(index, made.value), {}), None):
                return self._rewrite(formula, tuple(known.values()))
        return None

    def _matches(self, pattern: Syntax, x: Operand, known: Known) -> Iterator[Known]:
        """Yield the operands that a pattern's names stand for if it matches an operand, added to the known ones."""
        if isinstance(pattern, Number):
            if x.source == CONSTANT and np.all(np.equal(x.value, pattern.value)):
                yield known
        elif isinstance(pattern, Name):
            if self.same(known.setdefault(pattern.id, x), x):
                yield known
        elif (made := self._made(x)) is not None and made.rule is RULES.get(pattern.function):
            yield from self._match_all(pattern.arguments, list(starmap(Operand, made.arguments())), known)

    def _match_all(self, patterns: Sequence[Syntax], operands: Sequence[Operand], known: Known) -> Iterator[Known]:
        if not patterns:
            yield known
            return
        for matched in self._matches(patterns[0], operands[0], dict(known)):
            yield from self._match_all(patterns[1:], operands[1:], matched)

    def _made(self, x: Operand) -> TraceNode | None:
        """The node that computed an operand, skipping casts and aliases; None if there is none."""
        source = x.source
        while source != CONSTANT:
            node = self.trace.nodes[source]
            if not (node.is_alias or (node.rule is not None and node.rule.casts)):
                return node if node.rule is not None else None
            source = node.sources[0]
        return None

    def _rewrite(self, formula: str, operands: tuple[Operand, ...]) -> Rewrite:
        """The formula, with `{2}` as the term by which two operands differ, or else as their difference."""
        if "{2}" not in formula:
            return Rewrite(formula, operands, bool(LARGEST.search(formula)))
        term = self.difference(*operands)
        if term is not None:
            return Rewrite(formula, (*operands, term))
        return Rewrite(formula.replace("({2})", "({0} - {1})").replace("{2}", "({0} - {1})"), operands)

    def difference(self, x: Operand, y: Operand) -> Operand | None:
        """The term by which `x` exceeds `y`, if they are otherwise the same, so that it need not be computed."""
        for term, rest in self._terms(x):
            if self.same(rest, y):
                return term
            for other, same in self._terms(y):
                if self.same(rest, same) and term.source == other.source == CONSTANT:
                    return Operand(CONSTANT, term.value - other.value)
        return None

    def same(self, x: Operand, y: Operand, depth: int = DEPTH) -> bool:
        """Whether two operands are identical, or computed in the same way from identical ones."""
        if x.source == y.source:
            return x.source != CONSTANT or bool(np.array_equal(x.value, y.value))
        if not depth or CONSTANT in (x.source, y.source):
            return False
        one, other = self.trace.nodes[x.source], self.trace.nodes[y.source]
        alike = one.rule is not None and one.rule is other.rule and one.static == other.static
        pairs = zip(starmap(Operand, one.arguments()), starmap(Operand, other.arguments()), strict=False)
        return alike and all(self.same(a, b, depth - 1) for a, b in pairs)

    def _terms(self, x: Operand) -> Iterator[tuple[Operand, Operand]]:
        """Yield the two terms of a sum, each with the other one."""
        made = None if x.source == CONSTANT else self.trace.nodes[x.source]
        if made is not None and made.rule is not None and made.rule.is_sum:
            first, second = starmap(Operand, made.arguments())
            yield from ((first, second), (second, first))


@cache
def _patterns() -> list[tuple[Syntax, str]]:
    return [(way, formula) for pattern, formula in REWRITES for way in _ways(parse(pattern))]


def _ways(tree: Syntax) -> Iterator[Syntax]:
    """Yield the spellings of a formula: commuted sums, and squares as products and powers."""
    if not isinstance(tree, Apply):
        yield tree
        return
    for arguments in product(*map(_ways, tree.arguments)):
        yield Apply(tree.function, arguments)
        if tree.function == "add":
            yield Apply("add", arguments[::-1])
        elif tree.function == "square":
            yield Apply("mul", arguments * 2)
            yield Apply("pow", (*arguments, Number(2)))
