"""Evaluation of a formula in any kind of number, given a table of functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gradcli.mathematics.language.syntax import Apply, Name, Number, Syntax, fold


def evaluate(
    tree: Syntax,
    names: Mapping[str, Any],
    functions: Mapping[str, Callable[..., Any]],
    visit: Callable[[Apply, Any], None] | None = None,
    *,
    number: Callable[[int | float], Any] | None = None,
) -> Any:
    """Evaluate `tree`. Every function is called with the values of all its arguments.

    Args:
        tree: the result of `parse`.
        names: the values of the names in the tree, constants included.
        functions: the functions by canonical name, such as `float_functions.IEEE` or `mpmath_functions.functions()`.
        visit: called with each applied function and its result, in order of execution.
        number: converts a literal's value, such as `float` or `sympy_functions.number` (default: no conversion).

    Raises:
        KeyError: a name has no value, or `functions` lacks a function.
        Exception: any exception raised by a function.
    """

    def leaf(node: Number | Name) -> Any:
        if isinstance(node, Name):
            return names[node.id]
        return node.value if number is None else number(node.value)

    def apply(node: Apply, arguments: list[Any]) -> Any:
        result = functions[node.function](*arguments)
        if visit is not None:
            visit(node, result)
        return result

    return fold(tree, leaf, apply)
