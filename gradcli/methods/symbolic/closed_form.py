"""The closed form of a recorded program, and SymPy's derivatives of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from gradcli.engine.traces.node import TraceNode, ancestors
from gradcli.engine.traces.number_systems import NumberSystem, with_keywords
from gradcli.engine.traces.straight_line_program import Operation
from gradcli.engine.traces.trace import Trace
from gradcli.engine.traces.trace_replay import Traversal
from gradcli.mathematics.language import sympy_functions
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.methods.exact.partials import symbolic_functions
from gradcli.methods.exact.recorded_choices import chosen_entries
from gradcli.methods.exact.replay import operations
from gradcli.methods.numerics.coordinates import Coordinate
from gradcli.methods.numerics.deadline import Deadline

COUNTED = 10**12  # operations; a loop may double them each time, and counting must not take longer than the loop
LARGEST = 400  # operations of the expression; beyond that, SymPy would take seconds
NESTED = 75  # nested functions; SymPy differentiates by recursion, some eight calls for each level


class TooDeepError(ArithmeticError):
    """An expression is nested too deeply for SymPy's recursion."""


class NoClosedFormError(TypeError):
    """A step has no expression of real numbers.

    Attributes:
        index: the number of the step.
    """

    def __init__(self, index: int, reason: str) -> None:
        super().__init__(f"the expressions are real, but step {index} {reason}")
        self.index = index


@contextmanager
def within_reach() -> Iterator[None]:
    """Convert a RecursionError of SymPy into a TooDeepError.

    Raises:
        TooDeepError: SymPy's recursion ended.
    """
    try:
        yield
    except RecursionError:
        raise TooDeepError("the expression is nested too deeply for SymPy") from None


class OperationCount:
    """The number of operations in an expression when shared parts are written out, at most `COUNTED`.

    It is not an `int`, because NumPy would convert that to a plain number next to an array.
    """

    __slots__ = ("count",)

    def __init__(self, count: int) -> None:
        self.count = min(COUNTED, count)

    def _with(self, other: Any = None) -> OperationCount:
        return OperationCount(1 + self.count + _count(other))

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __pow__ = _with

    def conjugate(self) -> OperationCount:
        """Return self, as a real number does."""
        return self


def _count(x: Any) -> int:
    """The operations of an argument; a plain number has none."""
    return x.count if isinstance(x, OperationCount) else 0


class ObjectSystem(NumberSystem):
    """A number system of objects, in object arrays; choices at the recorded point are kept."""

    reached = 0  # the number of the step that is computed

    def between(self, steps: Iterable[Any]) -> Iterator[Any]:
        """Note which step is computed."""
        for step in steps:
            self.reached = step[0]
            yield step

    def number(self, value: float) -> Any:
        """The number that equals the binary value exactly."""
        raise NotImplementedError

    def elementwise(self, rule: Elementwise) -> Callable[..., Any]:
        """The rule as a function of these numbers."""
        raise NotImplementedError

    def constant(self, value: Any) -> Any:
        """A constant as one of these numbers; integers, such as an index, are unchanged."""
        if isinstance(value, np.ndarray):
            if value.dtype.kind not in "fc":
                return value
            lifted = np.empty(value.shape, dtype=object)
            for place, x in np.ndenumerate(value):
                lifted[place] = self.number(float(x))
            return lifted
        return self.number(float(value)) if isinstance(value, (float, np.floating)) else value

    def sees_node(self, operation: Operation) -> bool:
        """Extremes keep their recorded position."""
        return operation.rule is not None and operation.rule.extreme

    def function(self, operation: Operation) -> Callable[..., Any]:
        """Elementwise rules number by number, array rules by their own forward computation."""
        rule = operation.rule
        if isinstance(rule, Elementwise):
            return partial(_each, self.elementwise(rule))
        if rule.casts:
            return _single
        forward = partial(_chosen, rule) if self.sees_node(operation) else partial(_forward, rule)
        return with_keywords(forward, operation)


def _each(function: Callable[..., Any], *arguments: Any) -> Any:
    """Apply a function of single numbers to numbers and object arrays."""
    if all(np.ndim(x) == 0 for x in arguments):
        return function(*map(_single, arguments))
    return np.frompyfunc(function, len(arguments), 1)(*arguments)


def _single(x: Any, **_: Any) -> Any:
    return x.item() if isinstance(x, np.ndarray) and x.ndim == 0 and x.dtype == object else x


def _forward(rule: ArrayRule, *arguments: Any, **static: Any) -> Any:
    boxed = (x if isinstance(x, np.ndarray) else np.asarray(x, dtype=object) for x in arguments)
    return _single(rule.forward(*boxed, **static))


def _chosen(rule: ArrayRule, node: TraceNode, values: Any, **static: Any) -> Any:
    return chosen_entries(values, node.operands[0], rule, **static)


class SizeSystem(ObjectSystem):
    """A number system that counts operations, so that the size is known before SymPy starts."""

    def number(self, value: float) -> OperationCount:
        """A number counts as no operation."""
        return OperationCount(0)

    def elementwise(self, rule: Elementwise) -> Callable[..., OperationCount]:
        """One operation more than the arguments have together."""
        return lambda *arguments: OperationCount(1 + sum(map(_count, arguments)))


class SympySystem(ObjectSystem):
    """The number system of SymPy's real expressions."""

    def number(self, value: float) -> Any:
        """The exact binary value as a rational number."""
        return sympy_functions.number(value)

    def elementwise(self, rule: Elementwise) -> Callable[..., Any]:
        """The rule on expressions; a plain condition selects its side."""
        if rule.conditional:
            return lambda c, x, y: x if c else y
        return lambda *arguments: rule.evaluate(symbolic_functions(), arguments)


@dataclass(frozen=True)
class SymbolicProgram:
    """The whole program as one expression in `symbols`, one for each number of the inputs."""

    value: Any
    symbols: tuple[Any, ...]

    def derivatives(self) -> list[Any]:
        """SymPy's derivative by each symbol.

        Raises:
            TooDeepError: the expression is nested too deeply for SymPy's recursion.
            TooLongError: SymPy takes too long.
        """
        clock, formulas = Deadline(), []
        with within_reach():
            for symbol in self.symbols:
                formulas.append(sympy_functions.derivative(self.value, symbol))
                clock.check()
        return formulas


def in_words(count: int) -> str:
    """A number of operations in words; very large counts are cut off."""
    return f"more than {COUNTED:,} operations" if count >= COUNTED else f"{count:,} operations"


def size(trace: Trace, result: int, inputs: Sequence[int]) -> int:
    """The number of operations of the whole expression when written out; at least that many for a long program."""
    if (count := sum(operations(trace.nodes[index]) for index in ancestors(trace.nodes, result))) > 20 * LARGEST:
        return count
    lifted = {index: SizeSystem().constant(trace.nodes[index].value) for index in inputs}
    expression_sizes = _traversed(trace, SizeSystem(), result, lifted)
    return sum(map(_count, np.ravel(np.asarray(expression_sizes, dtype=object))))


def _traversed(trace: Trace, system: ObjectSystem, result: int, given: Mapping[int, Any]) -> Any:
    for index in sorted(ancestors(trace.nodes, result)):
        if np.iscomplexobj(trace.nodes[index].value):
            raise NoClosedFormError(index, "computes with complex numbers")
    try:
        return Traversal(trace.steps, system, result, for_last=True).values(given, asks_again=False)[result]
    except (TypeError, ValueError, AttributeError, LookupError, NotImplementedError) as error:
        raise NoClosedFormError(system.reached, "has none") from error


def expression(trace: Trace, result: int, inputs: Sequence[int], names: Sequence[Coordinate]) -> SymbolicProgram:
    """The program as one SymPy expression along the recorded path.

    Raises:
        TypeError: the point has complex numbers.
        NoClosedFormError: a step has complex numbers, or no expression.
        TooDeepError: functions are nested too deeply.
    """
    import sympy

    if any(component.half for component in names):
        raise TypeError("the symbols are real, but the point has complex numbers")
    symbols = tuple(sympy.Symbol(component.name, real=True) for component in names)
    rest = iter(symbols)
    lifted: dict[int, Any] = {}
    for index in inputs:
        value = trace.nodes[index].value
        if np.ndim(value) == 0:
            lifted[index] = next(rest)
        else:
            lifted[index] = np.empty(value.shape, dtype=object)
            lifted[index].flat = [next(rest) for _ in range(value.size)]
    with within_reach():
        value = _traversed(trace, SympySystem(), result, lifted)
    if (nested := depth(value)) > NESTED:
        raise TooDeepError(f"the expression is nested {nested} deep, too deep for SymPy")
    return SymbolicProgram(value, symbols)


def depth(value: Any) -> int:
    """The depth of nested functions; a sum of many terms is one level."""
    level, count = [value], 0
    while level := [part for whole in level for part in getattr(whole, "args", ())]:
        count += 1
    return count


def text(value: Any) -> str:
    """A SymPy expression in the formula language."""
    import sympy

    return str(sympy.sstr(value))


def closed_forms(program: SymbolicProgram) -> Mapping[str, Any]:
    """The derivative by each component, slightly simplified, by name."""
    import sympy

    return {
        symbol.name: sympy.factor_terms(derivative)
        for symbol, derivative in zip(program.symbols, program.derivatives(), strict=True)
    }
