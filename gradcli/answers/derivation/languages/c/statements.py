"""Statements of a derived function in C."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from gradcli.answers.derivation.function_text import sides
from gradcli.answers.derivation.languages.c.assignments import (
    is_zero,
    set_number,
    write_assign,
    write_augassign,
    write_effect,
)
from gradcli.answers.derivation.languages.c.calls import call
from gradcli.answers.derivation.languages.c.expressions import (
    attribute,
    binary,
    boolean,
    comparison,
    conditional,
    constant,
    list_comprehension,
    list_display,
    unary,
    variable,
    write_fill,
)
from gradcli.answers.derivation.languages.c.indexing import item
from gradcli.answers.derivation.languages.c.lazy_arrays import ArrayByIndex, length_term
from gradcli.answers.derivation.languages.c.loop_tree import Item
from gradcli.answers.derivation.languages.c.terms import CTerm, infix, moved, number
from gradcli.answers.derivation.languages.c.value_sizes import (
    GrowingList,
    SizedArray,
    SizedNumber,
    SizedTuple,
    Value,
    type_of,
)
from gradcli.answers.derivation.languages.c.variable_scopes import Declarations
from gradcli.answers.derivation.languages.c.writer import CWriter, WritingTables
from gradcli.answers.derivation.passes.reverse import StatementMark, is_empty
from gradcli.answers.derivation.syntax_trees import names_in, stored_names, text_of
from gradcli.mathematics.language.formula_text import SUM


def write_body(parameters: Sequence[str], writer: CWriter) -> None:
    """Write the body, given parameters that are already declared."""
    writer.declared |= set(parameters)
    writer.declarations = Declarations(
        writer.body, set(writer.sizes.variables) - set(parameters) - set(writer.sizes.ranges)
    )
    _write_block(writer.body, writer)


def _write_block(block: list[ast.stmt], writer: CWriter) -> None:
    waiting = writer.declarations.of(block)
    pending = writer.last_comment = ""
    for line in block:
        if isinstance(line, StatementMark):
            pending = writer.layout.comment(line)
            writer.sizes.line = line.statement.line if line.statement is not None else writer.sizes.line
            continue
        writer.sizes.at(line)
        if isinstance(line, (ast.If, ast.For, ast.While)):
            writer.last_comment = ""
        elif pending:
            writer.comment(pending)
            pending = ""
        for text in writer.layout.above(line, ""):
            writer.comment(text.removeprefix("# "))
        waiting = declare(line, waiting, writer)
        _write_statement(line, writer)
        writer.forget_terms({writer.name(name) for name in stored_names(line)})


def declare(statement: ast.stmt, waiting: Sequence[str], writer: CWriter) -> list[str]:
    """Declare the variables that a statement is the first to use; returns those left to declare."""
    mentioned = names_in(statement)
    plain = statement.targets[0] if isinstance(statement, ast.Assign) else None
    for own in waiting:
        if own not in mentioned or own in writer.declared:
            continue
        kind = writer.sizes.variables[own]
        is_bound_here = isinstance(plain, ast.Name) and plain.id == own and isinstance(kind, SizedNumber)
        if isinstance(kind, SizedArray) and isinstance(plain, ast.Name) and plain.id == own:
            _declare_array(own, kind, writer, is_zero=is_zero(statement.value))  # type: ignore[attr-defined]
        elif not is_bound_here and not _is_unpacked(plain, own, kind):
            _write_declaration(own, kind, writer)
    return [own for own in waiting if own not in mentioned]


def _is_unpacked(target: ast.expr | None, variable: str, kind: Value) -> bool:
    names = {n.id for n in getattr(target, "elts", ()) if isinstance(n, ast.Name)}
    return isinstance(target, ast.Tuple) and variable in names and isinstance(kind, SizedNumber)


def _write_declaration(variable: str, kind: Value, writer: CWriter) -> None:
    writer.declared.add(variable)
    made = writer.name(variable)
    if isinstance(kind, GrowingList):
        held = writer.sizes.held.get(variable)
        type_ = "int" if isinstance(held, SizedNumber) and held.type != "double" else "double"
        writer.write_array(SizedArray((writer.sizes.capacity[variable],), type_), made)
        writer.write(f"int {writer.length(variable)} = 0;", writer.length(variable))
    elif isinstance(kind, SizedArray):
        _declare_array(variable, kind, writer, is_zero=True)
    elif isinstance(kind, SizedTuple):
        raise writer.refuse(f"{variable}, a tuple under a name")
    else:
        type_ = type_of(kind)
        writer.write(f"{type_} {made} = {'0.0' if type_ == 'double' else '0'};", made)


def _declare_array(variable: str, kind: SizedArray, writer: CWriter, *, is_zero: bool = False) -> None:
    writer.declared.add(variable)
    made = writer.name(variable)
    writer.write_array(kind, made, made, is_zero=is_zero)
    for axis in sorted(kind.varying):
        length = writer.length(variable, axis)
        writer.write(f"int {length};", length)


def _write_statement(node: ast.stmt, writer: CWriter) -> None:
    writing = writer.tables.statements.get(type(node))
    if writing is None:
        raise writer.refuse(f"the statement {text_of(node)}")
    writing(node, writer)


def _write_assert(node: ast.Assert, writer: CWriter) -> None:
    if writer.sizes.outcomes.get(id(node)) != {True}:
        writer.uses_assert = True
        writer.write(f"assert({writer.number(node.test).text});")


def _write_raise(node: ast.Raise, writer: CWriter) -> None:
    what = "" if node.exc is None else text_of(node.exc).replace("\\", "").replace('"', "'")
    writer.uses_assert = True
    writer.write(f'assert(!"{what}");')


def _write_if(node: ast.If, writer: CWriter) -> None:
    outcomes = writer.sizes.outcomes.get(id(node), set())
    if len(outcomes) < 2 and None not in outcomes:
        if outcomes:
            _write_block(node.body if True in outcomes else node.orelse, writer)
        return
    test, body, orelse = sides(node)
    writer.sizes.seen.setdefault(id(test), SizedNumber("truth"))
    with writer.under(f"if ({writer.number(test).text})"):
        _write_inside(body, writer)
    if not is_empty(orelse):
        with writer.otherwise():
            _write_inside(orelse, writer)


def _write_inside(block: list[ast.stmt], writer: CWriter) -> None:
    declared_before, changed = set(writer.declared), stored_names(*block)
    writer.forget_lengths(changed)
    _write_block(block, writer)
    writer.declared = declared_before
    writer.forget_lengths(changed)


def _write_while(node: ast.While, writer: CWriter) -> None:
    lines: list[Item] = []  # which the condition needs
    with writer.inside(lines):
        test = writer.number(node.test)
    with writer.under("for (;;)" if lines else f"while ({test.text})"):
        if lines:
            writer.block += lines
            with writer.under(f"if (!({test.text}))"):
                writer.write("break;")
        _write_inside(node.body, writer)


def _write_for(node: ast.For, writer: CWriter) -> None:
    turns = writer.sizes.turns.get(id(node))
    if not turns or set(turns) == {0}:
        return
    items, is_reversed, cut = source_of(node, writer)
    if isinstance(items, ast.Call) and text_of(items.func) == "range":
        _over_range(node, items, is_reversed, cut, writer)
    else:
        _over_items(node, items, is_reversed, cut, writer)


def source_of(node: ast.For, writer: CWriter) -> tuple[ast.expr, bool, ast.expr | None]:
    """The value that a loop iterates over, whether in reverse, and the maximum number of items."""
    items, is_reversed = node.iter, False
    cut: ast.expr | None = None
    while True:
        if isinstance(items, ast.Call) and text_of(items.func) in ("reversed", "list"):
            if cut is not None:
                raise writer.refuse(f"a loop over {text_of(node.iter)}")
            is_reversed, items = is_reversed != (text_of(items.func) == "reversed"), items.args[0]
        elif isinstance(items, ast.Subscript) and isinstance(items.slice, ast.Slice):
            cut = items.slice.upper
            items = items.value
        elif isinstance(items, ast.Name) and items.id in writer.sizes.ranges:
            items = writer.sizes.ranges[items.id]
        else:
            return items, is_reversed, cut


def _over_range(node: ast.For, items: ast.Call, is_reversed: bool, cut: ast.expr | None, writer: CWriter) -> None:
    start, stop, step = _range_of(node, items, writer)
    if cut is not None:
        turns = writer.number(cut)
        span = turns if abs(step) == 1 else infix("*", number(abs(step)), turns, SUM + 1, "int")
        stop = span if start.text == "0" and step > 0 else infix("+" if step > 0 else "-", start, span, SUM, "int")
    target = node.target
    assert isinstance(target, ast.Name)
    counter = target.id if target.id in writer.declarations.counters else ""
    index = writer.name(counter) if counter else writer.fresh("turn_1")
    if is_reversed:
        start, stop, step = backwards(start, stop, step)
    symbol = ("<" if step > 0 else ">") if not is_reversed else ("<=" if step > 0 else ">=")
    move = (
        f"++{index}"
        if step == 1
        else f"--{index}"
        if step == -1
        else f"{index} {'+' if step > 0 else '-'}= {abs(step)}"
    )
    head = f"for (int {index} = {start.text}; {index} {symbol} {stop.within(SUM)}; {move})"
    is_counted = start.text == "0" and step == 1 and not is_reversed
    with writer.loop(index, stop.within(SUM)) if is_counted else writer.under(head, index):
        if not counter:
            set_number(target.id, CTerm(index, type="int"), writer)
        _write_inside(node.body, writer)


def _range_of(node: ast.For, items: ast.Call, writer: CWriter) -> tuple[CTerm, CTerm, int]:
    terms = [writer.number(argument) for argument in items.args]
    start, stop = (number(0), terms[0]) if len(terms) == 1 else (terms[0], terms[1])
    step = 1
    if len(terms) == 3:
        known = writer.known(items.args[2])
        if not known:
            raise writer.refuse(f"the step of {text_of(items)}")
        step = known
    changed = stored_names(*node.body) | writer.sizes.grown
    if names_in(items) & changed:
        held = writer.fresh("stop_1")
        writer.write(f"const int {held} = {stop.text};", held)
        stop = CTerm(held, type="int")
    return start, stop, step


def backwards(start: CTerm, stop: CTerm, step: int) -> tuple[CTerm, CTerm, int]:
    """The first and the last number of a reversed range."""
    if abs(step) == 1:
        return moved(stop, -step), start, -step
    sign, size = ("-", "+") if step > 0 else ("+", "-"), number(abs(step))
    length = infix("-", stop, start, SUM, "int") if step > 0 else infix("-", start, stop, SUM, "int")
    turns = infix("/", moved(length, abs(step) - 1), size, SUM + 1, "int")
    last = infix(sign[1], start, infix("*", size, CTerm(f"({moved(turns, -1).text})"), SUM + 1, "int"), SUM, "int")
    return last, start, -step


def _over_items(node: ast.For, items: ast.expr, is_reversed: bool, cut: ast.expr | None, writer: CWriter) -> None:
    kind = writer.kind(items)
    if not isinstance(kind, SizedArray) or not isinstance(node.target, ast.Name):
        raise writer.refuse(f"a loop over {text_of(items)}")
    source, target = writer.lanes(items), node.target.id
    count = length_term(source.shape[0]) if cut is None else writer.number(cut)
    index = writer.fresh("turn_1")
    head = f"for (int {index} = {moved(count, -1).text}; {index} >= 0; --{index})"
    needs_item = target not in writer.declarations.counters or target in names_in(*node.body)
    with writer.under(head, index) if is_reversed else writer.loop(index, count.within(SUM)):
        if needs_item and len(kind.shape) > 1:
            _set_row(target, source, index, writer)
        elif needs_item:
            _set_item(target, source.at([CTerm(index, type="int")]), writer)
        _write_inside(node.body, writer)


def _set_row(target: str, source: ArrayByIndex, index: str, writer: CWriter) -> None:
    """Assign a variable that holds a row of an array."""
    row = source.moved(source.shape[1:], lambda at: source.at([CTerm(index, type="int"), *at]))
    if target in writer.declarations.counters:
        kind = writer.sizes.variables[target]
        assert isinstance(kind, SizedArray)
        _declare_array(target, kind, writer)
    write_fill(writer.name(target), row, writer, writer.name(target))


def _set_item(target: str, term: CTerm, writer: CWriter) -> None:
    if target in writer.declarations.counters:
        writer.write(
            f"const {type_of(writer.sizes.variables[target])} {writer.name(target)} = {term.text};", writer.name(target)
        )
    else:
        set_number(target, term, writer)


TABLES = WritingTables(
    {
        ast.Attribute: attribute,
        ast.BinOp: binary,
        ast.BoolOp: boolean,
        ast.Call: call,
        ast.Compare: comparison,
        ast.Constant: constant,
        ast.IfExp: conditional,
        ast.List: list_display,
        ast.ListComp: list_comprehension,
        ast.Name: variable,
        ast.Subscript: item,
        ast.UnaryOp: unary,
    },
    {
        ast.Assert: _write_assert,
        ast.Assign: write_assign,
        ast.AugAssign: write_augassign,
        ast.Break: lambda node, writer: writer.write("break;"),
        ast.Expr: write_effect,
        ast.For: _write_for,
        ast.If: _write_if,
        ast.Pass: lambda node, writer: None,
        ast.Raise: _write_raise,
        ast.Return: lambda node, writer: writer.give(node),
        ast.While: _write_while,
    },
)
