"""Items and parts of arrays in C: each index takes an axis from a start, by steps, up to a length known at run time."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from gradcli.answers.derivation.languages.c.lazy_arrays import (
    ArrayByIndex,
    Index,
    RunTimeLength,
    is_whole_slice,
    length_term,
    offset,
)
from gradcli.answers.derivation.languages.c.terms import CTerm, infix, moved, number
from gradcli.answers.derivation.languages.c.value_sizes import GrowingList, SizedArray, SizedNumber
from gradcli.answers.derivation.languages.c.writer import CWriter
from gradcli.answers.derivation.syntax_trees import indices_of, is_dots, is_new_axis, text_of
from gradcli.mathematics.language.formula_text import CONDITIONAL, SUM

Place = Callable[[Sequence[Index]], Index]  # by the indices of a part of an array, the index of an axis of the whole


def item(node: ast.Subscript, writer: CWriter) -> ArrayByIndex:
    """An item of a list, a part of an array, or the length of one of its axes."""
    if isinstance(writer.kind(node.value), GrowingList):
        return writer.single(growing_item(node, writer), node)
    if (measured := measured_array(node.value)) is not None and (axis := writer.known(node.slice)) is not None:
        return writer.single(length_term(writer.lanes(measured).shape[axis]), node)
    owner = writer.lanes(node.value)
    parts = indices_of(node)
    rest: list[ast.expr] = [ast.Slice()] * (len(owner.shape) - sum(not (is_new_axis(p) or is_dots(p)) for p in parts))
    at = next((n for n, part in enumerate(parts) if is_dots(part)), len(parts))
    return _indexed(owner, [*parts[:at], *rest, *parts[at + 1 :]], node, writer)


def measured_array(node: ast.expr) -> ast.expr | None:
    """The array whose shape an expression is."""
    if isinstance(node, ast.Call) and text_of(node.func) == "np.shape":
        return node.args[0]
    return node.value if isinstance(node, ast.Attribute) and node.attr == "shape" else None


def growing_item(node: ast.Subscript, writer: CWriter) -> CTerm:
    """An item of a growing list."""
    name, count = writer.name(text_of(node.value)), writer.length(text_of(node.value))
    held = writer.sizes.held.get(text_of(node.value))
    length, index = CTerm(count, type="int"), node.slice
    is_open = id(node) in writer.sizes.below
    place = place_of(writer.number(index), length, writer) if is_open else _from_the_front(index, length, writer)
    return CTerm(f"{name}[{place.text}]", type=held.type if isinstance(held, SizedNumber) else "double")


def _indexed(owner: ArrayByIndex, parts: list[ast.expr], node: ast.Subscript, writer: CWriter) -> ArrayByIndex:
    """A part of an array, by an index for each of its axes and each new one."""
    if all(isinstance(part, ast.Slice) and is_whole_slice(part) for part in parts):
        return owner
    kind = writer.kind(node)
    known, varying = (kind.shape, kind.varying) if isinstance(kind, SizedArray) else ((), frozenset())
    places: list[Place] = []
    shape: list[int] = []
    lists, paired = _index_arrays(parts, node, writer), 0
    for n, part in enumerate(parts):
        if is_new_axis(part):
            shape.append(1)
            continue
        if n in lists[1:]:
            places.append(_listed(part, owner.shape[len(places)], paired, writer))
            continue
        paired = len(shape) if [n] == lists[:1] else paired
        axis, length = len(shape), owner.shape[len(places)]
        place, is_kept = _place_on_axis(part, length, axis, writer)
        places.append(place)
        if is_kept:
            shape.append(_length_now(part, length, known[axis], writer) if axis in varying else known[axis])
    return owner.moved(tuple(shape), lambda at: owner.at([place(at) for place in places]))


def _index_arrays(parts: Sequence[ast.expr], node: ast.expr, writer: CWriter) -> list[int]:
    """The positions of the index arrays, which are read together: they make one axis of the result."""
    kinds = [None if isinstance(part, (ast.Slice, ast.Constant)) else writer.kind(part) for part in parts]
    lists = [n for n, kind in enumerate(kinds) if isinstance(kind, SizedArray)]
    shapes = {kind.shape for kind in kinds if isinstance(kind, SizedArray)}
    if lists and (len(shapes) > 1 or len(shapes.pop()) != 1 or lists[-1] - lists[0] >= len(lists)):
        raise writer.refuse(text_of(node))
    return lists


def _place_on_axis(part: ast.expr, length: int, out: int, writer: CWriter) -> tuple[Place, bool]:
    """The index at which an axis is read, and whether it is an axis of the result."""
    if isinstance(part, ast.Slice):
        start, step = _start_of(part, length, writer), _step_of(part, writer)
        return lambda at: offset(start, at[out], step), True
    if isinstance(writer.kind(part), SizedArray):
        return _listed(part, length, out, writer), True
    place = _from_the_front(part, length_term(length), writer)
    return lambda at: place, False


def _listed(part: ast.expr, length: int, out: int, writer: CWriter) -> Place:
    index = writer.lanes(part)
    return lambda at: place_of(index.at([at[out]]), length_term(length), writer)


def _step_of(node: ast.Slice, writer: CWriter) -> int:
    step = 1 if node.step is None else writer.known(node.step)
    if step is None:
        raise writer.refuse(f"a slice with the step {text_of(node.step)}")  # type: ignore[arg-type]
    return step


def _start_of(node: ast.Slice, length: int, writer: CWriter) -> Index:
    first = number(0) if _step_of(node, writer) > 0 else moved(length_term(length), -1)
    return _bound(node.lower, first, length, writer)


def _length_now(part: ast.expr, length: int, largest: int, writer: CWriter) -> int:
    """The length of an axis that an index of changing length makes; the largest alone where that is not written."""
    if not isinstance(part, ast.Slice):
        return writer.lanes(part).shape[0]
    step = _step_of(part, writer)
    if part.lower is None and part.upper is None and abs(step) == 1:
        return length
    if step == -1 and part.upper is None:
        return RunTimeLength(largest, moved(_start_of(part, length, writer), 1))
    if step != 1:
        return largest
    start, stop = _start_of(part, length, writer), _bound(part.upper, length_term(length), length, writer)
    count = stop if start.text == "0" else infix("-", stop, start, SUM, "int")
    if id(part) in writer.sizes.clamped:
        count = CTerm(f"{start.within(SUM)} < {stop.within(SUM)} ? {count.text} : 0", CONDITIONAL, "int")
    return RunTimeLength(largest, count)


def _bound(node: ast.expr | None, default: Index, length: int, writer: CWriter) -> Index:
    """Where a slice begins or ends."""
    if node is None or is_new_axis(node):
        return default
    known, whole = writer.known(node), length_term(length)
    if known is not None and not isinstance(length, RunTimeLength):
        return number(max(known + length, 0) if known < 0 else min(known, length))
    if known is None and id(node) in writer.sizes.below:
        raise writer.refuse(f"a slice whose bound {text_of(node)} may be negative")
    place = moved(whole, known) if known is not None and known < 0 else writer.number(node)
    if id(node) not in writer.sizes.clamped:
        return place
    if known is not None and known < 0:
        raise writer.refuse(f"a slice to {text_of(node)}, which may lie before the first item,")
    return CTerm(f"{place.within(SUM)} < {whole.within(SUM)} ? {place.text} : {whole.text}", CONDITIONAL, "int")


def _from_the_front(node: ast.expr, length: CTerm, writer: CWriter) -> Index:
    """An index that counts from the front; one that the sizes do not decide is checked where it is used."""
    known = writer.known(node)
    if known is not None:
        return moved(length, known) if known < 0 else number(known)
    index = writer.number(node)
    return index if id(node) not in writer.sizes.below else place_of(index, length, writer)


def place_of(index: CTerm, length: CTerm, writer: CWriter) -> CTerm:
    """An index that counts from the front, checked at run time."""
    return writer.helper("place", index, length, type_="int")
