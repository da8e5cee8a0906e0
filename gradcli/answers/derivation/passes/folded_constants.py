"""Constant factors of products, folded where no digit changes: all but one are powers of 2, or signs."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from gradcli.answers.derivation.syntax_trees import negative

SMALLEST = 1e-300  # scale, which may not leave the range of the numbers whose digits are all kept
Factor = tuple[ast.expr, bool]  # a constant or a sign, and whether it divides


def folded(node: ast.expr) -> ast.expr:
    """A product with one constant in front for several; a product without several as it is."""
    factors = list(_factors(node))
    numbers = ((factor, _number(factor), divides) for factor, divides in factors)
    powers = {
        id(factor): 1.0 / number if divides else number
        for factor, number, divides in numbers
        if abs(math.frexp(number)[0]) == 0.5
    }
    others = [factor for factor, divides in factors if id(factor) not in powers and not divides]
    signs = sum(isinstance(factor, ast.UnaryOp) for factor, _ in factors)
    constants = len(powers) - signs
    if constants + bool(others) < 2 and signs < 2:
        return node
    scale = math.prod(powers.values())
    if others and constants:
        powers[id(others[0])], scale = 1.0, scale * _number(others[0])
    if not SMALLEST < abs(scale) < 1.0 / SMALLEST:
        return node
    rest = _without(node, set(powers))
    size: ast.expr = ast.Constant(abs(scale))
    made = size if rest is None else rest if abs(scale) == 1.0 else _put(rest, size)
    return negative(made) if scale < 0 else made


def _factors(node: ast.expr, *, divides: bool = False) -> Iterator[Factor]:
    """Yield the constants and signs of a product."""
    match node:
        case ast.Constant(value) if type(value) in (int, float) and value:
            yield node, divides
        case ast.UnaryOp(ast.USub(), operand):
            yield node, divides
            yield from _factors(operand, divides=divides)
        case ast.BinOp(left, ast.Mult() | ast.Div() as operator, right):
            yield from _factors(left, divides=divides)
            yield from _factors(right, divides=divides != isinstance(operator, ast.Div))


def _number(node: ast.expr) -> float:
    """The value of a constant, or -1 of a sign."""
    return node.value if isinstance(node, ast.Constant) else -1  # type: ignore[return-value]


def _without(node: ast.expr, left_out: set[int]) -> ast.expr | None:
    """A product without some factors; None if nothing is left."""
    match node:
        case ast.UnaryOp(ast.USub(), operand) if id(node) in left_out:
            return _without(operand, left_out)
        case ast.BinOp(left, ast.Mult() | ast.Div() as operator, right):
            one, other = _without(left, left_out), _without(right, left_out)
            if other is None or (one is None and isinstance(operator, ast.Mult)):
                return one or other
            return ast.BinOp(one or ast.Constant(1.0), operator, other)
    return None if id(node) in left_out else node


def _put(product: ast.expr, factor: ast.expr) -> ast.expr:
    """A product with a factor in front."""
    match product:
        case ast.BinOp(ast.Constant(1.0), ast.Div() as operator, right):
            return ast.BinOp(factor, operator, right)
        case ast.BinOp(left, ast.Mult() | ast.Div() as operator, right):
            return ast.BinOp(_put(left, factor), operator, right)
    return ast.BinOp(factor, ast.Mult(), product)
