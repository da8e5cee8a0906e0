"""Objects and mappings with a function and its derivatives: problems of SciPy's optimizers, estimators, models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gradcli.methods.adapters.adapted_object import (
    AdaptedObject,
    BroughtDerivative,
    Function,
    parameter_names,
    with_parameters,
)

# The names of functions and of their derivatives, the usual ones first.
_VALUES = ("fun", "func", "loss", "cost", "objective", "value", "energy", "log_likelihood", "negative_log_likelihood")
_DERIVATIVES = {
    "gradient": ("jac", "grad", "gradient", "fprime", "loss_grad", "loss_gradient", "score"),
    "jacobian": ("jac", "jacobian", "Dfun"),
    "hessian": ("hess", "hessian", "fprime2"),
    "hvp": ("hessp", "hvp", "fhess_p"),
}


def adapted(thing: Any) -> AdaptedObject | None:
    """The function of an object and the derivatives beside it; None if it has no function or no derivative.

    `args` beside them are passed on to each, as SciPy does.
    """
    if callable(thing):
        return None
    _, value = _first(thing, _VALUES)
    parts = {kind: _first(thing, names) for kind, names in _DERIVATIVES.items()}
    parts = {kind: (name, part) for kind, (name, part) in parts.items() if part is not None}
    if value is None or not parts:
        return None
    given = thing.get("args", ()) if isinstance(thing, Mapping) else getattr(thing, "args", ())
    fixed = given if isinstance(given, tuple) else (given,)
    names = _names_before(value, len(fixed))
    vectors = [f"v_{name}" for name in names]
    derivatives = {
        kind: BroughtDerivative(name, _followed_by(part, fixed, [*names, *vectors] if kind == "hvp" else names))
        for kind, (name, part) in parts.items()
    }
    return AdaptedObject(_followed_by(value, fixed, names), derivatives, value)


def _first(thing: Any, names: Sequence[str]) -> tuple[str, Any]:
    """The first of these names under which an object holds a function, and the function; None if there is none."""
    for name in names:
        part = thing.get(name) if isinstance(thing, Mapping) else getattr(thing, name, None)
        if callable(part):
            return name, part
    return "", None


def _names_before(function: Function, fixed: int) -> list[str]:
    """The names of a function's arguments before the last `fixed` of them; x if it has no signature."""
    try:
        names = parameter_names(function)
    except (TypeError, ValueError):
        return ["x"]
    return list(names[: len(names) - fixed]) or ["x"]


def _followed_by(function: Function, fixed: tuple[Any, ...], names: list[str]) -> Function:
    """The function with its last arguments given; the function itself if there are none."""
    if not fixed:
        return function
    return with_parameters(lambda *inputs: function(*inputs, *fixed), names)
