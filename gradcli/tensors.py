"""TensorFlow's eager values: tensors that know their value, constants, casts, and variables that can be assigned."""

from __future__ import annotations

import itertools
import math
import sys
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from gradcli import arrays
from gradcli.errors import FindingWarning, UsageError
from gradcli.tape.frames import asks_for_number, frames_of_ours
from gradcli.tape.leak import leak
from gradcli.tape.structure import map_leaves
from gradcli.tape.value import Value, bare
from gradcli.windows import live, read, recording

_MEANT = "use NumPy's functions on tensors, np.sin(x) and np.stack([x, y]), or say x.numpy() where it is meant"


_PARTS = frozenset(("T", "mT", "real", "imag"))
_METHODS = frozenset((
    "all", "any", "argmax", "argmin", "argsort", "astype", "choose", "clip", "compress", "conj", "conjugate", "copy",
    "cumprod", "cumsum", "diagonal", "dot", "flatten", "max", "mean", "min", "nonzero", "prod", "ravel", "repeat",
    "reshape", "round", "searchsorted", "squeeze", "std", "sum", "swapaxes", "take", "trace", "transpose", "var",
))  # fmt: skip
_TO_ASSIGN = ("", "; x.assign(...) gives it another value")


_Operators = np.lib.mixins.NDArrayOperatorsMixin


class Tensor(_Operators):
    """An array that knows its value, its shape and its type, and follows NumPy's functions and operators.

    It is the result of `constant`, of `cast`, and of every operation on tensors and variables.
    """

    __slots__ = ("_inner",)
    __array_priority__ = 2000.0

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def _operand(self) -> Any:
        return live(self._inner)

    def numpy(self) -> Any:
        """The plain NumPy array or number."""
        value = bare(self._inner)
        return value.copy() if isinstance(value, np.ndarray) else arrays.host(value)

    def stopped(self, name: str = "stop_gradient") -> Tensor:
        """The same values as a constant: no derivative flows through it."""
        return Tensor(_copied(bare(self._inner)))

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return tuple(np.shape(bare(self._inner)))

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the numbers."""
        value = bare(self._inner)
        return value.dtype if arrays.on_device(value) else np.asarray(value).dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return math.prod(self.shape)

    def item(self) -> Any:
        """The one number, as a plain one."""
        return self.numpy().item()

    def tolist(self) -> Any:
        """The plain numbers in lists."""
        return self.numpy().tolist()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        self._taken("an array of plain numbers")
        return np.array(bare(self._inner), dtype=dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if options.get("out") is not None:
            raise UsageError(
                f"np.{ufunc.__name__} of a tensor was to be written into an array, by `out=` or in place",
                hint="Write `a = a * x` where it says `a *= x`: operations on tensors make new ones.",
            )
        return _wrapped(getattr(ufunc, method)(*map(_unwrapped, inputs), **options))

    # `y += x` gives y another tensor, as in TensorFlow, where the mixin would have it written into.
    __iadd__ = _Operators.__add__
    __isub__ = _Operators.__sub__
    __imul__ = _Operators.__mul__
    __imatmul__ = _Operators.__matmul__
    __itruediv__ = _Operators.__truediv__
    __ifloordiv__ = _Operators.__floordiv__
    __imod__ = _Operators.__mod__
    __ipow__ = _Operators.__pow__
    __iand__ = _Operators.__and__
    __ior__ = _Operators.__or__
    __ixor__ = _Operators.__xor__

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        return _wrapped(function(*map(_unwrapped, args), **{key: _unwrapped(item) for key, item in options.items()}))

    def __getitem__(self, key: Any) -> Any:
        return _wrapped(self._operand()[_unwrapped(key)])

    def __getattr__(self, name: str) -> Any:
        """The methods of an array that leave it as it is, and its parts."""
        if name in _PARTS:
            return _wrapped(getattr(self._operand(), name))
        if name not in _METHODS:
            hint = (
                f"; NumPy's functions take tensors, and x.numpy() is an array{_TO_ASSIGN[isinstance(self, Variable)]}"
            )
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{hint}")
        method = getattr(self._operand(), name)
        return lambda *args, **options: _wrapped(
            method(*map(_unwrapped, args), **{key: _unwrapped(item) for key, item in options.items()})
        )

    def __iter__(self) -> Iterable[Any]:
        if not self.shape:
            raise TypeError("iteration over a tensor without axes")
        return (self[n] for n in range(len(self)))

    def __len__(self) -> int:
        return len(bare(self._inner))

    def __bool__(self) -> bool:
        return bool(self._operand())

    def __int__(self) -> int:
        return int(self._operand())

    def __float__(self) -> float:
        if not asks_for_number(sys._getframe(1)):
            self._taken("a plain number")
        return float(bare(self._inner))

    def _taken(self, made: str) -> None:
        """Warn where the numbers leave a tape that records them, by a way that a program may think is followed."""
        if recording.windows and not recording.paused and self._is_recorded():
            message = f"G402: {made} is made of a tensor that is recorded, and no derivative flows through it; {_MEANT}"
            warnings.warn(message, FindingWarning, stacklevel=frames_of_ours())

    def _is_recorded(self) -> bool:
        return issubclass(type(live(self._inner)), Value)

    def __format__(self, spec: str) -> str:
        return format(bare(self._inner), spec) if spec else str(self)

    def __repr__(self) -> str:
        return f"<Tensor shape={self.shape} dtype={self.dtype} value={self.numpy()!r}>"

    def __str__(self) -> str:
        return f"Tensor({self.numpy()}, shape={self.shape}, dtype={self.dtype})"

    __hash__ = object.__hash__


def _unwrapped(x: Any) -> Any:
    """Tensors and variables as what they hold, also in lists and tuples; anything else as it is."""
    if isinstance(x, Tensor):
        return x._operand()
    return type(x)(map(_unwrapped, x)) if type(x) in (list, tuple) else x


def _wrapped(x: Any) -> Any:
    """Arrays, numbers and recorded values as tensors, also in lists and tuples.

    In a function that a transform differentiates a tensor is a constant, and what is made of both is recorded there.
    """
    if x is NotImplemented or isinstance(x, Tensor) or x is None:
        return x
    if issubclass(type(x), Value) and x.tape is not recording.tape:
        return x
    return type(x)(map(_wrapped, x)) if type(x) in (list, tuple) else Tensor(x)


def _array_of(value: Any, dtype: Any, shape: Any = None) -> Any:
    """A plain array or NumPy scalar of `value`, on the device that is chosen; a single number fills `shape`."""
    array = _array(plain_values(value), dtype)
    if shape is not None:
        shape = tuple(shape)
        if array.size != int(np.prod(shape)) and array.size != 1:
            raise UsageError(f"{array.size} numbers do not fill the shape {shape}", hint="Give as many, or one.")
        array = np.broadcast_to(array.reshape(()), shape).copy() if array.size == 1 else array.reshape(shape)
    return array[()] if array.ndim == 0 else array


def _array(value: Any, dtype: Any = None) -> Any:
    """A new plain array, where the numbers are already or on the device that is chosen.

    Raises:
        UsageError: no array of numbers can be made of the value.
    """
    if arrays.on_device(value):
        return value.copy() if dtype is None else value.astype(dtype)
    try:
        array = np.array(value, dtype=dtype)
    except ValueError as error:
        raise UsageError(f"no array can be made of the value: {error}", hint="Give lists of one length.") from None
    except TypeError as error:
        raise UsageError(f"no array of the type {dtype!r} can be made of the value: {error}") from None
    if array.dtype == object:
        came = "None" if value is None else f"a {type(value).__name__}"
        raise UsageError(f"a tensor is made of numbers, and {came} came", hint="Give a number, an array or a list.")
    return arrays.placed(array)


def _copied(value: Any) -> Any:
    return value.copy() if arrays.is_array(value) else value


def plain_values(value: Any) -> Any:
    """`value` without a tape: plain numbers and arrays in the same structure.

    Raises:
        DetachedError: a value that a transform records is among them.
    """
    return map_leaves(_plain, value)


def _plain(leaf: Any) -> Any:
    if issubclass(type(leaf), Value):
        leak(leaf, "gradcli.constant")
    return bare(leaf._inner) if isinstance(leaf, Tensor) else leaf


def constant(value: Any, dtype: Any = None, shape: Any = None) -> Tensor:
    """A tensor that no tape watches by itself.

    Args:
        value: a number, an array, or nested lists of numbers; strings and booleans are values too.
        dtype: NumPy's type of the numbers; by default the one NumPy gives them.
        shape: the shape to give them; a single number fills it.

    Raises:
        UsageError: the numbers do not fill the shape.
    """
    return Tensor(_array_of(value, dtype, shape))


def cast(x: Any, dtype: Any) -> Tensor:
    """`x` as a tensor of another type; the derivative flows between floats."""
    inner = _unwrapped(x)
    if issubclass(type(inner), Value):
        return Tensor(inner.astype(dtype))
    return Tensor((inner if arrays.on_device(inner) else np.asarray(inner)).astype(dtype)[()])


_numbers = itertools.count()


class Variable(Tensor):
    """A tensor whose value can be assigned, and which every open GradientTape watches when it is read.

    Args:
        initial_value: a number, an array or nested lists of numbers.
        trainable: False keeps tapes from watching it by themselves.
        name: a name for printing.
        dtype: NumPy's type of the numbers; integers, booleans, complex numbers and strings carry no derivative.
        shape: has to be the shape of the initial value.

    Raises:
        UsageError: the shape is another one.
    """

    __slots__ = ("name", "number", "trainable")

    def __init__(
        self, initial_value: Any, trainable: bool = True, name: str | None = None, dtype: Any = None, shape: Any = None
    ) -> None:
        value = _array_of(initial_value, dtype)
        if shape is not None and tuple(shape) != np.shape(value):
            raise UsageError(f"the initial value's shape {np.shape(value)} is not the given shape {tuple(shape)}")
        super().__init__(value)
        self.trainable = trainable
        self.number = next(_numbers)
        self.name = name or "Variable"

    def _operand(self) -> Any:
        return self._inner if recording.paused else read(self)

    def _in_place(self, other: Any) -> Any:
        """Refuse `v += x`.

        Raises:
            UsageError: always.
        """
        raise UsageError(
            f"the variable {self.name!r} was to be changed in place",
            hint="Write v.assign_add(x), v.assign_sub(x) or v.assign(v * x); or y = v * x for another tensor.",
        )

    def assign(self, value: Any) -> Variable:
        """Give the variable another value of the same shape; what was computed before keeps the old one."""
        new = arrays.beside(_array(plain_values(value)), self._inner).astype(self.dtype)
        if new.shape != self.shape:
            raise UsageError(f"a value of shape {new.shape} cannot be assigned to {self.name!r} of shape {self.shape}")
        self._inner = new[()] if new.ndim == 0 else new.copy()
        for window in recording.windows:
            window.forget(self)
        return self

    # In a loop `v += x` would be a tensor from then on, and the variable itself be left as it was.
    __iadd__ = __isub__ = __imul__ = __imatmul__ = __itruediv__ = __ifloordiv__ = __imod__ = __ipow__ = _in_place

    def assign_add(self, delta: Any) -> Variable:
        """Add to the value."""
        return self.assign(bare(self._inner) + plain_values(delta))

    def assign_sub(self, delta: Any) -> Variable:
        """Subtract from the value."""
        return self.assign(bare(self._inner) - plain_values(delta))

    def _is_recorded(self) -> bool:
        return any(window.watches(self) for window in recording.windows)

    def read_value(self) -> Tensor:
        """The value as a tensor, which later assignments do not change."""
        inner = self._operand()
        return Tensor(_copied(inner))

    def value(self) -> Tensor:
        """The same as `read_value`."""
        return self.read_value()

    def __repr__(self) -> str:
        return f"<Variable {self.name!r} shape={self.shape} dtype={self.dtype} value={self.numpy()!r}>"

    def __str__(self) -> str:
        return repr(self)
