"""Pullbacks of large arrays, whose operations overwrite operands that have no other reader.

A new array costs more than the arithmetic on it, as its memory is not in the cache. The temporary arrays of a formula
can be overwritten, and so can a cotangent that only the sweep holds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from itertools import count
from typing import Any

import numpy as np
from numpy import ndarray

from gradcli.engine.tape.accumulation import UNTOUCHED, accumulate, accumulation_lines, reduced_cotangent
from gradcli.engine.tape.tape import Row
from gradcli.mathematics.language import Apply, Name, Number, Syntax
from gradcli.mathematics.language.formula_text import ATOM, SLOPES, Piece
from gradcli.mathematics.language.syntax import fold, is_one, is_zero, quotient, walk
from gradcli.mathematics.language.vocabulary import CONSTANTS
from gradcli.mathematics.rules.compiled_formulas import ARRAY_FUNCTIONS, compile_source, scope_of
from gradcli.mathematics.rules.rule_types import Elementwise, Partials

Pull = Callable[[Any, list[Any], Row], None]
LargePull = Callable[[Any, list[Any], Row, bool], None]


def compile_large_pull(rule: Elementwise, slopes: Partials, recorded: tuple[int, ...], plain: Pull) -> LargePull:
    """Compile the pullback of a rule with these partials for NumPy arrays of one dtype, and Python numbers.

    Its fourth argument says whether the cotangent belongs to the sweep alone, and may be overwritten. Rows with other
    operands are passed to the pullback `plain`.
    """
    trees = {n: tree for n in recorded if (tree := slopes.trees[n]) is not None and not is_zero(tree)}
    # The last contribution may overwrite the cotangent, unless one of them is the cotangent itself.
    over = None if any(map(is_one, trees.values())) else max(trees, default=None)
    full = {"v", *(rule.parameters if len(rule.parameters) == 1 or slopes is not rule.slopes else ())}
    scope: dict[str, Any] = {**CONSTANTS, **_SCOPE, "_plain": plain}
    lines = [f"_, v, {', '.join(f'_i{n}, {name}' for n, name in enumerate(rule.parameters))} = _row"]
    lines += [f"if not ({_is_of_one_type(rule, trees.values())}):", "    return _plain(_ct, _cts, _row)"]
    add: list[str] = []
    for n, tree in trees.items():
        scope |= scope_of(tree, ARRAY_FUNCTIONS)
        lines += _contribution(f"_c{n}", tree, rule.parameters[n], full, _WHERE_OWN if n == over else "")
        # The only argument of a rule has the shape of the result. A float64 within its partial widens a float32.
        fits = f"_c{n}.dtype is {rule.parameters[n]}.dtype" if len(rule.parameters) == 1 else "False"
        add += accumulation_lines(f"_i{n}", f"_c{n}", rule.parameters[n], fits=fits)
    lines += add
    return compile_source("pull", "\n    ".join(["def pull(_ct, _cts, _row, _is_own):", *lines, ""]), scope)


_WHERE_OWN = "_ct if _is_own else None"


def _is_of_one_type(rule: Elementwise, trees: Collection[Syntax]) -> str:
    """The source text of the condition that all temporary arrays of a row have the dtype of its cotangent."""
    named = {node.id for tree in trees for node in walk(tree) if isinstance(node, Name)}
    is_plain = "" if len(rule.parameters) == 1 else "type({0}) in _numbers or "
    parts = [f"({is_plain.format(name)}{name}.dtype is _ct.dtype)" for name in rule.parameters if name in named]
    called = [node for tree in trees for node in walk(tree) if isinstance(node, Apply)]
    # A function of constants alone gives a float64 in NumPy.
    is_double = any(node.function not in SLOPES.inline and not _names_in(node) for node in called)
    doubles = ["_ct.dtype is _double"] if is_double else []
    return " and ".join(["type(_ct) is _ndarray", *doubles, *parts])


def _names_in(tree: Syntax) -> set[str]:
    return {node.id for node in walk(tree) if isinstance(node, Name)} - CONSTANTS.keys()


def _contribution(name: str, tree: Syntax, like: str, full: set[str], over: str) -> Iterator[str]:
    """The lines that compute one contribution. The factors come first, as they may raise.

    It overwrites a factor that is a temporary array; otherwise it overwrites what `over` names, if anything.
    """
    if is_one(tree):
        yield f"{name} = _ct"
        return
    ct, made = "_ct", name
    if not _names_in(tree):
        yield f"{name} = _summed(_ct, {like})"  # may be a much smaller array
        ct, over = name, f"_writable({name}, _ct, {'_is_own' if over else False})"
        made = f"_writable({name}, _ct, True)"
    numerator, denominator = quotient(tree)
    factors = {"_multiply": None if is_one(numerator) else numerator, "_divide": denominator}
    texts = {by: _written(factor, full) for by, factor in factors.items() if factor is not None}
    yield from (f"_by{by} = {text}" for by, (text, _) in texts.items())
    for by, (_, is_temporary) in texts.items():
        yield f"{name} = {by}({ct}, _by{by}, {f'_by{by}' if is_temporary else over or None})"
        ct, over = name, made


# Kinds of subexpressions: an array of the cotangent's shape, a temporary array of that shape, and any other value.
_WHOLE, _TEMPORARY, _OTHER = range(3)


def _written(tree: Syntax, full: set[str]) -> tuple[str, bool]:
    """The source text of a formula whose operations overwrite temporary arrays, and whether its result is one.

    The arrays named in `full` have the shape of the result.
    """
    numbers, functions = count(), ARRAY_FUNCTIONS

    def leaf(node: Number | Name) -> tuple[Piece, int]:
        if isinstance(node, Number):
            return SLOPES.number(node.value), _OTHER
        return (node.id, ATOM), _WHOLE if node.id in full else _OTHER

    def apply(node: Apply, parts: list[tuple[Piece, int]]) -> tuple[Piece, int]:
        pieces, kinds = [piece for piece, _ in parts], [kind for _, kind in parts]
        keeps = _keeps_type(functions[node.function])
        if not keeps or _TEMPORARY not in kinds:
            return SLOPES.apply(node, pieces), _TEMPORARY if keeps and _WHOLE in kinds else _OTHER
        at, temporary = kinds.index(_TEMPORARY), f"_t{next(numbers)}"
        texts = [f"({temporary} := {text})" if n == at else text for n, (text, _) in enumerate(pieces)]
        return (f"{node.function}({', '.join(texts)}, {temporary})", ATOM), _TEMPORARY

    (text, _), kind = fold(tree, leaf, apply)
    return text, kind == _TEMPORARY


def _keeps_type(function: Any) -> bool:
    """Whether a function is a ufunc whose result has the dtype of its floating-point arguments."""
    if not isinstance(function, np.ufunc) or function.nout != 1:
        return False
    types = [types.split("->") for types in function.types]
    return all(set(given) == set(made) for given, made in types if set(given) <= _FLOATS)


_FLOATS = frozenset(np.typecodes["AllFloat"])


def _writable(part: Any, ct: Any, is_own: bool) -> Any:
    """`part`, a sum over a cotangent or the cotangent itself, if it may be overwritten; otherwise None."""
    return part if type(part) is ndarray and (is_own or part is not ct) else None


_SCOPE = {
    "_accumulate": accumulate,
    "_untouched": UNTOUCHED,
    "_summed": reduced_cotangent,
    "_writable": _writable,
    "_multiply": np.multiply,
    "_divide": np.divide,
    "_ndarray": ndarray,
    "_numbers": frozenset((float, int, complex)),
    "_double": np.dtype(np.float64),
}
