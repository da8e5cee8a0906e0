"""Array programs on a GPU, compared with the CPU; each call waits for the device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import gradcli
from benchmarks.timing import Call, medians
from benchmarks.workloads import Workload

ON_GPU = "gradcli, GPU"
ON_CPU = "gradcli, CPU"
FUNCTION = "the function alone, GPU"


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


def insist(found: dict[str, Call]) -> None:
    """Raise if the two gradients differ by more than rounding."""
    (value, gradient), (expected, expected_gradient) = found[ON_GPU](), found[ON_CPU]()
    for got, wanted in zip((value, *gradient), (expected, *expected_gradient), strict=True):
        np.testing.assert_allclose(got.get(), wanted, rtol=1e-9, atol=1e-12)


def measured(make: Callable[[int], Workload], size: int) -> Callable[..., dict[str, float]]:
    """A measurement of a program on a device."""

    def measure(effort: Any) -> dict[str, float]:
        timed = calls(make(effort.sized(size)))
        insist(timed)
        return medians(timed, effort.repeats, effort.slice_s)

    return measure
