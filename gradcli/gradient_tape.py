"""TensorFlow's eager interface: tensors that know their value, variables, and GradientTape, a window on a tape.

The first GradientTape that is opened in a thread starts a tape, those opened inside of it share that tape.  Each has its
own watched leaves and its own first row, so that a gradient taken inside an outer window is itself recorded.  A tensor
that left its tape is a plain constant again.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterable
from contextlib import contextmanager
from typing import Any, ClassVar, Literal

import numpy as np

from gradcli.errors import FindingWarning, UsageError
from gradcli.tape.accumulate import UNTOUCHED, plain
from gradcli.tape.array import Array
from gradcli.tape.structure import leaves, map_leaves
from gradcli.tape.sweep import reverse, reverse_recorded
from gradcli.tape.tape import ALIAS, INPUT, Tape
from gradcli.tape.value import Value, bare, make


class _Thread(threading.local):
    """The windows that are open in this thread, innermost last, and the tape that they share."""

    def __init__(self) -> None:
        self.tape: Tape | None = None
        self.windows: list[GradientTape] = []
        self.paused = 0


_thread = _Thread()


def _live(inner: Any) -> Any:
    """The recorded value while its tape is recording in this thread, else the plain value: a constant again."""
    if issubclass(type(inner), Value) and (inner.tape is not _thread.tape or _thread.paused):
        return inner.value
    return inner


class Tensor(np.lib.mixins.NDArrayOperatorsMixin):
    """An array that knows its value, its shape and its type, and follows NumPy's functions and operators.

    It is the result of `constant`, of `cast`, and of every operation on tensors and variables.
    """

    __slots__ = ("_inner",)
    __array_priority__ = 2000.0

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def _operand(self) -> Any:
        return _live(self._inner)

    def numpy(self) -> Any:
        """The plain NumPy array or number."""
        value = bare(self._inner)
        return value.copy() if isinstance(value, np.ndarray) else value

    def stopped(self) -> Tensor:
        """The same values as a constant: no derivative flows through it."""
        return Tensor(self.numpy())

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return tuple(np.shape(bare(self._inner)))

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the numbers."""
        return np.asarray(bare(self._inner)).dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(bare(self._inner), dtype=dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if options.get("out") is not None:
            return NotImplemented
        return _wrapped(getattr(ufunc, method)(*map(_unwrapped, inputs), **options))

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        return _wrapped(function(*map(_unwrapped, args), **{key: _unwrapped(item) for key, item in options.items()}))

    def __getitem__(self, key: Any) -> Any:
        return _wrapped(self._operand()[_unwrapped(key)])

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
        return float(bare(self._inner))

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
    """Arrays, numbers and recorded values as tensors, also in lists and tuples."""
    if x is NotImplemented or isinstance(x, Tensor) or x is None:
        return x
    return type(x)(map(_wrapped, x)) if type(x) in (list, tuple) else Tensor(x)


def _array_of(value: Any, dtype: Any, shape: Any = None) -> Any:
    """A plain array or NumPy scalar of `value`; a single number fills `shape`."""
    array = np.array(_plain_values(value), dtype=dtype)
    if shape is not None:
        shape = tuple(shape)
        if array.size != int(np.prod(shape)) and array.size != 1:
            raise UsageError(f"{array.size} numbers do not fill the shape {shape}", hint="Give as many numbers, or one.")
        array = np.full(shape, array) if array.size == 1 else array.reshape(shape)
    return array[()] if array.ndim == 0 else array


def _plain_values(value: Any) -> Any:
    return map_leaves(lambda leaf: leaf.numpy() if isinstance(leaf, Tensor) else bare(leaf), value)


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
    return Tensor(np.asarray(inner).astype(dtype)[()])


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

    __slots__ = ("name", "trainable")
    _count: ClassVar[int] = 0

    def __init__(
        self, initial_value: Any, trainable: bool = True, name: str | None = None, dtype: Any = None, shape: Any = None
    ) -> None:
        value = _array_of(initial_value, dtype)
        if shape is not None and tuple(shape) != np.shape(value):
            raise UsageError(f"the initial value's shape {np.shape(value)} is not the given shape {tuple(shape)}")
        super().__init__(value)
        self.trainable = trainable
        self.name = name or "Variable"

    def _operand(self) -> Any:
        return self._inner if _thread.paused else _read(self)

    def assign(self, value: Any) -> Variable:
        """Give the variable another value of the same shape; what was computed before keeps the old one."""
        new = np.asarray(_plain_values(value)).astype(self.dtype)
        if new.shape != self.shape:
            raise UsageError(f"a value of shape {new.shape} cannot be assigned to {self.name!r} of shape {self.shape}")
        self._inner = new[()] if new.ndim == 0 else new.copy()
        for window in _thread.windows:
            window._forget(self)
        return self

    def assign_add(self, delta: Any) -> Variable:
        """Add to the value."""
        return self.assign(self.numpy() + _plain_values(delta))

    def assign_sub(self, delta: Any) -> Variable:
        """Subtract from the value."""
        return self.assign(self.numpy() - _plain_values(delta))

    def read_value(self) -> Tensor:
        """The value as a tensor, which later assignments do not change."""
        inner = self._operand()
        return Tensor(inner.copy() if isinstance(inner, np.ndarray) else inner)

    def value(self) -> Tensor:
        """The same as `read_value`."""
        return self.read_value()

    def __repr__(self) -> str:
        return f"<Variable {self.name!r} shape={self.shape} dtype={self.dtype} value={self.numpy()!r}>"

    def __str__(self) -> str:
        return repr(self)


def _read(source: Tensor) -> Any:
    """What a variable, or a watched tensor, is on the innermost window that watches it; plain where none does."""
    for depth in range(len(_thread.windows) - 1, -1, -1):
        window = _thread.windows[depth]
        if window._watches(source):
            return window._leaf(source, depth)
    return bare(source._inner)


class GradientTape:
    """Records what is computed inside its `with` block from variables and watched tensors.

    Args:
        persistent: allow several gradients to be taken.
        watch_accessed_variables: watch every trainable variable that is read.

    A tape that is not persistent gives one gradient and then refuses by name.
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._automatic = watch_accessed_variables
        self._used = False
        self.reset()

    def reset(self) -> None:
        """Forget everything recorded and watched so far."""
        self._tape: Tape | None = _thread.tape if self in _thread.windows else None
        self._first = len(self._tape.rows) if self._tape else 0
        self._leaves: dict[int, list[tuple[Tensor, Any]]] = {}
        self._watched: dict[int, Tensor] = {}
        self._used = False

    def __enter__(self) -> GradientTape:
        if self in _thread.windows:
            raise UsageError("this GradientTape is recording already")
        if not _thread.windows:
            _thread.tape = Tape()
        _thread.windows.append(self)
        self._tape = _thread.tape
        self._first = len(self._tape.rows)  # type: ignore[union-attr]
        return self

    def __exit__(self, *_: object) -> None:
        _thread.windows.remove(self)
        if not _thread.windows:
            _thread.tape = None

    def watch(self, tensor: Any) -> None:
        """Watch tensors too, as variables are watched by themselves."""
        for leaf in leaves(tensor):
            if not isinstance(leaf, Tensor):
                raise UsageError(f"a {type(leaf).__name__} cannot be watched", hint="Make it a gradcli.constant first.")
            if _carries(leaf, "watched"):
                self._watched[id(leaf)] = leaf
                if not isinstance(leaf, Variable):
                    leaf._inner = self._leaf(leaf, _thread.windows.index(self) if self in _thread.windows else 0)

    def _watches(self, source: Tensor) -> bool:
        if source.dtype.kind != "f":
            return False
        automatic = isinstance(source, Variable) and source.trainable and self._automatic
        return automatic or id(source) in self._watched

    def _leaf(self, source: Tensor, depth: int) -> Any:
        """The row of this window that stands for `source`: an input, or an alias of the row of an outer window."""
        known = self._leaves.setdefault(id(source), [])
        if not known or not known[-1][1].tape is self._tape:
            known.append((source, self._enter(source, depth)))
        return known[-1][1]

    def _enter(self, source: Tensor, depth: int) -> Any:
        tape = self._tape
        assert tape is not None
        outer = next((w._leaf(source, n) for n, w in _outer(depth) if w._watches(source)), None)
        if outer is None and issubclass(type(source._inner), Value) and source._inner.tape is tape:
            outer = source._inner
        value = bare(source._inner)
        handle = make(Array, tape, value)
        tape.rows.append((INPUT, value) if outer is None else (ALIAS, value, outer.index, value))
        tape.has_arrays = True
        return handle

    def _forget(self, source: Tensor) -> None:
        """A variable was assigned: its next reading is another leaf."""
        if id(source) in self._leaves:
            self._leaves[id(source)].append((source, _NEVER))

    @contextmanager
    def stop_recording(self) -> Any:
        """Within this block nothing is recorded."""
        _thread.paused += 1
        try:
            yield
        finally:
            _thread.paused -= 1

    def watched_variables(self) -> tuple[Variable, ...]:
        """The variables read or watched so far, in order."""
        sources = [entries[0][0] for entries in self._leaves.values() if entries]
        return tuple(source for source in sources if isinstance(source, Variable))

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Literal["none", "zero"] = "none",
    ) -> Any:
        """The derivative of `target`, summed where it is no number, by each of `sources`, in their structure.

        Args:
            target: a tensor, or a structure of them whose derivatives are added.
            sources: a variable, a watched tensor, or lists, tuples and dicts of them.
            output_gradients: the cotangent of the target, of its shape; ones by default.
            unconnected_gradients: what stands for a source that the target does not depend on: None or zeros.

        Raises:
            UsageError: the tape was used before and is not persistent, or recorded nothing.
        """
        tape = self._open()
        targets = leaves(target)
        seeds = leaves(output_gradients) if output_gradients is not None else [None] * len(targets)
        found = [self._pull(tape, _seeded(y, seed), sources) for y, seed in zip(targets, seeds, strict=True)]
        zero = unconnected_gradients == "zero"
        return self._collected(found, sources, zero)

    def _open(self) -> Tape:
        if self._tape is None:
            raise UsageError("this GradientTape has recorded nothing", hint="Compute inside its `with` block.")
        if self._used and not self._persistent:
            raise UsageError(
                "this GradientTape gave its one gradient already",
                hint="Make it GradientTape(persistent=True) to take several.",
            )
        self._used = True
        return self._tape

    def _pull(self, tape: Tape, seeded: tuple[Any, Any], sources: Any) -> list[Any]:
        inner, seed = seeded
        if not issubclass(type(inner), Value) or inner.tape is not tape or inner.index < self._first:
            return []
        recording = tape is _thread.tape and not _thread.paused
        pull: Callable[..., list[Any]] = reverse_recorded if recording else reverse
        return pull(tape, inner.index, seed, self._first)

    def _collected(self, found: list[list[Any]], sources: Any, zero: bool) -> Any:
        return map_leaves(lambda source: self._derivative(source, found, zero), sources)

    def _derivative(self, source: Any, found: list[list[Any]], zero: bool) -> Any:
        if not isinstance(source, Tensor):
            raise UsageError(f"a {type(source).__name__} is no source", hint="Pass variables or watched tensors.")
        _carries(source, "differentiated by")
        total: Any = None
        for leaf in self._leaves_of(source):
            for cts in found:
                part = plain(cts[leaf.index]) if leaf.index < len(cts) else UNTOUCHED
                if part is not UNTOUCHED:
                    total = part if total is None else total + part
        if total is None:
            return Tensor(np.zeros_like(bare(source._inner))[()]) if zero else None
        return Tensor(np.array(total)[()] if not issubclass(type(total), Value) else total)

    def _leaves_of(self, source: Tensor) -> list[Any]:
        known = [leaf for _, leaf in self._leaves.get(id(source), []) if leaf is not _NEVER]
        inner = source._inner
        if not known and issubclass(type(inner), Value) and inner.tape is self._tape and inner.index >= self._first:
            return [inner]
        return known

    def jacobian(self, target: Any, sources: Any, unconnected_gradients: Literal["none", "zero"] = "none") -> Any:
        """All derivatives of the one tensor `target`: arrays whose shape is the target's followed by the source's."""
        tape = self._open()
        value = bare(target._inner)
        shape = np.shape(value)
        rows = []
        for place in np.ndindex(shape):
            seed = np.zeros_like(value)
            seed[place] = 1
            rows.append([self._pull(tape, (target._inner, seed[()]), sources)])
        zero = unconnected_gradients == "zero"
        by_row = [self._collected(found, sources, zero) for found in rows]
        return map_leaves_of(lambda *parts: _stacked(parts, shape), by_row)


def map_leaves_of(function: Callable[..., Any], structures: list[Any]) -> Any:
    """Structures of the same form put together leaf by leaf."""
    columns = iter(zip(*map(leaves, structures), strict=True))
    return map_leaves(lambda _: function(*next(columns)), structures[0])


def _stacked(parts: tuple[Any, ...], shape: tuple[int, ...]) -> Any:
    if any(part is None for part in parts):
        return None
    stacked = np.stack([part._inner for part in parts])
    return Tensor(np.reshape(stacked, (*shape, *parts[0].shape)))


class _Never:
    tape = None


_NEVER = _Never()


def _outer(depth: int) -> list[tuple[int, GradientTape]]:
    """The windows around number `depth`, innermost first."""
    return [(n, _thread.windows[n]) for n in range(depth - 1, -1, -1)]


def _carries(tensor: Tensor, what: str) -> bool:
    """Whether a tensor carries a derivative; a warning says so where its type does not."""
    if tensor.dtype.kind == "f":
        return True
    message = f"a tensor of type {tensor.dtype} is {what}, but only floats carry a derivative; its gradient is None"
    warnings.warn(message, FindingWarning, stacklevel=4)
    return False


def _seeded(target: Any, seed: Any) -> tuple[Any, Any]:
    if not isinstance(target, Tensor):
        raise UsageError(f"a {type(target).__name__} is no target", hint="Pass the tensor that was computed.")
    value = bare(target._inner)
    if seed is None:
        return target._inner, np.ones_like(value)[()]
    cotangent = np.asarray(_plain_values(seed), dtype=np.asarray(value).dtype)
    if cotangent.shape != np.shape(value):
        raise UsageError(f"output_gradients has the shape {cotangent.shape}, the target {np.shape(value)}")
    return target._inner, cotangent[()]
