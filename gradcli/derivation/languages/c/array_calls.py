"""Array functions in C: elementwise results are expressions of the indices; sums and products are loops."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from functools import partialmethod
from typing import Any

from gradcli.derivation.intermediate.templates import text_of
from gradcli.derivation.languages.c.array_expressions import Arrays
from gradcli.derivation.languages.c.lazy_arrays import (
    ZERO,
    ArrayByIndex,
    Index,
    brackets,
    fitted,
    flat,
    split,
    transposed,
)
from gradcli.derivation.languages.c.terms import CTerm, infix, number
from gradcli.derivation.languages.c.value_sizes import SizedArray, SizedNumber, UnknownSize
from gradcli.language.formula_text import PRODUCT, SUM

Summand = Callable[[Sequence[Index], Sequence[Index]], CTerm]  # by the indices of the result and of the sum


class ArrayCalls(Arrays):
    """Writes the calls of array functions."""

    def _lanes_of_call(self, node: ast.Call) -> ArrayByIndex:
        called = node.func.attr if isinstance(node.func, ast.Attribute) else text_of(node.func)
        arguments = list(node.args)
        if isinstance(node.func, ast.Attribute) and self.kind(node.func.value) is not None:
            arguments = [node.func.value, *arguments]
        method = getattr(self, f"_of_{called}", None)
        if method is not None:
            found: ArrayByIndex = method(node, arguments)
            return found
        if any(keyword.arg != "dtype" for keyword in node.keywords):
            raise self.refuse(text_of(node))
        parts = [self.lanes(each) for each in arguments]
        return self.elementwise(parts, lambda terms: self.function(called, terms, text_of(node)))

    def _of_same(self, node: ast.Call, arguments: Sequence[ast.expr]) -> ArrayByIndex:
        return self.lanes(arguments[0])

    _of_copy = _of_array = _of_asarray = _of_list = _of_tuple = _of_astype = _of_same

    def _constant_lanes(self, node: ast.Call, value: ArrayByIndex) -> ArrayByIndex:
        kind = self.kind(node)
        shape = kind.shape if isinstance(kind, SizedArray) else ()
        return value.moved(shape, lambda at: value.at(fitted(at, value.shape)))

    def _of_zeros(self, node: ast.Call, arguments: Sequence[ast.expr]) -> ArrayByIndex:
        kind = self.kind(node)
        zero = "0.0" if isinstance(kind, (SizedArray, SizedNumber)) and kind.type == "double" else "0"
        return self._constant_lanes(node, ArrayByIndex((), lambda at: CTerm(zero)))

    _of_zeros_like = _of_empty = _of_zeros

    def _of_ones(self, node: ast.Call, arguments: Sequence[ast.expr]) -> ArrayByIndex:
        return self._constant_lanes(node, ArrayByIndex((), lambda at: CTerm("1.0")))

    _of_ones_like = _of_ones

    def _of_full_like(self, node: ast.Call, arguments: Sequence[ast.expr]) -> ArrayByIndex:
        return self._constant_lanes(node, self.lanes(arguments[1]))

    _of_full = _of_full_like

    def _of_broadcast_to(self, node: ast.Call, arguments: Sequence[ast.expr]) -> ArrayByIndex:
        return self._constant_lanes(node, self.lanes(arguments[0]))

    def _of_eye(self, node: ast.Call, arguments: Sequence[ast.expr]) -> ArrayByIndex:
        kind = self.kind(node)
        assert isinstance(kind, SizedArray)
        return ArrayByIndex(kind.shape, lambda at: CTerm(f"{at[0].text} == {at[1].text} ? 1.0 : 0.0", 1))

    def _of_arange(self, node: ast.Call, arguments: Sequence[ast.expr]) -> ArrayByIndex:
        kind = self.kind(node)
        assert isinstance(kind, SizedArray)
        numbers = [self.number(each) for each in arguments]
        start, step = (numbers[0] if len(numbers) > 1 else number(0)), (numbers[2] if len(numbers) > 2 else number(1))

        def at(indices: Sequence[Index]) -> CTerm:
            index = indices[0] if step.text == "1" else infix("*", indices[0], step, PRODUCT, "int")
            found = index if start.text == "0" else infix("+", start, index, SUM, "int")
            return CTerm(found.text, found.binding, kind.type)

        return ArrayByIndex(kind.shape, at)

    def _joint(self, node: ast.Call, arguments: Sequence[ast.expr], symbol: str) -> ArrayByIndex:
        return self.elementwise([self.lanes(each) for each in arguments], lambda terms: self.joint(symbol, terms))

    _of_logical_and = partialmethod(_joint, symbol="&&")
    _of_logical_or = partialmethod(_joint, symbol="||")

    def _of_where(self, node: ast.Call, arguments: Sequence[ast.expr]) -> ArrayByIndex:
        return self.elementwise([self.lanes(each) for each in arguments], lambda t: self.choice(t[0], t[1], t[2]))

    def _of_transpose(self, node: ast.Call, arguments: Sequence[ast.expr]) -> ArrayByIndex:
        if len(arguments) > 1:
            raise self.refuse(text_of(node))
        return transposed(self.lanes(arguments[0]))

    def _of_expand_dims(self, node: ast.Call, arguments: Sequence[ast.expr]) -> ArrayByIndex:
        kind, source = self.kind(node), self.lanes(arguments[0])
        if not isinstance(kind, SizedArray):
            raise self.refuse(text_of(node))
        given = self._plain(arguments[1] if len(arguments) > 1 else node.keywords[0].value)
        added = {axis % len(kind.shape) for axis in (given if isinstance(given, tuple) else (given,))}
        return source.moved(
            kind.shape, lambda at: source.at([index for axis, index in enumerate(at) if axis not in added])
        )

    def _of_reshape(self, node: ast.Call, arguments: Sequence[ast.expr]) -> ArrayByIndex:
        kind, source = self.kind(node), self.lanes(arguments[0])
        shape = kind.shape if isinstance(kind, SizedArray) else ()
        if node.keywords:
            raise self.refuse(text_of(node))
        return source.moved(shape, lambda at: source.at(split(flat(at, shape), source.shape)))

    _of_ravel = _of_flatten = _of_reshape

    def _of_outer(self, node: ast.Call, arguments: Sequence[ast.expr]) -> ArrayByIndex:
        one, other = map(self.lanes, arguments)
        if len(one.shape) != 1 or len(other.shape) != 1:
            raise self.refuse(text_of(node))
        return ArrayByIndex(
            (*one.shape, *other.shape),
            lambda at: infix("*", one.at(at[:1]), other.at(at[1:]), PRODUCT, "double"),
            frozenset(),
            one.names | other.names,
        )

    def _of_dot(self, node: ast.Call, arguments: Sequence[ast.expr]) -> ArrayByIndex:
        return self.product(*map(self.lanes, arguments))

    _of_matmul = _of_vdot = _of_inner = _of_dot

    def product(self, one: ArrayByIndex, other: ArrayByIndex) -> ArrayByIndex:
        """A product of matrices or vectors, in a variable."""
        if not one.shape or not other.shape:
            return self.elementwise([one, other], lambda terms: infix("*", terms[0], terms[1], PRODUCT, "double"))
        if max(len(one.shape), len(other.shape)) > 2:
            raise self.refuse("a product of arrays of more than two axes")
        rows, columns = one.shape[:-1], other.shape[1:]

        def term(at: Sequence[Index], k: Sequence[Index]) -> CTerm:
            left, right = at[: len(rows)], at[len(rows) :]
            return infix("*", one.at([*left, *k]), other.at([*k, *right]), PRODUCT, "double")

        return self.summed("product", (*rows, *columns), one.shape[-1:], term)

    def summed(
        self, stem: str, shape: tuple[int, ...], over: tuple[int, ...], term: Summand
    ) -> ArrayByIndex:  # fmt: skip
        """Sums over some axes, in a variable."""
        made = self.temporary(stem, shape)

        def one(at: list[Index]) -> None:
            place = f"{made}{brackets(at)}"
            if shape:
                self.write(f"{place} = 0.0;")
            self.nest(over, lambda k: self.write(f"{place} += {term(at, k).text};"))

        self.nest(shape, one)
        return self.lanes_of(made, shape)

    def _of_mean(self, node: ast.Call, arguments: Sequence[ast.expr]) -> ArrayByIndex:
        source = self.lanes(arguments[0])
        found = self._reduced(node, arguments, "sum")
        count = math.prod(source.shape) // max(1, math.prod(found.shape))
        return self.elementwise([found], lambda terms: infix("/", terms[0], CTerm(f"{count}.0"), PRODUCT, "double"))

    def _reduced(self, node: ast.Call, arguments: Sequence[ast.expr], what: str) -> ArrayByIndex:
        source, kind = self.lanes(arguments[0]), self.kind(node)
        shape = kind.shape if isinstance(kind, SizedArray) else ()
        given = (each for each in node.keywords if each.arg != "dtype")  # all numbers of a sum are doubles
        options = {each.arg: self._plain(each.value) for each in given}
        axis = self._plain(arguments[1]) if len(arguments) > 1 else options.pop("axis", None)
        keeps = bool(options.pop("keepdims", False))
        if options:
            raise self.refuse(text_of(node))
        axes = range(len(source.shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        summed = sorted({each % max(1, len(source.shape)) for each in axes})

        def whole(at: Sequence[Index], over: Sequence[Index]) -> CTerm:
            kept, gone = iter(at if not keeps else [x for n, x in enumerate(at) if n not in summed]), iter(over)
            return source.at([next(gone) if n in summed else next(kept) for n in range(len(source.shape))])

        lengths = tuple(source.shape[n] for n in summed)
        if what == "sum":
            return self.summed("sum", shape, lengths, whole)
        return self._extremes(what, shape, lengths, whole)

    _of_sum = partialmethod(_reduced, what="sum")
    _of_max = _of_amax = partialmethod(_reduced, what="max")
    _of_min = _of_amin = partialmethod(_reduced, what="min")

    def _extremes(
        self, what: str, shape: tuple[int, ...], over: tuple[int, ...], whole: Summand
    ) -> ArrayByIndex:  # fmt: skip
        """The maxima or minima over some axes, in a variable."""
        made = self.temporary(what, shape)
        symbol = ">" if what == "max" else "<"

        def one(at: list[Index]) -> None:
            place = f"{made}{brackets(at)}"
            self.write(f"{place} = {whole(at, [ZERO] * len(over)).text};")

            def compare(k: list[Index]) -> None:
                each = self.once(whole(at, k), "each")
                self.write(f"if ({each.text} {symbol} {place}) {{")
                self.depth += 1
                self.write(f"{place} = {each.text};")
                self.depth -= 1
                self.write("}")

            self.nest(over, compare)

        self.nest(shape, one)
        return self.lanes_of(made, shape)

    def _of_sum_to(self, node: ast.Call, arguments: Sequence[ast.expr]) -> ArrayByIndex:
        """A sensitivity summed over the axes along which an array was broadcast."""
        source, kind = self.lanes(arguments[0]), self.kind(node)
        shape = kind.shape if isinstance(kind, SizedArray) else ()
        if source.shape == shape:
            return source
        extra = len(source.shape) - len(shape)
        gone = [n for n in range(len(source.shape)) if n < extra or (shape[n - extra] == 1 and source.shape[n] != 1)]

        def term(at: Sequence[Index], over: Sequence[Index]) -> CTerm:
            rest = iter(over)
            return source.at([next(rest) if n in gone else at[n - extra] for n in range(len(source.shape))])

        return self.summed("sum", shape, tuple(source.shape[n] for n in gone), term)

    def _plain(self, node: ast.expr) -> Any:
        kind = self.kind(node)
        if isinstance(kind, UnknownSize):
            return None
        if isinstance(kind, SizedNumber) and kind.known is not None:
            return kind.known
        if isinstance(node, ast.Tuple):
            return tuple(map(self._plain, node.elts))
        if isinstance(node, ast.UnaryOp):
            return -self._plain(node.operand)
        raise self.refuse(text_of(node))
