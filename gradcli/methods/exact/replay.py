"""The number system of many digits: a recorded program replayed with its outcomes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from gradcli.engine.traces.node import TraceNode
from gradcli.engine.traces.number_systems import NumberSystem, Step, with_keywords
from gradcli.engine.traces.straight_line_program import Operation
from gradcli.engine.traces.trace import Trace
from gradcli.engine.traces.trace_replay import Traversal
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.mathematics.rules.rule_types import ROUNDED, Elementwise
from gradcli.methods.exact import complex_functions, decimals, fourier, linear_algebra, recorded_choices
from gradcli.methods.exact.complex_decimals import conjugate, direction, imaginary_part, is_complex, real_part
from gradcli.methods.numerics.deadline import Deadline, TooLongError

MOST_OPERATIONS = 4_000_000  # single additions and products; a function such as sin counts as some forty
FORWARDS: Mapping[str, Any] = {
    **linear_algebra.FORWARDS,
    **fourier.FORWARDS,
    "real": real_part,
    "imag": imaginary_part,
    "conj": conjugate,
    "direction": direction,
}
"""Forward computations in many digits, by the names of the rules whose own cannot do that."""


class ManyDigits(NumberSystem):
    """Numbers in the current precision; recorded choices are kept.

    Args:
        trace: the run.
        clock: the remaining time.
    """

    def __init__(self, trace: Trace, clock: Deadline) -> None:
        self.has_complex = trace.has_complex
        self.clock = clock

    def constant(self, value: Any) -> Any:
        """The number that equals the binary value exactly."""
        return decimals.to_decimals(value)

    def sees_node(self, operation: Operation) -> bool:
        """Whether the rule chooses, or may compute with complex numbers, which the recorded dtype decides."""
        rule = operation.rule
        may_be_complex = self.has_complex and isinstance(rule, Elementwise)
        return may_be_complex or rule.extreme or rule.piecewise or rule.conditional

    def between(self, steps: Iterable[Step]) -> Iterator[Step]:
        """Stop when the time is up."""
        for step in steps:
            self.clock.check()
            yield step

    def function(self, operation: Operation) -> Callable[..., Any]:
        """Elementwise rules by the functions of the language, array rules by their forward computation."""
        rule = operation.rule
        if isinstance(rule, Elementwise):
            if self.sees_node(operation):
                return partial(_recorded, rule)
            function = decimals.function_of(rule)
            return partial(_by_numbers, rule, function) if operation.is_of_arrays else function
        return with_keywords(partial(recorded_choices.extreme if rule.extreme else _forward, rule), operation)


class Replay:
    """Replays of a trace up to node `last` in many digits.

    Attributes:
        clock: the remaining time.

    Raises:
        TooLongError: the replays take too many operations, which is known before any time is spent.
    """

    def __init__(self, trace: Trace, last: int, clock: Deadline | None = None) -> None:
        refuse_long(trace, last)
        self.clock = clock or Deadline()
        self._traversal = Traversal(trace.steps, ManyDigits(trace, self.clock), last)

    def values(self, given: Mapping[int, Any] | None = None) -> list[Any]:
        """The values of the nodes in the current precision. Nodes in `given` have the given values.

        Raises:
            TooLongError: the time is up.
        """
        return self._traversal.values(given or {}, asks_again=False)


def _recorded(rule: Elementwise, node: TraceNode, *arguments: Any) -> Any:
    """The value of an elementwise rule that depends on its recorded node."""
    if rule.conditional:
        return chosen_argument(node, *arguments[1:])
    if rule.piecewise:
        return recorded_choices.piece(rule, node, arguments)
    functions = complex_functions if computes_complex(node) else decimals
    return _by_numbers(rule, functions.function_of(rule), *arguments)


def chosen_argument(node: TraceNode, x: Any, y: Any) -> Any:
    """The argument that the condition of a node selected; a condition is not a number."""
    return single(np.where(node.operands[0], x, y))


def _by_numbers(rule: Elementwise, function: Callable[..., Any], *arguments: Any) -> Any:
    """An elementwise rule on numbers and object arrays."""
    if rule.name in decimals.ARITHMETIC or not any(type(x) is np.ndarray for x in arguments):
        return function(*arguments)
    return np.frompyfunc(function, len(arguments), 1)(*arguments)


def _forward(rule: ArrayRule, *arguments: Any, **static: Any) -> Any:
    return forward(rule, arguments, static)


def computes_complex(node: TraceNode) -> bool:
    """Whether a complex number enters or leaves a node."""
    return any(map(np.iscomplexobj, (node.value, *node.operands)))


def single(x: Any) -> Any:
    """The number in an array without axes; any other value unchanged."""
    return x.item() if isinstance(x, np.ndarray) and not x.ndim else x


def forward(rule: ArrayRule, arguments: Sequence[Any], static: Mapping[str, Any]) -> Any:
    """An array rule on numbers and object arrays; a cast would round, so it is skipped."""
    if rule.casts:
        dtype = static["dtype"]
        stays = dtype is np.ndarray or np.dtype(dtype).kind == "c" or not is_complex(arguments[0])
        return arguments[0] if stays else real_part(arguments[0])
    compute = FORWARDS.get(rule.name, rule.forward)
    return single(decimals.tolerant(compute, [*map(zero_dimensional, arguments)], static))


def zero_dimensional(x: Any) -> Any:
    """A number as an array without axes, because NumPy would take a number's methods for an array's."""
    return x if isinstance(x, (np.ndarray, int, float)) else np.asarray(x, dtype=object)


# Cost


def refuse_long(trace: Trace, last: int) -> None:
    """Refuse a program that is too long for many digits, before any time is spent.

    Raises:
        TooLongError: the program takes too many operations.
    """
    count = operations_of(trace, last)
    if count > MOST_OPERATIONS:
        raise TooLongError(f"{count:,} operations, too many to repeat in many digits")


def operations_of(trace: Trace, last: int) -> int:
    """The approximate number of additions and products in the nodes up to `last`."""
    return sum(map(operations, trace.nodes[: last + 1]))


HARD = 40  # cost of a function such as sin, in additions


def operations(node: TraceNode) -> int:
    """The approximate number of additions and products in a node."""
    rule, size = node.rule, int(np.size(node.value))
    if isinstance(rule, Elementwise):
        simple = rule.roundings <= ROUNDED or (rule.is_power and _is_whole(node.operands[1]))
        return size if simple else HARD * size
    if rule is None or rule.moves:
        return size
    if rule.bilinear:
        return 2 * size * max(1, math.isqrt(np.size(node.operands[0]) * np.size(node.operands[1]) // max(1, size)))
    if rule.name in linear_algebra.FORWARDS:
        of = node.operands[0]
        return linear_algebra.operations(rule.name, *np.shape(of)[-2:]) * max(1, size // max(1, np.size(of)))
    return int(max(size, *map(np.size, node.operands)))


def _is_whole(exponent: Any) -> bool:
    return isinstance(exponent, (int, float)) and exponent == int(exponent)
