"""Large arrays that no partial reads: a lean tape keeps only their shapes, and recomputes them if needed after all.

Gradients of plain arrays are limited by memory bandwidth more than by arithmetic. The reverse sweep of `x * 2 + 1`
reads none of its values, so the program's arrays can be freed while it runs. A ghost is the placeholder for such an
array.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np

from gradcli.language import Name
from gradcli.language.syntax import walk
from gradcli.rules.rule_types import Elementwise, Partials, compile_source
from gradcli.tape.tape import CONSTANT, Row, RowOperation, Tape

ALL = (True,)
NOTHING = (False,)  # for any number of arguments

LARGE = 1 << 10  # elements; for smaller arrays, keeping them costs less than the check
CACHED = 1 << 16  # total elements if every row had as many; smaller tapes fit in the processor's cache


def thinned(row: Row) -> Row:
    """The row with ghosts for the large recorded arrays that its pullback does not read."""
    thin: Callable[[Row], Row] | None = row[0].thin
    if thin is None:
        thin = row[0].thin = _thinning(_needs(row[0]), len(row) // 2 - 1)
    return thin(row)


@cache
def _thinning(needed: tuple[bool, ...], count: int) -> Callable[[Row], Row]:
    """The function that replaces arrays by ghosts in the rows of an operation, compiled for the number of arguments."""
    if needed == ALL:
        return _as_it_is
    if needed == NOTHING:
        return _of_any_number
    places = range(count)
    thin = [
        "v" if needed[0] else _GHOST.format("v"),
        *(
            f"i{n}, x{n}" if needed[1 + n] else f"i{n}, x{n} if i{n} == -1 else {_GHOST.format(f'x{n}')}"
            for n in places
        ),
    ]
    source = f"""
def thin(row):
    operation, v, {", ".join(f"i{n}, x{n}" for n in places)} = row
    return operation, {", ".join(thin)}
"""
    return compile_source("thin", source, {"ndarray": np.ndarray, "LARGE": LARGE, "ghosts": _ghosts})


_GHOST = "ghosts[{0}.shape, {0}.dtype] if type({0}) is ndarray and {0}.size > LARGE else {0}"


def _as_it_is(row: Row) -> Row:
    return row


def _of_any_number(row: Row) -> Row:
    thin = [row[0], ghost(row[1])]
    for index, value in zip(row[2::2], row[3::2], strict=True):
        thin += index, value if index == CONSTANT else ghost(value)
    return tuple(thin)


def ghost(value: Any, most: int = LARGE) -> Any:
    """A placeholder with the shape and dtype of an array, without memory or meaning. Small arrays are unchanged."""
    if type(value) is not np.ndarray or value.size <= most:
        return value
    return _ghosts[value.shape, value.dtype]


class _Ghosts(dict[tuple[tuple[int, ...], Any], Any]):
    """The placeholders by shape and dtype, created on first use."""

    def __missing__(self, key: tuple[tuple[int, ...], Any]) -> Any:
        if len(self) > _MOST:
            self.clear()
        shape, dtype = key
        made = self[key] = np.ndarray(shape, dtype, _NUMBER, strides=(0,) * len(shape))
        made.flags.writeable = False
        return made


_MOST = 1024
_ghosts = _Ghosts()
_NUMBER = np.zeros(1, np.clongdouble)  # the memory behind all placeholders


@cache
def _names(slopes: Partials, position: int) -> frozenset[str]:
    tree = slopes.trees[position]
    return frozenset(node.id for node in walk(tree) if isinstance(node, Name)) if tree else frozenset()


def _needs(operation: RowOperation) -> tuple[bool, ...]:
    """Whether the pullback of an operation reads its result and each of its arguments; or `ALL`, or `NOTHING`."""
    rule, recorded = operation.rule, operation.recorded
    if isinstance(rule, Elementwise):
        names = frozenset[str]().union(*(_names(operation.slopes, position) for position in recorded))
        return tuple(name in names for name in ("v", *rule.parameters))
    if rule is not None and rule.bilinear:
        return False, 1 in recorded, 0 in recorded
    return NOTHING if rule is not None and rule.linear else ALL


@contextmanager
def whole(tape: Tape) -> Iterator[None]:
    """A context in which a lean tape keeps all arrays, because a recorded sweep may read any of them."""
    tape.lean = False
    try:
        yield
    finally:
        tape.lean = True


def restore(tape: Tape) -> None:
    """Recompute the arrays that a lean tape has released, and keep all arrays from then on.

    Overwritten versions of an array, and values that follow from them alone, are not restored: a loop that fills an
    array makes more versions than fit in memory, and no partial reads them.
    """
    if not tape.lean:
        return
    tape.lean = False
    rows = tape.rows
    for at, row in enumerate(rows):
        indices = row[2::2]
        values = [rows[n][1] if is_ghost(old) else old for n, old in zip(indices, row[3::2], strict=True)]
        value = row[1]
        if is_ghost(value) and row[0].pull_owned is None and not any(map(is_ghost, values)):
            value = _again(row[0], values)
        rows[at] = (row[0], value, *(item for pair in zip(indices, values, strict=True) for item in pair))


def is_ghost(value: Any) -> bool:
    """Whether an array is a placeholder."""
    return type(value) is np.ndarray and value.base is _NUMBER


def _again(operation: RowOperation, values: list[Any]) -> Any:
    rule = operation.rule
    if rule is None:  # an alias
        return values[0]
    return rule.on_arrays(*values) if isinstance(rule, Elementwise) else rule.forward(*values, **operation.static)
