"""PyTorch: custom operations (`torch.autograd.Function`), modules, and functions of tensors."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from types import FunctionType
from typing import Any

import numpy as np
import torch

from gradcli.methods.adapters.adapted_object import (
    SUMMED,
    AdaptedObject,
    BroughtDerivative,
    Function,
    of_plain_numbers,
    parameter_names,
    weights,
    with_parameters,
)
from gradcli.shared.pytree import leaves, map_leaves


def adapted(thing: Any) -> AdaptedObject | None:
    """A custom operation, a module or a function of tensors with PyTorch's gradient of it; None for anything else.

    A custom operation is judged by its own `backward`, whose cotangents are the weights of `weights`. Inputs become
    tensors of their dtype. A module is judged as a copy in float64, in which differences have digits to judge by. A
    function takes tensors if a parameter is annotated so.
    """
    if isinstance(thing, type) and issubclass(thing, torch.autograd.Function):
        custom: Any = thing
        takes_context = custom.setup_context is torch.autograd.Function.setup_context
        names = parameter_names(custom.forward, after=int(takes_context))
        return _adapted("a custom operation of PyTorch", "backward", _Operation(custom.apply), names, custom.forward)
    if isinstance(thing, torch.nn.Module):
        exact, names = copy.deepcopy(thing).double(), parameter_names(thing.forward)
        kind = "a module of PyTorch, taken as a copy in float64"
        return _adapted(kind, "autograd", _Operation(exact, torch.float64), names, type(thing).forward)
    if isinstance(thing, FunctionType) and any(map(_is_tensor_type, thing.__annotations__.values())):
        return _adapted("a function of PyTorch's", "autograd", _Operation(thing), parameter_names(thing), thing)
    return None


def _is_tensor_type(annotation: Any) -> bool:
    return annotation is torch.Tensor or annotation in ("torch.Tensor", "Tensor")


def _adapted(kind: str, name: str, operation: _Operation, names: Sequence[str], source: Function) -> AdaptedObject:
    derivatives = {
        "gradient": BroughtDerivative(name, with_parameters(operation.gradient, names)),
        "hessian": BroughtDerivative(name, with_parameters(operation.hessian, names)),
    }
    note = f"it is {kind}, whose {name} is checked; {SUMMED}"
    return AdaptedObject(
        with_parameters(of_plain_numbers("PyTorch", operation.value), names), derivatives, source, note
    )


class _Operation:
    """An operation of tensors as functions of plain numbers.

    Args:
        apply: takes and returns tensors.
        dtype: the dtype of its inputs; None for that of the numbers.
    """

    def __init__(self, apply: Callable[..., Any], dtype: torch.dtype | None = None) -> None:
        self.apply = apply
        self.dtype = dtype

    def value(self, *inputs: Any) -> Any:
        """The weighted sum of the numbers of the result."""
        with torch.no_grad():
            return self._total(map_leaves(self._tensor, inputs)).numpy()[()]

    def gradient(self, *inputs: Any) -> Any:
        """The gradient of the sum, in the structure of the inputs; None for what is no float."""
        variables = map_leaves(self._variable, inputs)
        given = _float_tensors(variables)
        slopes = torch.autograd.grad(self._total(variables), given, allow_unused=True)
        arrays = (_filled(slope, x).detach().cpu().numpy() for slope, x in zip(slopes, given, strict=True))
        by_input = map_leaves(lambda x: next(arrays) if _is_float(x) else None, variables)
        return by_input[0] if len(by_input) == 1 else by_input

    def hessian(self, *inputs: Any) -> Any:
        """The second derivatives of the sum by all numbers of the inputs, a row each."""
        variables = map_leaves(self._variable, inputs)
        given = _float_tensors(variables)
        slopes = torch.autograd.grad(self._total(variables), given, allow_unused=True, create_graph=True)
        numbers = torch.cat([_filled(slope, x).reshape(-1) for slope, x in zip(slopes, given, strict=True)])
        return np.stack([torch.cat(list(_row(number, given))).numpy() for number in numbers])

    def _total(self, inputs: Any) -> torch.Tensor:
        parts = [part.reshape(-1) for part in leaves(self.apply(*inputs)) if _is_float(part)]
        numbers = torch.cat(parts)
        return numbers @ torch.tensor(weights(len(numbers)), dtype=numbers.dtype, device=numbers.device)

    def _tensor(self, x: Any) -> Any:
        if not isinstance(x, (float, np.generic, np.ndarray)):
            return x
        tensor = torch.tensor(np.asarray(x))
        return tensor.to(self.dtype) if self.dtype is not None and tensor.is_floating_point() else tensor

    def _variable(self, x: Any) -> Any:
        tensor = self._tensor(x)
        return tensor.requires_grad_() if _is_float(tensor) else tensor


def _is_float(x: Any) -> bool:
    return isinstance(x, torch.Tensor) and x.is_floating_point()


def _float_tensors(variables: Any) -> list[torch.Tensor]:
    return [x for x in leaves(list(variables)) if _is_float(x)]


def _filled(slope: torch.Tensor | None, x: torch.Tensor) -> torch.Tensor:
    """A derivative, which PyTorch leaves out where the result does not depend on the input."""
    return torch.zeros_like(x) if slope is None else slope


def _row(number: torch.Tensor, given: list[torch.Tensor]) -> Iterator[torch.Tensor]:
    """Yield the derivatives of one number by each input."""
    slopes: Sequence[torch.Tensor | None] = [None] * len(given)
    if number.requires_grad:
        slopes = torch.autograd.grad(number, given, allow_unused=True, retain_graph=True)
    for slope, x in zip(slopes, given, strict=True):
        yield _filled(slope, x).detach().reshape(-1)
