"""Assignments of a derived function in C, and growing lists."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from gradcli.derivation.intermediate.templates import names_in, root_of, text_of
from gradcli.derivation.languages.c.array_calls import ArrayCalls
from gradcli.derivation.languages.c.lazy_arrays import ArrayByIndex, Index, brackets, fitted
from gradcli.derivation.languages.c.size_inference import Sizes
from gradcli.derivation.languages.c.terms import CTerm, infix, number
from gradcli.derivation.languages.c.value_sizes import (
    POPPED,
    GrowingList,
    SizedArray,
    SizedNumber,
    UnknownSize,
    Value,
    described,
)
from gradcli.derivation.languages.c.variable_scopes import Declarations
from gradcli.language.formula_text import SUM

AUGMENTED: dict[type[ast.operator], str] = {ast.Add: "+=", ast.Sub: "-=", ast.Mult: "*=", ast.Div: "/="}
SAME_CALLS = ("np.array", "np.asarray", "list", "tuple", "np.copy")


class Assignments(ArrayCalls):
    """Writes the assignments of one function."""

    def __init__(self, sizes: Sizes, taken: Iterable[str]) -> None:
        super().__init__(sizes, taken)
        self.declared: set[str] = set()
        self.declarations: Declarations
        self.made: list[ast.Subscript] = []  # kept alive, because observations of an expression are found by its id

    def _write_assign(self, node: ast.Assign) -> None:
        target = node.targets[0]
        if isinstance(target, ast.Name):
            self._to_name(target.id, node.value)
        elif isinstance(target, ast.Tuple):
            self._to_many(target, node.value)
        else:
            assert isinstance(target, ast.Subscript)
            self._to_place(target, node.value, "=")

    def _to_name(self, target: str, value: ast.expr) -> None:
        if target in self.sizes.ranges:
            for each in names_in(value) - {"range", "len", "reversed", "list"}:
                if self.declarations.stores[each] > 1 or each in self.sizes.grown:
                    raise self.refuse(f"{text_of(value)} under a name")
            return
        kind = self.sizes.variables[target]
        if isinstance(kind, GrowingList):
            self._to_growing(target, value)
        elif _is_pop(value):
            self._pop(text_of(value.func.value), [target])  # type: ignore[attr-defined]
        elif isinstance(kind, SizedArray):
            self._to_array(target, value)
        elif isinstance(kind, (SizedNumber, UnknownSize)):
            if isinstance(value, ast.Constant) and value.value is None and target in self.declared:
                return
            self.set(target, self.number(value))
        else:
            raise self.refuse(f"{target}, {described(kind)}")

    def set(self, target: str, term: CTerm) -> None:
        """Assign a variable that holds one number, with a declaration if necessary."""
        made = self.name(target)
        if target in self.declared:
            self.write(f"{made} = {term.text};", made)
            return
        self.declared.add(target)
        const = "const " if self.declarations.stores[target] == 1 else ""
        self.write(f"{const}{type_of(self.sizes.variables[target])} {made} = {term.text};", made)

    def _to_array(self, target: str, value: ast.expr) -> None:
        if _is_copy_of(value, target) or (isinstance(value, ast.Constant) and value.value is None):
            return
        shown = value.args[0] if isinstance(value, ast.Call) and text_of(value.func) in SAME_CALLS else value
        kind = self.sizes.variables[target]
        if isinstance(shown, (ast.List, ast.Tuple)) and target not in names_in(shown) and isinstance(kind, SizedArray):
            self.listed(self.name(target), shown, self.name(target))
            return
        if (
            is_zero(value)
            and self.out
            and self.out[-1].text.endswith(" = {0};")
            and self.out[-1].sets == self.name(target)
        ):
            return
        lanes = self.lanes(value)
        assert isinstance(kind, SizedArray)
        self._store(
            ArrayByIndex(kind.shape, lambda at: CTerm(f"{self.name(target)}{brackets(at)}")),
            lanes,
            "=",
            self.name(target),
        )

    def listed(self, place: str, value: ast.expr, owner: str = "") -> None:
        """Assign the items of a list display, one by one, to a place of a variable."""
        for n, each in enumerate(value.elts):  # type: ignore[attr-defined]
            if isinstance(each, (ast.List, ast.Tuple)):
                self.listed(f"{place}[{n}]", each, owner)
                continue
            self.fill(f"{place}[{n}]", self.lanes(each), owner)

    def _store(
        self, place: ArrayByIndex, value: ArrayByIndex, symbol: str, owner: str, is_straight: bool = True
    ) -> None:
        """Give an array to a place, by way of another one where it reads other places of it."""
        if owner in value.crossed or (owner in value.straight and not is_straight):
            made, source = self.temporary("copy", value.shape), value
            self.fill(made, source)
            value = self.lanes_of(made, value.shape)
        final = value
        self.nest(
            place.shape,
            lambda at: self.write(f"{place.at(at).text} {symbol} {final.at(fitted(at, final.shape)).text};", owner),
        )

    def _to_place(self, target: ast.Subscript, value: ast.expr, symbol: str) -> None:
        """`x[i] = e`, of a number or of a part of an array."""
        owner = self.name(root_of(target))
        kind = self.kind(target.value)
        if isinstance(kind, GrowingList):
            self.write(f"{self.element(target).text} {symbol} {self.number(value).text};")
            return
        place = self.lanes(target)
        if not place.shape:
            self.write(f"{place.at([]).text} {symbol} {self.number(value).text};")
            return
        is_whole = place.names == place.straight and not place.crossed
        self._store(place, self.lanes(value), symbol, owner, is_whole)

    def _write_augassign(self, node: ast.AugAssign) -> None:
        symbol, target = AUGMENTED.get(type(node.op)), node.target
        if symbol is None:
            raise self.refuse(text_of(node))
        if isinstance(target, ast.Subscript):
            self._to_place(target, node.value, symbol)
        elif isinstance(target, ast.Name):
            kind, made = self.sizes.variables[target.id], self.name(target.id)
            if isinstance(kind, SizedArray):
                place = ArrayByIndex(kind.shape, lambda at: CTerm(f"{made}{brackets(at)}"))
                self._store(place, self.lanes(node.value), symbol, made)
            else:
                self.write(f"{made} {symbol} {self.number(node.value).text};", made)

    def _to_many(self, target: ast.Tuple, value: ast.expr) -> None:
        names = [each.id if isinstance(each, ast.Name) else "" for each in target.elts]
        if _is_pop(value):
            self._pop(text_of(value.func.value), names)  # type: ignore[attr-defined]
        elif isinstance(value, ast.Tuple):
            self._to_each(target.elts, value.elts)
        else:
            kind = self.kind(value)
            parts = [ast.Subscript(value, ast.Constant(n), ast.Load()) for n in range(len(target.elts))]
            self.made += parts
            for n, (part, each) in enumerate(zip(parts, target.elts, strict=True)):
                self.sizes.seen[id(part)] = self.sizes.parts_of(kind or POPPED, len(target.elts))[n]
                self.sizes.seen[id(part.slice)] = SizedNumber("int", n)
                self._write_assign(ast.Assign([each], part))

    def _to_each(self, targets: Sequence[ast.expr], values: Sequence[ast.expr]) -> None:
        """Write `a, b = c, d`, which reads all values before it binds any name."""
        for n, (target, value) in enumerate(zip(targets, values, strict=True)):
            later = {name for each in values[n + 1 :] for name in names_in(each)}
            if root_of(target) in later:
                self._by_way_of_others(targets[n:], values[n:])
                return
            self._write_assign(ast.Assign([target], value))

    def _by_way_of_others(self, targets: Sequence[ast.expr], values: Sequence[ast.expr]) -> None:
        made = []
        for each in values:
            kind = self.kind(each)
            if not isinstance(kind, SizedNumber):
                raise self.refuse(f"{text_of(each)}, {described(kind or POPPED)} that is exchanged with another")
            given = self.fresh("given_1")
            self.write(f"const {type_of(kind)} {given} = {self.number(each).text};", given)
            made.append(CTerm(given, type=kind.type))
        for target, term in zip(targets, made, strict=True):
            if isinstance(target, ast.Name):
                self.set(target.id, term)
            else:
                self.write(f"{self.lanes(target).at([]).text} = {term.text};")

    # Growing lists

    def _to_growing(self, target: str, value: ast.expr) -> None:
        made, count = self.name(target), self.count(target)
        if isinstance(value, ast.List):
            for n, each in enumerate(value.elts):
                self.write(f"{made}[{n}] = {self.number(each).text};")
            if not value.elts and self.declarations.stores[target] == 1 and self.depth == 1:
                return  # the declaration suffices
            self.write(f"{count} = {len(value.elts)};", count)
            return
        if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult) and isinstance(value.left, ast.List):
            length, item = self.number(value.right), self.number(value.left.elts[0])
            index = next(each for each in self._index_names() if each not in (*self.taken, *self._active))
            self.write(f"for (int {index} = 0; {index} < {length.within(SUM)}; ++{index}) {{")
            self.write(f"    {made}[{index}] = {item.text};")
            self.write("}")
            self.write(f"{count} = {length.text};", count)
            return
        if isinstance(value, ast.Constant) and value.value is None:
            return
        kind = self.kind(value)
        if not isinstance(kind, SizedArray):
            raise self.refuse(f"{target} = {text_of(value)}, of a list that grows")
        self._store(ArrayByIndex(kind.shape, lambda at: CTerm(f"{made}{brackets(at)}")), self.lanes(value), "=", made)
        self.write(f"{count} = {kind.shape[0]};", count)

    def _write_expr(self, node: ast.Expr) -> None:
        call = node.value
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            raise self.refuse(text_of(node))
        if text_of(call.func) == "np.add.at":
            self._scatter(*call.args)
        elif call.func.attr == "append":
            self._push(text_of(call.func.value), call.args[0])
        elif _is_pop(call):
            if not isinstance(self.sizes.held.get(text_of(call.func.value)), SizedNumber):
                raise self.refuse(text_of(node))
            count = self.count(text_of(call.func.value))
            self.write(f"--{count};")
        else:
            raise self.refuse(text_of(node))

    def _scatter(self, target: ast.expr, index: ast.expr, value: ast.expr) -> None:
        """`np.add.at(x, index, e)`."""
        places, lanes, owner = self.lanes(index), self.lanes(value), self.lanes(target)
        if len(places.shape) != 1 or len(owner.shape) != 1:
            raise self.refuse(f"sums at the places {text_of(index)}")
        self.nest(
            places.shape,
            lambda at: self.write(f"{owner.at([places.at(at)]).text} += {lanes.at(fitted(at, lanes.shape)).text};"),
        )

    def _push(self, name: str, value: ast.expr) -> None:
        parts = value.elts if isinstance(value, ast.Tuple) else [value]
        made, count = self.name(name), self.count(name)
        for each in parts:
            kind = self.kind(each)
            if isinstance(kind, SizedNumber) or kind is None or isinstance(kind, UnknownSize):
                self.write(f"{made}[{count}++] = {self.number(each).text};")
            elif isinstance(kind, SizedArray):
                lanes = self.lanes(each)
                self.nest(kind.shape, lambda at, lanes=lanes: self.write(f"{made}[{count}++] = {lanes.at(at).text};"))  # type: ignore[misc]  # fmt: skip
            else:
                raise self.refuse(f"{text_of(each)}, {described(kind)} on a stack")

    def _pop(self, stack: str, names: Sequence[str]) -> None:
        made, count = self.name(stack), self.count(stack)
        held = self.sizes.held.get(stack)
        for each in reversed(names):
            kind = self.sizes.variables.get(each)
            if isinstance(kind, SizedNumber):
                is_cast = kind.type != "double" and not (isinstance(held, SizedNumber) and held.type != "double")
                self.set(each, CTerm(f"{'(int)' if is_cast else ''}{made}[--{count}]", type=kind.type))
            elif isinstance(kind, SizedArray):
                self._pop_array(f"{self.name(each)}", kind, made, count)
            else:
                raise self.refuse(f"what is taken off {stack}")

    def _pop_array(self, target: str, kind: SizedArray, made: str, count: str) -> None:
        total = 1
        for each in kind.shape:
            total *= each
        self.write(f"{count} -= {total};")

        def one(at: Sequence[Index]) -> None:
            place: CTerm = CTerm(count, type="int")
            below = total
            for index, length in zip(at, kind.shape, strict=True):
                below //= length
                part = index if below == 1 else infix("*", number(below), index, SUM + 1, "int")
                place = place if index.text == "0" else infix("+", place, part, SUM, "int")
            self.write(f"{target}{brackets(at)} = {made}[{place.text}];")

        self.nest(kind.shape, one)


def type_of(kind: Value) -> str:
    """The C type of a variable, or of the elements of an array."""
    return "int" if isinstance(kind, (SizedNumber, SizedArray)) and kind.type != "double" else "double"


def declared(kind: SizedArray, name: str) -> str:
    """The declaration of an array: `double x[2][3]`."""
    return f"{type_of(kind)} {name}{''.join(f'[{n}]' for n in kind.shape)}"


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
