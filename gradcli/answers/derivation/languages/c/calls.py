"""Functions in C: elementwise results are expressions of the indices; sums and products are loops."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from gradcli.answers.derivation.languages.c.expressions import (
    Summand,
    elementwise,
    product,
    summed,
    temporary,
    write_nest,
)
from gradcli.answers.derivation.languages.c.indexing import measured_array
from gradcli.answers.derivation.languages.c.lazy_arrays import (
    ZERO,
    ArrayByIndex,
    Index,
    RunTimeLength,
    brackets,
    fitted,
    flat,
    length_term,
    offset,
    size_term,
    split,
    transposed,
)
from gradcli.answers.derivation.languages.c.term_operations import choice, scalar_function
from gradcli.answers.derivation.languages.c.terms import CTerm, infix, moved, number
from gradcli.answers.derivation.languages.c.value_sizes import GrowingList, SizedArray, SizedNumber, UnknownSize
from gradcli.answers.derivation.languages.c.writer import CWriter, lanes_of
from gradcli.answers.derivation.syntax_trees import text_of
from gradcli.mathematics.language.formula_text import ATOM, COMPARISON, PRODUCT, SUM

CHOOSING = ("max", "min")  # of numbers and of arrays


def call(node: ast.Call, writer: CWriter) -> ArrayByIndex:
    """A call of a function or a method."""
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    called = node.func.attr if isinstance(node.func, ast.Attribute) else text_of(node.func)
    arguments, written = list(node.args), text_of(node)
    if owner is None and called not in writer.sizes.namespace:
        written = f"{called}, a function that the derived program in Python defines,"
    if called == "clip" and any(isinstance(part, ast.Constant) and part.value is None for part in arguments):
        raise writer.refuse(text_of(node))
    if called == "float" and arguments and isinstance(text := getattr(arguments[0], "value", None), str):  # "inf"
        return writer.single(number(float(text)), node)
    if called == "len" and isinstance(writer.kind(arguments[0]), GrowingList):
        return writer.single(CTerm(writer.length(text_of(arguments[0])), ATOM, "int"), node)
    if called == "len" and isinstance(writer.kind(arguments[0]), SizedArray):
        return writer.single(length_term(writer.lanes(arguments[0]).shape[0]), node)
    if owner is not None and called == "pop" and isinstance(held := writer.sizes.held.get(text_of(owner)), SizedNumber):
        stack = text_of(owner)
        return writer.single(CTerm(f"{writer.name(stack)}[--{writer.length(stack)}]", type=held.type), node)
    is_method = owner is not None and writer.kind(owner) is not None
    is_of_numbers = bool(arguments) and all(isinstance(writer.kind(part), SizedNumber) for part in (node, *arguments))
    if is_of_numbers and not node.keywords and not is_method and (called not in CALLS or called in CHOOSING):
        is_numpy = owner is not None and text_of(owner) not in ("math", "special")
        parts = [writer.lanes(argument) for argument in arguments]
        return elementwise(parts, lambda terms: scalar_function(called, terms, written, writer, is_numpy))
    arguments = [owner, *arguments] if is_method and owner is not None else arguments
    if called in CALLS:
        return CALLS[called](node, arguments, writer)
    if any(keyword.arg != "dtype" for keyword in node.keywords) or any(isinstance(x, ast.Tuple) for x in arguments):
        raise writer.refuse(written)
    parts = [writer.lanes(argument) for argument in arguments]
    return elementwise(parts, lambda terms: scalar_function(called, terms, written, writer))


def _same(node: ast.Call, arguments: Sequence[ast.expr], writer: CWriter) -> ArrayByIndex:
    return writer.lanes(arguments[0])


def _constant_array(node: ast.Call, value: ArrayByIndex, writer: CWriter) -> ArrayByIndex:
    kind = writer.kind(node)
    shape = _shape_now(node, kind, writer) if isinstance(kind, SizedArray) else ()
    return value.moved(shape, lambda at: value.at(fitted(at, value.shape)))


def _shape_now(node: ast.Call, kind: SizedArray, writer: CWriter) -> tuple[int, ...]:
    """The shape of an array that is made with the shape of another one, or with lengths that are given."""
    if not kind.varying:
        return kind.shape
    called = text_of(node.func)
    if called.endswith("_like"):
        return writer.lanes(node.args[0]).shape
    given = node.args[1 if called.endswith("broadcast_to") else 0]
    if (measured := measured_array(given)) is not None:
        return writer.lanes(measured).shape
    terms = [writer.number(length) for length in (given.elts if isinstance(given, ast.Tuple) else [given])]
    return tuple(map(RunTimeLength, kind.shape, terms))


def _zeros(node: ast.Call, arguments: Sequence[ast.expr], writer: CWriter) -> ArrayByIndex:
    kind = writer.kind(node)
    zero = "0.0" if isinstance(kind, (SizedArray, SizedNumber)) and kind.type == "double" else "0"
    return _constant_array(node, ArrayByIndex((), lambda at: CTerm(zero)), writer)


def _ones(node: ast.Call, arguments: Sequence[ast.expr], writer: CWriter) -> ArrayByIndex:
    return _constant_array(node, ArrayByIndex((), lambda at: CTerm("1.0")), writer)


def _filled(node: ast.Call, arguments: Sequence[ast.expr], writer: CWriter, place: int) -> ArrayByIndex:
    return _constant_array(node, writer.lanes(arguments[place]), writer)


def _eye(node: ast.Call, arguments: Sequence[ast.expr], writer: CWriter) -> ArrayByIndex:
    kind = writer.kind(node)
    if not isinstance(kind, SizedArray) or len(arguments) > 2 or any(keyword.arg == "k" for keyword in node.keywords):
        raise writer.refuse(text_of(node))  # the ones are on another diagonal
    return ArrayByIndex(kind.shape, lambda at: CTerm(f"{at[0].text} == {at[1].text} ? 1.0 : 0.0", 1))


def _arange(node: ast.Call, arguments: Sequence[ast.expr], writer: CWriter) -> ArrayByIndex:
    kind = writer.kind(node)
    assert isinstance(kind, SizedArray)
    numbers = [writer.number(argument) for argument in arguments]
    start, step = (numbers[0] if len(numbers) > 1 else number(0)), (numbers[2] if len(numbers) > 2 else number(1))

    def at(indices: Sequence[Index]) -> CTerm:
        index = indices[0] if step.text == "1" else infix("*", indices[0], step, PRODUCT, "int")
        shifted = index if start.text == "0" else infix("+", start, index, SUM, "int")
        return CTerm(shifted.text, shifted.binding, kind.type)

    count = numbers[0] if len(numbers) == 1 else infix("-", numbers[1], start, SUM, "int")
    varies = kind.varying and step.text == "1"
    return ArrayByIndex((RunTimeLength(kind.shape[0], count),) if varies else kind.shape, at)


def _flip(node: ast.Call, arguments: Sequence[ast.expr], writer: CWriter) -> ArrayByIndex:
    """`np.flip(x)`, of a vector."""
    source = writer.lanes(arguments[0])
    if len(source.shape) != 1 or len(arguments) > 1 or node.keywords:
        raise writer.refuse(text_of(node))
    last = moved(length_term(source.shape[0]), -1)
    return source.moved(source.shape, lambda at: source.at([offset(last, at[0], -1)]))


def _triangle(node: ast.Call, arguments: Sequence[ast.expr], writer: CWriter) -> ArrayByIndex:
    """`np.tril(x)` or `np.triu(x)`, of a matrix, above or below any diagonal."""
    source, symbol = writer.lanes(arguments[0]), "<=" if text_of(node.func).endswith("tril") else ">="
    given = [*arguments[1:], *(keyword.value for keyword in node.keywords)]
    diagonal = writer.number(given[0]) if given else number(0)
    if len(source.shape) != 2:
        raise writer.refuse(text_of(node))

    def at(indices: Sequence[Index]) -> CTerm:
        row = indices[0] if diagonal.text == "0" else infix("+", indices[0], diagonal, SUM, "int")
        test = CTerm(f"{indices[1].within(SUM)} {symbol} {row.within(SUM)}", COMPARISON, "truth")
        return choice(test, source.at(indices), number(0.0))

    return ArrayByIndex(source.shape, at, source.straight, source.crossed)


def _joined(
    node: ast.Call, arguments: Sequence[ast.expr], writer: CWriter, axis: int | None = None
) -> ArrayByIndex:  # fmt: skip
    """`concatenate` and `stack` along any axis; `hstack` and `vstack`, which have an axis of their own."""
    kind, items = writer.kind(node), arguments[0]
    given = [*arguments[1:], *(keyword.value for keyword in node.keywords)]
    is_display = isinstance(items, (ast.List, ast.Tuple)) and not (given and axis is not None)
    if not isinstance(kind, SizedArray) or not is_display:
        raise writer.refuse(text_of(node))
    axis = _plain_value(given[0], writer) % len(kind.shape) if given else axis or 0
    axis, is_new = min(axis, len(kind.shape) - 1), text_of(node.func).endswith(".stack")
    return _side_by_side(items.elts, kind.shape, axis, writer, is_new=is_new)  # type: ignore[attr-defined]


def _side_by_side(
    items: Sequence[ast.expr], shape: tuple[int, ...], axis: int, writer: CWriter, *, is_new: bool
) -> ArrayByIndex:  # fmt: skip
    """Arrays joined along an axis, which may be a new one, in a variable."""
    made, begin = temporary("joined", shape, writer), 0
    for item in items:
        part = _with_axis(writer.lanes(item), axis) if is_new else writer.lanes(item)
        if len(part.shape) != len(shape) or isinstance(part.shape[axis], RunTimeLength):
            raise writer.refuse(f"{text_of(item)} among the arrays that are joined")

        def write(at: Sequence[Index], part: ArrayByIndex = part, begin: int = begin) -> None:
            place = [*at[:axis], moved(at[axis], begin), *at[axis + 1 :]]
            writer.write(f"{made}{brackets(place)} = {part.at(list(at)).text};")

        write_nest(part.shape, write, writer)
        begin += part.shape[axis]
    return lanes_of(made, shape)


def _with_axis(source: ArrayByIndex, axis: int) -> ArrayByIndex:
    """An array with a new axis of length 1."""
    shape = (*source.shape[:axis], 1, *source.shape[axis:])
    return source.moved(shape, lambda at: source.at([*at[:axis], *at[axis + 1 :]]))


def _transpose(
    node: ast.Call, arguments: Sequence[ast.expr], writer: CWriter, by: Callable[..., Any] = np.ndarray.transpose
) -> ArrayByIndex:
    """An array with its axes in another order, which NumPy gives to the lengths 0, 1, 2, … of an empty array."""
    source = writer.lanes(arguments[0])
    given = [_plain_value(part, writer) for part in (*arguments[1:], *(option.value for option in node.keywords))]
    order = by(np.empty(tuple(range(len(source.shape)))), *given).shape
    return source.moved(
        tuple(source.shape[axis] for axis in order), lambda at: source.at([at[n] for n in np.argsort(order)])
    )


def _expand_dims(node: ast.Call, arguments: Sequence[ast.expr], writer: CWriter) -> ArrayByIndex:
    kind, source = writer.kind(node), writer.lanes(arguments[0])
    assert isinstance(kind, SizedArray)
    given = _plain_value(arguments[1] if len(arguments) > 1 else node.keywords[0].value, writer)
    added = {axis % len(kind.shape) for axis in (given if isinstance(given, tuple) else (given,))}
    lengths = iter(source.shape)
    shape = tuple(1 if axis in added else next(lengths) for axis in range(len(kind.shape)))
    return source.moved(shape, lambda at: source.at([index for axis, index in enumerate(at) if axis not in added]))


def _reshape(node: ast.Call, arguments: Sequence[ast.expr], writer: CWriter) -> ArrayByIndex:
    kind, source = writer.kind(node), writer.lanes(arguments[0])
    shape = kind.shape if isinstance(kind, SizedArray) else ()
    if node.keywords or any(writer.kind(argument) is None for argument in arguments):  # such as an order
        raise writer.refuse(text_of(node))
    return source.moved(shape, lambda at: source.at(split(flat(at, shape), source.shape)))


def _outer(node: ast.Call, arguments: Sequence[ast.expr], writer: CWriter) -> ArrayByIndex:
    one, other = map(writer.lanes, arguments)
    if len(one.shape) != 1 or len(other.shape) != 1:
        raise writer.refuse(text_of(node))
    return ArrayByIndex(
        (*one.shape, *other.shape),
        lambda at: infix("*", one.at(at[:1]), other.at(at[1:]), PRODUCT, "double"),
        frozenset(),
        one.names | other.names,
    )


def _dot(node: ast.Call, arguments: Sequence[ast.expr], writer: CWriter) -> ArrayByIndex:
    one, other = writer.lanes(arguments[0]), writer.lanes(arguments[1])
    if max(len(one.shape), len(other.shape)) > 2:
        raise writer.refuse(text_of(node))
    return product(one, other, writer)


def _matmul(node: ast.Call, arguments: Sequence[ast.expr], writer: CWriter) -> ArrayByIndex:
    return product(writer.lanes(arguments[0]), writer.lanes(arguments[1]), writer)


def _inner(node: ast.Call, arguments: Sequence[ast.expr], writer: CWriter) -> ArrayByIndex:
    return product(writer.lanes(arguments[0]), transposed(writer.lanes(arguments[1])), writer)


def _size(node: ast.Call, arguments: Sequence[ast.expr], writer: CWriter) -> ArrayByIndex:
    source = writer.lanes(arguments[0])
    return writer.single(size_term([source.shape[n] for n in _reduced_axes(node, arguments, source, writer)[0]]), node)


def _mean(node: ast.Call, arguments: Sequence[ast.expr], writer: CWriter) -> ArrayByIndex:
    source = writer.lanes(arguments[0])
    count = size_term([source.shape[axis] for axis in _reduced_axes(node, arguments, source, writer)[0]])
    count = CTerm(f"{count.text}.0") if count.text.isdigit() else count
    total = _reduced(node, arguments, writer, "sum")
    return elementwise([total], lambda terms: infix("/", terms[0], count, PRODUCT, "double"))


def _reduced_axes(
    node: ast.Call, arguments: Sequence[ast.expr], source: ArrayByIndex, writer: CWriter
) -> tuple[list[int], bool]:
    """The axes that a reduction takes, and whether it keeps them with a length of 1."""
    given = (keyword for keyword in node.keywords if keyword.arg != "dtype")  # all numbers of a sum are doubles
    options = {keyword.arg: _plain_value(keyword.value, writer) for keyword in given}
    axis = _plain_value(arguments[1], writer) if len(arguments) > 1 else options.pop("axis", None)
    keeps = bool(options.pop("keepdims", False))
    if options:
        raise writer.refuse(text_of(node))
    axes = range(len(source.shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return sorted({axis % max(1, len(source.shape)) for axis in axes}), keeps


def _reduced(node: ast.Call, arguments: Sequence[ast.expr], writer: CWriter, what: str) -> ArrayByIndex:
    source = writer.lanes(arguments[0])
    over, keeps = _reduced_axes(node, arguments, source, writer)
    shape = tuple(1 if n in over else length for n, length in enumerate(source.shape) if keeps or n not in over)

    def whole(at: Sequence[Index], k: Sequence[Index]) -> CTerm:
        kept, gone = iter(at if not keeps else [x for n, x in enumerate(at) if n not in over]), iter(k)
        return source.at([next(gone) if n in over else next(kept) for n in range(len(source.shape))])

    lengths = tuple(source.shape[n] for n in over)
    if what == "sum":
        return summed("sum", shape, lengths, whole, writer)
    return extremes(what, shape, lengths, whole, writer)


def extremes(
    what: str, shape: tuple[int, ...], over: tuple[int, ...], whole: Summand, writer: CWriter
) -> ArrayByIndex:  # fmt: skip
    """The maxima or minima over some axes, in a variable."""
    made = temporary(what, shape, writer)
    symbol = ">" if what == "max" else "<"

    def one(at: list[Index]) -> None:
        place = f"{made}{brackets(at)}"
        writer.write(f"{place} = {whole(at, [ZERO] * len(over)).text};")

        def compare(k: list[Index]) -> None:
            element = writer.once(whole(at, k), "each")
            with writer.under(f"if ({element.text} {symbol} {place})"):
                writer.write(f"{place} = {element.text};")

        write_nest(over, compare, writer)

    write_nest(shape, one, writer)
    return lanes_of(made, shape)


def sum_to(node: ast.Call, arguments: Sequence[ast.expr], writer: CWriter) -> ArrayByIndex:
    """A sensitivity summed over the axes along which an array was broadcast."""
    source, kind = writer.lanes(arguments[0]), writer.kind(node)
    shape = kind.shape if isinstance(kind, SizedArray) else ()
    if source.shape == shape:
        return source
    extra = len(source.shape) - len(shape)
    gone = [n for n in range(len(source.shape)) if n < extra or (shape[n - extra] == 1 and source.shape[n] != 1)]

    def term(at: Sequence[Index], over: Sequence[Index]) -> CTerm:
        rest = iter(over)
        return source.at([next(rest) if n in gone else at[n - extra] for n in range(len(source.shape))])

    shape = tuple(1 if n in gone else source.shape[n] for n in range(extra, len(source.shape)))
    return summed("sum", shape, tuple(source.shape[n] for n in gone), term, writer)


def _plain_value(node: ast.expr, writer: CWriter) -> Any:
    kind = writer.kind(node)
    if isinstance(kind, UnknownSize):
        return None
    if isinstance(kind, SizedNumber) and kind.known is not None:
        return kind.known
    if isinstance(node, (ast.Tuple, ast.List)):
        return tuple(_plain_value(element, writer) for element in node.elts)
    if isinstance(node, ast.UnaryOp):
        return -_plain_value(node.operand, writer)
    raise writer.refuse(text_of(node))


CALLS: dict[str, Callable[[ast.Call, Sequence[ast.expr], CWriter], ArrayByIndex]] = {
    "amax": partial(_reduced, what="max"),
    "amin": partial(_reduced, what="min"),
    "arange": _arange,
    "array": _same,
    "asarray": _same,
    "astype": _same,
    "broadcast_to": partial(_filled, place=0),
    "concatenate": _joined,
    "copy": _same,
    "dot": _dot,
    "empty": _zeros,
    "empty_like": _zeros,
    "expand_dims": _expand_dims,
    "eye": _eye,
    "flatten": _reshape,
    "flip": _flip,
    "full": partial(_filled, place=1),
    "full_like": partial(_filled, place=1),
    "hstack": partial(_joined, axis=1),
    "inner": _inner,
    "list": _same,
    "matmul": _matmul,
    "max": partial(_reduced, what="max"),
    "mean": _mean,
    "min": partial(_reduced, what="min"),
    "moveaxis": partial(_transpose, by=np.moveaxis),
    "ones": _ones,
    "ones_like": _ones,
    "outer": _outer,
    "ravel": _reshape,
    "reshape": _reshape,
    "size": _size,
    "stack": _joined,
    "sum": partial(_reduced, what="sum"),
    "sum_to": sum_to,
    "transpose": _transpose,
    "swapaxes": partial(_transpose, by=np.ndarray.swapaxes),
    "tril": _triangle,
    "triu": _triangle,
    "tuple": _same,
    "vdot": _dot,
    "vstack": partial(_joined, axis=0),
    "zeros": _zeros,
    "zeros_like": _zeros,
}
