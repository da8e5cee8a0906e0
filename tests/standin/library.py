"""The modules that stand in for CuPy's, by the names and the parameters that CuPy's functions have."""

import sys
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from tests.standin.array import KINDS, UFUNCS_AT, count, is_one, ndarray, unwrapped, wrapped
from tests.standin.refusals import refuse

__name__ = "cupy.standin.library"  # what is said of a program passes over these frames, as it does over CuPy's

TRUTHS = frozenset({"array_equal", "array_equiv", "allclose"})  # CuPy leaves their answer on the device


def _read():
    lines = Path(__file__).with_name("functions.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.partition(" ") for line in lines if not line.startswith("#"))
    return {name: parameters for name, _, parameters in pairs}


TABLE = _read()


def name_of(function):
    """The name of a NumPy function below the library's, where the library has one; else None."""
    inside = (function.__module__ or "numpy").partition(".")[2]
    name = f"{inside}.{function.__name__}" if inside else function.__name__
    return name if name in TABLE else None


def check(name, arguments, options):
    """Refuse what CuPy's function does not take.

    Raises:
        TypeError: an option that it has not, or too many arguments.
    """
    parameters = TABLE[name]
    if "**" in parameters or parameters in ("*", "ufunc"):
        return
    words = [word.strip() for word in parameters.split(",")]
    known = {word.rstrip("=").lstrip("*") for word in words}
    short = name.rpartition(".")[2]
    for option in options:
        if option not in known:
            raise TypeError(f"{short}() got an unexpected keyword argument {option!r}")
    positional = words[: next((n for n, word in enumerate(words) if word.startswith("*")), len(words))]
    if len(arguments) > len(positional) and not any(word.startswith("*") and word != "*" for word in words):
        raise TypeError(f"{short}() takes {len(positional)} positional arguments but {len(arguments)} were given")
    missing = [word for word in positional[len(arguments) :] if not word.endswith("=") and word not in options]
    if missing and "*operands" not in words:
        raise TypeError(f"{short}() missing required argument {missing[0]!r}")


def call(name, function, arguments, options):
    """A function of the library, computed by NumPy's."""
    check(name, arguments, options)
    refuse(name, arguments, options)
    if name == "where" and not hasattr(arguments[0], "astype"):
        raise AttributeError(f"{type(arguments[0]).__name__!r} object has no attribute 'astype'")
    if any(isinstance(x, list) for x in arguments[:1]) and any(not is_one(x) for x in arguments[0]):
        raise TypeError("Only cupy arrays can be concatenated")
    plain = [unwrapped(x) for x in arguments]
    with np.errstate(all="ignore"):
        try:
            result = function(*plain, **{key: unwrapped(x) for key, x in options.items()})
        except MemoryError as error:
            raise OutOfMemoryError(str(error)) from None
    held = [x for x in _flat(arguments) if is_one(x)]
    return ndarray(np.asarray(result)) if name in TRUTHS else wrapped(result, held)


def _flat(x):
    return [leaf for item in x for leaf in _flat(item)] if isinstance(x, (list, tuple)) else [x]


class Device:
    """A device by its number."""

    def __init__(self, number=0):
        self.id = number

    def synchronize(self):
        """Everything is done at once here."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


class Stream:
    """An order of work of its own; everything is done at once here."""

    def __init__(self, non_blocking=False):
        self.non_blocking = non_blocking

    def synchronize(self):
        """Everything is done at once here."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


class OutOfMemoryError(MemoryError):
    """What CuPy raises where the memory of the device runs out."""

    __module__ = "cupy.cuda.memory"


class CUDARuntimeError(RuntimeError):
    """What CuPy raises where there is no driver."""


def asarray(x, dtype=None, order=None):
    """An array on the device: the one way there."""
    if is_one(x):
        return x if dtype is None else x.astype(dtype, copy=False)
    held = np.array(x, dtype=dtype)
    if held.dtype.char not in KINDS:
        raise ValueError(f"Unsupported dtype {held.dtype}")
    count.uploads += 1
    return ndarray(held)


def array(x, dtype=None, copy=True):
    made = asarray(x, dtype)
    return made.copy() if copy and made is x else made


def _function(name):
    inside, _, short = name.rpartition(".")

    def function(*arguments, **options):
        if inside == "special":
            from scipy import special

            original = getattr(special, short)
        else:
            original = getattr(getattr(np, inside) if inside else np, short)
        return call(name, original, arguments, options)

    function.__name__ = short
    return function


class Ufunc:
    """A ufunc of the library's own."""

    def __init__(self, name):
        self.__name__ = name
        self.call = _function(name)

    def __call__(self, *arguments, **options):
        return self.call(*arguments, **options)

    def at(self, array, key, item):
        if self.__name__ not in UFUNCS_AT:
            raise NotImplementedError(f"`cupy_{self.__name__}.at` is not supported yet")
        getattr(np, self.__name__).at(unwrapped(array), unwrapped(key), unwrapped(item))


def modules():
    """The modules by the names under which programs import them."""
    cupy, cuda, runtime, memory = map(ModuleType, ("cupy", "cupy.cuda", "cupy.cuda.runtime", "cupy.cuda.memory"))
    cupyx, scipy, special = map(ModuleType, ("cupyx", "cupyx.scipy", "cupyx.scipy.special"))
    parts = {"": cupy, "linalg": ModuleType("cupy.linalg"), "fft": ModuleType("cupy.fft"), "special": special}
    for name in TABLE:
        inside, _, short = name.rpartition(".")
        made = Ufunc(name) if TABLE[name] == "ufunc" and not inside else _function(name)
        setattr(parts[inside], short, made)
    for module, names in (
        (cupy, {"ndarray": ndarray, "asarray": asarray, "array": array, "cuda": cuda}),
        (cupy, {"linalg": parts["linalg"], "fft": parts["fft"], "float64": np.float64, "float32": np.float32}),
        (cuda, {"runtime": runtime, "memory": memory, "Device": Device}),
        (cupy, {"__version__": "14.2.0"}),
        (cuda, {"Stream": Stream}),
        (runtime, {"getDeviceCount": lambda: 1, "CUDARuntimeError": CUDARuntimeError}),
        (runtime, {"getDeviceProperties": lambda number: {"name": b"stand-in"}}),
        (memory, {"OutOfMemoryError": OutOfMemoryError}),
        (cupyx, {"scipy": scipy}),
        (scipy, {"special": special}),
    ):
        vars(module).update(names)
    found = (cupy, cuda, runtime, memory, parts["linalg"], parts["fft"], cupyx, scipy, special)
    return {module.__name__: module for module in found}


_MODULES = modules()


@contextmanager
def installed():
    """The stand-in under CuPy's name, with one device."""
    with pytest.MonkeyPatch.context() as patch:
        for name, module in _MODULES.items():
            patch.setitem(sys.modules, name, module)
        yield _MODULES["cupy"]
