"""TensorFlow: functions with a gradient of their own (`tf.custom_gradient`), and functions of tensors."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np
import tensorflow as tf

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


def adapted(thing: Any) -> AdaptedObject | None:
    """A custom gradient or a function of tensors with TensorFlow's gradient of it; None for anything else.

    Inputs become tensors of their dtype. A function takes tensors if a parameter is annotated so.
    """
    decorator = getattr(thing, "_tf_decorator", None)
    if getattr(decorator, "decorator_name", "") == "custom_gradient":
        return _adapted("a custom gradient of TensorFlow", "custom_gradient", thing, thing.__wrapped__)
    if isinstance(thing, FunctionType) and any(map(_is_tensor_type, thing.__annotations__.values())):
        return _adapted("a function of TensorFlow's", "GradientTape", thing, thing)
    return None


def _is_tensor_type(annotation: Any) -> bool:
    return annotation is tf.Tensor or annotation == "tf.Tensor"


def _adapted(kind: str, name: str, function: Callable[..., Any], source: Callable[..., Any]) -> AdaptedObject:
    names = parameter_names(source)
    operation = _Operation(function)
    derivatives = {
        "gradient": BroughtDerivative(name, with_parameters(operation.gradient, names)),
        "hessian": BroughtDerivative(name, with_parameters(operation.hessian, names)),
    }
    note = f"it is {kind}, whose gradient is checked; {SUMMED}"
    value = with_parameters(of_plain_numbers("TensorFlow", operation.value), names)
    return AdaptedObject(value, derivatives, source, note)


class _Operation:
    """An operation of tensors as functions of plain numbers."""

    def __init__(self, apply: Callable[..., Any]) -> None:
        self.apply = apply

    def value(self, *inputs: Any) -> Any:
        """The weighted sum of the numbers of the result."""
        return self._total(map_leaves(_tensor, inputs)).numpy()[()]

    def gradient(self, *inputs: Any) -> Any:
        """The gradient of the sum, in the structure of the inputs; None for what is no float."""
        tensors = map_leaves(_tensor, inputs)
        with tf.GradientTape() as tape:
            slopes = self._slopes(tensors, tape)
        remaining = iter(slopes)
        by_input = map_leaves(lambda x: next(remaining).numpy() if _is_float(x) else None, tensors)
        return by_input[0] if len(by_input) == 1 else by_input

    def hessian(self, *inputs: Any) -> Any:
        """The second derivatives of the sum by all numbers of the inputs, a row each."""
        tensors = map_leaves(_tensor, inputs)
        given = _floats(tensors)
        with tf.GradientTape(persistent=True) as outer:
            outer.watch(given)
            with tf.GradientTape() as tape:
                slopes = self._slopes(tensors, tape)
            numbers = tf.concat([tf.reshape(slope, [-1]) for slope in slopes], 0)
            separate = [numbers[n] for n in range(len(numbers))]
        rows = (outer.gradient(number, given, unconnected_gradients="zero") for number in separate)
        return np.stack([np.concatenate([np.ravel(part) for part in row]) for row in rows])

    def _slopes(self, tensors: Any, tape: Any) -> list[Any]:
        given = _floats(tensors)
        tape.watch(given)
        total = self._total(tensors)
        slopes: list[Any] = tape.gradient(total, given, unconnected_gradients="zero")
        return [tf.convert_to_tensor(slope) for slope in slopes]

    def _total(self, tensors: Any) -> Any:
        numbers = tf.concat([tf.reshape(part, [-1]) for part in tf.nest.flatten(self.apply(*tensors))], 0)
        return tf.tensordot(numbers, tf.constant(weights(len(numbers)), numbers.dtype), 1)


def _tensor(x: Any) -> Any:
    return tf.constant(np.asarray(x)) if isinstance(x, (float, np.generic, np.ndarray)) else x


def _is_float(x: Any) -> bool:
    return isinstance(x, tf.Tensor) and x.dtype.is_floating


def _floats(tensors: Any) -> list[Any]:
    return [x for x in leaves(list(tensors)) if _is_float(x)]
