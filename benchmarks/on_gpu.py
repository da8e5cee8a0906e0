"""`python -m benchmarks --gpu`: array programs on a GPU, beside PyTorch and JAX on the same card.

Each program runs at a size that fills a card, with all data there; each call waits for the device. The gradient is
compared with that of the host before anything is timed. Minutes on one card.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any
from unittest.mock import patch

import numpy as np

import gradcli
from benchmarks.timing import Call, medians
from benchmarks.workloads import Workload
from gradcli.shared import devices

ON_GPU = "gradcli, GPU"
ON_CPU = "gradcli, CPU"
FUNCTION = "the function alone, GPU"
TORCH = "torch, GPU"
JAX = "jax jit, GPU"
LARGEST_ON_HOST = 3e7  # numbers; larger programs are not timed on the host, where one gradient takes seconds


def why_not() -> str | None:
    """The reason why a GPU cannot be measured here, or None."""
    try:
        gradcli.device("gpu")
    except gradcli.GradcliError as error:
        return error.message
    return None


def calls(work: Workload) -> dict[str, Call]:
    """The gradient on the device, with all data there; the gradient on the host; and the function on the device."""
    import cupy

    def there(arrays: tuple[Any, ...]) -> list[Any]:
        return [cupy.asarray(array) for array in arrays]

    def waiting(call: Callable[..., Any], point: list[Any]) -> Call:
        def waited() -> Any:
            result = call(*point)
            cupy.cuda.Device().synchronize()
            return result

        return waited

    everything, point = tuple(range(len(work.point))), there(work.point)
    function = work.program(np, *there(work.data))
    on_host = gradcli.value_and_grad(work.program(np, *work.data), everything)
    return {
        ON_GPU: waiting(gradcli.value_and_grad(function, everything), point),
        ON_CPU: lambda: on_host(*work.point),
        FUNCTION: waiting(function, point),
    }


def insist(calls: dict[str, Call]) -> None:
    """Raise if the two gradients differ by more than rounding."""
    (value, gradient), (expected, expected_gradient) = calls[ON_GPU](), calls[ON_CPU]()
    for got, wanted in zip((value, *gradient), (expected, *expected_gradient), strict=True):
        np.testing.assert_allclose(got.get(), wanted, rtol=1e-9, atol=1e-12)


def measured(make: Callable[[int], Workload], size: int) -> Callable[..., dict[str, float]]:
    """A measurement of a program on a device."""

    def measure(effort: Any) -> dict[str, float]:
        work = make(effort.sized(size))
        timed = calls(work)
        insist(timed)
        if sum(np.size(array) for array in (*work.data, *work.point)) > LARGEST_ON_HOST:
            del timed[ON_CPU]
        return medians({**timed, **neighbours(work)}, effort.repeats, effort.slice_s)

    return measure


def neighbours(work: Workload) -> dict[str, Call]:
    """The same gradient by the libraries that are installed and find the card."""
    return {**(with_torch(work) if find_spec("torch") else {}), **(with_jax(work) if find_spec("jax") else {})}


def with_torch(work: Workload) -> dict[str, Call]:
    """PyTorch in eager mode; no call where it finds no card."""
    import torch

    from benchmarks.neighbours.with_torch import NAMESPACE

    if not torch.cuda.is_available():
        return {}
    program = work.function(NAMESPACE, [torch.tensor(array, device="cuda") for array in work.data])
    leaves = [torch.tensor(array, device="cuda", requires_grad=True) for array in work.point]

    def gradient() -> Any:
        gradient = torch.autograd.grad(program(*leaves), leaves)
        torch.cuda.synchronize()
        return gradient

    return {TORCH: gradient}


def with_jax(work: Workload) -> dict[str, Call]:
    """JAX, compiled; no call where it finds no card, or for a loop that takes minutes to compile."""
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # it would take most of the card's memory
    import jax

    jax.config.update("jax_enable_x64", True)
    if work.unwritten or jax.default_backend() != "gpu":
        return {}
    function = work.program(jax.numpy, *map(jax.numpy.asarray, work.data))
    gradient = jax.jit(jax.value_and_grad(function, tuple(range(len(work.point)))))
    point = [jax.numpy.asarray(number) for number in work.point]
    return {JAX: lambda: jax.block_until_ready(gradient(*point))}


def copies(make: Callable[[int], Workload], size: int) -> Callable[..., dict[str, float]]:
    """The number of copies between host and device in one gradient, with all data on the device."""

    def measure(effort: Any) -> dict[str, float]:
        gradient = calls(make(effort.sized(size)))[ON_GPU]
        with (
            patch.object(devices, "on_gpu", side_effect=devices.on_gpu) as there,
            patch.object(devices, "to_host", side_effect=devices.to_host) as back,
        ):
            gradient()
        arrays_back = [call for call in back.call_args_list if devices.on_device(call.args[0])]
        return {ON_GPU: there.call_count + len(arrays_back)}

    return measure
