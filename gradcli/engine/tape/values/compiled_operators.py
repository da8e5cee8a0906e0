"""Operators and ufuncs of recorded arrays, compiled from the rule table.

They bypass NumPy's dispatch: an operation on a small array takes NumPy half a microsecond, and dispatch would make it
five.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from textwrap import indent
from types import MappingProxyType
from typing import Any

import numpy as np

from gradcli.engine.tape.memory.released_arrays import LARGE, PLACEHOLDERS, reads_constant, released_row, without_unread
from gradcli.engine.tape.memory.stored_operands import stored_operand
from gradcli.engine.tape.pullbacks import array_operation, operation
from gradcli.engine.tape.tape import RowOperation, foreign
from gradcli.engine.tape.value import KINDS
from gradcli.mathematics.language.formula_text import ARRAY, emit
from gradcli.mathematics.rules.compiled_formulas import ARRAY_FUNCTIONS, compile_source, scope_of
from gradcli.mathematics.rules.rule_types import ITSELF, Elementwise
from gradcli.shared.frozen_record import Frozen


class OperatorCode(Frozen, eq=False):
    """What the method for an operator computes, as code, and what it records.

    Args:
        reflected: whether the method is that of the second operand.
        parameters: the names of the operands in the code.
        value: the code of the value.
        both, one: the operations that are recorded for two recorded operands, and for one and a constant.
        names: what else the code reads.
        guard: the lines for complex numbers.
        constants: the operations by those constants that have partials of their own.
        created: the code that creates the handle.
    """

    reflected: bool
    parameters: tuple[str, ...]
    value: str
    both: RowOperation
    one: RowOperation
    names: Mapping[str, Any]
    guard: str = ""
    constants: Mapping[Any, RowOperation] = MappingProxyType({})
    created: str = "Array()"


_BINARY = """
{head}
    tape = self.tape
{guard}{of_two}    {otherwise}if kind is float or kind is ndarray or kind is int or kind is float64:
        held = other  # kinds are compared one by one, as a set would hash
        if kind is ndarray:
            if other.dtype.kind not in "fiub":
                return other_kind(self, other)
            held = stored_operand(other, tape{unread})
            if type(held) is not ndarray:  # a copy may lie, and so be added up, otherwise
                other = held
        i_{recorded} = self.index
        {x} = {plain_x}
        {y} = {plain_y}
        v = {value}
        {plain} = held
{append_one}    else:
        return other_kind(self, other)
{handle}"""

_OPERATOR = """
def method(self, other):
    kind = type(other)
""".strip()

# A function is the reflected operator, unless its first argument is recorded.
_FUNCTION = """
def method(other, self):
    kind = type(other)
    if kind is Array or kind is View or kind is Float64 or kind is Float32:
        return on_the_left(other, self)
    own = type(self)
    if own is not Array and own is not View and own is not Float64 and own is not Float32:
        return other_kind(self, other)
""".strip()

# Python reflects no operator of two recorded arrays.
_OF_TWO = """
    if kind is not float and (kind is Array or kind is View or kind is Float64 or kind is Float32):
        if other.tape is not tape:
            foreign()
        i_{x}, {x} = self.index, self._value
        i_{y}, {y} = other.index, other._value
        v = {value}
{append}{special}""".lstrip("\n")

_SPECIAL = """
    elif (kind is int or kind is float) and other in constants:
        i_{x}, {x} = self.index, self._value
        {y} = other
        v = {value}
        row = constants[other], v, i_{x}, {x}, -1, {y}
        rows = tape.rows
        at = len(rows)
        rows.append(without_unread(row, rows) if {is_let_go} else row)
""".lstrip("\n")

# Complex numbers may need another rule, so the general code decides.
_GUARD = "    if tape.has_complex:\n        return other_kind({arguments})\n"

_UNARY = """
def method(self):
    if type(self) is not Array and type(self) is not View:
        return other_kind(self)
    tape = self.tape
{guard}    i_x, x = self.index, self._value
    v = {value}
{append}{handle}"""

_APPEND = """
rows = tape.rows
at = len(rows)
rows.append({released} if {is_let_go} else {row})
""".lstrip("\n")

_IS_LET_GO = "v.size > LARGE and tape.releases and type(v) is ndarray"

_HANDLE = """
    handle = {created}
    handle.tape = tape
    handle.index = at
    handle._value = v
    return handle
""".lstrip("\n")


def _append(done: str, operation: RowOperation, *arguments: tuple[str, str], depth: int = 2) -> str:
    """The lines that append a row. `done` is the name of its operation."""
    row = f"({done}, v, {', '.join(f'{i}, {x}' for i, x in arguments)})"
    lines = _APPEND.format(released=released_row(done, operation, arguments), is_let_go=_IS_LET_GO, row=row)
    return indent(lines, "    " * depth)


def elementwise_code(rule: Elementwise, reflected: bool, ufunc: np.ufunc | None = None) -> OperatorCode:
    """The code of an operator with a rule of two arguments, computed by a ufunc if one is given, else by its row."""
    constants = {} if reflected else rule.slopes_at
    return OperatorCode(
        reflected,
        rule.parameters,
        f"ufunc({', '.join(rule.parameters)})" if ufunc else emit(rule.value_tree, ARRAY),
        operation(rule, (0, 1), arrays=True),
        operation(rule, (1,) if reflected else (0,), arrays=True),
        {**scope_of(rule.value_tree, ARRAY_FUNCTIONS, ARRAY), "ufunc": ufunc},
        guard="" if rule.complex == ITSELF else _GUARD.format(arguments="self, other"),
        constants={x: operation(rule, (0,), arrays=True, slopes=slopes) for x, slopes in constants.items()},
    )


def matrix_code(reflected: bool) -> OperatorCode:
    """The code of `@`."""
    from gradcli.mathematics.rules.products import MATMUL

    return OperatorCode(
        reflected,
        ("x", "y"),
        "x @ y",
        array_operation(MATMUL, (0, 1), {}),
        array_operation(MATMUL, (1,) if reflected else (0,), {}),
        {"new": object.__new__, "handles": KINDS},
        created="Array() if type(v) is ndarray else new(handles[type(v)])",
    )


def operator_method(
    code: OperatorCode,
    other_kind: Callable[[Any, Any], Any],
    on_the_left: Callable[[Any, Any], Any] | None = None,
) -> Callable[..., Any]:
    """The method for an operator of NumPy's values. `other_kind` handles operands of any other type.

    With `on_the_left`, the method for a recorded first operand, the reflected operator is a function of the two
    operands in order.
    """
    (x, y), value, reflected = code.parameters, code.value, code.reflected
    special = _SPECIAL.format(x=x, y=y, value=value, is_let_go=_IS_LET_GO) if code.constants else ""
    append_both = _append("both", code.both, (f"i_{x}", x), (f"i_{y}", y))
    source = _BINARY.format(
        head=_FUNCTION if on_the_left else _OPERATOR,
        of_two="" if reflected else _OF_TWO.format(x=x, y=y, value=value, append=append_both, special=special),
        otherwise="" if reflected else "el",
        x=x,
        y=y,
        plain_x="other" if reflected else "self._value",
        plain_y="self._value" if reflected else "other",
        plain=x if reflected else y,
        recorded=y if reflected else x,
        value=value,
        guard=code.guard,
        unread="" if reads_constant(code.one.rule, int(not reflected)) else ", False",
        append_one=_append("one", code.one, ("-1" if reflected else f"i_{x}", x), (f"i_{y}" if reflected else "-1", y)),
        handle=_HANDLE.format(created=code.created),
    )
    recorded = {"both": code.both, "one": code.one, "constants": code.constants}
    return _compiled(source, **recorded, **code.names, other_kind=other_kind, on_the_left=on_the_left)


def array_function(
    rule: Elementwise, other_kind: Callable[..., Any], ufunc: np.ufunc | None = None
) -> Callable[..., Any]:
    """The recorder of a rule with one or two arguments, called as a function. `other_kind` handles all other arguments.

    The value is computed by `ufunc` if one is given, else by the row.
    """
    if len(rule.parameters) == 1:
        one = operation(rule, (0,), arrays=True)
        source = _UNARY.format(
            value="ufunc(x)" if ufunc else emit(rule.value_tree, ARRAY),
            guard="" if rule.complex == ITSELF else _GUARD.format(arguments="self"),
            append=_append("one", one, ("i_x", "x"), depth=1),
            handle=_HANDLE.format(created="Array()"),
        )
        scope = scope_of(rule.value_tree, ARRAY_FUNCTIONS, ARRAY)
        return _compiled(source, **scope, ufunc=ufunc, one=one, other_kind=other_kind)
    return function_of_two(partial(elementwise_code, rule, ufunc=ufunc), other_kind)


def function_of_two(code: Callable[[bool], OperatorCode], other_kind: Callable[..., Any]) -> Callable[..., Any]:
    """A function of two arguments made of the methods for an operator; `code` makes both."""
    on_the_left = operator_method(code(False), other_kind)
    return operator_method(code(True), lambda y, x: other_kind(x, y), on_the_left)


def _compiled(source: str, **scope: Any) -> Callable[..., Any]:
    names = {
        "Array": KINDS[np.ndarray],
        "View": KINDS.view,
        "Float64": KINDS[np.float64],
        "Float32": KINDS[np.float32],
        "placeholders": PLACEHOLDERS,
        "LARGE": LARGE,
        "foreign": foreign,
        "stored_operand": stored_operand,
        "float64": np.float64,
        "ndarray": np.ndarray,
        "without_unread": without_unread,
        **scope,
    }
    return compile_source("method", source, names)
