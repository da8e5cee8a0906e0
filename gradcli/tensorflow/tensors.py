"""TensorFlow's eager tensors, with `constant` and `cast`."""

from __future__ import annotations

import linecache
import math
import operator
import sys
import warnings
from collections.abc import Iterable
from types import FrameType
from typing import Any

import numpy as np

from gradcli.engine.code.stack_frames import frames_of_ours
from gradcli.engine.tape.concretization_errors import leak
from gradcli.engine.tape.value import Value, plain_value
from gradcli.errors import FindingWarning, UsageError, with_article
from gradcli.methods.transforms.public_functions import library_call
from gradcli.shared import devices
from gradcli.shared.pytree import leaves, map_leaves
from gradcli.tensorflow.tape_scopes import live, recording

_MEANT = "use NumPy's functions on tensors, np.sin(x) and np.stack([x, y]), or write x.numpy() if that is intended"


_PARTS = frozenset(("T", "mT", "real", "imag"))
_METHODS = frozenset((
    "all", "any", "argmax", "argmin", "argsort", "astype", "choose", "clip", "compress", "conj", "conjugate", "copy",
    "cumprod", "cumsum", "diagonal", "dot", "flatten", "max", "mean", "min", "nonzero", "prod", "ravel", "repeat",
    "reshape", "round", "searchsorted", "squeeze", "std", "sum", "swapaxes", "take", "trace", "transpose", "var",
))  # fmt: skip


def _asks_for_number(frame: FrameType) -> bool:
    """Whether a frame calls `float(x)` or `math.isnan(x)` and the like, judged by its source if there is one.

    `math.sin(x)` asks for a float too, but computes with it.
    """
    places = list(frame.f_code.co_positions())
    line, _, column, _ = places[frame.f_lasti // 2]
    text = linecache.getline(frame.f_code.co_filename, line or 0).encode()
    return text[column or 0 :].startswith(_ASKING) if text else "float" in frame.f_code.co_names


_ASKING = (b"float(", b"math.is")


_Operators = np.lib.mixins.NDArrayOperatorsMixin


class Tensor(_Operators):
    """An array with a known value, shape and dtype that supports NumPy's functions and operators.

    `constant`, `cast` and every operation on tensors and variables return one.
    """

    __slots__ = ("_earlier", "_inner")
    __array_priority__ = 2000.0

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self._earlier: tuple[Any, ...] = ()  # its recorded values on other tapes, before it was watched separately

    def become(self, inner: Any) -> None:
        """Replace the inner value by another recorded value with the same numbers, which a tape watches."""
        if issubclass(type(self._inner), Value) and self._inner.tape is not inner.tape:
            kept = (self._inner, *self._earlier)
            self._earlier = tuple(
                earlier for earlier in kept if earlier.tape is not inner.tape and not earlier.tape.closed
            )
        self._inner = inner

    def _operand(self) -> Any:
        return live(self)

    def numpy(self) -> Any:
        """The values as a NumPy array or scalar, copied from the device if necessary."""
        value = plain_value(self._inner)
        return value.copy() if isinstance(value, np.ndarray) else devices.to_host(value)

    def __reduce__(self) -> Any:
        return Tensor, (plain_value(self._inner),)  # no derivative flows through a pickle

    def __copy__(self) -> Tensor:
        return self  # tensors are immutable

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        return self.__copy__()

    def stopped(self, name: str = "stop_gradient") -> Tensor:
        """The same values as a constant, through which no derivative flows."""
        return Tensor(devices.copied(plain_value(self._inner)))

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return tuple(np.shape(plain_value(self._inner)))

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype of the values."""
        value = plain_value(self._inner)
        return value.dtype if devices.on_device(value) else np.asarray(value).dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    def item(self) -> Any:
        """The single element as a Python number."""
        return self.numpy().item()

    def tolist(self) -> Any:
        """The values as nested lists of Python numbers."""
        return self.numpy().tolist()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        self._taken("an array of plain numbers")
        return np.array(plain_value(self._inner), dtype=dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if options.get("out") is not None:
            raise UsageError(
                f"np.{ufunc.__name__} of a tensor would be written into an array, by `out=` or in place",
                hint="Write `a = a * x` where it says `a *= x`: operations on tensors make new ones.",
            )
        return _wrapped(getattr(ufunc, method)(*map(_unwrapped, inputs), **options))

    # As in TensorFlow, `y += x` binds y to a new tensor; the mixin would write into the old one.
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
        """NumPy's non-mutating methods, and the attributes `T`, `mT`, `real` and `imag`."""
        if name in _PARTS:
            return _wrapped(getattr(self._operand(), name))
        if name not in _METHODS:
            hint = "NumPy's functions take tensors, and x.numpy() is an array"
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}; {hint}")
        method = getattr(self._operand(), name)
        return lambda *args, **options: _wrapped(
            method(*map(_unwrapped, args), **{key: _unwrapped(item) for key, item in options.items()})
        )

    def __iter__(self) -> Iterable[Any]:
        if not self.shape:
            raise TypeError("iteration over a tensor without axes")
        return (self[n] for n in range(len(self)))

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a tensor without axes has no len()")
        return self.shape[0]

    def __contains__(self, item: Any) -> bool:
        return bool(np.any(self == item))

    def __bool__(self) -> bool:
        return bool(self._operand())

    def __int__(self) -> int:
        return int(self._operand())

    def __index__(self) -> int:
        if self.dtype.kind not in "iu" or self.shape:
            raise TypeError(f"an index must be one integer, not a tensor of dtype {self.dtype} and shape {self.shape}")
        return operator.index(plain_value(self._inner))

    def __round__(self, digits: int | None = None) -> Any:
        if digits is None and not self.shape:
            return round(self._operand())
        return _wrapped(np.round(self._operand(), digits or 0))

    def __trunc__(self) -> int:
        return math.trunc(self._operand())  # type: ignore[no-any-return]

    def __floor__(self) -> int:
        return math.floor(self._operand())  # type: ignore[no-any-return]

    def __ceil__(self) -> int:
        return math.ceil(self._operand())  # type: ignore[no-any-return]

    def __complex__(self) -> complex:
        self._taken("a plain number")
        return complex(plain_value(self._inner))

    def __float__(self) -> float:
        if not _asks_for_number(sys._getframe(1)):
            self._taken("a plain number")
        return float(plain_value(self._inner))

    def _taken(self, made: str) -> None:
        """Warn if plain numbers leave a recording tape in a way that looks differentiable."""
        if recording.windows and not recording.paused and self._is_recorded():
            message = f"G402: a recorded tensor is converted to {made}, through which no derivative flows; {_MEANT}"
            warnings.warn(message, FindingWarning, stacklevel=frames_of_ours())

    def _is_recorded(self) -> bool:
        return issubclass(type(live(self)), Value)

    def __format__(self, spec: str) -> str:
        return format(plain_value(self._inner), spec)

    def __repr__(self) -> str:
        return f"<Tensor shape={self.shape} dtype={self.dtype} value={self.numpy()!r}>"

    def __str__(self) -> str:
        return f"Tensor({self.numpy()}, shape={self.shape}, dtype={self.dtype})"

    __hash__ = object.__hash__


def _unwrapped(x: Any) -> Any:
    """Replace tensors and variables, also within lists and tuples, by their inner values; anything else unchanged."""
    if isinstance(x, Tensor):
        return x._operand()
    if type(x) is slice:
        return slice(*(None if end is None else operator.index(end) for end in (x.start, x.stop, x.step)))
    return type(x)(map(_unwrapped, x)) if type(x) in (list, tuple) else x


def _wrapped(x: Any) -> Any:
    """Wrap arrays, numbers and recorded values as tensors, also within lists and tuples.

    In a function under a transform, a tensor is a constant, and results of tensors and recorded values are recorded
    there.
    """
    if x is NotImplemented or isinstance(x, Tensor) or x is None:
        return x
    if issubclass(type(x), Value) and x.tape is not recording.tape:
        return x
    return type(x)(map(_wrapped, x)) if type(x) in (list, tuple) else Tensor(x)


def array_of(value: Any, dtype: Any, shape: Any = None) -> Any:
    """`value` as a plain array or NumPy scalar on the chosen device. A single number is broadcast to `shape`."""
    array = new_array(plain_values(value), dtype)
    if shape is not None:
        shape = tuple(shape)
        if array.size != int(np.prod(shape)) and array.size != 1:
            raise UsageError(f"{array.size} numbers do not fill the shape {shape}", hint="Give as many, or one.")
        array = np.broadcast_to(array.reshape(()), shape).copy() if array.size == 1 else array.reshape(shape)
    return array[()] if array.ndim == 0 else array


def new_array(value: Any, dtype: Any = None) -> Any:
    """A new plain array, on the device of `value` or on the chosen device.

    Raises:
        UsageError: the value is not numeric, or the dtype cannot hold its numbers.
    """
    if devices.on_device(value):
        return value.copy() if dtype is None else value.astype(dtype)
    try:
        array = np.array(value)
        if array.dtype == object and dtype is not None:
            array = np.array(value, dtype)  # integers too long for NumPy's own types, and fractions
    except ValueError as error:
        raise UsageError(
            f"the value cannot be converted to an array: {error}", hint="Give lists of equal length."
        ) from None
    except (TypeError, OverflowError) as error:
        raise _no_such(dtype, error) from None
    if array.dtype == object:
        came = "None" if value is None else with_article(type(value).__name__)
        raise UsageError(f"a tensor consists of numbers, not {came}", hint="Give a number, an array or a list.")
    return devices.on_chosen_device(array if dtype is None else of_type(array, dtype))


def of_type(array: Any, dtype: Any) -> Any:
    """Convert an array to another dtype without loss of fractions or imaginary parts and without integer overflow.

    Raises:
        UsageError: there is no such dtype, or it cannot hold the numbers.
    """
    try:
        wanted = np.dtype(dtype)
        part = array.real if array.dtype.kind == "c" and wanted.kind in "iuf" else array
        with np.errstate(invalid="ignore"):
            made = part.astype(wanted, copy=False)
    except (TypeError, ValueError) as error:
        raise _no_such(dtype, error) from None
    narrower = part is not array or (wanted.kind in "iu" and array.dtype.kind in "iuf")
    if narrower and not bool((made == array).all() if wanted.kind in "iu" else (array.imag == 0).all()):
        raise UsageError(
            f"dtype {wanted} cannot hold these numbers of dtype {array.dtype}",
            hint=f"Write gradcli.cast(x, {str(wanted)!r}) to truncate them, or choose another dtype.",
        )
    return made


def _no_such(dtype: Any, error: Exception) -> UsageError:
    name = str(dtype) if isinstance(dtype, np.dtype) else repr(dtype)
    return UsageError(f"no array of the type {name} can be made of the value: {error}")


def plain_values(value: Any) -> Any:
    """`value` with its tensors replaced by plain numbers and arrays, in the same structure.

    Raises:
        DetachedError: `value` contains a value that a transform is recording.
    """
    return map_leaves(_plain, value)


def _plain(leaf: Any) -> Any:
    if issubclass(type(leaf), Value):
        leak(leaf, "gradcli.constant")
    return plain_value(leaf._inner) if isinstance(leaf, Tensor) else leaf


@library_call
def constant(value: Any, dtype: Any = None, shape: Any = None, name: str | None = None) -> Tensor:
    """Create a tensor that tapes do not watch unless asked to.

    Args:
        value: a number, an array, or nested lists of numbers; strings and booleans are allowed too.
        dtype: the NumPy dtype (default: the one NumPy infers).
        shape: the shape of the tensor; a single number is broadcast to it.
        name: accepted for compatibility with TensorFlow, and ignored.

    Raises:
        UsageError: the numbers do not fill the shape, or the dtype cannot hold them.
    """
    for leaf in leaves(value):
        if isinstance(leaf, Tensor):
            leaf._taken("a constant")
    return Tensor(array_of(value, dtype, shape))


@library_call
def cast(x: Any, dtype: Any) -> Tensor:
    """Convert `x` to a tensor of another dtype. Derivatives flow between floating-point types.

    Raises:
        UsageError: there is no such dtype, or the values cannot be converted to it.
    """
    inner = _unwrapped(x)
    array = inner if issubclass(type(inner), Value) or devices.on_device(inner) else new_array(inner)
    try:
        return Tensor(array.astype(np.dtype(dtype))[()])
    except (TypeError, ValueError) as error:
        raise _no_such(dtype, error) from None
