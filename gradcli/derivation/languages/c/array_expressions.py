"""Array expressions in C, and parts of them by index."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from gradcli.derivation.intermediate.templates import text_of
from gradcli.derivation.languages.c.lazy_arrays import (
    ZERO,
    ArrayByIndex,
    Index,
    brackets,
    broadcast,
    fitted,
    is_whole_slice,
    offset,
    transposed,
)
from gradcli.derivation.languages.c.scalar_expressions import Numbers
from gradcli.derivation.languages.c.terms import CTerm, infix, number
from gradcli.derivation.languages.c.value_sizes import GrowingList, SizedArray, SizedNumber, SizedTuple
from gradcli.language.formula_text import SUM

INDEX_NAMES = "ijklmpqr"


class Arrays(Numbers):
    """Writes the array expressions of one function."""

    _active: tuple[str, ...] = ()

    def nest(self, shape: Sequence[int], inside: Callable[[list[Index]], None]) -> None:
        """Write loops over the indices of a shape, except for axes of length 1."""
        indices: list[Index] = []
        outer = self._active, self.depth
        for length in shape:
            if length == 1:
                indices.append(ZERO)
                continue
            index = next(each for each in self._index_names() if each not in (*self.taken, *self._active))
            self.write(f"for (int {index} = 0; {index} < {length}; ++{index}) {{")
            self.depth += 1
            self._active = (*self._active, index)
            indices.append(CTerm(index, type="int"))
        inside(indices)
        self._active = outer[0]
        while self.depth > outer[1]:
            self.depth -= 1
            self.write("}")

    def fill(self, place: str, lanes: ArrayByIndex, sets: str = "") -> None:
        """Write the elements of an array into a place of the same shape."""
        self.nest(lanes.shape, lambda at: self.write(f"{place}{brackets(at)} = {lanes.at(at).text};", sets))

    def _index_names(self) -> Sequence[str]:
        return [*INDEX_NAMES, *(f"{each}_{n}" for n in range(1, 9) for each in INDEX_NAMES)]

    def temporary(self, stem: str, shape: Sequence[int], type_: str = "double") -> str:
        """A new variable with a shape."""
        made = self.fresh(stem)
        sizes = "".join(f"[{each}]" for each in shape)
        self.write(f"{'double' if type_ == 'double' else 'int'} {made}{sizes}{'' if shape else ' = 0.0'};")
        return made

    def lanes_of(self, made: str, shape: tuple[int, ...], type_: str = "double") -> ArrayByIndex:
        """A variable as an array expression."""
        return ArrayByIndex(shape, lambda at: CTerm(f"{made}{brackets(at)}", type=type_), frozenset((made,)))

    def product(self, one: ArrayByIndex, other: ArrayByIndex) -> ArrayByIndex:
        """A product of matrices or vectors."""
        raise NotImplementedError

    def element(self, node: ast.expr) -> CTerm:
        assert isinstance(node, ast.Subscript)
        kind = self.kind(node.value)
        if isinstance(kind, GrowingList):
            return self._of_growing(node)
        return self.lanes(node).at([])

    def _of_growing(self, node: ast.Subscript) -> CTerm:
        name, count = self.name(text_of(node.value)), self.count(text_of(node.value))
        held = self.sizes.held.get(text_of(node.value))
        index = self.number(node.slice)
        known = self._known(node.slice)
        if known is not None and known < 0:
            index = infix("-", CTerm(count), number(-known), SUM, "int")
        elif id(node.slice) in self.sizes.below:
            part = self.once(index, "place")
            index = CTerm(f"{part.text} < 0 ? {part.text} + {count} : {part.text}")
        return CTerm(f"{name}[{index.text}]", type=held.type if isinstance(held, SizedNumber) else "double")

    def array_value(self, node: ast.expr) -> CTerm:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "pop":
            stack = text_of(node.func.value)
            held = self.sizes.held.get(stack)
            if isinstance(held, SizedNumber):
                return CTerm(f"{self.name(stack)}[--{self.count(stack)}]", type=held.type)
        return self.lanes(node).at([])

    def lanes(self, node: ast.expr) -> ArrayByIndex:
        """An expression as an array; a number has no axes."""
        kind = self.kind(node)
        if isinstance(kind, GrowingList):
            assert isinstance(node, ast.Name)
            return self.lanes_of(self.name(node.id), (self.sizes.capacity[node.id],))
        is_plain = not isinstance(node, (ast.Call, ast.Subscript, ast.BinOp))
        if isinstance(kind, SizedNumber) and (is_plain or self._known(node) is not None):
            return self._single(self.number(node), node)
        method = getattr(self, f"_lanes_of_{type(node).__name__.lower()}", None)
        if method is None:
            raise self.refuse(text_of(node))
        found: ArrayByIndex = method(node)
        return found

    def _single(self, term: CTerm, node: ast.expr) -> ArrayByIndex:
        names = {self.name(n.id) for n in ast.walk(node) if isinstance(n, ast.Name) and n.id in self.sizes.variables}
        return ArrayByIndex((), lambda at: term, frozenset(), frozenset(names))

    def _lanes_of_name(self, node: ast.Name) -> ArrayByIndex:
        if node.id in self.bound:
            return self._row_of(node)
        kind = self.kind(node)
        if not isinstance(kind, SizedArray):
            raise self.refuse(node.id)
        return self.lanes_of(self.name(node.id), kind.shape, kind.type)

    def _row_of(self, node: ast.Name) -> ArrayByIndex:
        """A row that a comprehension iterates over."""
        kind, row = self.kind(node), self.bound[node.id]
        shape, type_ = (kind.shape, kind.type) if isinstance(kind, SizedArray) else ((), row.type)
        return ArrayByIndex(
            shape, lambda at: CTerm(f"{row.text}{brackets(at)}", type=type_), frozenset(), frozenset((row.text,))
        )

    def elementwise(self, parts: Sequence[ArrayByIndex], combine: Callable[[list[CTerm]], CTerm]) -> ArrayByIndex:
        """A function of the elements at the same place, with operands of fewer axes broadcast."""
        shape: tuple[int, ...] = ()
        for each in parts:
            shape = broadcast(shape, each.shape)
        straight = frozenset(n for each in parts if each.shape == shape for n in each.straight)
        crossed = frozenset(n for each in parts for n in (each.crossed if each.shape == shape else each.names))

        def at(indices: Sequence[Index]) -> CTerm:
            return combine([each.at(fitted(indices, each.shape)) for each in parts])

        return ArrayByIndex(shape, at, straight, crossed)

    def _lanes_of_unaryop(self, node: ast.UnaryOp) -> ArrayByIndex:
        return self.elementwise([self.lanes(node.operand)], lambda terms: self.signed(node.op, terms[0]))

    def _lanes_of_binop(self, node: ast.BinOp) -> ArrayByIndex:
        if isinstance(node.op, ast.Mult) and isinstance(node.left, (ast.List, ast.ListComp)):
            return self._repeated(node)
        is_joint = isinstance(node.op, (ast.MatMult, ast.BitAnd, ast.BitOr))
        if isinstance(self.kind(node), SizedNumber) and not is_joint:
            return self._single(self.number(node), node)
        parts = [self.lanes(node.left), self.lanes(node.right)]
        if isinstance(node.op, ast.MatMult):
            return self.product(parts[0], parts[1])
        if isinstance(node.op, (ast.BitAnd, ast.BitOr)):
            symbol = "&&" if isinstance(node.op, ast.BitAnd) else "||"
            return self.elementwise(parts, lambda terms: self.joint(symbol, terms))
        return self.elementwise(parts, lambda terms: self.combined(node, *terms))

    def _repeated(self, node: ast.BinOp) -> ArrayByIndex:
        """`[0.0] * n`."""
        kind = self.kind(node)
        if not isinstance(node.left, ast.List) or len(node.left.elts) != 1 or not isinstance(kind, SizedArray):
            raise self.refuse(text_of(node))
        item = self.lanes(node.left.elts[0])
        return item.moved(kind.shape, lambda at: item.at(at[1:]))

    def _lanes_of_compare(self, node: ast.Compare) -> ArrayByIndex:
        if len(node.ops) > 1:
            raise self.refuse(text_of(node))
        parts = [self.lanes(node.left), self.lanes(node.comparators[0])]
        return self.elementwise(parts, lambda terms: self.compared(node.ops[0], terms[0], terms[1], text_of(node)))

    def _lanes_of_ifexp(self, node: ast.IfExp) -> ArrayByIndex:
        known = self._known(node.test)
        if known is not None:
            return self.lanes(node.body if known else node.orelse)
        test = self.once(self.number(node.test))
        parts = [self.lanes(node.body), self.lanes(node.orelse)]
        return self.elementwise(parts, lambda terms: self.choice(test, *terms))

    def _lanes_of_attribute(self, node: ast.Attribute) -> ArrayByIndex:
        if node.attr != "T":
            raise self.refuse(text_of(node))
        return transposed(self.lanes(node.value))

    def _lanes_of_list(self, node: ast.List) -> ArrayByIndex:
        """A list display, in a variable."""
        kind = self.kind(node)
        if not isinstance(kind, SizedArray):
            raise self.refuse(text_of(node))
        made = self.fresh("list")
        sizes = "".join(f"[{each}]" for each in kind.shape)
        if any(
            not isinstance(each, (ast.List, ast.Tuple)) and isinstance(self.kind(each), SizedArray)
            for each in node.elts
        ):
            self._stacked(node, kind, made)
        else:
            self.write(f"const double {made}{sizes} = {self._braced(node)};", made)
        return self.lanes_of(made, kind.shape)

    def _stacked(self, node: ast.List, kind: SizedArray, made: str) -> None:
        """Write a list of arrays."""
        rows = [self.lanes(each) for each in node.elts]
        self.write(f"double {made}{''.join(f'[{each}]' for each in kind.shape)};")
        for n, row in enumerate(rows):
            self.nest(row.shape, lambda at, n=n, row=row: self.write(f"{made}[{n}]{brackets(at)} = {row.at(at).text};"))  # type: ignore[misc]

    def _braced(self, node: ast.expr) -> str:
        if isinstance(node, (ast.List, ast.Tuple)):
            return "{" + ", ".join(map(self._braced, node.elts)) + "}"
        return self.number(node).text

    def _lanes_of_listcomp(self, node: ast.ListComp) -> ArrayByIndex:
        kind, generator = self.kind(node), node.generators[0]
        assert isinstance(kind, SizedArray)
        targets = generator.target.elts if isinstance(generator.target, ast.Tuple) else [generator.target]
        sources = self._run_over(generator.iter)
        names = frozenset(name for _, names in sources for name in names)

        def at(indices: Sequence[Index]) -> CTerm:
            outer = dict(self.bound)
            for target, (item, _) in zip(targets, sources, strict=True):
                self.bound[target.id] = item(indices[0])  # type: ignore[attr-defined]
            found = self.lanes(node.elt).at(indices[1:])
            self.bound = outer
            return found

        return ArrayByIndex(kind.shape, at, names, frozenset())

    def _run_over(self, node: ast.expr) -> list[tuple[Callable[[Index], CTerm], frozenset[str]]]:
        """The items of a comprehension by index, with the variables that are read."""
        if isinstance(node, ast.Call) and text_of(node.func) == "zip":
            return [each for part in node.args for each in self._run_over(part)]
        if isinstance(node, ast.Call) and text_of(node.func) == "range" and len(node.args) == 1:
            return [(lambda index: index, frozenset())]
        source = self.lanes(node)
        if len(source.shape) == 1:
            return [(lambda index: source.at([index]), source.names)]
        if isinstance(node, ast.Name) and node.id not in self.bound:
            whole = self.name(node.id)
            return [(lambda index: CTerm(f"{whole}[{index.text}]"), source.names)]
        raise self.refuse(f"a list made of the rows of {text_of(node)}")

    # Places

    def _lanes_of_subscript(self, node: ast.Subscript) -> ArrayByIndex:
        if isinstance(self.kind(node.value), (GrowingList, SizedTuple)):
            return self._single(self.number(node), node)
        owner = self.lanes(node.value)
        parts = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        return self._indexed(owner, parts, node)

    def _indexed(self, owner: ArrayByIndex, parts: list[ast.expr], node: ast.Subscript) -> ArrayByIndex:
        taken = sum(not (isinstance(each, ast.Constant) and each.value in (None, ...)) for each in parts)
        rest: list[ast.expr] = [ast.Slice()] * (len(owner.shape) - taken)
        at = next((n for n, each in enumerate(parts) if isinstance(each, ast.Constant) and each.value is ...), None)
        parts = [*parts, *rest] if at is None else [*parts[:at], *rest, *parts[at + 1 :]]
        kind = self.kind(node)
        shape = kind.shape if isinstance(kind, SizedArray) else ()
        places: list[Callable[[Sequence[Index]], Index]] = []
        axis = out = 0
        for part in parts:
            if isinstance(part, ast.Constant) and part.value is None:
                out += 1
                continue
            place, is_kept = self._place(part, owner.shape[axis], out)
            places.append(place)
            axis, out = axis + 1, out + is_kept
        is_whole = owner.shape == shape and all(isinstance(each, ast.Slice) and is_whole_slice(each) for each in parts)
        if is_whole:
            return owner
        return owner.moved(shape, lambda at: owner.at([each(at) for each in places]))

    def _place(self, part: ast.expr, length: int, out: int) -> tuple[Callable[[Sequence[Index]], Index], bool]:
        """The index at which an axis is read, and whether it is an axis of the result."""
        if isinstance(part, ast.Slice):
            step = 1 if part.step is None else self._bound(part.step)
            start = self._start(part.lower, length, step)
            return lambda at: offset(start, at[out], step), True
        if isinstance(self.kind(part), SizedArray):
            index = self.lanes(part)
            return lambda at: index.at([at[out]]), True
        found = self._positive(part, length)
        return lambda at: found, False

    def _bound(self, node: ast.expr) -> int:
        known = self._known(node)
        if known is None:
            raise self.refuse(f"a slice with the step {text_of(node)}")
        return known

    def _start(self, node: ast.expr | None, length: int, step: int) -> Index:
        if node is None or (isinstance(node, ast.Constant) and node.value is None):
            return number(0 if step > 0 else length - 1)
        known = self._known(node)
        if known is not None:
            return number(max(known + length, 0) if known < 0 else min(known, length))
        if id(node) in self.sizes.below:
            raise self.refuse(f"a slice from {text_of(node)}, which may be negative")
        return self.number(node)

    def _positive(self, node: ast.expr, length: int) -> Index:
        """An index that counts from the front."""
        known = self._known(node)
        if known is not None:
            return number(known + length if known < 0 else known)
        index = self.number(node)
        if id(node) not in self.sizes.below:
            return index
        part = self.once(index, "place")
        return CTerm(f"{part.text} < 0 ? {part.text} + {length} : {part.text}", 0, "int")
