"""JAX: functions with a rule of their own (`jax.custom_vjp`, `jax.custom_jvp`), and functions of JAX's arrays."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import jax
import jax.experimental
import jax.flatten_util
import numpy as np

from gradcli.methods.adapters.adapted_object import (
    SUMMED,
    AdaptedObject,
    BroughtDerivative,
    of_plain_numbers,
    parameter_names,
    weights,
    with_parameters,
)
from gradcli.shared.pytree import leaves, map_leaves

# JAX moved it out of `experimental`.
_double_precision = jax.enable_x64 if hasattr(jax, "enable_x64") else jax.experimental.enable_x64


def adapted(thing: Any) -> AdaptedObject | None:
    """A function with JAX's gradient of it, which a custom rule decides where there is one; None for anything else.

    A function without a rule takes JAX's arrays if a parameter is annotated so. JAX computes in float64 meanwhile, in
    which differences have digits to judge by.
    """
    if isinstance(thing, (jax.custom_vjp, jax.custom_jvp)):
        return _adapted("a function of JAX's with a rule of its own", "rule", thing, thing.fun)
    if isinstance(thing, FunctionType) and any(map(_is_array_type, thing.__annotations__.values())):
        return _adapted("a function of JAX's", "jax.grad", thing, thing)
    return None


def _is_array_type(annotation: Any) -> bool:
    return annotation is jax.Array or annotation in ("jax.Array", "jnp.ndarray", "Array")


def _adapted(kind: str, name: str, function: Callable[..., Any], source: Callable[..., Any]) -> AdaptedObject:
    names = parameter_names(source)

    def total(*inputs: Any) -> Any:
        parts = [jax.numpy.ravel(part) for part in jax.tree_util.tree_leaves(function(*inputs))]
        numbers = jax.numpy.concatenate(parts)
        return numbers @ weights(len(numbers)).astype(numbers.dtype)

    def value(*inputs: Any) -> Any:
        with _double_precision(True):
            return np.asarray(total(*inputs))[()]

    def gradient(*inputs: Any) -> Any:
        floats = tuple(n for n, x in enumerate(inputs) if all(np.asarray(leaf).dtype.kind == "f" for leaf in leaves(x)))
        with _double_precision(True):
            slopes = iter(map_leaves(np.asarray, jax.grad(total, argnums=floats)(*inputs)))
        by_input = tuple(next(slopes) if n in floats else None for n in range(len(inputs)))
        return by_input[0] if len(by_input) == 1 else by_input

    def hessian(*inputs: Any) -> Any:
        with _double_precision(True):
            numbers, restored = jax.flatten_util.ravel_pytree(inputs)
            slopes = jax.grad(lambda numbers: total(*restored(numbers)))
            return np.asarray(jax.jacrev(slopes)(numbers))

    derivatives = {
        "gradient": BroughtDerivative(name, with_parameters(gradient, names)),
        "hessian": BroughtDerivative(name, with_parameters(hessian, names)),
    }
    note = f"it is {kind}, whose gradient is checked; {SUMMED}"
    return AdaptedObject(with_parameters(of_plain_numbers("JAX", value), names), derivatives, source, note)
