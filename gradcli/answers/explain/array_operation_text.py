"""NumPy and SciPy text for array rules: a formula for a rule, or a call of the function by name."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.answers.explain.numpy_names_and_constants import Writer
from gradcli.mathematics.language.formula_text import (
    ATOM,
    CONDITIONAL,
    PRODUCT,
    SIGN,
    SUM,
    Inline,
    Piece,
    left_associative,
)
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.mathematics.rules.rule_table import RULES
from gradcli.mathematics.rules.rule_types import Elementwise

Formula = Callable[[Writer, Sequence[Piece], Mapping[str, Any], Any], Piece]

SPELLED = {"lgamma": "gammaln"}  # names that neither NumPy nor SciPy uses

TIMES = left_associative("*", PRODUCT)
PLUS = left_associative("+", SUM)
OVER = left_associative("/", PRODUCT)
MINUS = Inline("-{0}", SIGN, (SIGN,))
MATRIX_PRODUCT = left_associative("@", PRODUCT)


def array_text(
    writer: Writer, rule: ArrayRule, operands: Sequence[Piece], static: Mapping[str, Any], value: Any = None
) -> Piece:
    """The text of an array operation from its definition: `x[0]`, `x @ y`, or a call without default options."""
    if rule.name in FORMULAS:
        return FORMULAS[rule.name](writer, operands, static, value)
    if rule.written is None:
        return call_text(writer, rule.name, operands)
    made = ast.parse(f"lambda {rule.written}", mode="eval").body
    assert isinstance(made, ast.Lambda)
    names = dict(zip((argument.arg for argument in made.args.args), operands, strict=False))
    if made.args.vararg is not None:
        names[made.args.vararg.arg] = f"[{', '.join(text for text, _ in operands)}]", ATOM
    return _Definition(writer, names, static).written(made.body)


class _Definition:
    """Writes the definition of a rule with the texts of its operands and the values of its options."""

    def __init__(self, writer: Writer, operands: Mapping[str, Piece], static: Mapping[str, Any]) -> None:
        self.writer, self.operands, self.static = writer, operands, static

    def written(self, node: ast.expr) -> Piece:
        if isinstance(node, ast.Name):
            return self.operands[node.id]
        if isinstance(node, ast.Subscript):
            return subscripted(self.written(node.value), self.writer.key(self.known(node.slice)))
        assert isinstance(node, ast.Call)
        name = ast.unparse(node.func).removeprefix("np.")
        name = name.rpartition(".")[2] if name.startswith("scipy.special.") else name
        arguments = [self.argument(argument) for argument in node.args]
        if name == "matmul":
            return MATRIX_PRODUCT.write(arguments)
        options = {keyword.arg: self.known(keyword.value) for keyword in node.keywords}
        usual = ("False", "0") if name in _FIRST_AXIS else ("False", "None", "'C'")
        texts = [f"{word}={choice!r}" for word, choice in options.items() if repr(choice) not in usual]
        return self.writer.call(name, *arguments, *texts)

    def argument(self, node: ast.expr) -> Piece:
        """An argument: a text of operands, or the value of options."""
        read = {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
        if read & self.operands.keys():
            return self.written(node)
        value = self.known(node)
        return self.writer.constant(value) if isinstance(value, np.ndarray) else (repr(value), ATOM)

    def known(self, node: ast.expr) -> Any:
        """The value of options."""
        return eval(compile(ast.Expression(node), "", "eval"), {}, dict(self.static))


# Functions along the first axis
_FIRST_AXIS = ("concatenate", "stack", "logaddexp.reduce", "logaddexp2.reduce", "hypot.reduce")


def call_text(writer: Writer, name: str, arguments: Sequence[Piece]) -> Piece:
    """The text of a call, given the name of a rule."""
    stem, _, number = _spelled(name).partition(":")
    text, _ = writer.call(stem, *arguments)
    return text + (f"[{number}]" if number else ""), ATOM


def _spelled(name: str) -> str:
    """The NumPy or SciPy name of a rule's function; a number after a colon selects one of several results."""
    rule = RULES.get(name)
    if isinstance(rule, Elementwise):
        name = rule.special.lstrip("_") or rule.word or name
    return SPELLED.get(name, name).removeprefix("special.").removeprefix("scipy.")


def bracketed(operand: Piece) -> str:
    """The text of an operand in front of a subscript or a dot, in brackets if necessary."""
    text, binding = operand
    return text if binding >= ATOM else f"({text})"


def subscripted(operand: Piece, key: str) -> Piece:
    """The text `x[key]`."""
    return f"{bracketed(operand)}[{key}]", ATOM


def transposed(writer: Writer, piece: Piece, axes: Sequence[int] | None, ndim: int) -> Piece:
    """The text of a transpose: `x.T`, `x.mT` if only the last two axes are swapped, or a call."""
    order = [axis % ndim for axis in axes] if axes is not None and ndim else [*range(ndim)][::-1]
    if order == [*range(ndim)]:
        return piece
    text = bracketed(piece)
    if order == [*range(ndim)][::-1]:
        return text.removesuffix(".T") if text.endswith(".T") else f"{text}.T", ATOM
    if order == [*range(ndim - 2), ndim - 1, ndim - 2]:
        return text.removesuffix(".mT") if text.endswith(".mT") else f"{text}.mT", ATOM
    return writer.call("transpose", piece, str(tuple(order)))


def reshaped(writer: Writer, text: Piece, shape: tuple[int, ...], wanted: tuple[int, ...], order: str) -> Piece:
    """The text of a reshaped array; a subscript if the shapes differ only by axes of length 1."""
    if shape == wanted:
        return text
    key = list(_by_ones(shape, wanted))
    if shape and [n for n in shape if n != 1] == [n for n in wanted if n != 1] and None not in key:
        return subscripted(text, ", ".join(map(str, key)))
    return writer.call("reshape", text, str(wanted), *(["order='F'"] if order == "F" else []))


def _by_ones(shape: tuple[int, ...], wanted: tuple[int, ...]) -> Iterator[str | None]:
    """The parts of a subscript that drops and adds axes of length 1; None for an axis that has no such part."""
    left = list(wanted)
    for length in shape:
        while left and left[0] == 1 and length != 1:
            left.pop(0)
            yield "None"
        if left and left[0] == length:
            left.pop(0)
            yield ":"
        else:
            yield "0" if length == 1 else None
    yield from ["None" if length == 1 else None for length in left]


def _filled(name: str, *after: str, before: str = "", end: str = "") -> Formula:
    """The formula of a function with further arguments before and after the operands."""

    def formula(writer: Writer, operands: Sequence[Piece], static: Mapping[str, Any], value: Any) -> Piece:
        text, _ = writer.call(name, *filter(None, [before]), *operands, *after)
        return text + end, ATOM

    return formula


def _put(writer: Writer, operands: Sequence[Piece], static: Mapping[str, Any], value: Any) -> Piece:
    """The text of an assignment, which cannot be part of another formula."""
    return f"{written_place(writer, operands[0], static)} = {operands[1][0]}", CONDITIONAL


def written_place(writer: Writer, piece: Piece, static: Mapping[str, Any]) -> str:
    """The text of the place that is written, in the array `piece`, through the views that lead to it."""
    for rule, choice in static.get("through", ()):
        piece = array_text(writer, rule, [piece], choice)
    return subscripted(piece, writer.key(static["key"]))[0]


def _scatter(writer: Writer, operands: Sequence[Piece], static: Mapping[str, Any], value: Any) -> Piece:
    parts = [
        scattered(writer, piece, key, np.shape(value)) for piece, key in zip(operands[1:], static["keys"], strict=True)
    ]
    text = parts[0]
    for part in parts[1:]:
        text = PLUS.write([text, part])
    return text


def scattered(writer: Writer, piece: Piece, key: Any, shape: tuple[int, ...]) -> Piece:
    """The text of zeros with numbers added at the places `key`: the product of the numbers with rows of an identity."""
    places = np.arange(int(np.prod(shape))).reshape(shape)[key]
    if is_whole(places, shape):
        return reshaped(writer, piece, np.shape(places), shape, "C")
    read = np.ndim(places)
    unit, _ = writer.call("eye", str(int(np.prod(shape))))
    if len(shape) > 1:
        unit = f"{unit}.reshape({', '.join(map(str, shape * 2))})"
    unit = subscripted((unit, ATOM), writer.key(_whole(key, len(shape))))[0]
    if read == 0:
        return TIMES.write([piece, (unit, ATOM)])
    if read == 1 and len(shape) == 1:
        return MATRIX_PRODUCT.write([piece, (unit, ATOM)])
    return writer.call("tensordot", piece, unit, str(read))


def is_whole(places: Any, shape: tuple[int, ...]) -> bool:
    """Whether `places` are all those of an array, in order, so that reading them only changes the shape."""
    count = int(np.prod(shape))
    return np.size(places) == count and np.array_equal(np.ravel(places), np.arange(count))


def _whole(key: Any, ndim: int) -> Any:
    """A subscript with `...` replaced by `:`, for an array that has further axes."""
    parts = key if isinstance(key, tuple) else (key,)
    if not any(part is Ellipsis for part in parts):
        return key
    read = sum(1 if np.asarray(p).dtype.kind != "b" else np.ndim(p) for p in parts if p is not None and p is not ...)
    at = next(n for n, part in enumerate(parts) if part is Ellipsis)
    return (*parts[:at], *(slice(None),) * (ndim - read), *parts[at + 1 :])


def _cast(writer: Writer, operands: Sequence[Piece], static: Mapping[str, Any], value: Any) -> Piece:
    dtype = static["dtype"]
    name = "asarray" if dtype is np.ndarray else getattr(dtype, "__name__", None) or str(dtype)
    return writer.call(name, *operands)


def _transpose(writer: Writer, operands: Sequence[Piece], static: Mapping[str, Any], value: Any) -> Piece:
    axes = static["axes"]
    ndim = np.ndim(value) if value is not None else len(axes or (0, 1))
    return transposed(writer, operands[0], axes, ndim)


def _roll(writer: Writer, operands: Sequence[Piece], static: Mapping[str, Any], value: Any) -> Piece:
    shift, axis = (x[0] if isinstance(x, tuple) and len(x) == 1 else x for x in (static["shift"], static["axis"]))
    return writer.call("roll", *operands, str(shift), *([] if axis is None else [str(axis)]))


def _hermitian(writer: Writer, operands: Sequence[Piece], static: Mapping[str, Any], value: Any) -> Piece:
    """The text of the Hermitian matrix that shares one triangle with `x`."""
    (x,) = operands
    if np.iscomplexobj(value):
        strict = _strict(writer, x, static["part"])
        real = writer.call("real", writer.call("diagonal", x))
        return PLUS.write([PLUS.write([strict, _adjoint(writer, strict, value)]), writer.call("diag", real)])
    half = writer.call("tril" if static["part"] == "lower" else "triu", x)
    return PLUS.write([half, _adjoint(writer, _strict(writer, x, static["part"]), value)])


def _strict(writer: Writer, x: Piece, part: str) -> Piece:
    return writer.call("tril", x, "-1") if part == "lower" else writer.call("triu", x, "1")


def _adjoint(writer: Writer, x: Piece, value: Any) -> Piece:
    turned = f"{bracketed(x)}.{'T' if np.ndim(value) == 2 else 'mT'}", ATOM
    return writer.call("conj", turned) if np.iscomplexobj(value) else turned


def _packed(call: str, *parts: str, options: Mapping[str, str] | None = None) -> Formula:
    """The formula of a factorisation whose results are stacked in one array; `parts` says how each is read."""

    def formula(writer: Writer, operands: Sequence[Piece], static: Mapping[str, Any], value: Any) -> Piece:
        texts = [
            f"{word}={static[word.lower()]!r}" if text == "?" else f"{word}={text}" for word, text in extra.items()
        ]
        whole, _ = writer.call(call, *operands, *texts)
        if np.ndim(value) != 2:
            pieces = [part.replace("?", whole) for part in parts]
            return writer.call("concatenate", f"[{', '.join(pieces)}]", "axis=-2")
        flat = [part.replace("[..., None, :]", "").replace(".mT", ".T").replace("?", whole) for part in parts]
        return writer.call("vstack", f"[{', '.join(flat)}]")

    extra = options or {}
    return formula


def _cosines(writer: Writer, operands: Sequence[Piece], static: Mapping[str, Any], value: Any) -> Piece:
    by, lengths, axes = static["by"], repr(static["lengths"]), repr(static["axes"])
    factors = f"norm={by.norm!r}", f"orthogonalize={by.orthogonalize!r}"
    return writer.call(f"scipy.fft.{by.kind}", *operands, repr(by.of_type), lengths, axes, *factors)


def _correlation(writer: Writer, operands: Sequence[Piece], static: Mapping[str, Any], value: Any) -> Piece:
    x, kernel = operands
    kernel = writer.call("conj", kernel) if np.iscomplexobj(value) else kernel
    return writer.call("scipy.signal.correlate", x, kernel, "'valid'")


def _lambertw(writer: Writer, operands: Sequence[Piece], static: Mapping[str, Any], value: Any) -> Piece:
    return writer.call("lambertw", *operands, writer.constant(static["k"]))


FORMULAS: dict[str, Formula] = {
    "put": _put,
    "scatter": _scatter,
    "cast": _cast,
    "transpose": _transpose,
    "copy": _filled("copy"),
    "roll": _roll,
    "cosines": _cosines,
    "recursion": _filled("scipy.signal.lfilter", before="[1.0]"),
    "correlation": _correlation,
    "hermitian": _hermitian,
    "eigh": _packed("linalg.eigh", "?[0][..., None, :]", "?[1]", options={"UPLO": "?"}),
    "eig": _packed("linalg.eig", "?[0][..., None, :]", "?[1]"),
    "qr": _packed("linalg.qr", "?[0]", "?[1].mT"),
    "svd": _packed("linalg.svd", "?[0]", "?[1][..., None, :]", "?[2].mT", options={"full_matrices": "False"}),
    "unitary": _filled("scipy.linalg.polar", end="[0]"),
    "bounded": _filled("clip", "-1", "1"),
    "lambertw": _lambertw,
}
