"""The test of a device: every case computed there and on the host, and what is particular to devices.

A case computes the value of a program, its gradient, a Jacobian-vector product and a second derivative. Two numbers
agree if they differ by at most TOLERANCE of the dtype, relative to the largest number of their array.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np

from gradcli.answers.selftest.device_behaviour import BEHAVIOUR
from gradcli.answers.selftest.device_cases import DeviceCase, cases
from gradcli.engine.running.muted_reruns import quiet
from gradcli.engine.traces.trace import record_trace
from gradcli.errors import GradcliError, NoDeviceError, UnsupportedError
from gradcli.mathematics.rules.function_registry import FUNCTIONS
from gradcli.methods.transforms.gradients import grad
from gradcli.methods.transforms.products import jvp
from gradcli.shared import devices
from gradcli.shared.devices import on_device, to_host
from gradcli.shared.float_errors import ignored_float_errors
from gradcli.shared.ignored_warnings import ignored_warnings
from gradcli.shared.records.checks import DeviceAnswer, DeviceTest

TOLERANCE = {"float64": 1e-9, "float32": 5e-3}  # devices add in another order, and decompose by other algorithms
PARTS = ("value", "gradient", "Jacobian-vector product", "second derivative")


def device_test(
    name: str = "gpu", every: int = 1, tell: Callable[[int, int], None] = lambda done, of: None
) -> DeviceTest:
    """Compute every case on a device and on the host, and compare.

    Args:
        name: the device.
        every: compute only each `every`-th case; what is particular to devices is tried in any case.
        tell: is called with the number of finished cases and the total.

    Returns:
        An answer for each case; no answer, with the reason, if there is no device. Minutes on a device, most of them
            spent compiling kernels.
    """
    begun = time.monotonic()
    try:
        device = devices.device(name)
    except NoDeviceError as error:
        return DeviceTest(name, (), error.message, 0.0)
    FUNCTIONS.complete()
    chosen = list(islice(cases(), 0, None, every))
    answers = []
    with quiet(), ignored_float_errors(), ignored_warnings():
        for number, case in enumerate(chosen, 1):
            answers.append(answer(case, device))
            tell(number, len(chosen))
        answers += [_behaved(text, behaves, device) for text, behaves in BEHAVIOUR.items()]
    kept = tuple(answer for answer in answers if answer is not None)
    return DeviceTest(name, kept, None, time.monotonic() - begun, devices.card(device))


def answer(case: DeviceCase, device: devices.device) -> DeviceAnswer | None:
    """Whether a case gives the same numbers on the device; None if the host does not take it either."""
    try:
        f = case.make()
    except ImportError as error:
        return DeviceAnswer(case.group, case.name, "absent", f"needs {error.name}, which is not installed")
    try:
        expected = derivatives(f, case.arrays)
    except Exception:  # NumPy refuses such arrays, or the rule has no second derivative
        return None
    made = DeviceAnswer(case.group, case.name, "agrees", "")
    try:
        with device:
            on_device_numbers = derivatives(f, case.arrays)
    except UnsupportedError as error:
        return made.changed(outcome="absent", reason=error.message)
    except Exception as error:
        return made.changed(outcome="differs", reason=f"raises {type(error).__name__}: {error}".splitlines()[0])
    for part, got, wanted in zip(_parts(len(case.arrays)), on_device_numbers, expected, strict=True):
        if why := difference(got, wanted):
            where = first_divergence(f, case.arrays, device) if part == PARTS[0] else ""
            return made.changed(outcome="differs", reason=f"{part}: {why}{where}")
    return made


def _parts(count: int) -> list[str]:
    value, gradient, tangent, second = PARTS
    return [value, *[gradient] * count, tangent, *[second] * count]


def derivatives(f: Callable[..., Any], arrays: tuple[Any, ...]) -> list[Any]:
    """The value of a program, its gradient, a Jacobian-vector product and a second derivative."""
    everything = tuple(range(len(arrays)))
    along = [np.cos(np.arange(float(x.size))).reshape(x.shape).astype(x.dtype) for x in arrays]
    value = record_trace(f, arrays, names=False).value
    gradient = grad(lambda *x: np.sum(np.sin(f(*x))), everything)
    twice = grad(lambda *x: sum(np.sum(part * part) for part in gradient(*x)), everything)
    return [value, *gradient(*arrays), jvp(f, arrays, along)[1], *twice(*arrays)]


def difference(result: Any, expected: Any) -> str:
    """How a number of the device differs from the host's; empty if it agrees."""
    if not on_device(result) and np.ndim(expected):
        return "the result is not on the device"
    result, expected = np.asarray(to_host(result)), np.asarray(expected)
    if (result.shape, result.dtype) != (expected.shape, expected.dtype):
        return f"{result.dtype} of shape {result.shape}, where the host has {expected.dtype} of shape {expected.shape}"
    finite = np.abs(expected[np.isfinite(expected)])
    allowed = TOLERANCE.get(str(expected.real.dtype), 0.0) * np.max(finite, initial=0.0)
    if np.allclose(result, expected, rtol=0.0, atol=allowed, equal_nan=True):
        return ""
    off = np.max(np.abs(result - expected), initial=0.0, where=np.isfinite(result) & np.isfinite(expected))
    return f"off by {off:.2g}, where {allowed:.2g} is allowed"


def first_divergence(f: Callable[..., Any], arrays: tuple[Any, ...], device: devices.device) -> str:
    """The first step of a run whose value differs on the device, as text."""
    host = record_trace(f, arrays, names=False).nodes
    with device:
        there = record_trace(f, arrays, names=False).nodes
    for ours, theirs in zip(host, there, strict=False):
        if ours.operation != theirs.operation or difference(theirs.value, ours.value):
            return f"; first at %{ours.index}, {ours.operation}"
    return ""


def _behaved(text: str, behaves: Callable[[devices.device], str], device: devices.device) -> DeviceAnswer:
    """Whether something particular to devices is as it should be."""
    try:
        reason = behaves(device)
    except GradcliError as error:
        reason = f"raises {type(error).__name__}: {error.message}"
    except Exception as error:
        reason = f"raises {type(error).__name__}: {error}".splitlines()[0]
    return DeviceAnswer("behaviour", text, "differs" if reason else "agrees", reason)
