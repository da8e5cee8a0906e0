"""What is particular to devices: memory, streams, threads, arrays of two places, and the check itself.

Each function returns what is wrong, or an empty string.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.answers.checks.problem.compared_case import RunEnvironment
from gradcli.answers.selftest.array_mutants import made_wrong
from gradcli.answers.selftest.mutant_check import verdict
from gradcli.errors import DeviceMemoryError, GradcliError, MixedDevicesError
from gradcli.mathematics.rules.cumulative import CUMSUM
from gradcli.methods.transforms.gradients import grad
from gradcli.shared import devices

POINT = np.array([0.5, 1.0, 2.0])
HOST = np.array([3.0, 4.0, 5.0])
MIXING = "a_program_that_mixes.py"
TOO_LARGE = 2**42  # numbers: 32 TiB


def waves(x: Any) -> Any:
    """A program of some steps on arrays."""
    return np.sum(np.sin(x) * x + np.cumsum(np.exp(-x)))


def a_right_gradient_passes(device: devices.device) -> str:
    """The check of gradcli's own gradient, computed on the device."""
    outcome = verdict(waves, {"x": POINT}, RunEnvironment(device=device))
    return "" if outcome == "pass" else f"the verdict is {outcome}"


def a_wrong_gradient_fails(device: devices.device) -> str:
    """The same with a wrong rule."""
    with made_wrong(CUMSUM, "factor"):
        outcome = verdict(waves, {"x": POINT}, RunEnvironment(device=device))
    return "" if outcome == "fail" else f"the verdict is {outcome}"


def a_result_too_large_is_refused(device: devices.device) -> str:
    """Memory that no device has is asked for; the next gradient is right again."""
    try:
        with device:
            grad(lambda x: np.sum(np.exp(np.broadcast_to(x, (TOO_LARGE, 3)))))(POINT)
    except DeviceMemoryError:
        return _is_right(device)
    return "no error"


def arrays_of_two_places_are_refused_by_line(device: devices.device) -> str:
    """A host array meets a device array where no device is chosen."""
    program = eval(compile("lambda x: sum(x * HOST)", MIXING, "eval"), {"HOST": HOST})
    with device:
        there = devices.on_gpu(POINT)
    try:
        grad(program)(there)
    except MixedDevicesError as error:
        return "" if (error.file, error.line) == (MIXING, 1) else f"the error names {error.file}:{error.line}"
    return "no error"


def two_threads_agree(device: devices.device) -> str:
    """Gradients on one device in two threads at once."""
    answers: list[str] = []
    threads = [threading.Thread(target=lambda: answers.extend(_is_right(device) for _ in range(10))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return next(filter(None, answers), "" if len(answers) == 20 else "a thread ended early")


def two_streams_agree(device: devices.device) -> str:
    """Gradients in two streams by turns, each waited for at the end."""
    cuda = devices.library().cuda
    streams = [cuda.Stream(non_blocking=True) for _ in range(2)]
    with device:
        there = devices.on_gpu(POINT)
        cuda.Device().synchronize()
        gradients = []
        for turn in range(10):
            with streams[turn % 2]:
                gradients.append(grad(waves)(there))
        for stream in streams:
            stream.synchronize()
    return next(filter(None, map(_differs, gradients)), "")


def _is_right(device: devices.device) -> str:
    try:
        with device:
            gradient = grad(waves)(POINT)
    except GradcliError as error:
        return error.message
    return _differs(gradient)


def _differs(gradient: Any) -> str:
    expected = grad(waves)(POINT)
    return "" if np.allclose(devices.to_host(gradient), expected, rtol=1e-12) else "the gradient is wrong"


BEHAVIOUR: dict[str, Callable[[devices.device], str]] = {
    "check of a right gradient": a_right_gradient_passes,
    "check of a wrong gradient": a_wrong_gradient_fails,
    "a result too large for the device": a_result_too_large_is_refused,
    "host and device arrays in one operation": arrays_of_two_places_are_refused_by_line,
    "two threads": two_threads_agree,
    "two streams": two_streams_agree,
}
