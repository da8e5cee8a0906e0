"""Large arrays that no pullback reads: a tape that is swept once keeps only their shapes.

Gradients of plain arrays are limited by memory bandwidth more than by arithmetic. The reverse sweep of `x * 2 + 1`
reads none of its values, so the program's arrays can be freed while it runs. Rows hold placeholders for such arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np

from gradcli.engine.tape.tape import CONSTANT, Row, RowOperation, Tape
from gradcli.mathematics.language import Name
from gradcli.mathematics.language.syntax import walk
from gradcli.mathematics.rules.compiled_formulas import compile_source
from gradcli.mathematics.rules.rule_types import Elementwise, Partials, Rule

ALL = (True,)
NOTHING = (False,)  # for any number of arguments

_MOST_NAMED = 8  # arguments for which code is compiled that names each; compiling takes longer than a row of many
LARGE = 1 << 9  # elements; for smaller arrays, keeping or copying them costs less than finding out whether to


def without_unread(row: Row, rows: list[Row]) -> Row:
    """The row without the large recorded arrays that its pullback does not read. `rows` are the rows before it."""
    if type(row[1]) is not np.ndarray:  # an array on a device stays there
        return row
    release: Callable[[Row, list[Row]], Row] | None = row[0].release
    if release is None:
        count = len(row) // 2 - 1
        release = row[0].release = _release_all if count > _MOST_NAMED else _releasing(_read(row[0]), count)
    return release(row, rows)


@cache
def reads_constant(rule: Rule | None, position: int) -> bool:
    """Whether a pullback of a rule may read the value of this argument where it is a constant."""
    if isinstance(rule, Elementwise):
        others = (_names(rule.slopes, n) for n in range(len(rule.parameters)) if n != position)
        return rule.parameters[position] in frozenset[str]().union(*others)
    return rule is None or not rule.linear


def released_row(done: str, operation: RowOperation, arguments: Sequence[tuple[str, str]]) -> str:
    """The source text of a row whose result is a large array `v`, without the arrays that its pullback does not read.

    `done` is the name of its operation; `arguments` are the names of the index and the value of each argument.
    """
    return _released_row(done, _read(operation), arguments, _RECORDED)


def _released_row(done: str, read: tuple[bool, ...], arguments: Sequence[tuple[str, str]], held_by_row: str) -> str:
    if read in (ALL, NOTHING):
        read = read * (1 + len(arguments))
    result = "v" if read[0] else "placeholders[v.dtype][v.shape]"
    held = (
        x if reads or i == "-1" else held_by_row.format(i, x) for (i, x), reads in zip(arguments, read[1:], strict=True)
    )
    pairs = (f"{i}, {x}" for (i, _), x in zip(arguments, held, strict=True))
    return f"({done}, {result}, {', '.join(pairs)})"


# The row of an argument holds its array, which that row keeps anyway, or the placeholder of it. Constants are kept, or
# not, when they are captured.
_RECORDED = "rows[{0}][1]"
_RECORDED_OR_CONSTANT = f"{{1}} if {{0}} == -1 else {_RECORDED}"


@cache
def _releasing(read: tuple[bool, ...], count: int) -> Callable[[Row, list[Row]], Row]:
    """The function that releases arrays in the rows of an operation, compiled for the number of arguments."""
    places = [(f"i{n}", f"x{n}") for n in range(count)]
    source = f"""
def release(row, rows):
    operation, v, {", ".join(f"{i}, {x}" for i, x in places)} = row
    return {_released_row("operation", read, places, _RECORDED_OR_CONSTANT)}
"""
    return compile_source("release", source, {"placeholders": PLACEHOLDERS})


def _release_all(row: Row, rows: list[Row]) -> Row:
    """Release the arrays in a row that joins many, if its rule is linear and reads none of them."""
    if _read(row[0]) is ALL:
        return row
    operands = zip(row[2::2], row[3::2], strict=True)
    pairs = [part for i, x in operands for part in (i, x if i == CONSTANT else rows[i][1])]
    return row[0], PLACEHOLDERS[row[1].dtype][row[1].shape], *pairs


def placeholder(value: Any) -> Any:
    """A placeholder with the shape and dtype of an array, without memory or meaning. Small arrays are unchanged."""
    if type(value) is not np.ndarray or value.size <= LARGE:
        return value
    return PLACEHOLDERS[value.dtype][value.shape]


class _ByShape(dict[tuple[int, ...], Any]):
    """The placeholders of one dtype by shape, created on first use."""

    def __init__(self, dtype: Any) -> None:
        self._dtype = dtype

    def __missing__(self, shape: tuple[int, ...]) -> Any:
        if len(self) > _MOST:
            self.clear()
        made = self[shape] = np.ndarray(shape, self._dtype, _NUMBER, strides=(0,) * len(shape))
        made.flags.writeable = False
        return made


class _ByDtype(dict[Any, _ByShape]):
    """The placeholders by dtype and shape. One key for both would take half as long again to look up."""

    def __missing__(self, dtype: Any) -> _ByShape:
        made = self[dtype] = _ByShape(dtype)
        return made


_MOST = 1024
PLACEHOLDERS = _ByDtype()
_NUMBER = np.zeros(1, np.clongdouble)  # the memory behind all placeholders


@cache
def _names(slopes: Partials, position: int) -> frozenset[str]:
    tree = slopes.trees[position]
    return frozenset(node.id for node in walk(tree) if isinstance(node, Name)) if tree else frozenset()


def _read(operation: RowOperation) -> tuple[bool, ...]:
    """Whether the pullback of an operation reads its result and each of its arguments; or `ALL`, or `NOTHING`."""
    rule, recorded = operation.rule, operation.recorded
    if isinstance(rule, Elementwise):
        names = frozenset[str]().union(*(_names(operation.slopes, position) for position in recorded))
        return tuple(name in names for name in ("v", *rule.parameters))
    if rule is not None and rule.bilinear:
        return False, 1 in recorded, 0 in recorded
    return NOTHING if rule is not None and rule.linear else ALL


@contextmanager
def keeping_all(tape: Tape) -> Iterator[None]:
    """A context in which a tape keeps all arrays, because a recorded sweep may read any of them."""
    tape.releases = False
    try:
        yield
    finally:
        tape.releases = True


def is_placeholder(value: Any) -> bool:
    """Whether an array is a placeholder."""
    return type(value) is np.ndarray and value.base is _NUMBER
