"""Recorded Python floats, with Python's own arithmetic: one recorder compiled from each row of the rule table."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from functools import partial
from numbers import Number, Rational
from typing import Any

from gradcli.language.formula_text import PLAIN, emit
from gradcli.lazy_imports import method_on_first_use
from gradcli.rules.compiled_formulas import PLAIN_FUNCTIONS, compile_source, scope_of
from gradcli.rules.rule_types import Elementwise, elementwise_rule
from gradcli.rules.shape import CAST
from gradcli.tape.concretization_errors import is_operator, leak, refuse_hash
from gradcli.tape.pullbacks import operation
from gradcli.tape.tape import TEXT, foreign, raise_finished
from gradcli.tape.value import KINDS, Value, outcome, record


class _FloatKind(type):
    """The metaclass of recorded floats: their class compares equal to `float` and constructs like `float`."""

    def __eq__(cls, other: object) -> bool:
        return other is cls or other is float

    def __hash__(cls) -> int:
        return hash(float)

    def __call__(cls, *arguments: Any) -> Any:
        if len(arguments) == 1 and issubclass(type(arguments[0]), Value):
            (x,) = arguments
            return x if type(x) is cls else one_number(x).item()  # type: ignore[redundant-expr]
        return float(*arguments)

    def __repr__(cls) -> str:
        return repr(float)


class Scalar(Value, metaclass=_FloatKind):
    """A recorded Python float."""

    __slots__ = ()

    @property
    def real(self) -> Scalar:
        """The number itself."""
        return self

    @property
    def imag(self) -> float:
        """Zero, as for every float."""
        return 0.0

    def conjugate(self) -> Scalar:
        """The number itself."""
        return self

    def is_integer(self) -> bool:
        """Whether the number is integral, as an outcome."""
        return outcome("is_integer", float.is_integer, self)  # type: ignore[no-any-return]

    def as_integer_ratio(self) -> Any:
        """Refuse: a ratio of integers carries no derivative."""
        leak(self, "as_integer_ratio")

    def hex(self) -> str:
        """The number as hexadecimal text, as an outcome."""
        return outcome(TEXT, float.hex, self)  # type: ignore[no-any-return]

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from gradcli.tape.values.array_ufunc import apply_ufunc

        # The operator `**` with a NumPy number on the left.
        if ufunc.__name__ == "power" and is_operator(sys._getframe(1)):
            return record(elementwise_rule("pow"), inputs, {}, by_numpy=True)
        return apply_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from gradcli.tape.values.array_function import apply_function

        return apply_function(function, args, kwargs)


KINDS[float] = Scalar

# Appends a row and creates its handle. Written out because every operation pays for every nanosecond here.
_APPEND = """
{indent}rows = tape.rows
{indent}handle = new(Scalar)
{indent}handle.tape = tape
{indent}handle.index = len(rows)
{indent}handle._value = v
{indent}rows.append(({operation}, v, {places}))
{indent}return handle"""

_BINARY = """
def {method}({left}, {right}):
    kind = type({other})
    if kind is Scalar:
        tape = self.tape
        if other.tape is not tape:
            foreign()
        x = {left}._value
        y = {right}._value
        v = {value}{check}{both}
    if kind is float or kind is int:
        tape = self.tape
        x = {x}
        y = {y}
        v = {value}{check}{one}
    return other_kind(rule, {left}, {right}, {other})
"""

# In Python, a power of a negative number may be complex.
_COMPLEX = """
        if type(v) is complex:
            return complex_power({left}, {right})"""

_UNARY = """
def {method}(self):
    x = self._value
    v = {value}
    tape = self.tape{one}
"""


def as_number(x: Any) -> Any:
    """`x` as Python code receives it from `float(x)`: a recorded Python float for a recorded number.

    Raises:
        ForeignTapeError: the run of the value is over.
        TypeError: it is complex, with Python's message.
    """
    if not issubclass(type(x), Value):
        return x
    if x.tape.closed:
        raise_finished()
    if type(x) is Scalar:
        return x
    if type(x) is KINDS.get(complex):
        raise TypeError("must be real number, not complex")
    number = one_number(x).item()
    return number if type(number) is Scalar else record(CAST, (number,), {"dtype": float})


def one_number(x: Any) -> Any:
    """Check that `x` has one element, and return it.

    Raises:
        TypeError: it is an array of another size, with the message that `float` gives for the plain array.
    """
    if getattr(x._value, "size", 1) != 1:
        float(x._value)
    return x


def binary_method(rule: Elementwise, reflected: bool) -> Callable[..., Any]:
    """The method for a binary operator, with `x` on the left and `y` on the right."""
    left, right = ("other", "self") if reflected else ("self", "other")
    source = _BINARY.format(
        method="method",
        left=left,
        right=right,
        other="other",
        x="other" if reflected else "self._value",
        y="self._value" if reflected else "other",
        value=emit(rule.value_tree, PLAIN),
        check=_COMPLEX.format(left=left, right=right) if rule.is_power else "",
        both=_APPEND.format(indent="        ", operation="both", places=f"{left}.index, x, {right}.index, y"),
        one=_APPEND.format(
            indent="        ", operation="one", places="-1, x, self.index, y" if reflected else "self.index, x, -1, y"
        ),
    ).replace("def method(other, self)", "def method(self, other)")
    scope = {
        **_scope(rule),
        "both": operation(rule, (0, 1), False),
        "one": operation(rule, (1,) if reflected else (0,), False),
        "other_kind": other_kind,
    }
    return compile_source("method", source, scope)


def unary_method(rule: Elementwise) -> Callable[..., Any]:
    """The recorder of a rule with one argument that is known to be a `Scalar`."""
    append = _APPEND.format(indent="    ", operation="one", places="self.index, x")
    value = emit(rule.value_tree, PLAIN) if rule.parameters == ("x",) else "value(x)"
    source = _UNARY.format(method="method", value=value, one=append)
    scope = {**_scope(rule), "one": operation(rule, (0,), False), "value": rule.plain}
    return compile_source("method", source, scope)


def _scope(rule: Elementwise) -> dict[str, Any]:
    from gradcli.tape.values.complex import complex_power

    return {
        **scope_of(rule.value_tree, PLAIN_FUNCTIONS, PLAIN),
        "Scalar": Scalar,
        "foreign": foreign,
        "new": object.__new__,
        "complex_power": complex_power,
        "rule": rule,
    }


def other_kind(rule: Elementwise, left: Any, right: Any, other: Any) -> Any:
    """An operator between a recorded float and an operand that is not a plain float or int."""
    kind = type(other)
    if isinstance(other, complex) and not hasattr(kind, "dtype"):
        from gradcli.tape.values.complex import by_python

        return by_python(rule, (left, right), RECORDERS[rule.name])
    if issubclass(kind, Value) or hasattr(kind, "dtype"):
        return record(rule, (left, right), {}, by_numpy=True)
    if isinstance(other, (float, Rational)):
        left, right = (float(x) if x is other else x for x in (left, right))
        return RECORDERS[rule.name](left, right)
    return NotImplemented


def _comparison(name: str) -> Callable[[Any, Any], Any]:
    function = getattr(operator, name)

    def compare(self: Any, other: Any) -> Any:
        kind = type(other)
        tape = self.tape
        x = self._value
        if kind is float or kind is int:
            answer = function(x, other)
            row = (len(tape.rows), name, function, (self.index, -1), (x, other), answer)
            return answer if tape.outcomes.append(row) is None else not answer
        if kind is Scalar:
            if other.tape is not tape:
                foreign()
            y = other._value
            answer = function(x, y)
            row = (len(tape.rows), name, function, (self.index, other.index), (x, y), answer)
            return answer if tape.outcomes.append(row) is None else not answer
        if issubclass(kind, Value) or isinstance(other, Number) or hasattr(kind, "dtype"):
            return outcome(name, function, self, other)
        return NotImplemented

    return compare


RECORDERS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "mod": operator.mod,
    "pow": operator.pow,
}
_METHODS = {"add": "add", "sub": "sub", "mul": "mul", "div": "truediv", "mod": "mod", "pow": "pow"}


def _install() -> None:
    for name, method in _METHODS.items():
        rule = elementwise_rule(name)
        method_on_first_use(Scalar, f"__{method}__", partial(binary_method, rule, reflected=False))
        method_on_first_use(Scalar, f"__r{method}__", partial(binary_method, rule, reflected=True))
    for name in ("neg", "pos", "abs"):
        method_on_first_use(Scalar, f"__{name}__", partial(unary_method, elementwise_rule(name)))
    for name in ("lt", "le", "gt", "ge", "eq", "ne"):
        setattr(Scalar, f"__{name}__", _comparison(name))
    Scalar.__hash__ = refuse_hash  # type: ignore[assignment]
    Scalar.__name__ = "float"  # in the messages of errors, which programs may read


_install()
