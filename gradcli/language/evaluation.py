"""The value of a formula over any kind of number, by a table of functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gradcli.language.syntax import Apply, Name, Number, Syntax, fold


def evaluate(
    tree: Syntax,
    names: Mapping[str, Any],
    functions: Mapping[str, Callable[..., Any]],
    visit: Callable[[Apply, Any], None] | None = None,
    *,
    number: Callable[[int | float], Any] | None = None,
) -> Any:
    """The value of `tree`, each function called with the values of all its arguments.

    Args:
        tree: what `parse` returned.
        names: the value of each name in the tree, constants among them.
        functions: canonical name to function, as `scalar`, `array`, `symbolic` and `exact` make them.
        visit: called with each applied function and its result, in order of execution.
        number: makes a value of a typed number (`float`, `symbolic.number`, `exact.number`); as it is by default.

    Raises:
        KeyError: a name without a value, or a function that `functions` lacks.
        Exception: whatever a function raises.
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
