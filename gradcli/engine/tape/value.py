"""Recorded values: handles of tape, index and value that behave like their value and record every operation."""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Never

import numpy as np

from gradcli.engine.tape.concretization_errors import asked_for_text, leak
from gradcli.engine.tape.memory.released_arrays import LARGE, is_placeholder, reads_constant, without_unread
from gradcli.engine.tape.memory.stored_operands import stored_operand
from gradcli.engine.tape.pullbacks import array_operation, by_ieee_alone, operation
from gradcli.engine.tape.tape import (
    ALIAS,
    CONSTANT,
    INPUT,
    STOP_GRADIENT,
    TEXT,
    DataHandle,
    RowOperation,
    Tape,
    foreign,
)
from gradcli.errors import UnsupportedError
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.mathematics.rules.comparable_calls import call_of, identity
from gradcli.mathematics.rules.complex_rules import for_complex, refuse_complex
from gradcli.mathematics.rules.rule_types import Rule
from gradcli.shared import devices


def _fact(function: Callable[[Any], Any]) -> Any:
    """The method of recorded values that returns the result of Python's function of one number, as an outcome."""
    name = function.__name__
    return lambda value: outcome(name, function, value)


class Value:
    """The base class of recorded values."""

    __slots__ = ("_value", "index", "tape")

    tape: Tape
    index: int
    _value: Any

    __pandas_priority__ = 3500  # a Series (3000) leaves operators to it, a DataFrame (4000) takes them column by column

    # A recorded value passes `isinstance`, prints and copies like its number. It is not hashable.
    @property  # type: ignore[misc]
    def __class__(self) -> type:
        kind = type(self._value)
        if kind is not float and kind is not complex:
            return kind
        frame = sys._getframe(1)  # `x.__class__ is float` compares with whatever `float` means in that frame
        meant = (*frame.f_code.co_consts, frame.f_globals.get(kind.__name__))
        return next((x for x in meant if isinstance(x, type) and getattr(x, "original", None) is kind), kind)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return as_text(self, repr)

    def __str__(self) -> str:
        return as_text(self, str)

    def __format__(self, spec: str) -> str:
        return as_text(self, lambda value: format(value, spec))

    def __copy__(self) -> Value:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Value:
        return self

    def to_write_into(self) -> Value:
        """The handle passed to a function that may write into an array. A number is its own."""
        return self

    def __reduce_ex__(self, protocol: Any) -> Never:
        leak(self, "pickle")

    # A conversion to a bare number would leave the tape unnoticed, unless the number depends on no input.
    def __float__(self) -> float:
        if not asked_for_text(sys._getframe(1)):
            if not self._is_constant():
                leak(self, "float")
            return float(self._value)
        return outcome(TEXT, float, self)  # type: ignore[no-any-return]

    def __complex__(self) -> complex:
        if not self._is_constant():
            leak(self, "complex")
        return complex(self._value)

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        if not self._is_constant():
            leak(self, "numpy.array")
        self.tape.run.exported += (self,)
        return np.array(self._value, *args, **kwargs)

    def _is_constant(self) -> bool:
        return not self.tape.closed and not self.depends()

    # A conversion to a plain fact is an outcome.
    __bool__ = _fact(bool)
    __int__ = _fact(int)
    __trunc__ = _fact(math.trunc)
    __floor__ = _fact(math.floor)
    __ceil__ = _fact(math.ceil)

    def __round__(self, digits: int | None = None) -> Any:
        return outcome("round", round if digits is None else call_of(round, digits), self)

    def __floordiv__(self, other: Any) -> Any:
        return outcome("floordiv", operator.floordiv, self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return outcome("floordiv", operator.floordiv, other, self)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def apply_rule(self, rule: Rule, arguments: tuple[Any, ...], static: Mapping[str, Any]) -> Any:
        """Record `rule` with arguments that include this value. Every rule that is called goes through here."""
        return record(rule, arguments, static)

    def restate(self, value: Any) -> None:
        """Replace the number by `value`, which differs by rounding only."""
        row = self.tape.rows[self.index]
        self.tape.rows[self.index] = (row[0], row[1] if is_placeholder(row[1]) else value, *row[2:])
        self._value = value

    def depends(self) -> bool:
        """Whether a path leads here from an input. There is none for an array made of plain numbers."""
        waiting, seen = [self.index], set()
        while waiting:
            at = waiting.pop()
            if at in seen:
                continue
            seen.add(at)
            row = self.tape.rows[at]
            if row[0] is INPUT or row[0] is ALIAS:
                return True
            waiting += (index for index in row[2::2] if index != CONSTANT)
        return False

    def stopped(self, name: str = STOP_GRADIENT) -> Any:
        """A copy of the plain value, kept as an outcome called `name`. No derivative flows through it."""
        return outcome(name, devices.copied, self)

    def fixed(self, name: str) -> Any:
        """The plain value, kept as an outcome that a replay does not check again."""
        tape = self.tape
        tape.outcomes.append((len(tape.rows), name, identity, (self.index,), (self._value,), self._value))
        if tape.run.data is not None:
            tape.run.data.covered.add(len(tape.outcomes) - 1)
        return self._value

    def apply_plainly(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Apply a function to plain numbers: a data outcome if replays are to follow it, else not recorded."""
        data = self.tape.run.data
        if data is None:
            return function(*map(plain_value, arguments))
        return data.step(self.tape, getattr(function, "__name__", "plainly"), function, arguments)

    def decides(self) -> None:
        """Add a guard: the value decides what is recorded, so a replay must find it unchanged."""
        if self.tape.run.data is not None:
            self.tape.run.data.require(self.tape, "numbers", identity, self)

    def apply_outcome(self, name: str, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """The plain result of `function`, kept as an outcome. Functions declared to have zero derivative come here."""
        return outcome(name, function, *arguments)


def make_handle(kind: type[Value], tape: Tape, value: Any) -> Any:
    """Create the handle of the row that is about to be appended to `tape`."""
    handle = object.__new__(kind)
    handle.tape = tape
    handle.index = len(tape.rows)
    handle._value = value
    return handle


def is_recorded(x: Any) -> bool:
    """Whether `x` is a recorded value."""
    return issubclass(type(x), Value)


def row_indices(values: Iterable[Any], tape: Tape) -> list[int]:
    """The indices of the recorded values among `values`.

    Raises:
        ForeignTapeError: one of them is recorded on another tape.
    """
    recorded = [x for x in values if is_recorded(x)]
    if any(x.tape is not tape for x in recorded):
        foreign()
    return [x.index for x in recorded]


def plain_value(x: Any) -> Any:
    """The plain value of `x`, recorded or not. The numbers of a data outcome thereby become known to the program."""
    kind = type(x)
    if issubclass(kind, Value):
        return x._value
    return x.tell() if issubclass(kind, DataHandle) else x


def is_plain(x: Any) -> bool:
    """Whether a value is recorded, a number, an array of floats, or of a basic type, and no other library's object."""
    kind = type(x)
    if kind is np.ndarray:
        return x.dtype.kind in "fc"
    return kind in _BASIC or issubclass(kind, (Value, DataHandle, np.generic))


_BASIC = frozenset((float, int, complex, bool, str, bytes, type(None)))


def peek(x: Any) -> Any:
    """The same as `plain_value`, without telling the program the numbers of a data outcome."""
    return x._value if issubclass(type(x), (Value, DataHandle)) else x


def outcome(name: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """The plain result of `function`, kept on the tape as an outcome."""
    tape = common_tape(arguments)
    if tape.run.data is not None and name is not TEXT and not devices.has_chosen_device():
        return tape.run.data.asked(tape, name, function, arguments)
    values = tuple(map(plain_value, arguments))
    if devices.has_chosen_device():
        values = tuple(map(devices.on_chosen_device, values))
    result = function(*values) if name is not TEXT else tape.run.text(function, values)
    indices = tuple(x.index if issubclass(type(x), Value) else CONSTANT for x in arguments)
    return tape.keep_outcome((len(tape.rows), name, function, indices, values, result))


def as_text(x: Value, write: Callable[[Any], str]) -> str:
    """The text of a value. While its run lasts it is an outcome, as the program may read the text back."""
    return write(x._value) if x.tape.closed else outcome(TEXT, write, x)


def common_tape(arguments: tuple[Any, ...]) -> Tape:
    """The tape that the recorded values among `arguments` share."""
    tape: Tape | None = None
    for argument in arguments:
        if issubclass(type(argument), Value):
            if tape is not None and argument.tape is not tape:
                foreign()
            tape = argument.tape
    assert tape is not None
    return tape


NUMBER_TYPES = frozenset((float, int, bool))


def record(
    rule: Rule,
    arguments: tuple[Any, ...],
    static: Mapping[str, Any],
    *,
    by_numpy: bool = False,
    compute: Callable[..., Any] | None = None,
) -> Any:
    """Compute `rule` on `arguments` and append it to their tape.

    The value is computed by `compute`, the function that the program called, which may raise, or by the rule. Python
    floats give Python floats, by IEEE 754; with `by_numpy` they give NumPy floats, as NumPy was called. This is one
    function because every recorded operation would pay for further calls.
    """
    alone = len(arguments) == 1
    tape = arguments[0].tape if alone else common_tape(arguments)
    if tape.has_complex:
        rule = for_complex(rule, map(plain_value, arguments))
    if alone:
        (x,) = arguments
        recorded: tuple[int, ...] = (0,)
        values: Sequence[Any] = (x._value,)
        places: Sequence[Any] = (x.index, *values)
    else:
        recorded, values, places = _taken(tape, rule, arguments)
    if isinstance(rule, ArrayRule):
        if tape.run.data is not None:  # keys that hold data outcomes are operands, which a replay computes again
            static = {name: tape.run.data.key_for_row(tape, x) for name, x in static.items()}
        value = rule.forward(*values, **static)
        row_operation = array_operation(rule, recorded, dict(static))
        if rule.kink is not None and not rule.selects and not tape.run.singular and not tape.has_complex:
            from gradcli.engine.tape.singular_rows import is_singular

            tape.run.singular = is_singular(rule, value, values, static)
        if tape.run.data is not None and rule.reads:
            tape.run.data.read(tape, static["key"])
    elif not by_numpy and all(type(value) in NUMBER_TYPES for value in values):
        value = compute(*values) if compute else rule.ieee(*map(float, values))
        row_operation = operation(rule, recorded, arrays=False)
        if rule.is_power and math.isnan(value):  # of a negative number, whose partials would be complex in Python
            row_operation = by_ieee_alone(row_operation)
    else:
        value = (compute if by_numpy and compute else rule.on_arrays)(*values)
        row_operation = operation(rule, recorded, arrays=True)
    return append(tape, row_operation, value, places)


def _taken(tape: Tape, rule: Rule, arguments: tuple[Any, ...]) -> tuple[tuple[int, ...], list[Any], list[Any]]:
    """The positions of the recorded arguments, the plain values of all, and indices and values as a row stores them."""
    recorded: list[int] = []
    places: list[Any] = []
    for n, x in enumerate(arguments):
        if not issubclass(type(x), Value):
            is_read = not tape.releases or reads_constant(rule, n)
            x = x.for_row(tape) if issubclass(type(x), DataHandle) else stored_operand(x, tape, is_read)  # noqa: PLW2901 - as in a row
            if not issubclass(type(x), Value):
                places += (CONSTANT, x)
                continue
            if x.tape is not tape:
                foreign()
        recorded.append(n)
        places += (x.index, x._value)
    values = places[1::2]
    if len(recorded) < len(arguments):  # a copy may differ in memory layout, and then sums round differently
        values = [x if type(x) is type(held) else held for x, held in zip(map(peek, arguments), values, strict=True)]
    return tuple(recorded), values, places


def append(tape: Tape, row_operation: RowOperation, value: Any, places: Sequence[Any]) -> Any:
    """Append a row with these indices and operands, which alternate, and return its handle."""
    handle: Any = object.__new__(KINDS[type(value)])
    row = (row_operation, value, *places)
    if row_operation.arrays:
        tape.has_arrays = True
        if hasattr(value, "dtype") and value.dtype.kind == "c":
            if row_operation.rule is not None and row_operation.rule.on_complex is None:
                refuse_complex(row_operation.rule)
            tape.has_complex = True
        if tape.releases and getattr(value, "size", 0) > LARGE:
            row = without_unread(row, tape.rows)
    rows = tape.rows
    handle.tape, handle.index, handle._value = tape, len(rows), value
    rows.append(row)
    return handle


class Kinds(dict[type, type[Value]]):
    """The handle class for each type of value: `Scalar` for floats, `Array` for NumPy values.

    Attributes:
        array: returns `Array`. Called for the first array, so that programs of plain floats do not import NumPy's part.
        view: `View`, the class of arrays that share memory with an `Array`.
    """

    array: Callable[[], type[Value]]
    view: type[Value]

    def __missing__(self, kind: type) -> type[Value]:
        if not hasattr(kind, "dtype") and not hasattr(kind, "__array_function__"):
            raise UnsupportedError(f"a value of type {kind.__name__} cannot be recorded")
        self[kind] = self.array()
        return self[kind]


KINDS = Kinds()
