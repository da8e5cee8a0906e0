"""Expressions in C, and parts of arrays by index; a number is an array without axes."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Sequence
from contextlib import ExitStack

from gradcli.answers.derivation.intermediate.operation_derivatives import written_items
from gradcli.answers.derivation.languages.c.lazy_arrays import (
    ZERO,
    ArrayByIndex,
    Index,
    RunTimeLength,
    brackets,
    broadcast,
    fitted,
    length_term,
    size_term,
    transposed,
)
from gradcli.answers.derivation.languages.c.term_operations import choice, combined, compared, joint, signed
from gradcli.answers.derivation.languages.c.terms import INDEX_NAMES, CTerm, infix, number
from gradcli.answers.derivation.languages.c.value_sizes import (
    SizedArray,
    SizedNumber,
    declared,
)
from gradcli.answers.derivation.languages.c.writer import CWriter, lanes_of
from gradcli.answers.derivation.syntax_trees import text_of
from gradcli.mathematics.language.formula_text import PRODUCT, SUM

SMALL = 16  # rows or columns of matrices whose products are loops
Summand = Callable[[Sequence[Index], Sequence[Index]], CTerm]  # by the indices of the result and of the sum


def write_nest(shape: Sequence[int], inside: Callable[[list[Index]], None], writer: CWriter) -> None:
    """Write loops over the indices of a shape, except for axes of length 1."""
    indices: list[Index] = []
    outer = writer.active
    with ExitStack() as loops:
        for length in shape:
            if length == 1 and not isinstance(length, RunTimeLength):
                indices.append(ZERO)
                continue
            index = free_index(writer)
            loops.enter_context(writer.loop(index, length_term(length).within(SUM)))
            writer.active = (*writer.active, index)
            indices.append(CTerm(index, type="int"))
        inside(indices)
    writer.active = outer


def write_fill(place: str, lanes: ArrayByIndex, writer: CWriter, sets: str = "") -> None:
    """Write the elements of an array into a place of the same shape."""
    write_nest(lanes.shape, lambda at: writer.write(f"{place}{brackets(at)} = {lanes.at(at).text};", sets), writer)


def free_index(writer: CWriter) -> str:
    """A name for the index of another loop of an array."""
    return next(name for name in INDEX_NAMES if name not in (*writer.taken, *writer.active))


def temporary(stem: str, shape: Sequence[int], writer: CWriter) -> str:
    """A new variable with a shape."""
    made = writer.fresh(stem)
    if shape:
        writer.write_array(SizedArray(tuple(shape)), made)
    else:
        writer.write(f"double {made} = 0.0;")
    return made


def constant(node: ast.Constant, writer: CWriter) -> ArrayByIndex:
    """A number."""
    return writer.single(CTerm("0.0") if node.value is None else number(node.value), node)  # type: ignore[arg-type]


def variable(node: ast.Name, writer: CWriter) -> ArrayByIndex:
    """A variable, or an item or a row that a comprehension iterates over."""
    kind, row = writer.kind(node), writer.bound.get(node.id)
    if row is not None and isinstance(kind, SizedArray):
        return ArrayByIndex(
            kind.shape, lambda at: CTerm(f"{row.text}{brackets(at)}", type=kind.type), crossed=frozenset((row.text,))
        )
    if row is not None:
        return ArrayByIndex((), lambda at: row, crossed=frozenset((row.text,)))
    if isinstance(kind, SizedArray):
        is_own = node.id in writer.sizes.variables
        return writer.place(node.id) if is_own else lanes_of(writer.name(node.id), kind.shape, kind.type)
    if node.id not in writer.sizes.variables and node.id in writer.sizes.constants:
        return writer.single(number(writer.sizes.constants[node.id]), node)
    return lanes_of(writer.name(node.id), (), kind.type if isinstance(kind, SizedNumber) else "double")


def elementwise(parts: Sequence[ArrayByIndex], combine: Callable[[list[CTerm]], CTerm]) -> ArrayByIndex:
    """A function of the elements at the same place, with operands of fewer axes broadcast."""
    shape: tuple[int, ...] = ()
    for operand in parts:
        shape = broadcast(shape, operand.shape)
    straight = frozenset(n for part in parts if part.shape == shape for n in part.straight)
    crossed = frozenset(n for part in parts for n in (part.crossed if part.shape == shape else part.names))

    def at(indices: Sequence[Index]) -> CTerm:
        return combine([part.at(fitted(indices, part.shape)) for part in parts])

    if not shape:  # lines that a number needs are written once
        term = at(())
        return ArrayByIndex((), lambda _: term, straight, crossed)
    return ArrayByIndex(shape, at, straight, crossed)


def unary(node: ast.UnaryOp, writer: CWriter) -> ArrayByIndex:
    """A sign or a negation."""
    if isinstance(node.op, ast.Not):
        return writer.single(signed(node.op, writer.number(node.operand)), node)
    kind = writer.kind(node.operand)
    if isinstance(node.op, ast.Invert) and isinstance(kind, SizedNumber) and kind.type == "truth":
        raise writer.refuse(f"{text_of(node)}, a truth value in NumPy and a whole number in Python,")
    return elementwise([writer.lanes(node.operand)], lambda terms: signed(node.op, terms[0]))


def binary(node: ast.BinOp, writer: CWriter) -> ArrayByIndex:
    """An operator."""
    if isinstance(node.op, ast.Mult) and isinstance(node.left, (ast.List, ast.ListComp)):
        return repeated_list(node, writer)
    parts = [writer.lanes(node.left), writer.lanes(node.right)]
    if isinstance(node.op, ast.MatMult):
        return product(parts[0], parts[1], writer)
    is_of_truths = all(getattr(writer.kind(part), "type", "") == "truth" for part in (node.left, node.right))
    if isinstance(node.op, (ast.BitAnd, ast.BitOr)) and is_of_truths:
        symbol = "&&" if isinstance(node.op, ast.BitAnd) else "||"
        return elementwise(parts, lambda terms: joint(symbol, terms))
    return elementwise(parts, lambda terms: combined(node, terms[0], terms[1], writer))


def repeated_list(node: ast.BinOp, writer: CWriter) -> ArrayByIndex:
    """`[0.0] * n`."""
    kind = writer.kind(node)
    if not isinstance(node.left, ast.List) or len(node.left.elts) != 1 or not isinstance(kind, SizedArray):
        raise writer.refuse(text_of(node))
    repeated = writer.lanes(node.left.elts[0])
    return repeated.moved(kind.shape, lambda at: repeated.at(at[1:]))


def comparison(node: ast.Compare, writer: CWriter) -> ArrayByIndex:
    """A comparison."""
    parts = [writer.lanes(operand) for operand in (node.left, *node.comparators)]
    of_arrays = any(part.shape for part in parts)
    return elementwise(parts, lambda terms: compared(node.ops, terms, text_of(node), writer, of_arrays=of_arrays))


def boolean(node: ast.BoolOp, writer: CWriter) -> ArrayByIndex:
    """Conditions joined by `and` or `or`."""
    is_or = isinstance(node.op, ast.Or)
    left = [value for value in node.values if writer.known(value) is None]
    if not left or any(writer.known(value) == int(is_or) for value in node.values):
        return writer.single(number(is_or if left else not is_or), node)
    return writer.single(joint("||" if is_or else "&&", [writer.number(operand) for operand in left]), node)


def conditional(node: ast.IfExp, writer: CWriter) -> ArrayByIndex:
    """`a if test else b`."""
    known = writer.known(node.test)
    if known is not None:
        return writer.lanes(node.body if known else node.orelse)
    test = writer.number(node.test)
    test = writer.once(test) if isinstance(writer.kind(node), SizedArray) else test
    parts = [writer.lanes(node.body), writer.lanes(node.orelse)]
    return elementwise(parts, lambda terms: choice(test, *terms))


def attribute(node: ast.Attribute, writer: CWriter) -> ArrayByIndex:
    """The transpose `x.T`, or a constant of a module."""
    if node.attr == "T":
        return transposed(writer.lanes(node.value))
    if node.attr == "size":
        return writer.single(size_term(writer.lanes(node.value).shape), node)
    home = writer.sizes.namespace.get(text_of(node.value), math)
    return writer.single(number(float(getattr(home, node.attr))), node)


def list_display(node: ast.List, writer: CWriter) -> ArrayByIndex:
    """A list display, in a variable."""
    kind = writer.kind(node)
    if not isinstance(kind, SizedArray):
        raise writer.refuse(text_of(node))
    made = writer.fresh("list")
    if any(isinstance(writer.kind(element), SizedArray) for _, element in written_items(node)):
        write_stacked(node, kind, made, writer)
    else:
        writer.write(f"const {declared(kind, made)} = {_braced(node, writer)};", made)
    return lanes_of(made, kind.shape, kind.type)


def write_stacked(node: ast.List, kind: SizedArray, made: str, writer: CWriter) -> None:
    """Write a list of arrays, or lists of them."""
    rows = [(brackets(list(map(number, at))), writer.lanes(element)) for at, element in written_items(node)]
    writer.write_array(kind, made)
    for place, row in rows:
        write_fill(f"{made}{place}", row, writer)


def _braced(node: ast.expr, writer: CWriter) -> str:
    if isinstance(node, (ast.List, ast.Tuple)):
        return "{" + ", ".join(_braced(element, writer) for element in node.elts) + "}"
    return writer.number(node).text


def list_comprehension(node: ast.ListComp, writer: CWriter) -> ArrayByIndex:
    """A list comprehension, whose items are expressions of the index."""
    kind, generator = writer.kind(node), node.generators[0]
    assert isinstance(kind, SizedArray)
    targets = generator.target.elts if isinstance(generator.target, ast.Tuple) else [generator.target]
    sources = items_by_index(generator.iter, writer)
    names = frozenset(name for _, names in sources for name in names)

    def at(indices: Sequence[Index]) -> CTerm:
        outer = dict(writer.bound)
        for target, (by_index, _) in zip(targets, sources, strict=True):
            writer.bound[target.id] = by_index(indices[0])  # type: ignore[attr-defined]
        element = writer.lanes(node.elt).at(indices[1:])
        writer.bound = outer
        return element

    return ArrayByIndex(kind.shape, at, names, frozenset())


def items_by_index(node: ast.expr, writer: CWriter) -> list[tuple[Callable[[Index], CTerm], frozenset[str]]]:
    """The items of a comprehension by index, with the variables that are read."""
    if isinstance(node, ast.Call) and text_of(node.func) == "zip":
        return [element for part in node.args for element in items_by_index(part, writer)]
    if isinstance(node, ast.Call) and text_of(node.func) == "range" and len(node.args) == 1:
        return [(lambda index: index, frozenset())]
    source = writer.lanes(node)
    if len(source.shape) == 1:
        return [(lambda index: source.at([index]), source.names)]
    if isinstance(node, ast.Name) and node.id not in writer.bound:
        whole = writer.name(node.id)
        return [(lambda index: CTerm(f"{whole}[{index.text}]"), source.names)]
    raise writer.refuse(f"a list made of the rows of {text_of(node)}")


def product(one: ArrayByIndex, other: ArrayByIndex, writer: CWriter) -> ArrayByIndex:
    """A product of vectors, matrices or stacks of matrices, in a variable."""
    if not one.shape or not other.shape:
        return elementwise([one, other], lambda terms: infix("*", terms[0], terms[1], PRODUCT, "double"))
    rows, columns = one.shape[-2:-1], other.shape[1:][-1:]
    stack = broadcast(one.shape[:-2], other.shape[:-2])
    varies = any(isinstance(length, RunTimeLength) for length in (*one.shape, *other.shape))
    is_large = rows and columns and not stack and min(*one.shape, *other.shape) >= SMALL
    if writer.multiplies and is_large and not varies:
        return _called_product(one, other, writer)

    def term(at: Sequence[Index], k: Sequence[Index]) -> CTerm:
        place, left, right = at[: len(stack)], at[len(stack) :][: len(rows)], at[len(stack) + len(rows) :]
        first = one.at([*fitted(place, one.shape[:-2]), *left, *k])
        return infix("*", first, other.at([*fitted(place, other.shape[:-2]), *k, *right]), PRODUCT, "double")

    return summed("product", (*stack, *rows, *columns), one.shape[-1:], term, writer)


def _called_product(one: ArrayByIndex, other: ArrayByIndex, writer: CWriter) -> ArrayByIndex:
    """A product of matrices by the function `matrix_product`, whose operands have any strides."""
    factors = [_operand(factor, writer) for factor in (one, other)]
    shape = (one.shape[0], other.shape[1])
    made = temporary("product", shape, writer)
    sizes = f"{shape[0]}, {shape[1]}, {one.shape[1]}"
    writer.write(f"matrix_product((double *){made}, {sizes}, {', '.join(factors)});", made)
    return lanes_of(made, shape)


def _operand(factor: ArrayByIndex, writer: CWriter) -> str:
    """A matrix as an argument: its first number, and its strides along its axes."""
    with writer.inside([]):  # which is dropped
        text = factor.at([CTerm("row_", type="int"), CTerm("column_", type="int")]).text
    match = re.fullmatch(r"(\w+(?:\[\w+\])*)\[(row_|column_)\]\[(row_|column_)\]", text)
    if match is None or match[2] == match[3]:
        made = temporary("factor", factor.shape, writer)
        write_fill(made, factor, writer, made)
        return f"(const double *){made}, {factor.shape[1]}, 1"
    row = f"(int)(sizeof *{match[1]} / sizeof **{match[1]})"  # which is longer than those of a part of its columns
    return f"(const double *){match[1]}, {f'{row}, 1' if match[2] == 'row_' else f'1, {row}'}"


def summed(
    stem: str, shape: tuple[int, ...], over: tuple[int, ...], term: Summand, writer: CWriter
) -> ArrayByIndex:  # fmt: skip
    """Sums over some axes, in a variable."""
    made, axes = temporary(stem, shape, writer), len(shape)
    if shape:
        write_nest(shape, lambda at: writer.write(f"{made}{brackets(at)} = 0.0;", made), writer)
    write_nest(
        (*shape, *over),
        lambda at: writer.write(f"{made}{brackets(at[:axes])} += {term(at[:axes], at[axes:]).text};"),
        writer,
    )
    return lanes_of(made, shape)
