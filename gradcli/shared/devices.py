"""Ownership of values by library (Python, NumPy, CuPy), their namespaces, and moves between host and device.

Nothing moves between host and device implicitly. Inside `device("gpu")`, points and the constants that meet them are
copied to the device; results stay there until `to_host` is called, which only display does. Python numbers belong to no
device and may meet arrays of any library.
"""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ContextDecorator, nullcontext
from types import TracebackType
from typing import Any

import numpy as np

from gradcli.errors import (
    DeviceError,
    DeviceMemoryError,
    MixedDevicesError,
    NoDeviceError,
    UnsupportedError,
    with_article,
)
from gradcli.run_stack import suspended

LIBRARIES = {"cupy": "CuPy"}  # array libraries of devices, by module name
SPECIAL = {"cupy": "cupyx.scipy.special"}  # the modules of their special functions
INSTALL = "Install CuPy: pip install 'gradcli[cuda12]' (for CUDA 13: 'gradcli[cuda13]')."


class device(ContextDecorator):
    """A context in which points, and the constants that meet them, are placed on a device.

    Args:
        name: `"cpu"`, `"gpu"` for the first GPU, or `"gpu:1"` for another one.

    Raises:
        DeviceError: there is no such device, or CuPy is not installed.

    `with gradcli.device("gpu"): g = gradcli.grad(f)(x)` copies `x` to the device, records and sweeps there, and returns
    a CuPy array; `g.get()` copies it back. NumPy arrays that the function uses are copied at each use, and arrays that
    it creates are created on the device. Python numbers are not moved, and Python computes with them.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.number = _number(name)

    def __enter__(self) -> device:
        self._opened = _opened(self.number)
        self._opened.__enter__()
        THREAD.chosen.append(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        THREAD.chosen.pop()
        self._opened.__exit__(kind, error, trace)

    def _recreate_cm(self) -> device:
        return device(self.name)

    def __repr__(self) -> str:
        return f"device({self.name!r})"


class _ChosenDevices(threading.local):
    """The stack of devices chosen in this thread, innermost last."""

    def __init__(self) -> None:
        self.chosen: list[device] = []


THREAD = _ChosenDevices()


def has_chosen_device() -> bool:
    """Whether this thread has chosen a device other than the host."""
    chosen = THREAD.chosen
    return bool(chosen) and chosen[-1].number is not None


def _opened(number: int | None) -> Any:
    return nullcontext() if number is None else library().cuda.Device(number)


def _number(name: str) -> int | None:
    """The index of the device called `name`; None for the host."""
    if name == "cpu":
        return None
    kind, _, number = str(name).partition(":")
    if kind != "gpu" or (":" in str(name) and not number.isdecimal()):
        raise DeviceError(f"there is no device {name!r}", hint=f"The devices are {', '.join(names())}.")
    count = _count()
    if int(number or 0) >= count:
        available = "finds no device" if not count else f"finds {count}: {', '.join(names())}"
        raise (DeviceError if count else NoDeviceError)(
            f"there is no device {name!r}: CuPy {available}", hint="device='cpu' is always available."
        )
    return int(number or 0)


def names() -> list[str]:
    """The names of the devices available here. `gpu`, the first GPU, is always among them."""
    try:
        count = _count()
    except DeviceError:
        count = 0
    return ["cpu", "gpu", *(f"gpu:{number}" for number in range(count))]


def _count() -> int:
    """The number of devices that CuPy finds."""
    runtime = library().cuda.runtime
    try:
        return int(runtime.getDeviceCount())
    except runtime.CUDARuntimeError as error:
        raise NoDeviceError(f"CuPy finds no device: {error}", hint="device='cpu' is always available.") from None


def library() -> Any:
    """CuPy, imported on first use.

    Raises:
        NoDeviceError: CuPy is not installed, or its libraries are missing.
    """
    try:
        import cupy
    except ImportError as error:
        missing = isinstance(error, ModuleNotFoundError) and error.name == "cupy"
        why = "the GPU needs CuPy, which is not installed" if missing else f"CuPy cannot be imported: {error}"
        raise NoDeviceError(why, hint=INSTALL) from None
    return cupy


# Owners of values


_owners: dict[type, str] = {}


def owner(x: Any) -> str:
    """The name of the module that owns a plain value: `numpy`, `cupy`, or empty if the value is not an array."""
    kind = type(x)
    known = _owners.get(kind)
    if known is None:
        known = _owners[kind] = _owner_of(kind)
    return known


def _owner_of(kind: type) -> str:
    if issubclass(kind, (np.ndarray, np.generic)):
        return "numpy"
    tops = (base.__module__.partition(".")[0] for base in kind.__mro__ if hasattr(base, "dtype"))
    return next((top for top in tops if top in LIBRARIES), "")


def on_device(x: Any) -> bool:
    """Whether a plain value is an array on a device."""
    return owner(x) in LIBRARIES


def is_array(x: Any) -> bool:
    """Whether a plain value is a writable array of any library. NumPy scalars are not."""
    return isinstance(x, np.ndarray) or on_device(x)


def copied(x: Any) -> Any:
    """A copy of an array; anything else unchanged."""
    return x.copy() if is_array(x) else x


def has_unit(x: Any) -> bool:
    """Whether an object is a unit of measurement or a number with one, as in pint. Its numbers alone mean less."""
    kind = type(x)
    return hasattr(kind, "dimensionality") or (hasattr(kind, "units") and hasattr(kind, "magnitude"))


def wrapped_array(x: Any) -> Any:
    """The array inside an object with `__array__`, such as a pandas Series; anything else unchanged.

    Raises:
        UnsupportedError: it has a unit, which would be lost.
    """
    kind = type(x)  # not `isinstance`, which takes a recorded array for a plain one
    if issubclass(kind, (np.ndarray, np.generic)) or hasattr(kind, "apply_rule") or not hasattr(kind, "__array__"):
        return x
    if hasattr(kind, "_operand") or on_device(x):  # a gradcli tensor, or an array on a device
        return x
    if has_unit(x):
        raise UnsupportedError(
            f"{with_article(kind.__name__)} has a unit, which would be lost here",
            hint="Use its number in a named unit, such as x.to('m').magnitude.",
        )
    if (held := recorded_under_labels(x)) is not x:
        return held
    with suspended():
        return x.__array__()


def recorded_under_labels(x: Any) -> Any:
    """The recorded array that a Series of pandas or a DataArray of xarray holds; anything else unchanged."""
    held = getattr(getattr(x, "array", x), "data", None)
    return held if hasattr(type(held), "apply_rule") else x


def namespace(*values: Any) -> Any:
    """The module that creates arrays like `values`, recorded or plain: CuPy if any is a CuPy array, else NumPy."""
    for value in values:
        if (name := owner(getattr(value, "_value", value))) in LIBRARIES:
            return sys.modules[name]
    return np


def special(values: Iterable[Any]) -> str | None:
    """The name of the module with the special functions for `values` if any of them is on a device, else None."""
    return next((SPECIAL[name] for name in map(owner, values) if name in SPECIAL), None)


# Moves


def on_chosen_device(x: Any) -> Any:
    """`x` on the chosen device: a NumPy array or scalar is copied if necessary, anything else is unchanged."""
    return on_gpu(x) if has_chosen_device() and owner(x) == "numpy" and x.dtype.kind in "fiubc" else x


def on_gpu(x: Any) -> Any:
    """Copy a NumPy array to the device.

    Raises:
        DeviceMemoryError: the array does not fit.
    """
    try:
        return library().asarray(x)
    except MemoryError as error:
        _explain_memory(error)
        raise


def array_on_device_of(x: Any, value: Any) -> Any:
    """Convert a list, number or array to an array on the device of `value`, which may be plain or recorded.

    Raises:
        MixedDevicesError: `x` is an array on the host, `value` is on a device, and no device is chosen.
    """
    value = getattr(value, "_value", value)
    if is_array(x):
        x = on_chosen_device(x) if on_device(value) else x
        refuse_mixture((x, value))
        return x
    made = np.array(x, dtype=None if np.size(x) else int)
    return on_gpu(made) if on_device(value) else made


def by_numpy(function: Callable[..., Any], *places: Any) -> Any:
    """Apply `function` to index arrays; on the host, with the result copied back, if the device's library cannot."""
    try:
        return function(*places)
    except (TypeError, ValueError, AttributeError, NotImplementedError):
        if not any(map(on_device, places)):
            raise
    return on_gpu(function(*map(to_host, places)))


def broadcast_like(x: Any, value: Any) -> Any:
    """A plain number or array broadcast to the shape of `value`, on its device."""
    if on_device(value) and not on_device(x):
        return np.full_like(value, x)
    return np.broadcast_to(x, np.shape(value))


def to_host(x: Any) -> Any:
    """Copy a plain value to the host, waiting for the device. Nothing else copies from a device."""
    return x.get()[()] if on_device(x) else x


# Errors


def described(x: Any) -> str:
    """The library, shape and device of an array, for messages."""
    library = LIBRARIES.get(owner(x), "NumPy")
    where = f"on the device gpu:{x.device.id}" if on_device(x) else "on the host"
    return f"a {library} array of shape {x.shape} {where}"


def refuse_mixture(values: Iterable[Any]) -> None:
    """Refuse to combine arrays of the host with arrays of a device.

    Raises:
        MixedDevicesError: `values` contains both.
    """
    hosts, devices = [], []
    for value in values:
        if on_device(value):
            devices.append(value)
        elif isinstance(value, np.ndarray):
            hosts.append(value)
    if hosts and devices:
        raise MixedDevicesError(
            f"{described(hosts[0])} meets {described(devices[0])} in one operation",
            hint=f"Arrays are not moved automatically: {_way_out()}. `gradcli help devices` says more.",
        )


def _way_out() -> str:
    if has_chosen_device():
        return "only arrays that meet a recorded value are copied; copy this one with gradcli.numpy.asarray(a)"
    return "copy it with cupy.asarray(a), or run inside `with gradcli.device('gpu'):`, where constants are copied"


def explain(error: Exception) -> None:
    """Translate an error of CuPy, or of NumPy on its behalf. Return for any other error.

    Raises:
        DeviceMemoryError: the device is out of memory.
        MixedDevicesError: an array on a device met an array on the host, or code that needs one on the host.
        UnsupportedError: CuPy lacks the function or the option.
    """
    if isinstance(error, MemoryError):
        _explain_memory(error)
    elif isinstance(error, (TypeError, ValueError, AttributeError, NotImplementedError)):
        message = str(error)
        nearby = list(_nearby(error)) if any(words in message for words in REFUSALS) else []
        if any(map(on_device, nearby)):
            _explain_refusal(message, nearby)


def _explain_memory(error: MemoryError) -> None:
    if type(error).__module__.partition(".")[0] in LIBRARIES:
        hint = "Take fewer points at a time, or float32, or device='cpu'."
        raise DeviceMemoryError(f"the device is out of memory: {error}", hint=hint) from error


MIXING = (
    "Unsupported type",
    "incorrect type",
    "cannot be used for fill",
    "Implicit conversion",
    "Only cupy arrays can",
)
REFUSALS = (*MIXING, "no implementation found", "unexpected keyword argument", "` is not supported yet")


def _explain_refusal(message: str, nearby: list[Any]) -> None:
    if match := re.search(r"no implementation found for '([\w.]+)'", message):
        raise UnsupportedError(f"CuPy has no {match[1]}", hint=ELSEWHERE)
    if match := re.search(
        r"(\w+)\(\) got an unexpected keyword argument '(\w+)'|`cupy_([\w.]+)` is not supported", message
    ):
        what = f"CuPy's {match[1]} takes no {match[2]}=" if match[1] else f"CuPy has no {match[3]}"
        raise UnsupportedError(what, hint=ELSEWHERE)
    if any(words in message for words in MIXING):
        array = described(next(filter(on_device, nearby)))
        if "Implicit conversion" in message:
            hint = "Use NumPy's functions on the array as it is, which run on the device, or copy it with a.get()."
            raise MixedDevicesError(f"{array} is passed to code that needs an array on the host", hint=hint)
        if "gradcli" not in message:
            refuse_mixture(nearby)
        hint = "Use NumPy's function of the same name, which runs on the device."
        raise UnsupportedError(f"a CuPy function is called with {array}, which is recorded", hint=hint)


ELSEWHERE = "Use functions that CuPy has, or run on the host: device='cpu'."


def _nearby(error: BaseException) -> Iterator[Any]:
    """Yield the plain values among the local variables of the innermost frames of an error, innermost first.

    Reading `f_locals` makes a frame keep its values alive, so this is only called for errors known to be a library's.
    """
    trace, frames = error.__traceback__, []
    while trace is not None:
        frames.append(trace.tb_frame)
        trace = trace.tb_next
    for frame in reversed(frames[-8:]):
        for value in list(frame.f_locals.values()):
            values = value if type(value) in (tuple, list) else (value,)
            yield from (getattr(x, "_value", x) for x in values)
