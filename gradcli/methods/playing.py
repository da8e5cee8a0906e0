"""A recorded program played again on numbers of many digits, node by node, its outcomes as they were told."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

import numpy as np

from gradcli.methods import choices, complex_functions, digits, fourier, matrices
from gradcli.methods.complex_decimal import conjugate, direction, imaginary_part, is_complex, real_part
from gradcli.rules.array_rules import ArrayRule
from gradcli.rules.table import ROUNDED, Elementwise
from gradcli.traces.node import CONSTANT, TraceNode
from gradcli.traces.trace import Trace

MOST_OPERATIONS = 4_000_000  # single additions and products; a function such as sin counts as some forty
FORWARDS: Mapping[str, Any] = {
    **matrices.FORWARDS,
    **fourier.FORWARDS,
    "real": real_part,
    "imag": imaginary_part,
    "conj": conjugate,
    "direction": direction,
}
"""Forwards that compute with many digits where the rule's own does not, by the names of the rules."""
SECONDS = 20.0  # what the exact reference of one point may take, second looks with it


class TooLongError(ArithmeticError):
    """A program of more operations, or of more time, than many digits are worth."""


_end: ContextVar[float] = ContextVar("end", default=math.inf)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Let all that is played inside end in so many seconds, taken together."""
    token = _end.set(min(_end.get(), time.monotonic() + seconds))
    try:
        yield
    finally:
        _end.reset(token)


class Clock:
    """The time that is left; asked between nodes."""

    def __init__(self, seconds: float = SECONDS) -> None:
        now = time.monotonic()
        self.end = min(now + seconds, _end.get())
        self.seconds = max(0.0, self.end - now)

    def check(self) -> None:
        """Refuse to go on once the time is up.

        Raises:
            TooLongError: it is.
        """
        if time.monotonic() > self.end:
            raise TooLongError(f"it takes longer than the {self.seconds:.2g} seconds that it has")


class Played(NamedTuple):
    """A trace with the value of each node to many digits, up to the last one of interest."""

    trace: Trace
    values: list[Any]


def play(
    trace: Trace, inputs: Sequence[int], last: int, clock: Clock | None = None, given: Mapping[int, Any] | None = None
) -> Played:
    """The nodes of a trace up to node `last`, with as many digits as are computed with now.

    Nodes that are `given` have these values in the place of their own.

    Raises:
        TooLongError: it takes too many operations, or too long.
    """
    refuse_long(trace, last)
    clock = clock or Clock()
    values: list[Any] = []
    constants: dict[int, Any] = {}
    entered = frozenset(inputs)
    for index, node in enumerate(trace.nodes[: last + 1]):
        if given is not None and index in given:
            values.append(given[index])
        elif index in entered or not node.is_computed:
            values.append(digits.many(node.value))
        else:
            values.append(_computed(node, arguments_of(node, values, constants), trace.has_complex))
        if not index % 64 or np.ndim(node.value):
            clock.check()
    return Played(trace, values)


def arguments_of(node: TraceNode, values: list[Any], constants: dict[int, Any]) -> list[Any]:
    """The arguments of a node with many digits; constant arrays are kept in `constants`, for nodes meet them again."""
    found = [values[source] if source != CONSTANT else _constant(x, constants) for source, x in node.arguments()]
    if node.rule is not None and node.rule.conditional:
        found[0] = node.operands[0]  # a condition is no number
    return found


def _constant(x: Any, constants: dict[int, Any]) -> Any:
    if not isinstance(x, np.ndarray):
        return digits.many(x)
    if id(x) not in constants:
        constants[id(x)] = digits.many(x)
    return constants[id(x)]


def _computed(node: TraceNode, arguments: list[Any], has_complex: bool) -> Any:
    rule = node.rule
    if rule is None:  # an alias
        return arguments[0]
    if rule.extreme:
        return choices.extreme(rule, node, arguments[0])
    if not isinstance(rule, Elementwise):
        return forward(rule, arguments, node.static)
    if rule.piecewise:
        return choices.piece(rule, node, arguments)
    return elementwise(rule, arguments, has_complex and computes_complex(node))


def computes_complex(node: TraceNode) -> bool:
    """Whether a complex number goes into a node, or comes out."""
    return any(map(np.iscomplexobj, (node.value, *node.operands)))


def elementwise(rule: Elementwise, arguments: list[Any], complex_numbers: bool = False) -> Any:
    """A rule of the table on numbers and object arrays."""
    function = complex_functions.function_of(rule) if complex_numbers else digits.function_of(rule)
    if not any(type(x) is np.ndarray for x in arguments):
        return function(*arguments)
    if rule.conditional:
        return single(np.where(*arguments))
    if rule.name in digits.ARITHMETIC:
        return function(*arguments)
    return np.frompyfunc(function, len(arguments), 1)(*arguments)


def single(x: Any) -> Any:
    """An array without axes as its number."""
    return x.item() if isinstance(x, np.ndarray) and not x.ndim else x


def forward(rule: ArrayRule, arguments: Sequence[Any], static: Mapping[str, Any]) -> Any:
    """An array rule on numbers and object arrays; a cast rounds, and these are the numbers before rounding."""
    if rule.casts:
        dtype = static["dtype"]
        stays = dtype is np.ndarray or np.dtype(dtype).kind == "c" or not is_complex(arguments[0])
        return arguments[0] if stays else real_part(arguments[0])
    compute = FORWARDS.get(rule.name, rule.forward)
    return single(digits.tolerant(compute, list(map(boxed, arguments)), static))


def boxed(x: Any) -> Any:
    """A number as an array without axes, so that NumPy does not take its methods for an array's."""
    return x if isinstance(x, (np.ndarray, int, float)) else np.asarray(x, dtype=object)


# How long it takes


def refuse_long(trace: Trace, last: int) -> None:
    """Refuse a program that many digits are not worth, before any time is spent.

    Raises:
        TooLongError: it takes too many operations.
    """
    count = operations_of(trace, last)
    if count > MOST_OPERATIONS:
        raise TooLongError(f"{count:,} operations, more than many digits are worth")


def operations_of(trace: Trace, last: int) -> int:
    """How many additions and products the nodes up to `last` take, roughly."""
    return sum(map(operations, trace.nodes[: last + 1]))


HARD = 40  # additions: what a function such as sin takes


def operations(node: TraceNode) -> int:
    """How many additions and products a node takes, roughly."""
    rule, size = node.rule, int(np.size(node.value))
    if isinstance(rule, Elementwise):
        simple = rule.roundings <= ROUNDED or (rule.is_power and _is_whole(node.operands[1]))
        return size if simple else HARD * size
    if rule is None or rule.moves:
        return size
    if rule.bilinear:
        return 2 * size * max(1, math.isqrt(np.size(node.operands[0]) * np.size(node.operands[1]) // max(1, size)))
    if rule.name in matrices.FORWARDS:
        of = node.operands[0]
        return matrices.operations(rule.name, *np.shape(of)[-2:]) * max(1, size // max(1, np.size(of)))
    return int(max(size, *map(np.size, node.operands)))


def _is_whole(exponent: Any) -> bool:
    return isinstance(exponent, (int, float)) and exponent == int(exponent)
