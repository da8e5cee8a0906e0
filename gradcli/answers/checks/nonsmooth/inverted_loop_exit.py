"""Loops ended by a comparison of recorded values: the outcome that ended one, and the run with one more iteration.

The tape differentiates the iterations that ran. An iteration that converged at its start ran none, so its derivative is
that of the starting guess; one that stopped early has a derivative that has not converged. The change due to one more
iteration shows how far the derivative depends on where the loop stopped.

A loop converges if what it hands on hardly changes with further iterations, and ever less. Loops that halve, wrap,
sort, search a step or step until an event end by a comparison too, but where they end is part of the function: one more
iteration is another function, and does not approximate it.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise, takewhile
from typing import Any

import numpy as np

from gradcli.engine.code.program_errors import program_errors
from gradcli.engine.code.stack_frames import Place
from gradcli.engine.traces.node import CONSTANT, TraceNode
from gradcli.engine.traces.trace import Trace, record_trace
from gradcli.mathematics.rules.nondifferentiable import SIGNS
from gradcli.shared.float_errors import ignored_float_errors

LOOPS = (ast.While, ast.For, ast.AsyncFor)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
WAYS_OUT = (ast.Break, ast.Return, ast.Raise)


def leaves_loop(file: str, line: int, answer: bool) -> bool | None:
    """Whether the answer `answer` to a comparison on a line leaves a loop; None if the source does not show it.

    Each comparison on a line is taken for the whole test.
    """
    tree = _parsed("".join(linecache.getlines(file)))
    if tree is None:
        return None
    asked = list(_questions(tree, line, in_loop=False))
    branches = [(node, in_loop) for node, in_loop in asked if not isinstance(node, ast.Compare)]
    if asked and not branches:
        return None
    return any(_leaves(node, answer, in_loop) for node, in_loop in branches)


@lru_cache(maxsize=8)
def _parsed(source: str) -> ast.AST | None:
    try:
        return ast.parse(source) if source else None
    except (SyntaxError, ValueError, RecursionError):
        return None


def _questions(node: ast.AST, line: int, in_loop: bool) -> Iterator[tuple[ast.AST, bool]]:
    """The comparisons on a line and the branches that test them, and whether each is in a loop of its function."""
    for child in ast.iter_child_nodes(node):
        if line not in range(getattr(child, "lineno", line), (getattr(child, "end_lineno", None) or line) + 1):
            continue
        branches = isinstance(child, (ast.While, ast.If, ast.IfExp)) and _spans(child.test, line)
        if branches or isinstance(child, (ast.Compare, ast.comprehension)):
            yield child, in_loop
        inside = isinstance(child, LOOPS) or (in_loop and not isinstance(child, SCOPES))
        yield from _questions(child, line, inside)


def _spans(node: ast.expr, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _leaves(node: ast.AST, answer: bool, in_loop: bool) -> bool:
    if isinstance(node, ast.While):
        return not _answer(node.test, answer)
    if not isinstance(node, ast.If) or not in_loop:
        return False
    block = node.body if _answer(node.test, answer) else node.orelse
    return bool(block) and isinstance(block[-1], WAYS_OUT)


def _answer(test: ast.expr, answer: bool) -> bool:
    """The value of the whole test."""
    return not answer if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else answer


COMPARISONS = frozenset((*SIGNS, "bool"))


def ending(run: Trace) -> int | None:
    """The number of the last outcome that ended a loop, or None if no comparison of recorded values did.

    The run must be recorded with names, because a loop is identified by its line: a `while`, an `if` that leaves a
    loop, or, where neither is known, a comparison whose answers so far were all opposite.
    """
    if not run.is_named:
        return None
    answers: dict[tuple[Place | None, Any], set[bool]] = {}
    last = None
    for number, outcome in enumerate(run.outcomes):
        name, fact, place = outcome.name, outcome.answer, outcome.place
        if name in COMPARISONS and getattr(fact, "shape", ()) == ():
            before = answers.setdefault((place, name), set())
            out = leaves_loop(*place, bool(fact)) if place else None
            if before == {not fact} if out is None else out:
                last = number
            before.add(bool(fact))
    return last


def further_iterations(run: Trace, most: int = 2) -> list[Trace]:
    """The runs in which the last loop runs once more, twice more and so on: the outcomes that end it are inverted.

    Fewer than `most`, or none, if no comparison of recorded values ends a loop, or if the continued loop raises an
    exception or does not end.
    """
    if not run.outcomes or run.function is None:
        return []
    last = run if run.is_named else record_trace(run.function, run.arguments, names=True)
    numbers: list[int] = []
    runs: list[Trace] = []
    while len(runs) < most and (number := ending(last)) is not None and number not in numbers:
        numbers.append(number)
        try:
            last = record_trace(run.function, run.arguments, names=True, inverts=tuple(numbers))
        except program_errors():
            break
        runs.append(last)
    return runs


CLOSE = 0.05  # largest relative change by a further iteration of what a converging loop hands on
SHRINKING = 0.75  # largest fraction of that change that the next iteration may still make
ROUNDING = 1e-12  # relative change that is none
SURE = 1e-3  # largest relative change where there is no next iteration to compare with


def converges(runs: Sequence[Trace]) -> bool:
    """Whether the last loop of a run converges.

    Args:
        runs: the run, then those in which the loop runs once more, twice more and so on.
    """
    changes = [_change(*pair) for pair in pairwise(runs)]
    if len(changes) < 2:
        return bool(changes) and changes[0] <= SURE
    return changes[0] <= CLOSE and all(later <= max(SHRINKING * now, ROUNDING) for now, later in pairwise(changes))


def _change(run: Trace, longer: Trace) -> float:
    """The largest relative change of the numbers that the loop hands on to the rest of the program."""
    pairs = [(run.value, longer.value), *_handed_on(run.nodes, longer.nodes)]
    return max(_relative(here, there) for here, there in pairs)


def _handed_on(nodes: Sequence[TraceNode], longer: Sequence[TraceNode]) -> Iterator[tuple[Any, Any]]:
    """The operands, in both runs, of the steps after the loop that were computed before these."""
    start = _count(zip(nodes, longer, strict=False))
    rest = zip(reversed(nodes[start:]), reversed(longer[start:]), strict=False)
    tail = _count((here, there) for here, there in rest)
    for here, there in zip(nodes[len(nodes) - tail :], longer[len(longer) - tail :], strict=True):
        for source, number, other in zip(here.sources, here.operands, there.operands, strict=True):
            if source == CONSTANT or source < len(nodes) - tail:
                yield number, other


def _count(pairs: Any) -> int:
    """The number of steps, from the first, that both runs take alike."""
    return sum(1 for _ in takewhile(lambda pair: _is_alike(*pair), pairs))


def _is_alike(here: TraceNode, there: TraceNode) -> bool:
    return here.rule is there.rule and len(here.sources) == len(there.sources)


def _relative(here: Any, there: Any) -> float:
    """The largest difference of two numbers or arrays, relative to the largest number."""
    if np.shape(here) != np.shape(there) or np.result_type(here).kind not in "fciub":
        return np.inf
    with ignored_float_errors():
        off = float(np.max(np.abs(np.subtract(here, there, dtype=complex)), initial=0.0))
        size = float(np.max(np.abs(here), initial=0.0))
    return off / size if size else np.inf if off else 0.0
