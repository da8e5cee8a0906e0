"""Statements of a derived function in C."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gradcli.derivation.function_text import Layout, negated
from gradcli.derivation.intermediate.templates import names_in, stored_names, text_of
from gradcli.derivation.languages.c.assignments import Assignments, declared, is_zero, type_of
from gradcli.derivation.languages.c.size_inference import Sizes
from gradcli.derivation.languages.c.terms import CLine, CTerm, infix, number
from gradcli.derivation.languages.c.value_sizes import GrowingList, SizedArray, SizedNumber, SizedTuple, Value
from gradcli.derivation.languages.c.variable_scopes import Declarations
from gradcli.derivation.passes.reverse import StatementMark, is_empty
from gradcli.language.formula_text import SUM


class Statements(Assignments):
    """Writes the body of one function.

    Args:
        sizes: the types and sizes of its variables and expressions.
        body: its statements.
        taken: the names in use.
        layout: provides the user's comments and lines.
        give: writes the returned values.
    """

    def __init__(
        self, sizes: Sizes, body: list[ast.stmt], taken: Iterable[str], layout: Layout,
        give: Callable[[ast.Return], None],
    ) -> None:  # fmt: skip
        super().__init__(sizes, taken)
        self.body = body
        self.layout = layout
        self.give = give
        self.uses_assert = False
        self.given: set[str] = set()
        self.declared: set[str] = set()
        self._last = ""

    def lines(self, parameters: Sequence[str]) -> list[CLine]:
        """The lines of the body, given parameters that are already declared."""
        self.declared |= set(parameters)
        self.declarations = Declarations(
            self.body, set(self.sizes.variables) - set(parameters) - set(self.sizes.ranges)
        )
        self._block(self.body, outermost=True)
        return self.out

    def _block(self, block: Sequence[ast.stmt], *, outermost: bool = False) -> None:
        waiting = self.declarations.of(block, outermost=outermost)
        pending = self._last = ""
        for each in block:
            if isinstance(each, StatementMark):
                pending = self.layout.comment(each)
                self.sizes.line = each.statement.line if each.statement is not None else self.sizes.line
                continue
            self.sizes.at(each)
            if isinstance(each, (ast.If, ast.For, ast.While)):
                self._last = ""
            elif pending:
                self._comment(pending)
                pending = ""
            for text in self.layout.above(each, ""):
                self._comment(text.removeprefix("# "))
            waiting = self._declare(each, waiting)
            self._statement(each)

    def _comment(self, text: str) -> None:
        """Write a comment of the user, or the user's line that a part belongs to."""
        if text != self._last:
            self.write(f"// {text.rstrip(chr(92)).replace('??', '? ?')}".rstrip())
        self._last = text

    def _declare(self, statement: ast.stmt, waiting: Sequence[str]) -> list[str]:
        """Declare the variables that a statement is the first to use; returns those left to declare."""
        mentioned = names_in(statement)
        plain = statement.targets[0] if isinstance(statement, ast.Assign) else None
        for each in waiting:
            if each not in mentioned or each in self.declared:
                continue
            kind = self.sizes.variables[each]
            is_bound_here = isinstance(plain, ast.Name) and plain.id == each and isinstance(kind, SizedNumber)
            if isinstance(kind, SizedArray) and isinstance(plain, ast.Name) and plain.id == each:
                self._array(each, kind, "" if not is_zero(statement.value) else " = {0}")  # type: ignore[attr-defined]
            elif not is_bound_here and not self._is_unpacked(plain, each, kind):
                self._declaration(each, kind)
        return [each for each in waiting if each not in mentioned]

    def _is_unpacked(self, target: ast.expr | None, each: str, kind: Value) -> bool:
        names = {n.id for n in getattr(target, "elts", ()) if isinstance(n, ast.Name)}
        return isinstance(target, ast.Tuple) and each in names and isinstance(kind, SizedNumber)

    def _declaration(self, each: str, kind: Value) -> None:
        self.declared.add(each)
        made = self.name(each)
        if isinstance(kind, GrowingList):
            held = self.sizes.held.get(each)
            type_ = "int" if isinstance(held, SizedNumber) and held.type != "double" else "double"
            self.write(f"{type_} {made}[{max(1, self.sizes.capacity[each])}];")
            self.write(f"int {self.count(each)} = 0;", self.count(each))
        elif isinstance(kind, SizedArray):
            self._array(each, kind, " = {0}")
        elif isinstance(kind, SizedTuple):
            raise self.refuse(f"{each}, a tuple under a name")
        else:
            type_ = type_of(kind)
            self.write(f"{type_} {made} = {'0.0' if type_ == 'double' else '0'};", made)

    def _array(self, each: str, kind: SizedArray, start: str) -> None:
        self.declared.add(each)
        made = self.name(each)
        self.write(f"{declared(kind, made)}{start};", made)

    def _statement(self, node: ast.stmt) -> None:
        method: Any = getattr(self, f"_write_{type(node).__name__.lower()}", None)
        if method is None:
            raise self.refuse(f"the statement {text_of(node)}")
        method(node)

    def _write_pass(self, node: ast.Pass) -> None:
        """Write nothing."""

    def _write_break(self, node: ast.Break) -> None:
        self.write("break;")

    def _write_assert(self, node: ast.Assert) -> None:
        if self.sizes.outcomes.get(id(node)) != {True}:
            self.uses_assert = True
            self.write(f"assert({self.number(node.test).text});")

    def _write_raise(self, node: ast.Raise) -> None:
        what = "" if node.exc is None else text_of(node.exc).replace("\\", "").replace('"', "'")
        self.uses_assert = True
        self.write(f'assert(!"{what}");')

    def _write_return(self, node: ast.Return) -> None:
        self.give(node)

    # Control flow

    def _write_if(self, node: ast.If, word: str = "if") -> None:
        outcomes = self.sizes.outcomes.get(id(node), set())
        if len(outcomes) < 2 and None not in outcomes:
            if outcomes:
                self._block(node.body if True in outcomes else node.orelse)
            return
        test, body, orelse = node.test, node.body, node.orelse
        if is_empty(body) and not is_empty(orelse):
            test, body, orelse = negated(test), orelse, []
            self.sizes.seen.setdefault(id(test), SizedNumber("truth"))
        self.write(f"{word} ({self.number(test).text}) {{")
        self._inside(body)
        if not is_empty(orelse):
            self.write("} else {")
            self._inside(orelse)
        self.write("}")

    def _inside(self, block: Sequence[ast.stmt]) -> None:
        self.depth += 1
        self._block(block)
        self.depth -= 1

    def _write_while(self, node: ast.While) -> None:
        before = len(self.out)
        test = self.number(node.test)
        if len(self.out) == before:
            self.write(f"while ({test.text}) {{")
            self._inside(node.body)
        else:  # the condition needs lines of its own
            lines, self.out = self.out[before:], self.out[:before]
            self.write("for (;;) {")
            self.out += [each._replace(depth=each.depth + 1) for each in lines]
            self.depth += 1
            self.write(f"if (!({test.text})) {{")
            self.write("    break;")
            self.write("}")
            self.depth -= 1
            self._inside(node.body)
        self.write("}")

    def _write_for(self, node: ast.For) -> None:
        turns = self.sizes.turns.get(id(node))
        if not turns or set(turns) == {0}:
            return
        items, is_reversed, cut = self._source_of(node)
        if isinstance(items, ast.Call) and text_of(items.func) == "range":
            self._over_range(node, items, is_reversed, cut)
        else:
            self._over_items(node, items, is_reversed, cut)

    def _source_of(self, node: ast.For) -> tuple[ast.expr, bool, ast.expr | None]:
        """The value that a loop iterates over, whether in reverse, and the maximum number of items."""
        items, is_reversed = node.iter, False
        cut: ast.expr | None = None
        while True:
            if isinstance(items, ast.Call) and text_of(items.func) in ("reversed", "list"):
                if cut is not None:
                    raise self.refuse(f"a loop over {text_of(node.iter)}")
                is_reversed, items = is_reversed != (text_of(items.func) == "reversed"), items.args[0]
            elif isinstance(items, ast.Subscript) and isinstance(items.slice, ast.Slice):
                cut = items.slice.upper
                items = items.value
            elif isinstance(items, ast.Name) and items.id in self.sizes.ranges:
                items = self.sizes.ranges[items.id]
            else:
                return items, is_reversed, cut

    def _over_range(self, node: ast.For, items: ast.Call, is_reversed: bool, cut: ast.expr | None) -> None:
        start, stop, step = self._range(node, items)
        if cut is not None:
            turns = self.number(cut)
            span = turns if abs(step) == 1 else infix("*", number(abs(step)), turns, SUM + 1, "int")
            stop = span if start.text == "0" and step > 0 else infix("+" if step > 0 else "-", start, span, SUM, "int")
        target = node.target
        assert isinstance(target, ast.Name)
        counter = target.id if target.id in self.declarations.counters else ""
        index = self.name(counter) if counter else self.fresh("turn_1")
        if is_reversed:
            start, stop, step = self._backwards(start, stop, step)
        symbol = ("<" if step > 0 else ">") if not is_reversed else ("<=" if step > 0 else ">=")
        move = (
            f"++{index}"
            if step == 1
            else f"--{index}"
            if step == -1
            else f"{index} {'+' if step > 0 else '-'}= {abs(step)}"
        )
        self.write(f"for (int {index} = {start.text}; {index} {symbol} {stop.within(SUM)}; {move}) {{")
        self._turn(node, lambda: None if counter else self.set(target.id, CTerm(index, type="int")))

    def _turn(self, node: ast.For, begin: Callable[[], None]) -> None:
        self.depth += 1
        begin()
        self.depth -= 1
        self._inside(node.body)
        self.write("}")

    def _range(self, node: ast.For, items: ast.Call) -> tuple[CTerm, CTerm, int]:
        terms = [self.number(each) for each in items.args]
        start, stop = (number(0), terms[0]) if len(terms) == 1 else (terms[0], terms[1])
        step = 1
        if len(terms) == 3:
            known = self._known(items.args[2])
            if not known:
                raise self.refuse(f"the step of {text_of(items)}")
            step = known
        changed = stored_names(*node.body) | self.sizes.grown
        if names_in(items) & changed:
            held = self.fresh("stop_1")
            self.write(f"const int {held} = {stop.text};", held)
            stop = CTerm(held, type="int")
        return start, stop, step

    def _backwards(self, start: CTerm, stop: CTerm, step: int) -> tuple[CTerm, CTerm, int]:
        """The first and the last number of a reversed range."""
        if abs(step) == 1:
            return moved(stop, -step), start, -step
        sign, size = ("-", "+") if step > 0 else ("+", "-"), number(abs(step))
        length = infix("-", stop, start, SUM, "int") if step > 0 else infix("-", start, stop, SUM, "int")
        turns = infix("/", moved(length, abs(step) - 1), size, SUM + 1, "int")
        last = infix(sign[1], start, infix("*", size, CTerm(f"({moved(turns, -1).text})"), SUM + 1, "int"), SUM, "int")
        return last, start, -step

    def _over_items(self, node: ast.For, items: ast.expr, is_reversed: bool, cut: ast.expr | None) -> None:
        kind = self.kind(items)
        if not isinstance(kind, SizedArray) or not isinstance(node.target, ast.Name):
            raise self.refuse(f"a loop over {text_of(items)}")
        source, target = self.lanes(items), node.target.id
        count = number(kind.shape[0]) if cut is None else self.number(cut)
        index = self.fresh("turn_1")
        if is_reversed:
            self.write(f"for (int {index} = {moved(count, -1).text}; {index} >= 0; --{index}) {{")
        else:
            self.write(f"for (int {index} = 0; {index} < {count.within(SUM)}; ++{index}) {{")
        if len(kind.shape) > 1:
            raise self.refuse(f"a loop over the rows of {text_of(items)}")
        term = source.at([CTerm(index, type="int")])
        self._turn(node, lambda: self._item(target, term))

    def _item(self, target: str, term: CTerm) -> None:
        if target in self.declarations.counters:
            self.write(
                f"const {type_of(self.sizes.variables[target])} {self.name(target)} = {term.text};", self.name(target)
            )
        else:
            self.set(target, term)


def moved(term: CTerm, by: int) -> CTerm:
    """An integer plus a constant, evaluated if the integer is a literal."""
    if term.text.lstrip("-").isdigit():
        return number(int(term.text) + by)
    if by == 0:
        return term
    return infix("+" if by > 0 else "-", term, number(abs(by)), SUM, "int")
