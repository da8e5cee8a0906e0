"""The number systems in which a program is executed: their interface, and the numbers of the run itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Protocol, TypeVar

from gradcli.engine.tape.accumulation import fit, select
from gradcli.engine.tape.pullbacks import by_ieee
from gradcli.engine.traces.node import TraceNode
from gradcli.engine.traces.straight_line_program import Operation
from gradcli.mathematics.rules.array_rule import ArrayRule

Step = TypeVar("Step")
Pull = Callable[..., Iterable[tuple[int, Any]]]


class NumberSystem(Protocol):
    """A kind of numbers, and how operations act on them."""

    def constant(self, value: Any) -> Any:
        """A plain value in this number system. Values passed by name, such as an index or a mask, are not converted."""

    def entered(self, value: Any) -> Any:
        """The recorded value of an input, in this number system. Used when no other value is given."""
        return self.constant(value)

    def function(self, operation: Operation) -> Callable[..., Any]:
        """The operation as a function of numbers of this system. Asked for once per operation."""

    def sees_node(self, operation: Operation) -> bool:
        """Whether the functions of an operation take the node as first argument, to follow its recorded choices."""
        return False

    def between(self, steps: Iterable[Step]) -> Iterable[Step]:
        """Yield the same steps, or the same contributions of one step. A system may interrupt the traversal here."""
        return steps


class ReverseSystem(NumberSystem, Protocol):
    """A number system that supports cotangents."""

    def pull(self, operation: Operation) -> Pull:
        """The pullback of an operation: from cotangent, value and arguments to pairs of position and contribution."""

    def add(self, present: Any, contribution: Any, source: TraceNode) -> Any:
        """Add a contribution to the cotangent of a node; `present` is None for the first one."""


class Floats(ReverseSystem):
    """The numbers of the run itself, computed in the same way: Python's floats, NumPy's arrays, a device's arrays."""

    def constant(self, value: Any) -> Any:
        """The value itself."""
        return value

    def function(self, operation: Operation) -> Callable[..., Any]:
        """The rule's own function."""
        rule = operation.rule
        if isinstance(rule, ArrayRule):
            return with_keywords(rule.forward, operation)
        return rule.on_arrays if operation.is_of_arrays else rule.plain  # type: ignore[no-any-return]

    def pull(self, operation: Operation) -> Pull:
        """The rule's partials or vector-Jacobian products."""
        if isinstance(operation.rule, ArrayRule):
            return with_keywords(partial(_pull_array, operation), operation)
        return partial(_pull_each, operation)

    def add(self, present: Any, contribution: Any, source: TraceNode) -> Any:
        """The sum, started from 0.0 as in the sweeps."""
        return 0.0 + contribution if present is None else present + contribution


FLOATS = Floats()


def _pull_each(operation: Operation, ct: Any, value: Any, *arguments: Any) -> Iterator[tuple[int, Any]]:
    rule, slopes, arrays = operation.rule, operation.slopes, operation.is_of_arrays
    partials = slopes.on_arrays if arrays else slopes.on_numbers
    products = slopes.array_products if arrays else slopes.number_products
    for place in operation.positions:
        slope, product = partials[place], products[place]
        if slope is None or product is None:
            continue
        if rule.selects:
            pulled = select(ct, by_ieee(slope, value, *arguments))
        else:
            pulled = by_ieee(product, ct, value, *arguments)
        yield place, fit(pulled, arguments[place])


def _pull_array(operation: Operation, ct: Any, value: Any, *arguments: Any, **static: Any) -> Iterator[tuple[int, Any]]:
    for place in operation.positions:
        yield place, fit(operation.rule.vjp(place, ct, value, arguments, static), arguments[place])


def with_keywords(function: Callable[..., Any], operation: Operation) -> Callable[..., Any]:
    """A function with the keyword arguments of an operation, its last arguments passed by name if they have names."""
    if operation.choices:
        function = partial(function, **{name: constant.value for name, constant in operation.choices})
    if not operation.names:
        return function
    count, names = len(operation.names), operation.names
    return lambda *arguments: function(*arguments[:-count], **dict(zip(names, arguments[-count:], strict=True)))
