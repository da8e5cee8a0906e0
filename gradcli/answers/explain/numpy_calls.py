"""Calls of NumPy's functions that are one step of an explanation, and the products of those that have a short form."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from gradcli.answers.explain.argument_uses import ArgumentUse
from gradcli.answers.explain.array_operation_text import TIMES
from gradcli.answers.explain.numpy_names_and_constants import Writer, name_text
from gradcli.answers.explain.shaped_terms import ONE, Term, exact_shape, minus
from gradcli.engine.traces.node import TraceNode
from gradcli.mathematics.language.formula_text import ATOM, Piece

PLACE = re.compile(r"_operand_(\d+)_")

Product = Callable[[Writer, ArgumentUse, Term, Sequence[Piece]], Piece]


class ShortForm(NamedTuple):
    """A function with a short vector-Jacobian product.

    Attributes:
        products: the product by each argument, given the sensitivity to the result and the texts of all arguments.
        ndims: the numbers of axes of the arguments for which they hold.
        linear: the arguments in which the function is linear.
    """

    products: Sequence[Product]
    ndims: Sequence[tuple[int, ...]]
    linear: Sequence[int]


class CallArguments(NamedTuple):
    """The positional arguments of a call: the position of each among the operands, or None; and its source."""

    positions: tuple[int | None, ...]
    sources: tuple[str, ...]

    def texts(self, operands: Sequence[Piece]) -> list[Piece]:
        """The texts of the arguments, with those of the operands in place."""

        def written(source: str) -> str:
            return PLACE.sub(lambda match: operands[int(match[1])][0], source)

        pairs = zip(self.positions, self.sources, strict=True)
        return [name_text(written(source)) if at is None else operands[at] for at, source in pairs]


def arguments_of(node: TraceNode) -> CallArguments | None:
    """The arguments of a call in the user's words, with the array of a method first.

    None if it is no call or has other arguments than positional ones.
    """
    parts = node.static["call"]
    text = "".join(part if isinstance(part, str) else f"_operand_{part}_" for part in parts)
    try:
        call = ast.parse(text, mode="eval").body
    except SyntaxError:
        return None
    if (
        not isinstance(call, ast.Call)
        or call.keywords
        or any(isinstance(argument, ast.Starred) for argument in call.args)
    ):
        return None
    owner = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    sources = (*([owner] if PLACE.fullmatch(owner) else []), *map(ast.unparse, call.args))
    matches = (PLACE.fullmatch(source) for source in sources)
    return CallArguments(tuple(None if match is None else int(match[1]) for match in matches), sources)


def short_form(node: TraceNode) -> ShortForm | None:
    """The short form of a folded call; None if it has none for arguments of these shapes."""
    form = SHORT_FORMS.get(node.static["numpys"])
    arguments = arguments_of(node) if form else None
    if form is None or arguments is None or np.iscomplexobj(node.value):
        return None
    ndims = [None if at is None else np.ndim(node.operands[at]) for at in arguments.positions]
    is_square = all(np.ndim(x) != 2 or len(set(np.shape(x))) == 1 for x in node.operands)
    is_cross = node.static["numpys"] != "cross" or np.shape(node.value) == (3,)
    named = sorted(at for at in arguments.positions if at is not None)
    is_known = any(_fit(ndims, known) for known in form.ndims) and named == [*range(len(node.operands))]
    return form if is_known and is_square and is_cross else None


def _fit(ndims: Sequence[int | None], known: tuple[int, ...]) -> bool:
    """Whether arguments have the known numbers of axes; None for a constant, which may have any."""
    return len(ndims) == len(known) and all(n in {None, k} for n, k in zip(ndims, known, strict=True))


def short_product(writer: Writer, use: ArgumentUse, ct: Term) -> Term | None:
    """The contribution of a folded call to the sensitivity of an argument; None if it has no short form."""
    form, arguments = short_form(use.node), arguments_of(use.node)
    if form is None or arguments is None:
        return None
    place = arguments.positions.index(use.position)
    text = form.products[place](writer, use, ct, arguments.texts(use.operands))
    return Term(text, use.wanted)


def is_linear(use: ArgumentUse) -> bool:
    """Whether a folded call has a short form and is linear in an argument."""
    form, arguments = short_form(use.node), arguments_of(use.node)
    return bool(form and arguments and arguments.positions.index(use.position) in form.linear)


def _diag(writer: Writer, use: ArgumentUse, ct: Term, arguments: Sequence[Piece]) -> Piece:
    return writer.call("diag", exact_shape(writer, ct, use.full))


def _trace(writer: Writer, use: ArgumentUse, ct: Term, arguments: Sequence[Piece]) -> Piece:
    unit = writer.call("eye", str(use.wanted[0]))
    return unit if ct.text == ONE else TIMES.write([ct.text, unit])


def _solution(writer: Writer, use: ArgumentUse, ct: Term, arguments: Sequence[Piece]) -> Piece:
    matrix, _ = arguments[0]
    turned = f"{matrix}.T" if arguments[0][1] >= ATOM else f"({matrix}).T"
    return writer.call("linalg.solve", turned, exact_shape(writer, ct, use.full))


def _system(writer: Writer, use: ArgumentUse, ct: Term, arguments: Sequence[Piece]) -> Piece:
    return minus(writer.call("outer", _solution(writer, use, ct, arguments), use.v))


def _cross_left(writer: Writer, use: ArgumentUse, ct: Term, arguments: Sequence[Piece]) -> Piece:
    return writer.call("cross", arguments[1], exact_shape(writer, ct, use.full))


def _cross_right(writer: Writer, use: ArgumentUse, ct: Term, arguments: Sequence[Piece]) -> Piece:
    return writer.call("cross", exact_shape(writer, ct, use.full), arguments[0])


SHORT_FORMS: dict[str, ShortForm] = {
    "diag": ShortForm([_diag], [(1,), (2,)], [0]),
    "diagonal": ShortForm([_diag], [(2,)], [0]),
    "trace": ShortForm([_trace], [(2,)], [0]),
    "linalg.solve": ShortForm([_system, _solution], [(2, 1)], [1]),
    "cross": ShortForm([_cross_left, _cross_right], [(1, 1)], [0, 1]),
}
