"""The results of the user's functions within formulas, which compute with numbers and arrays only."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from gradcli.errors import ResultError


def in_formulas(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A user's function for use in formulas.

    Raises:
        ResultError: on a call, the function returns neither a number nor an array or a list of numbers.
    """

    @wraps(function)
    def call(*arguments: Any) -> Any:
        result = function(*arguments)
        if _is_operand(result):
            return result
        from gradcli.methods.transforms.scalar_results import result_description

        hint = "Is a `return` missing?" if result is None else "Let the function return a number."
        message = f"{name} returned {result_description(result)}; a formula needs numbers"
        raise ResultError(message, hint=hint)

    return call


def _is_operand(result: Any) -> bool:
    from gradcli.engine.tape.value import is_recorded

    if isinstance(result, (list, tuple)):
        return all(map(_is_operand, result))
    if isinstance(result, (float, int, complex)) or is_recorded(result):
        return True
    return getattr(getattr(result, "dtype", None), "kind", "") in tuple("biufc")
