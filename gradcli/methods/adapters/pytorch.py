"""PyTorch: custom operations (`torch.autograd.Function`), modules, and functions of tensors."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import FunctionType
from typing import Any

import numpy as np
import torch

from gradcli.methods.adapters.adapted_object import (
    NO_DEFAULTS,
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

    A custom operation is judged by its own `backward`, whose cotangents are the weights of `weights`, and by its `jvp`
    if it has one. Inputs become tensors of their dtype. A module is judged as a copy in float64, in which differences
    have digits to judge by; its parameters are inputs too, with their values as defaults. A function takes tensors if a
    parameter is annotated so.
    """
    if isinstance(thing, type) and issubclass(thing, torch.autograd.Function):
        return _custom(thing)
    if isinstance(thing, torch.nn.Module):
        return _module(copy.deepcopy(thing).double(), type(thing).forward)
    if isinstance(thing, FunctionType) and any(map(_is_tensor_type, thing.__annotations__.values())):
        return _adapted("a function of PyTorch's", "autograd", _Operation(thing), parameter_names(thing), thing)
    return None


def _custom(custom: Any) -> AdaptedObject:
    takes_context = custom.setup_context is torch.autograd.Function.setup_context
    names = parameter_names(custom.forward, after=int(takes_context))
    operation = _Operation(custom.apply)
    made = _adapted("a custom operation of PyTorch", "backward", operation, names, custom.forward)
    if custom.jvp is torch.autograd.Function.jvp:
        return made
    jacobian = BroughtDerivative("jvp", with_parameters(operation.jacobian, names))
    return made.changed(derivatives={**made.derivatives, "jacobian": jacobian})


def _module(module: torch.nn.Module, source: Function) -> AdaptedObject:
    """A module as a function of its inputs and its parameters."""
    names = parameter_names(module.forward)
    own = {_identifier(name, names): (name, x) for name, x in module.named_parameters()}

    def apply(*inputs: Any) -> Any:
        given = inputs[len(names) :]
        held = {name: x for (name, _), x in zip(own.values(), given, strict=True)}
        return torch.func.functional_call(module, held, inputs[: len(names)])

    kind = "a module of PyTorch, taken as a copy in float64"
    defaults = {name: x.detach().cpu().numpy() for name, (_, x) in own.items()}
    operation = _Operation(apply, torch.float64, [*defaults.values()])
    return _adapted(kind, "autograd", operation, names, source, defaults)


def _identifier(name: str, taken: Sequence[str]) -> str:
    """The name of a parameter of a module, such as `0.weight`, as that of an input."""
    plain = re.sub(r"\W", "_", name)
    plain = f"layer{plain}" if plain[0].isdigit() else plain
    return f"{plain}_" if plain in taken else plain


def _is_tensor_type(annotation: Any) -> bool:
    return annotation is torch.Tensor or annotation in ("torch.Tensor", "Tensor")


def _adapted(
    kind: str,
    name: str,
    operation: _Operation,
    names: Sequence[str],
    source: Function,
    defaults: Mapping[str, Any] = NO_DEFAULTS,
) -> AdaptedObject:
    def named(function: Function) -> Function:
        """The function of the inputs, in the places of the defaults that a call does not give."""

        def with_defaults(*inputs: Any) -> Any:
            return function(*inputs, *[*defaults.values()][len(inputs) - len(names) :])

        return with_parameters(with_defaults, names, defaults)

    derivatives = {
        "gradient": BroughtDerivative(name, named(operation.gradient)),
        "hessian": BroughtDerivative(name, named(operation.hessian)),
    }
    note = f"it is {kind}, whose {name} is checked; {SUMMED}"
    return AdaptedObject(named(of_plain_numbers("PyTorch", operation.value)), derivatives, source, note)


class _Operation:
    """An operation of tensors as functions of plain numbers.

    Args:
        apply: takes and returns tensors.
        dtype: the dtype of its inputs; None for that of the numbers.
        defaults: the values of inputs that need not be given. An input that is one of these is not differentiated by.
    """

    def __init__(
        self, apply: Callable[..., Any], dtype: torch.dtype | None = None, defaults: Sequence[Any] = ()
    ) -> None:
        self.apply = apply
        self.dtype = dtype
        self.defaults = defaults

    def value(self, *inputs: Any) -> Any:
        """The weighted sum of the numbers of the result."""
        with torch.no_grad():
            return self._total(map_leaves(self._tensor, inputs)).numpy()[()]

    def gradient(self, *inputs: Any) -> Any:
        """The gradient of the sum, in the structure of the inputs; None for what is no float."""
        variables = map_leaves(self._variable, inputs)
        given = _variables(variables)
        slopes = torch.autograd.grad(self._total(variables), given, allow_unused=True)
        arrays = (_filled(slope, x).detach().cpu().numpy() for slope, x in zip(slopes, given, strict=True))
        by_input = map_leaves(lambda x: next(arrays) if _is_variable(x) else None, variables)
        asked = tuple(slope for slope, x in zip(by_input, inputs, strict=True) if not self._is_default(x))
        return asked[0] if len(asked) == 1 else asked

    def hessian(self, *inputs: Any) -> Any:
        """The second derivatives of the sum by all numbers of the inputs, a row each."""
        variables = map_leaves(self._variable, inputs)
        given = _variables(variables)
        slopes = torch.autograd.grad(self._total(variables), given, allow_unused=True, create_graph=True)
        numbers = torch.cat([_filled(slope, x).reshape(-1) for slope, x in zip(slopes, given, strict=True)])
        return np.stack([torch.cat(list(_row(number, given))).numpy() for number in numbers])

    def jacobian(self, *inputs: Any) -> Any:
        """The derivative of the sum by all numbers of the inputs, one by one, by the operation's `jvp`."""
        tensors = map_leaves(self._tensor, inputs)
        slopes = [
            self._along(tensors, direction) for direction in _units(list(filter(_is_float, leaves(list(tensors)))))
        ]
        return np.array([slopes])

    def _along(self, tensors: Any, direction: Sequence[torch.Tensor]) -> float:
        forward = torch.autograd.forward_ad
        with forward.dual_level():
            tangents = iter(direction)
            moved = map_leaves(lambda x: forward.make_dual(x, next(tangents)) if _is_float(x) else x, tensors)
            tangent = forward.unpack_dual(self._total(moved)).tangent
            return 0.0 if tangent is None else float(tangent)

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
        return tensor.requires_grad_() if _is_float(tensor) and not self._is_default(x) else tensor

    def _is_default(self, x: Any) -> bool:
        return any(x is default for default in self.defaults)


def _is_float(x: Any) -> bool:
    return isinstance(x, torch.Tensor) and x.is_floating_point()


def _is_variable(x: Any) -> bool:
    return isinstance(x, torch.Tensor) and x.requires_grad


def _variables(inputs: Any) -> list[torch.Tensor]:
    return [x for x in leaves(list(inputs)) if _is_variable(x)]


def _units(given: Sequence[torch.Tensor]) -> Iterator[list[torch.Tensor]]:
    """Yield a tangent of all tensors for each of their numbers."""
    for n, x in enumerate(given):
        for unit in torch.eye(x.numel(), dtype=x.dtype, device=x.device):
            yield [unit.reshape(x.shape) if n == k else torch.zeros_like(y) for k, y in enumerate(given)]


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
