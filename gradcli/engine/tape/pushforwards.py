"""Pushforwards: functions that return the tangent of a row from the tangents of its arguments.

That of an elementwise rule is compiled from its partials on first use, as its pullback is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np
from numpy import ndarray

from gradcli.engine.tape.accumulation import select
from gradcli.engine.tape.tape import Row
from gradcli.mathematics.language import Syntax
from gradcli.mathematics.language.formula_text import PLAIN, SLOPES, emit
from gradcli.mathematics.language.syntax import is_zero, times
from gradcli.mathematics.language.vocabulary import CONSTANTS
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.mathematics.rules.compiled_formulas import ARRAY_FUNCTIONS, PLAIN_FUNCTIONS, compile_source, scope_of
from gradcli.mathematics.rules.rule_types import Elementwise, Partials
from gradcli.shared import devices

# The tangents of rows by index.
Moved = Mapping[int, Any] | list[Any]

Push = Callable[[Moved, Row], Any]


def compile_push(rule: Elementwise, slopes: Partials, recorded: tuple[int, ...], *, arrays: bool) -> Push:
    """Compile the pushforward of a rule with these partials, for rows of arrays or of Python numbers.

    The int 0 stands for what does not move: it contributes nothing, whatever the partial. A zero that was computed,
    times an infinite partial, is nan.
    """
    scope: dict[str, Any] = {**CONSTANTS, "_select": select, "_shaped": shaped}
    lines = [f"_, v, {', '.join(f'_i{n}, {name}' for n, name in enumerate(rule.parameters))} = _row"]
    lines.append("_total = None" if arrays else "_total = 0")
    for position in recorded:
        tree = slopes.trees[position]
        if tree is not None and not is_zero(tree):
            scope.update(scope_of(tree, ARRAY_FUNCTIONS if arrays else PLAIN_FUNCTIONS))
            lines += (_array_lines if arrays else _number_lines)(position, rule, tree)
    lines.append("return 0 if _total is None else _shaped(_total, v)" if arrays else "return _total")
    return compile_source("push", "\n    ".join(["def push(_moved, _row):", *lines, ""]), scope)


def _number_lines(position: int, rule: Elementwise, tree: Syntax) -> Collection[str]:
    read = f"_t = _moved[_i{position}]", "if _t.__class__ is not int:"
    if not rule.selects:
        return *read, f"    _total += {emit(times('_t', tree), PLAIN)}"
    return *read, f"    _p = {emit(tree, PLAIN)}", "    if _p:", "        _total += _t * _p"


def _array_lines(position: int, rule: Elementwise, tree: Syntax) -> Collection[str]:
    moved = f"_select(_t, {emit(tree, SLOPES)})" if rule.selects else emit(times("_t", tree), SLOPES)
    add = f"    _total = {moved} if _total is None else _total + {moved}"
    return f"_t = _moved[_i{position}]", "if type(_t) is not int:", add


def shaped(total: Any, v: Any) -> Any:
    """A tangent in the shape of the value `v`, and real if that is real."""
    if type(total) is type(v) is ndarray and total.shape == v.shape and total.dtype is v.dtype:
        return total
    if np.iscomplexobj(total) and not np.iscomplexobj(v):
        total = np.real(total)
    return total if np.shape(total) == np.shape(v) else devices.broadcast_like(total, v)


def push_array(moved: Moved, row: Row) -> Any:
    """The tangent of a row of an array rule."""
    operation = row[0]
    tangents = {n: t for n in operation.recorded if moves(t := moved[row[2 + 2 * n]])}
    return array_tangent(operation.rule, tangents, row[1], row[3::2], operation.static) if tangents else 0


def moves(tangent: Any) -> bool:
    """Whether a tangent is that of something that moves, although it may be zero."""
    return type(tangent) is not int


def array_tangent(
    rule: ArrayRule, tangents: dict[int, Any], v: Any, arguments: tuple[Any, ...], static: Mapping[str, Any]
) -> Any:
    """The tangent of an array rule, from the tangents of some arguments. A linear rule is its own derivative."""
    if rule.linear:
        tangents_ = (tangents[n] if n in tangents else np.zeros_like(x)[()] for n, x in enumerate(arguments))
        return rule.forward(*tangents_, **static)
    if rule.bilinear:
        parts = ((*arguments[:n], tangent, *arguments[n + 1 :]) for n, tangent in tangents.items())
        return sum(rule.forward(*part, **static) for part in parts)
    if rule.diagonal:
        parts = ((t != 0, rule.vjp(n, t, v, arguments, static)) for n, t in tangents.items())
        total = sum(np.where(takes_part, moved, 0.0)[()] for takes_part, moved in parts)
        return total if np.shape(total) == np.shape(v) else devices.broadcast_like(total, v)
    assert rule.jvp, f"{rule} has no Jacobian-vector product"
    return rule.jvp(tangents, v, *arguments, **static)
