"""Recorded NumPy values: arrays and NumPy's own scalars, with the methods and operators of an array."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradcli.errors import UnsupportedError
from gradcli.rules.indexing import INDEX, PUT
from gradcli.rules.numpy_functions import FUNCTIONS
from gradcli.rules.shape import CAST
from gradcli.rules.table import RULES
from gradcli.tape.dispatch import apply_function, apply_ufunc, listed
from gradcli.tape.leak import leak
from gradcli.tape.tape import ARRAY_CONSTANT, Tape
from gradcli.tape.value import KINDS, Value, make, outcome, record


class Array(Value):
    """A recorded array, or a recorded NumPy scalar."""

    __slots__ = ()
    __array_priority__ = 1000.0

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return apply_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return apply_function(function, args, kwargs)

    # What only asks for shape or type records nothing.
    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return self.value.shape  # type: ignore[no-any-return]

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self.value.ndim  # type: ignore[no-any-return]

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return self.value.size  # type: ignore[no-any-return]

    @property
    def dtype(self) -> Any:
        """The type of the numbers."""
        return self.value.dtype

    def __len__(self) -> int:
        return len(self.value)

    def __iter__(self) -> Iterator[Any]:
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d array")
        return (self[n] for n in range(len(self)))

    def __contains__(self, item: Any) -> bool:
        return bool(np.any(self == item))

    def __getitem__(self, key: Any) -> Any:
        return record(INDEX, (self,), {"key": _plain_key(key)})

    def __setitem__(self, key: Any, item: Any) -> None:
        self.replace(record(PUT, (self, listed(item)), {"key": _plain_key(key)}))

    def replace(self, result: Any) -> Any:
        """Become `result`: what an in-place operation does; the value read before stays on the tape."""
        if np.shape(result) != self.shape:
            raise ValueError(f"cannot write a result of shape {np.shape(result)} into an array of shape {self.shape}")
        if result.dtype != self.dtype:
            result = record(CAST, (result,), {"dtype": self.dtype})
        self.index, self.value = result.index, result.value
        return self

    @property
    def T(self) -> Any:  # noqa: N802 - NumPy's name
        """The transpose."""
        return FUNCTIONS["transpose"](self)

    @property
    def real(self) -> Any:
        """The array itself: recorded values are real."""
        return self

    @property
    def flat(self) -> Iterator[Any]:
        """The numbers one by one."""
        return iter(self.ravel())

    def conjugate(self) -> Any:
        """The array itself: recorded values are real."""
        return self

    conj = conjugate

    def item(self, *args: Any) -> Any:
        """One number as a recorded Python float."""
        if args:
            return self.reshape(-1)[args[0] if len(args) == 1 else np.ravel_multi_index(args, self.shape)].item()
        return record(CAST, (self.reshape(()) if self.ndim else self,), {"dtype": float})

    def tolist(self) -> Any:
        """Nested lists of recorded Python floats."""
        return self.item() if self.ndim == 0 else [row.tolist() for row in self]

    def astype(self, dtype: Any, *_: Any, **__: Any) -> Any:
        """The array in another type; to integers or booleans it is an outcome."""
        dtype = np.dtype(dtype)
        if dtype == self.dtype:
            return self
        if dtype.kind not in "fc":
            return outcome("astype", lambda x: x.astype(dtype), self)
        return record(CAST, (self,), {"dtype": dtype})

    def copy(self, order: str = "C") -> Any:
        """A recorded array of its own, which writes to this one do not change."""
        return make_alias(self)

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self.copy()

    def flatten(self, order: str = "C") -> Any:
        """A copy with one axis."""
        return FUNCTIONS["ravel"](self, order)

    def reshape(self, *shape: Any, order: str = "C") -> Any:
        """The same numbers in another shape."""
        return FUNCTIONS["reshape"](self, shape[0] if len(shape) == 1 else shape, order)

    def transpose(self, *axes: Any) -> Any:
        """The axes in another order."""
        order = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        return FUNCTIONS["transpose"](self, order or None)

    def __array_wrap__(self, *_: Any) -> Any:
        leak(self, "numpy.array")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or not hasattr(self.value, name):
            raise AttributeError(f"{type(self.value).__name__!r} object has no attribute {name!r}")
        raise UnsupportedError(f"the array method or attribute .{name} has no derivative rule")


def make_alias(array: Array) -> Array:
    """Another handle for the same row."""
    handle: Array = make(Array, array.tape, array.value)
    handle.index = array.index
    return handle


def constant(tape: Tape, value: Any) -> Array:
    """A plain array on the tape, so that recorded values can be written into it."""
    handle: Array = make(Array, tape, value)
    tape.rows.append((ARRAY_CONSTANT, value))
    tape.has_arrays = True
    return handle


def _plain_key(key: Any) -> Any:
    """An index as NumPy takes it: recorded numbers in it are outcomes."""
    if isinstance(key, tuple):
        return tuple(map(_plain_key, key))
    if issubclass(type(key), Value):
        return outcome("index", lambda x: x, key)
    return np.asarray(key) if isinstance(key, list) else key


def _delegate(name: str) -> Callable[..., Any]:
    def method(self: Array, *args: Any, **kwargs: Any) -> Any:
        return getattr(np, name)(self, *args, **kwargs)

    method.__doc__ = f"`numpy.{name}` of this array."
    return method


def _ufunc_method(ufunc: Any, reflected: bool) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        if other is None or isinstance(other, (str, dict, set)):
            return NotImplemented
        return ufunc(other, self) if reflected else ufunc(self, other)

    return method


def _in_place(ufunc: Any) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        result = ufunc(self, other)
        return self.replace(result) if isinstance(self.value, np.ndarray) else result

    return method


_BINARY = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.divide, "mod": np.remainder,
    "pow": np.power, "floordiv": np.floor_divide, "matmul": np.matmul,
}  # fmt: skip
_COMPARISONS = {
    "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "eq": np.equal, "ne": np.not_equal,
}  # fmt: skip
_DELEGATED = (
    "sum", "mean", "prod", "max", "min", "dot", "ravel", "squeeze", "swapaxes", "take", "clip", "argmax", "argmin",
    "argsort", "all", "any", "nonzero",
)  # fmt: skip


def _install() -> None:
    for name, ufunc in _BINARY.items():
        setattr(Array, f"__{name}__", _ufunc_method(ufunc, reflected=False))
        setattr(Array, f"__r{name}__", _ufunc_method(ufunc, reflected=True))
        setattr(Array, f"__i{name}__", _in_place(ufunc))
    for name, ufunc in _COMPARISONS.items():
        setattr(Array, f"__{name}__", _ufunc_method(ufunc, reflected=False))
    for name, rule in (("neg", "neg"), ("pos", "pos"), ("abs", "abs")):
        setattr(Array, f"__{name}__", lambda self, rule=RULES[rule]: record(rule, (self,), {}))
    for name in _DELEGATED:
        setattr(Array, name, _delegate(name))
    Array.__hash__ = None  # type: ignore[assignment]
    Array.__name__ = "ndarray"  # so that the messages of Python's own errors are those of the plain run


_install()
KINDS[np.ndarray] = Array
KINDS[np.float64] = Array
KINDS[np.float32] = Array
