"""Assignments of a derived function in C, and growing lists."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence

from gradcli.answers.derivation.languages.c.expressions import free_index, temporary, write_fill, write_nest
from gradcli.answers.derivation.languages.c.indexing import growing_item, place_of
from gradcli.answers.derivation.languages.c.lazy_arrays import (
    ArrayByIndex,
    Index,
    brackets,
    fitted,
    length_term,
    size_term,
)
from gradcli.answers.derivation.languages.c.loop_tree import CArray
from gradcli.answers.derivation.languages.c.terms import CTerm, infix, number
from gradcli.answers.derivation.languages.c.value_sizes import (
    POPPED,
    GrowingList,
    SizedArray,
    SizedNumber,
    UnknownSize,
    described,
    type_of,
)
from gradcli.answers.derivation.languages.c.writer import CWriter, lanes_of
from gradcli.answers.derivation.syntax_trees import names_in, root_of, text_of
from gradcli.mathematics.language.formula_text import SUM

AUGMENTED: dict[type[ast.operator], str] = {ast.Add: "+=", ast.Sub: "-=", ast.Mult: "*=", ast.Div: "/="}
SAME_CALLS = ("np.array", "np.asarray", "list", "tuple", "np.copy")


def write_assign(node: ast.Assign, writer: CWriter) -> None:
    """An assignment, by the type of its target."""
    target = node.targets[0]
    if _is_pop(node.value):
        targets = target.elts if isinstance(target, ast.Tuple) else [target]
        _pop(text_of(node.value.func.value), targets, writer)  # type: ignore[attr-defined]
    elif isinstance(target, ast.Name):
        _to_name(target.id, node.value, writer)
    elif isinstance(target, ast.Tuple):
        _to_many(target, node.value, writer)
    else:
        assert isinstance(target, ast.Subscript)
        to_place(target, node.value, "=", writer)


def _to_name(target: str, value: ast.expr, writer: CWriter) -> None:
    if target in writer.sizes.ranges:
        for source in names_in(value) - {"range", "len", "reversed", "list"}:
            if writer.declarations.stores[source] > 1 or source in writer.sizes.grown:
                raise writer.refuse(f"{text_of(value)} under a name")
        return
    kind = writer.sizes.variables[target]
    if isinstance(kind, GrowingList):
        _to_growing(target, value, writer)
    elif isinstance(kind, SizedArray):
        _to_array(target, value, writer)
    elif isinstance(kind, (SizedNumber, UnknownSize)):
        if _is_none(value) and type_of(kind) != "double":
            if target in writer.declared:
                raise writer.refuse(f"{target}, which is an integer here and None there")
            value = ast.Constant(0)
        set_number(target, number(math.nan) if _is_none(value) else writer.number(value), writer)
    else:
        raise writer.refuse(f"{target}, {described(kind)}")


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def set_number(target: str, term: CTerm, writer: CWriter) -> None:
    """Assign a variable that holds one number, with a declaration if necessary."""
    made = writer.name(target)
    if target in writer.declared:
        writer.write(f"{made} = {term.text};", made)
        return
    writer.declared.add(target)
    const = "const " if writer.declarations.stores[target] == 1 else ""
    writer.write(f"{const}{type_of(writer.sizes.variables[target])} {made} = {term.text};", made)


def _to_array(target: str, value: ast.expr, writer: CWriter) -> None:
    kind = writer.sizes.variables[target]
    assert isinstance(kind, SizedArray)
    if _is_none(value) and kind.varying:
        for axis in kind.varying:
            writer.set_length(target, axis, number(0))
        return
    if _is_none(value):
        made = writer.name(target)
        write_nest(kind.shape, lambda at: writer.write(f"{made}{brackets(at)} = NAN;", made), writer)
        return
    if _is_copy_of(value, target):
        return
    if source := _never_changed(target, value, writer):
        writer.names[target] = source
        return
    shown = value.args[0] if isinstance(value, ast.Call) and text_of(value.func) in SAME_CALLS else value
    if isinstance(shown, (ast.List, ast.Tuple)) and target not in names_in(shown):
        write_items(writer.name(target), shown, writer, writer.name(target))
        return
    last = writer.block[-1] if writer.block else None
    if is_zero(value) and isinstance(last, CArray) and last.is_zero and last.name == writer.name(target):
        return
    lanes = separate(writer.lanes(value), writer.name(target), writer)
    write_fill(writer.name(target), lanes, writer, writer.name(target))
    for axis in sorted(kind.varying):  # afterwards, because the array may be computed by its former length
        writer.set_length(target, axis, length_term(lanes.shape[axis]))


def _never_changed(target: str, value: ast.expr, writer: CWriter) -> str:
    """The C name of the array that a variable is another name of, where neither is ever changed; empty for others."""
    source = value.args[0] if isinstance(value, ast.Call) and text_of(value.func) in SAME_CALLS else value
    if not isinstance(source, ast.Name) or source.id in writer.bound or target in writer.results:
        return ""
    kinds, stores = [writer.kind(source), writer.sizes.variables[target]], writer.declarations.stores
    is_same = len({(kind.shape, kind.type) for kind in kinds if isinstance(kind, SizedArray)}) == 1
    varies = any(isinstance(kind, SizedArray) and kind.varying for kind in kinds)
    is_changed = varies or not {source.id, target}.isdisjoint(writer.declarations.written)
    return "" if not is_same or is_changed or stores[target] != 1 or stores[source.id] else writer.name(source.id)


def write_items(place: str, value: ast.expr, writer: CWriter, owner: str = "") -> None:
    """Assign the items of a list display, one by one, to a place of a variable."""
    for n, item in enumerate(value.elts):  # type: ignore[attr-defined]
        if isinstance(item, (ast.List, ast.Tuple)):
            write_items(f"{place}[{n}]", item, writer, owner)
            continue
        write_fill(f"{place}[{n}]", writer.lanes(item), writer, owner)


def store(
    place: ArrayByIndex, value: ArrayByIndex, symbol: str, owner: str, writer: CWriter, is_straight: bool = True
) -> None:
    """Give an array to a place."""
    final = separate(value, owner, writer, is_straight)
    write_nest(
        place.shape,
        lambda at: writer.write(f"{place.at(at).text} {symbol} {final.at(fitted(at, final.shape)).text};", owner),
        writer,
    )


def separate(value: ArrayByIndex, owner: str, writer: CWriter, is_straight: bool = True) -> ArrayByIndex:
    """An array that may be given to a place of a variable: a copy where it reads other places of it."""
    if owner not in value.crossed and (is_straight or owner not in value.straight):
        return value
    made = temporary("copy", value.shape, writer)
    write_fill(made, value, writer)
    return lanes_of(made, value.shape)


def to_place(target: ast.Subscript, value: ast.expr, symbol: str, writer: CWriter) -> None:
    """`x[i] = e`, of a number or of a part of an array."""
    owner = writer.name(root_of(target))
    kind = writer.kind(target.value)
    if isinstance(kind, GrowingList):
        writer.write(f"{growing_item(target, writer).text} {symbol} {writer.number(value).text};")
        return
    place = writer.lanes(target)
    if not place.shape:
        writer.write(f"{place.at([]).text} {symbol} {writer.number(value).text};", owner)
        return
    is_whole = place.names == place.straight and not place.crossed
    store(place, writer.lanes(value), symbol, owner, writer, is_whole)


def write_augassign(node: ast.AugAssign, writer: CWriter) -> None:
    """`x += e`."""
    symbol, target = AUGMENTED.get(type(node.op)), node.target
    if symbol is None:
        raise writer.refuse(text_of(node))
    if isinstance(target, ast.Subscript):
        to_place(target, node.value, symbol, writer)
    elif isinstance(target, ast.Name):
        kind, made = writer.sizes.variables[target.id], writer.name(target.id)
        if isinstance(kind, SizedArray):
            store(writer.place(target.id), writer.lanes(node.value), symbol, made, writer)
        else:
            writer.write(f"{made} {symbol} {writer.number(node.value).text};", made)


def _to_many(target: ast.Tuple, value: ast.expr, writer: CWriter) -> None:
    if isinstance(value, ast.Tuple):
        _to_each(target.elts, value.elts, writer)
        return
    kind = writer.kind(value)
    parts = [ast.Subscript(value, ast.Constant(n), ast.Load()) for n in range(len(target.elts))]
    writer.made += parts
    for n, (part, target_element) in enumerate(zip(parts, target.elts, strict=True)):
        writer.sizes.seen[id(part)] = writer.sizes.parts_of(kind or POPPED, len(target.elts))[n]
        writer.sizes.seen[id(part.slice)] = SizedNumber("int", n)
        write_assign(ast.Assign([target_element], part), writer)


def _to_each(targets: Sequence[ast.expr], values: Sequence[ast.expr], writer: CWriter) -> None:
    """Write `a, b = c, d`, one after the other."""
    for n, (target, value) in enumerate(zip(targets, values, strict=True)):
        if root_of(target) in names_in(*values[n + 1 :]):
            raise writer.refuse(f"{text_of(target)}, which is exchanged with another")
        write_assign(ast.Assign([target], value), writer)


def _to_growing(target: str, value: ast.expr, writer: CWriter) -> None:
    made, count = writer.name(target), writer.length(target)
    if isinstance(value, ast.List):
        for n, element in enumerate(value.elts):
            writer.write(f"{made}[{n}] = {writer.number(element).text};")
        if not value.elts and writer.declarations.stores[target] == 1 and writer.block is writer.items:
            return  # the declaration suffices
        writer.write(f"{count} = {len(value.elts)};", count)
        return
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult) and isinstance(value.left, ast.List):
        length, item = writer.number(value.right), writer.number(value.left.elts[0])
        index = free_index(writer)
        with writer.loop(index, length.within(SUM)):
            writer.write(f"{made}[{index}] = {item.text};")
        writer.write(f"{count} = {length.text};", count)
        return
    if _is_none(value):
        return
    kind = writer.kind(value)
    if not isinstance(kind, SizedArray):
        raise writer.refuse(f"{target} = {text_of(value)}, of a list that grows")
    store(ArrayByIndex(kind.shape, lambda at: CTerm(f"{made}{brackets(at)}")), writer.lanes(value), "=", made, writer)
    writer.write(f"{count} = {kind.shape[0]};", count)


def write_effect(node: ast.Expr, writer: CWriter) -> None:
    """An append, a pop or a sum at places."""
    call = node.value
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        raise writer.refuse(text_of(node))
    if text_of(call.func) == "np.add.at":
        _scatter(call.args[0], call.args[1], call.args[2], writer)
    elif call.func.attr == "append":
        _push(text_of(call.func.value), call.args[0], writer)
    elif _is_pop(call):
        if not isinstance(writer.sizes.held.get(text_of(call.func.value)), SizedNumber):
            raise writer.refuse(text_of(node))
        count = writer.length(text_of(call.func.value))
        writer.write(f"--{count};")
    else:
        raise writer.refuse(text_of(node))


def _scatter(target: ast.expr, index: ast.expr, value: ast.expr, writer: CWriter) -> None:
    """`np.add.at(x, index, e)`."""
    places, lanes, owner = (
        writer.lanes(index),
        separate(writer.lanes(value), writer.name(root_of(target)), writer, is_straight=False),
        writer.lanes(target),
    )
    length, axes = length_term(owner.shape[0]), len(places.shape)
    shape = (*places.shape, *owner.shape[1:])
    place = owner.moved(shape, lambda at: owner.at([place_of(places.at(at[:axes]), length, writer), *at[axes:]]))
    write_nest(
        shape,
        lambda at: writer.write(f"{place.at(at).text} += {lanes.at(fitted(at, lanes.shape)).text};"),
        writer,
    )


def _push(name: str, value: ast.expr, writer: CWriter) -> None:
    parts = value.elts if isinstance(value, ast.Tuple) else [value]
    made, count = writer.name(name), writer.length(name)
    for part in parts:
        kind = writer.kind(part)
        if isinstance(kind, SizedNumber) or kind is None or isinstance(kind, UnknownSize):
            writer.write(f"{made}[{count}++] = {writer.number(part).text};")
        elif isinstance(kind, SizedArray):
            pushed = writer.lanes(part)
            store(pushed.moved(pushed.shape, lambda at: CTerm(f"{made}[{count}++]")), pushed, "=", "", writer)
            for axis in sorted(kind.varying):
                writer.write(f"{made}[{count}++] = {length_term(pushed.shape[axis]).text};")
        else:
            raise writer.refuse(f"{text_of(part)}, {described(kind)} on a stack")


def _pop(stack: str, targets: Sequence[ast.expr], writer: CWriter) -> None:
    made, count = writer.name(stack), writer.length(stack)
    held = writer.sizes.held.get(stack)
    for target in reversed(targets):
        kind = writer.kind(target)
        if isinstance(kind, SizedNumber):
            is_cast = kind.type != "double" and not (isinstance(held, SizedNumber) and held.type != "double")
            term = CTerm(f"{'(int)' if is_cast else ''}{made}[--{count}]", type=kind.type)
            if isinstance(target, ast.Name):
                set_number(target.id, term, writer)
            else:
                writer.write(f"{writer.lanes(target).at([]).text} = {term.text};", writer.name(root_of(target)))
        elif isinstance(kind, SizedArray):
            for axis in sorted(kind.varying, reverse=True):
                if isinstance(target, ast.Name):
                    writer.set_length(target.id, axis, CTerm(f"(int){made}[--{count}]"), is_lasting=False)
                else:  # which has the length of the place
                    writer.write(f"--{count};")
            _pop_array(writer.lanes(target), made, count, writer)
        else:
            raise writer.refuse(f"what is taken off {stack}")


def _pop_array(target: ArrayByIndex, made: str, count: str, writer: CWriter) -> None:
    writer.write(f"{count} -= {size_term(target.shape).text};")

    def one(at: Sequence[Index]) -> None:
        place: CTerm = CTerm(count, type="int")
        for axis, index in enumerate(at):
            below = size_term(target.shape[axis + 1 :])
            part = index if below.text == "1" else infix("*", below, index, SUM + 1, "int")
            place = place if index.text == "0" else infix("+", place, part, SUM, "int")
        writer.write(f"{target.at(at).text} = {made}[{place.text}];")

    write_nest(target.shape, one, writer)


def _is_pop(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "pop"


def is_zero(node: ast.expr) -> bool:
    """Whether a value is an array or a list of zeros."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and isinstance(node.left, ast.List):
        return text_of(node.left) == "[0.0]"
    return isinstance(node, ast.Call) and text_of(node.func) in ("np.zeros", "np.zeros_like")


def _is_copy_of(value: ast.expr, target: str) -> bool:
    """Whether a value is the variable itself, or a copy of it."""
    if isinstance(value, ast.Call) and len(value.args) == 1 and text_of(value.func) in SAME_CALLS:
        value = value.args[0]
    elif isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "copy":
        value = value.func.value
    return isinstance(value, ast.Name) and value.id == target
