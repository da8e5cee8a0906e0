"""The partials of steps: as formulas, as numbers, and the numbers of terms that they divide by."""

from __future__ import annotations

from collections.abc import Iterator, Set
from functools import cache, reduce
from typing import Any

import numpy as np

from gradcli.engine.traces.node import CONSTANT, TraceNode
from gradcli.mathematics import language
from gradcli.mathematics.language import Name, Syntax
from gradcli.mathematics.language.evaluation import evaluate
from gradcli.mathematics.language.syntax import Apply, Number, walk
from gradcli.mathematics.language.vocabulary import CONSTANTS
from gradcli.mathematics.rules.compiled_formulas import ARRAY_FUNCTIONS


def constant_partial(node: TraceNode, position: int) -> float | None:
    """The partial if it is the same number at every point, else None."""
    rule = node.rule
    if rule.averages:
        return float(np.size(node.value) / np.size(node.operands[0]))
    tree = node.slopes.trees[position] if node.slopes else None
    if tree is None:
        return None
    known = {
        name: x
        for name, index, x in zip(rule.parameters, node.sources, node.operands, strict=True)
        if index == CONSTANT and np.ndim(x) == 0
    }
    used = {node.id for node in walk(tree) if isinstance(node, Name)} - CONSTANTS.keys()
    return float(value_of_formula(tree, known)) if used <= known.keys() else None


def value_of_formula(tree: Syntax, names: dict[str, Any]) -> Any:
    """The value of a formula, given those of its names."""
    return evaluate(tree, {**CONSTANTS, **names}, ARRAY_FUNCTIONS)


@cache
def parsed(text: str) -> Syntax:
    """The syntax of a formula."""
    return language.parse(text)


def step_partial(node: TraceNode, position: int) -> Syntax | None:
    """The partial of an elementwise step by one argument: a sum for `x` in `x * x`, which stands at two positions."""
    pairs = zip(node.slopes.trees, node.sources, strict=True)
    trees = [_by_first_name(node, tree) for tree, source in pairs if source == node.sources[position] and tree]
    if len(trees) == 2 and trees[0] == trees[1]:
        return Apply("mul", (Number(2.0), trees[0]))
    return reduce(lambda total, tree: Apply("add", (total, tree)), trees) if trees else None


def _by_first_name(node: TraceNode, tree: Syntax) -> Syntax:
    """A partial that is one of the arguments, by the name of the first argument that is the same."""
    parameters = node.rule.parameters
    if not isinstance(tree, Name) or tree.id not in parameters:
        return tree
    source = node.sources[parameters.index(tree.id)]
    return tree if source == CONSTANT else Name(parameters[node.sources.index(source)])


def value_of_partial(node: TraceNode, tree: Syntax) -> Any:
    """The value of a formula in the arguments and the result of a step."""
    return value_of_formula(tree, {**dict(zip(node.rule.parameters, node.operands, strict=True)), "v": node.value})


def mistaken_counts(partial: float, sizes: Set[int]) -> Iterator[tuple[int, int, int]]:
    """Yield the number of terms, the right divisor and the wrong one, where one is less than the other by 1."""
    for n in sorted(sizes):
        for right, wrong in ((n, n - 1), (n - 1, n)):
            if min(right, wrong) > 1 and any(abs(abs(partial) * right - k) < 1e-12 for k in (0.5, 1, 2)):
                yield n, right, wrong


def count_text(n: int, divisor: int) -> str:
    """A divisor in terms of the number of terms."""
    return f"n = {n}" if n == divisor else f"n - 1 = {divisor}"
