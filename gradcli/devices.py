"""Which library owns a value (Python, NumPy, CuPy), its namespace and its device: the one place that knows.

Nothing moves between host and device unasked.  `device("gpu")` is how a program asks: inside of it, points and the
constants that meet them are placed on the device; results stay there until `host` is called, which is done for display
alone.  Python's own numbers belong to no device and may meet arrays of any.
"""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ContextDecorator, nullcontext
from types import TracebackType
from typing import Any

import numpy as np

from gradcli.errors import DeviceError, DeviceMemoryError, MixedDevicesError, NoDeviceError, UnsupportedError

LIBRARIES = {"cupy": "CuPy"}  # of devices, by the name of the module
SPECIAL = {"cupy": "cupyx.scipy.special"}  # where their special functions are
INSTALL = "Install CuPy: pip install 'gradcli[cuda12]' (for CUDA 13: 'gradcli[cuda13]')."


class device(ContextDecorator):
    """A context in which points, and the constants that meet them, are placed on a device.

    Args:
        name: `"cpu"`, `"gpu"`, or `"gpu:1"` for another device than the first one.

    Raises:
        DeviceError: there is no such device, or CuPy, which drives it, is not installed.

    `with gradcli.device("gpu"): g = gradcli.grad(f)(x)` copies `x` to the device, records and sweeps there, and gives a
    CuPy array: `g.get()` copies it back.  Arrays of NumPy that the function uses are copied at each use; arrays that it
    creates are made on the device.  Python's numbers stay Python's, and are computed by Python.
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


class _Thread(threading.local):
    """The devices chosen in this thread, innermost last."""

    def __init__(self) -> None:
        self.chosen: list[device] = []


THREAD = _Thread()


def places() -> bool:
    """Whether a device other than the host is chosen in this thread."""
    chosen = THREAD.chosen
    return bool(chosen) and chosen[-1].number is not None


def _opened(number: int | None) -> Any:
    return nullcontext() if number is None else _cupy().cuda.Device(number)


def _number(name: str) -> int | None:
    """The number of a device by its name; None for the host."""
    if name == "cpu":
        return None
    kind, _, number = str(name).partition(":")
    if kind != "gpu" or (":" in str(name) and not number.isdecimal()):
        raise DeviceError(f"there is no device {name!r}", hint=f"The devices are {', '.join(names())}.")
    count = _count()
    if int(number or 0) >= count:
        found = "finds no device" if not count else f"finds {count}: {', '.join(names())}"
        raise (DeviceError if count else NoDeviceError)(
            f"there is no device {name!r}: CuPy {found}", hint="device='cpu' is what always runs."
        )
    return int(number or 0)


def names() -> list[str]:
    """The devices that may be chosen here; `gpu`, which stands for the first one, is always among them."""
    try:
        count = _count()
    except DeviceError:
        count = 0
    return ["cpu", "gpu", *(f"gpu:{number}" for number in range(count))]


def _count() -> int:
    """How many devices CuPy finds."""
    runtime = _cupy().cuda.runtime
    try:
        return int(runtime.getDeviceCount())
    except runtime.CUDARuntimeError as error:
        raise NoDeviceError(f"CuPy finds no device: {error}", hint="device='cpu' is what always runs.") from None


def _cupy() -> Any:
    """CuPy.

    Raises:
        NoDeviceError: it is not installed, or its libraries are not.
    """
    try:
        import cupy
    except ImportError as error:
        missing = isinstance(error, ModuleNotFoundError) and error.name == "cupy"
        why = "the GPU needs CuPy, which is not installed" if missing else f"CuPy cannot be imported: {error}"
        raise NoDeviceError(why, hint=INSTALL) from None
    return cupy


# Who owns a value


_owners: dict[type, str] = {}


def owner(x: Any) -> str:
    """The name of the module that owns a plain value: `numpy`, `cupy`, or `` for what is no array."""
    kind = type(x)
    found = _owners.get(kind)
    if found is None:
        found = _owners[kind] = _owner_of(kind)
    return found


def _owner_of(kind: type) -> str:
    if issubclass(kind, (np.ndarray, np.generic)):
        return "numpy"
    tops = (base.__module__.partition(".")[0] for base in kind.__mro__ if hasattr(base, "dtype"))
    return next((top for top in tops if top in LIBRARIES), "")


def on_device(x: Any) -> bool:
    """Whether a plain value is an array on a device."""
    return owner(x) in LIBRARIES


def is_array(x: Any) -> bool:
    """Whether a plain value is an array of any library, which can be written into; NumPy's scalars cannot."""
    return isinstance(x, np.ndarray) or on_device(x)


class Outside:
    """Where no run goes on: the tape says how, for code that gives plain numbers may have been lent names."""

    enter: Callable[[], AbstractContextManager[None]] = staticmethod(nullcontext)


def held(x: Any) -> Any:
    """The array that an object holds, recorded or not, such as a series of pandas' with its labels; else as it is."""
    kind = type(x)  # not what `isinstance` asks: a recorded array answers as a plain one
    if issubclass(kind, (np.ndarray, np.generic)) or hasattr(kind, "apply_rule") or not hasattr(kind, "__array__"):
        return x
    if hasattr(kind, "_operand") or on_device(x):  # a tensor of ours, or an array of a device
        return x
    with Outside.enter():
        return x.__array__()


def namespace(*values: Any) -> Any:
    """The module whose functions create arrays beside `values`, recorded or plain: CuPy where one is a CuPy array."""
    for value in values:
        if (name := owner(getattr(value, "_value", value))) in LIBRARIES:
            return sys.modules[name]
    return np


def special(values: Iterable[Any]) -> str | None:
    """The name of the module with the special functions for `values`, if one of them is on a device."""
    return next((SPECIAL[name] for name in map(owner, values) if name in SPECIAL), None)


# Moving


def placed(x: Any) -> Any:
    """A plain array or NumPy scalar on the device that is chosen, copied there if need be; anything else as it is."""
    return on_gpu(x) if places() and owner(x) == "numpy" and x.dtype.kind in "fiubc" else x


def on_gpu(x: Any) -> Any:
    """An array of NumPy's copied to the device.

    Raises:
        DeviceMemoryError: it does not fit.
    """
    try:
        return _cupy().asarray(x)
    except MemoryError as error:
        _explain_memory(error)
        raise


def beside(x: Any, value: Any) -> Any:
    """A list, a number or an array of the program's as an array where `value`, plain or recorded, is.

    Raises:
        MixedDevicesError: it is an array on the host, `value` is on a device, and none is chosen.
    """
    value = getattr(value, "_value", value)
    if is_array(x):
        x = placed(x) if on_device(value) else x
        refuse_mixture((x, value))
        return x
    made = np.array(x, dtype=None if np.size(x) else int)
    return on_gpu(made) if on_device(value) else made


def by_numpy(function: Callable[..., Any], *places: Any) -> Any:
    """What `function` makes of arrays of places, by NumPy on the host where the library of a device cannot."""
    try:
        return function(*places)
    except (TypeError, ValueError, AttributeError, NotImplementedError):
        if not any(map(on_device, places)):
            raise
    return on_gpu(function(*map(host, places)))


def spread(x: Any, value: Any) -> Any:
    """A plain number or array in the shape of `value`, and where it is."""
    if on_device(value) and not on_device(x):
        return np.full_like(value, x)
    return np.broadcast_to(x, np.shape(value))


def host(x: Any) -> Any:
    """A plain value on the host: the one way back from a device, which waits for it."""
    return x.get()[()] if on_device(x) else x


# What goes wrong


def described(x: Any) -> str:
    """An array by its library, its shape and its place, for messages."""
    library = LIBRARIES.get(owner(x), "NumPy")
    where = f"on the device gpu:{x.device.id}" if on_device(x) else "on the host"
    return f"a {library} array of shape {x.shape} {where}"


def refuse_mixture(values: Iterable[Any]) -> None:
    """Refuse arrays of the host and of a device together.

    Raises:
        MixedDevicesError: there are both among `values`.
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
            hint=f"Nothing moves unasked: {_way_out()}. `gradcli help devices` says more.",
        )


def _way_out() -> str:
    if places():
        return "only what meets a recorded value is copied; copy this one with gradcli.numpy.asarray(a)"
    return "copy it with cupy.asarray(a), or run inside `with gradcli.device('gpu'):`, where constants are copied"


def explain(error: Exception) -> None:
    """Say in our words what CuPy, or NumPy for it, raised; any other error is left as it is.

    Raises:
        DeviceMemoryError: the memory of the device ran out.
        MixedDevicesError: an array of a device met one of the host, or code that takes one of the host.
        UnsupportedError: CuPy has no such function, or the function no such option.
    """
    if isinstance(error, MemoryError):
        _explain_memory(error)
    elif isinstance(error, (TypeError, ValueError, AttributeError, NotImplementedError)):
        said = str(error)
        nearby = list(_nearby(error)) if any(words in said for words in REFUSALS) else []
        if any(map(on_device, nearby)):
            _explain_refusal(said, nearby)


def _explain_memory(error: MemoryError) -> None:
    if type(error).__module__.partition(".")[0] in LIBRARIES:
        hint = "Take fewer points at a time, or float32, or device='cpu'."
        raise DeviceMemoryError(f"the memory of the device is used up: {error}", hint=hint) from error


MIXING = ("Unsupported type", "incorrect type", "cannot be used for fill", "Implicit conversion", "can be joined")
REFUSALS = (*MIXING, "no implementation found", "unexpected keyword argument", "` is not supported yet")


def _explain_refusal(said: str, nearby: list[Any]) -> None:
    if found := re.search(r"no implementation found for '([\w.]+)'", said):
        raise UnsupportedError(f"CuPy has no {found[1]}", hint=ELSEWHERE)
    if found := re.search(
        r"(\w+)\(\) got an unexpected keyword argument '(\w+)'|`cupy_([\w.]+)` is not supported", said
    ):
        what = f"CuPy's {found[1]} takes no {found[2]}=" if found[1] else f"CuPy has no {found[3]}"
        raise UnsupportedError(what, hint=ELSEWHERE)
    if any(words in said for words in MIXING):
        array = described(next(filter(on_device, nearby)))
        if "Implicit conversion" in said:
            hint = "Use NumPy's functions on the array as it is, which run on the device, or copy it with a.get()."
            raise MixedDevicesError(f"{array} reaches code that takes an array on the host", hint=hint)
        if "gradcli" not in said:
            refuse_mixture(nearby)
        hint = "Use NumPy's function of the same name, which runs on the device."
        raise UnsupportedError(f"a function of CuPy's own is called with {array} that is recorded", hint=hint)


ELSEWHERE = "Spell it with functions that CuPy has, or run on the host: device='cpu'."


def _nearby(error: BaseException) -> Iterator[Any]:
    """The plain values among the local ones of the innermost frames of an error, innermost first.

    A frame that was looked into keeps what is in it, so this is for errors that are known to be a library's.
    """
    trace, frames = error.__traceback__, []
    while trace is not None:
        frames.append(trace.tb_frame)
        trace = trace.tb_next
    for frame in reversed(frames[-8:]):
        for value in list(frame.f_locals.values()):
            each = value if type(value) in (tuple, list) else (value,)
            yield from (getattr(x, "_value", x) for x in each)
