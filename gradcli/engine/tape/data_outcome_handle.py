"""Handles of data outcomes, which behave like the plain arrays and numbers behind them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from gradcli.engine.tape.tape import DataHandle, Tape, step_source
from gradcli.mathematics.rules.comparable_calls import Call, call_of
from gradcli.mathematics.rules.nondifferentiable import SHAPES
from gradcli.shared import devices


def carries_derivative(x: Any) -> bool:
    """Whether a value is recorded and is not a data outcome."""
    return type(x) is not DataOutcome and hasattr(type(x), "apply_rule")


def plain_numbers(x: Any) -> Any:
    """The numbers of a data outcome, which thereby become known to the program; anything else unchanged."""
    return x.tell() if type(x) is DataOutcome else x


def deep_plain(x: Any) -> Any:
    """Apply `plain_numbers` to a value and to the items of lists, tuples and dicts."""
    if type(x) in (list, tuple):
        items = [deep_plain(item) for item in x]
        return type(x)(items) if any(a is not b for a, b in zip(items, x, strict=True)) else x
    if type(x) is dict:
        return {key: deep_plain(item) for key, item in x.items()}
    return plain_numbers(x)


def _by_name(*given: Any) -> Any:
    """Call a function with its last arguments passed by name. The function and the names are given last."""
    *values, function, names = given
    count = len(values) - len(names)
    return function(*values[:count], **dict(zip(names, values[count:], strict=True)))


def called_by_name(function: Callable[..., Any], names: tuple[str, ...]) -> Callable[..., Any]:
    """A function of positional arguments that passes the last of them on under these names."""
    return Call(_by_name, (function, names)) if names else function


class DataOutcome(DataHandle):
    """A handle of plain numbers that a replay recomputes.

    The handle behaves like its numbers and tells them to the program where it must. They are stored as `_value`, which
    only recorded operations may read directly; any other reader calls `tell`.

    An array that is told may be written by the program, while rows keep the one they read: the program gets a copy.
    Handles of one memory are told together, so that their copies share memory as their arrays did.

    Attributes:
        tape: the tape of the run.
        number: the index of its step.
    """

    __slots__ = ("_sharing", "_value", "_view_of", "number", "tape")
    __array_priority__ = 1001.0

    def __init__(self, tape: Tape, number: int, data: Any) -> None:
        self.tape = tape
        self.number = number
        self._value = data
        self._sharing: list[DataOutcome] | None = [self]  # the handles of its memory, owner first; None once told
        self._view_of: tuple[DataOutcome, Callable[..., Any]] | None = None  # the handle it was read from, and how

    def become_view(self, whole: DataOutcome, read: Callable[..., Any]) -> None:
        """Become a view of another handle. If they are told, the arrays continue to share memory."""
        if whole._sharing is not None:
            self._sharing, self._view_of = whole._sharing, (whole, read)
            whole._sharing.append(self)

    def is_followed(self, tape: Tape) -> bool:
        """Whether operations on a tape may use it as data."""
        return self._sharing is not None and self.tape is tape and not tape.closed

    def tell(self) -> Any:
        """The plain numbers. The program knows them from then on, so a replay must find them unchanged."""
        if self._sharing is None or not isinstance(self._value, np.ndarray):
            self._note()
            return self._value
        for relative in self._sharing:
            relative._note()
            relative._value = (
                relative._value.copy() if relative._view_of is None else relative._read_again(*relative._view_of)
            )
            relative._sharing = None
        return self._value

    def for_row(self, tape: Tape) -> Any:
        """The array that a row stores: the value of its step, which identifies the step."""
        return self._value if self.is_followed(tape) else self.tell()

    def _read_again(self, whole: DataOutcome, read: Callable[..., Any]) -> Any:
        assert self.tape.run.data is not None
        step = self.tape.run.data.steps[self.number]
        pairs = zip(step.sources, step.operands, strict=True)
        return read(*(whole._value if source == step_source(whole.number) else x for source, x in pairs))

    def _note(self) -> None:
        if self.tape.run.data is not None and not self.tape.closed:
            self.tape.run.data.known.add(self.number)

    def _step(self, name: str, function: Callable[..., Any], *arguments: Any) -> Any:
        tape = self.tape
        if tape.run.data is None or tape.closed:
            return function(*map(plain_numbers, arguments))
        return tape.run.data.step(tape, name, function, arguments)

    def apply_rule(self, rule: Any, arguments: tuple[Any, ...], static: Mapping[str, Any]) -> Any:
        """Apply a rule to arguments that include this one: recorded if another argument is recorded, else as a step."""
        for x in arguments:
            if carries_derivative(x):
                return x.apply_rule(rule, arguments, static)
        if hasattr(rule, "forward"):
            static = {name: deep_plain(x) for name, x in static.items()}
            return self._step(rule.name, call_of(rule.forward, **static), *arguments)
        return self._step(rule.name, rule.on_arrays, *arguments)

    def apply_outcome(self, name: str, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Apply a function whose derivative is zero by declaration."""
        for x in arguments:
            if carries_derivative(x):
                return x.apply_outcome(name, function, arguments)
        return self._step(name, function, *arguments)

    def decides(self) -> None:
        """Tell the numbers, because they decide what is recorded."""
        self.tell()

    def apply_plainly(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Apply a function to the plain numbers."""
        return self.apply_outcome(getattr(function, "__name__", "plainly"), function, arguments)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        for x in inputs:
            if carries_derivative(x):
                return x.__array_ufunc__(ufunc, method, *inputs, **options)
        if "out" in options or "where" in options or method in ("at", "reduceat") or ufunc.nout != 1:
            return getattr(ufunc, method)(*map(plain_numbers, inputs), **deep_plain(options))
        call = ufunc if method == "__call__" else getattr(ufunc, method)
        return self._step(ufunc.__name__, call_of(call, **options), *inputs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        for x in _deep((*args, *kwargs.values())):
            if carries_derivative(x):
                return x.__array_function__(function, types, args, kwargs)
        if function.__name__ in SHAPES:
            return function(*map(_numbers, args), **{key: _numbers(x) for key, x in kwargs.items()})
        given = (*args, *kwargs.values())
        inside = _deep(x for x in given if type(x) in (list, tuple))
        if "out" in kwargs or any(type(x) is DataOutcome for x in inside):
            return function(*map(deep_plain, args), **deep_plain(kwargs))
        return self._step(function.__name__, called_by_name(function, tuple(kwargs)), *given)

    # Methods that read the numbers.
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        value = np.asarray(self.tell())
        return value.astype(dtype) if dtype is not None and value.dtype != dtype else value.copy() if copy else value

    def __bool__(self) -> bool:
        return bool(self.tell())

    def __int__(self) -> int:
        return int(self.tell())

    def __float__(self) -> float:
        return float(self.tell())

    def __complex__(self) -> complex:
        return complex(self.tell())

    def __index__(self) -> int:
        return operator.index(self.tell())

    def __hash__(self) -> int:
        return hash(self.tell())

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tell())

    def __contains__(self, item: Any) -> bool:
        return plain_numbers(item) in self.tell()

    def __repr__(self) -> str:
        return repr(self.tell())

    def __str__(self) -> str:
        return str(self.tell())

    def __format__(self, spec: str) -> str:
        return format(self.tell(), spec)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.tell().__reduce_ex__(protocol)

    def __setitem__(self, key: Any, item: Any) -> None:
        self.tell()[plain_numbers(key)] = item

    # Methods that do not.
    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return type(self._value)

    def __len__(self) -> int:
        return len(self._value)

    def __getitem__(self, key: Any) -> Any:
        return self._step("index", operator.getitem, self, deep_plain(key) if type(key) is not DataOutcome else key)

    def __copy__(self) -> Any:
        return self._step("copy", np.copy, self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self.__copy__()

    def __getattr__(self, name: str) -> Any:
        if name in _FACTS or not hasattr(self._value, name):
            return getattr(self._value, name)
        return getattr(self.tell(), name)

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> Any:
        """`numpy.ndarray.astype`."""
        return self._step("astype", call_of(_astype, np.dtype(dtype)), self)

    def copy(self, order: str = "C") -> Any:
        """`numpy.ndarray.copy`."""
        return self._step("copy", call_of(np.copy, order=order), self)

    @property
    def dtype(self) -> Any:
        """The NumPy dtype."""
        return self._value.dtype

    @property
    def shape(self) -> Any:
        """The shape."""
        return self._value.shape

    @property
    def T(self) -> Any:
        """`numpy.ndarray.T`."""
        return np.transpose(self)


# Attributes that do not depend on the numbers.
_FACTS = frozenset({"ndim", "size", "itemsize", "nbytes", "strides", "device"})


def _astype(x: Any, dtype: Any) -> Any:
    return x.astype(dtype)


def _numbers(x: Any) -> Any:
    """The numbers of a data outcome without telling them, for functions that need shape or dtype only."""
    if type(x) in (list, tuple):
        return type(x)(map(_numbers, x))
    return x._value if type(x) is DataOutcome else x


def _deep(x: Any) -> Iterator[Any]:
    for item in x:
        if type(item) in (list, tuple):
            yield from _deep(item)
        else:
            yield item


_BINARY = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide, "floordiv": np.floor_divide,
    "mod": np.remainder, "pow": np.power, "matmul": np.matmul, "and": np.bitwise_and, "or": np.bitwise_or,
    "xor": np.bitwise_xor, "lshift": np.left_shift, "rshift": np.right_shift,
}  # fmt: skip
_COMPARISONS = {
    "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "eq": np.equal, "ne": np.not_equal,
}  # fmt: skip
_UNARY = {"neg": np.negative, "pos": np.positive, "abs": np.absolute, "invert": np.invert}
_DELEGATED = (
    "all", "any", "argmax", "argmin", "argsort", "clip", "cumprod", "cumsum", "dot", "max", "mean", "min", "prod",
    "ravel", "repeat", "reshape", "round", "searchsorted", "squeeze", "std", "sum", "swapaxes", "take", "trace",
    "transpose", "var",
)  # fmt: skip


def _binary(ufunc: Any, reflected: bool) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        if other is None or isinstance(other, (str, dict, set)):
            return NotImplemented
        return ufunc(other, self) if reflected else ufunc(self, other)

    return method


def _in_place(name: str, ufunc: Any) -> Callable[[Any, Any], Any]:
    change = getattr(operator, f"i{name}")

    def method(self: Any, other: Any) -> Any:
        if not devices.is_array(self._value):
            return ufunc(self, other)
        change(self.tell(), plain_numbers(other))
        return self

    return method


def _delegate(name: str) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(np, name)(self, *args, **kwargs)

    method.__doc__ = f"`numpy.{name}` of these numbers."
    return method


def _unary(ufunc: Any) -> Callable[[Any], Any]:
    def method(self: Any) -> Any:
        return ufunc(self)

    return method


def _install() -> None:
    for name, ufunc in _BINARY.items():
        setattr(DataOutcome, f"__{name}__", _binary(ufunc, reflected=False))
        setattr(DataOutcome, f"__r{name}__", _binary(ufunc, reflected=True))
        setattr(DataOutcome, f"__i{name}__", _in_place(name, ufunc))
    for name, ufunc in _COMPARISONS.items():
        setattr(DataOutcome, f"__{name}__", _binary(ufunc, reflected=False))
    for name, ufunc in _UNARY.items():
        setattr(DataOutcome, f"__{name}__", _unary(ufunc))
    for name in _DELEGATED:
        setattr(DataOutcome, name, _delegate(name))


_install()
