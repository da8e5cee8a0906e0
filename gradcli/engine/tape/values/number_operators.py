"""Operators of recorded numbers, compiled from the rule table for each class: that of Python floats and NumPy's."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from gradcli.engine.tape.pullbacks import AS_IT_IS, OF_PYTHON, operation
from gradcli.engine.tape.tape import RowOperation, foreign
from gradcli.mathematics.language.formula_text import PLAIN, emit
from gradcli.mathematics.rules.compiled_formulas import PLAIN_FUNCTIONS, compile_source, scope_of
from gradcli.mathematics.rules.rule_types import Elementwise, elementwise_rule
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.lazy_imports import method_on_first_use


class NumberClass(Frozen, eq=False):
    """A class of recorded numbers: what its compiled methods accept, and the rows that they append.

    Attributes:
        own: the class. Its numbers are all of one type.
        constants: the types of plain numbers that leave the result in the class.
        otherwise: returns, for a rule and whether it is reflected, the method for all other operands.
        floats: the class of recorded Python floats, if they leave the result in the class.
        is_python: whether a power of a negative number is complex and a partial is general, as for Python's floats.
    """

    own: type
    constants: tuple[type, ...]
    otherwise: Callable[[Elementwise, bool], Callable[[Any, Any], Any]]
    floats: type | None = None
    is_python: bool = False

    def operation(self, rule: Elementwise, recorded: tuple[int, ...], floats: tuple[int, ...] = ()) -> RowOperation:
        """The operation of a row with these arguments recorded, those at `floats` as Python's."""
        if self.is_python:
            return operation(rule, recorded, arrays=False)
        converted = tuple(OF_PYTHON if n in floats else AS_IT_IS for n in range(len(rule.parameters)))
        return operation(rule, recorded, arrays=True, converted=converted)

    def constant_operations(self, rule: Elementwise, is_reflected: bool) -> Mapping[Any, RowOperation]:
        """The operations of a rule by those values of its last argument that have partials of their own."""
        if self.is_python or is_reflected:
            return {}
        both = (AS_IT_IS, AS_IT_IS)
        return {x: operation(rule, (0,), True, slopes, both) for x, slopes in rule.slopes_at.items()}


# Appends a row and creates its handle. Written out because every operation pays for every nanosecond here.
_APPEND = """
{indent}rows = tape.rows
{indent}handle = new()
{indent}handle.tape = tape
{indent}handle.index = len(rows)
{indent}handle._value = v
{indent}rows.append(({operation}, v, {places}))
{indent}return handle"""

_BINARY = """
def method(self, other):
    if type(other) is Own:{of_two}
    kind = type(other)
    if {is_constant}:
        tape = self.tape
        x = {x}
        y = {y}
        v = {value}{check}{one}{beside_float}
    return otherwise(self, other)
"""

_OF_TWO = """
        tape = self.tape
        if other.tape is not tape:
            foreign()
        x = {left}._value
        y = {right}._value
        v = {value}{check}{append}"""

_BESIDE_FLOAT = """
    if kind is Float:"""

# In Python, a power of a negative number may be complex.
_COMPLEX = """
        if type(v) is complex:
            return complex_power({left}, {right})"""

_UNARY = """
def method(self):
    {read}
    v = {value}
    tape = self.tape{first}{one}
"""

_FIRST_OF_NUMPY = """
    tape.has_arrays = True"""


def binary_method(
    numbers: NumberClass,
    rule: Elementwise,
    reflected: bool,
    otherwise: Callable[[Any, Any], Any] | None = None,
    ufunc: Callable[..., Any] | None = None,
) -> Callable[..., Any]:
    """The method for a binary operator, or with `ufunc` for that ufunc. `otherwise` handles all other operands."""
    left, right = ("other", "self") if reflected else ("self", "other")
    value = "ufunc(x, y)" if ufunc else emit(rule.value_tree, PLAIN)
    check = _COMPLEX.format(left=left, right=right) if rule.is_power and numbers.is_python else ""
    constants = numbers.constant_operations(rule, reflected)

    def of_two(operation: str) -> str:
        places = f"{left}.index, x, {right}.index, y"
        append = _APPEND.format(indent="        ", operation=operation, places=places)
        return _OF_TWO.format(left=left, right=right, value=value, check=check, append=append)

    source = _BINARY.format(
        of_two=of_two("both"),
        is_constant=" or ".join(f"kind is {kind.__name__}" for kind in numbers.constants),
        x="other" if reflected else "self._value",
        y="self._value" if reflected else "other",
        value=value,
        check=check,
        one=_APPEND.format(
            indent="        ",
            operation="constants.get(y, one)" if constants else "one",
            places="-1, x, self.index, y" if reflected else "self.index, x, -1, y",
        ),
        beside_float=_BESIDE_FLOAT + of_two("beside_float") if numbers.floats else "",
    )
    scope = {
        **_scope(numbers, rule, numbers.own),
        **{kind.__name__: kind for kind in numbers.constants},
        "Float": numbers.floats,
        "both": numbers.operation(rule, (0, 1)),
        "beside_float": numbers.operation(rule, (0, 1), (0,) if reflected else (1,)),
        "one": numbers.operation(rule, (1,) if reflected else (0,)),
        "constants": constants,
        "otherwise": otherwise or numbers.otherwise(rule, reflected),
        "ufunc": ufunc,
    }
    return compile_source("method", source, scope)


def unary_method(
    numbers: NumberClass, rule: Elementwise, ufunc: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    """The recorder of a rule with one argument that is known to be in the class, or with `ufunc` of that ufunc."""
    return _of_one(numbers, rule, numbers.own, numbers.operation(rule, (0,)), ufunc=ufunc)


def float_function(numbers: NumberClass, rule: Elementwise) -> Callable[..., Any]:
    """The recorder of a function of Python floats, of an argument that is known to be in the class, one of NumPy's."""
    assert numbers.floats is not None
    done = operation(rule, (0,), arrays=False, converted=(f"type({rule.parameters[0]})({{}})",))
    return _of_one(numbers, rule, numbers.floats, done)


def ufunc_of_float(numbers: NumberClass, rule: Elementwise, ufunc: Callable[..., Any]) -> Callable[..., Any]:
    """The recorder of a ufunc of a recorded Python float, which gives a number of the class."""
    done = operation(rule, (0,), arrays=True, converted=(OF_PYTHON,))
    return _of_one(numbers, rule, numbers.own, done, ufunc=ufunc, first=_FIRST_OF_NUMPY)


def _of_one(
    numbers: NumberClass,
    rule: Elementwise,
    result: type,
    done: RowOperation,
    *,
    ufunc: Callable[..., Any] | None = None,
    first: str = "",
) -> Callable[..., Any]:
    converts = result is numbers.floats
    value = emit(rule.value_tree, PLAIN) if rule.parameters == ("x",) else "plain(x)"
    append = _APPEND.format(indent="    ", operation="one", places="self.index, held" if converts else "self.index, x")
    read = "held = self._value\n    x = float(held)" if converts else "x = self._value"
    source = _UNARY.format(read=read, value="ufunc(x)" if ufunc else value, first=first, one=append)
    scope = {**_scope(numbers, rule, result), "one": done, "plain": rule.plain, "ufunc": ufunc}
    return compile_source("method", source, scope)


def _scope(numbers: NumberClass, rule: Elementwise, result: type) -> dict[str, Any]:
    scope: dict[str, Any] = {
        **scope_of(rule.value_tree, PLAIN_FUNCTIONS, PLAIN),
        "Own": numbers.own,
        "foreign": foreign,
        "new": type.__call__.__get__(result),  # faster than `object.__new__(result)`, and not the metaclass's call
    }
    if rule.is_power:
        from gradcli.engine.tape.values.complex import complex_power

        scope["complex_power"] = complex_power
    return scope


def outcome_method(
    numbers: NumberClass, name: str, recorded: Callable[[Any, Any], Any], otherwise: Callable[[Any, Any], Any]
) -> Callable[[Any, Any], Any]:
    """The method for what `operator` has under this name, a comparison, as an outcome of the function `recorded`."""
    own, floats = numbers.own, numbers.floats
    first, second, third = (*numbers.constants, None)[:3]
    compute, name = getattr(operator, name), recorded.__name__

    def compare(self: Any, other: Any) -> Any:
        kind = type(other)
        tape = self.tape
        if floats is not None and tape.run.data is not None:
            return otherwise(self, other)
        if kind is first or kind is second or kind is third:
            index, y = -1, other
        elif kind is own or kind is floats:
            if other.tape is not tape:
                foreign()
            index, y = other.index, other._value
        else:
            return otherwise(self, other)
        x = self._value
        answer = compute(x, y)
        row = (len(tape.rows), name, recorded, (self.index, index), (x, y), answer)
        return answer if tape.outcomes.append(row) is None else not answer  # `keep_outcome` without its call

    return compare


CLASSES: dict[type, NumberClass] = {}
"""The classes of NumPy's numbers, whose operators accept a recorded float too."""

BINARY: Mapping[str, str] = MappingProxyType(
    {"add": "add", "sub": "sub", "mul": "mul", "div": "truediv", "mod": "mod", "pow": "pow"}
)
"""The methods of Python's binary operators by the names of their rules."""


def install_operators(numbers: NumberClass) -> None:
    """Give a class of recorded numbers the arithmetic operators, each compiled on first use."""
    for name, method in BINARY.items():
        rule = elementwise_rule(name)
        method_on_first_use(numbers.own, f"__{method}__", partial(binary_method, numbers, rule, reflected=False))
        method_on_first_use(numbers.own, f"__r{method}__", partial(binary_method, numbers, rule, reflected=True))
    for name in ("neg", "pos", "abs"):
        method_on_first_use(numbers.own, f"__{name}__", partial(unary_method, numbers, elementwise_rule(name)))
