"""Recorded NumPy arrays and scalars, with the methods and operators of an array.

Rows of the tape never change: a write into an array adds a row, and the handle then refers to the new row. An array
that shares memory with another one, such as `x[1:]` or `x.T`, is a `View`: writes to it go to the other array, and it
is read again after the other array has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import gradcli.engine.tape.values.numpy_number  # noqa: F401 - the classes of elements, by their types
from gradcli.engine.tape.concretization_errors import WRITTEN, leak
from gradcli.engine.tape.memory_reserve import keep_freed_memory
from gradcli.engine.tape.tape import ARRAY_CONSTANT, Tape
from gradcli.engine.tape.value import KINDS, Value, make_handle, record
from gradcli.engine.tape.values.getitem import axes_of_index, plain_key, read_item, read_number, write_number
from gradcli.engine.tape.values.installed_operators import install
from gradcli.engine.tape.values.numpy_value import NumpyValue
from gradcli.mathematics.rules.complex_parts import IMAG, REAL
from gradcli.mathematics.rules.function_registry import unsupported
from gradcli.mathematics.rules.indexing import INDEX, PUT, STRIDED, Views
from gradcli.mathematics.rules.rule_types import Rule
from gradcli.mathematics.rules.shape import CAST, COPY, RESHAPE, TRANSPOSE, inverse
from gradcli.shared import devices
from gradcli.shared.lazy_imports import method_on_first_use


class Array(NumpyValue):
    """A recorded array, or a recorded NumPy number that has no class of its own."""

    __slots__ = ()

    def apply_rule(self, rule: Rule, arguments: tuple[Any, ...], static: Mapping[str, Any]) -> Any:
        result = record(rule, arguments, static)
        return self._part(result, rule, static) if rule in WRITTEN_BACK else result

    def _part(self, own: Any, rule: Rule, static: Mapping[str, Any]) -> Any:
        """`own`, which `rule` has just read from this array, as a view if it shares memory."""
        is_view = rule is STRIDED or _shares(own._value, self._value, static)
        if self.tape.run.written:
            from gradcli.engine.tape.values.in_place_writes import shrink_read_row

            shrink_read_row(self, own, is_view)
        return view(self, rule, static, own) if is_view else own

    def __getitem__(self, key: Any) -> Any:
        axes = axes_of_index(key)
        if not axes and type(key) is np.int64:  # an item of `np.arange` or of indices
            key, axes = int(key), 1
        if axes and axes == self._value.ndim and (number := read_number(self, key)) is not None:
            return number
        key = key if axes else plain_key(key, self)
        return self._part(read_item(self, key), INDEX, {"key": key})

    def __setitem__(self, key: Any, item: Any) -> None:
        if type(item) is View and item.is_part(self, key):
            return  # the second half of `x[key] += y`, which has already written
        axes = axes_of_index(key)
        if axes and type(self) is Array and axes == self._value.ndim and write_number(self, key, item):
            return
        from gradcli.engine.tape.values.in_place_writes import accepts_writes, real_part, write_item, written_item

        if not devices.is_array(self._value):
            raise TypeError(f"{type(self._value).__name__!r} object does not support item assignment")
        if any(exported is self.owner for exported in self.tape.run.exported) and issubclass(type(item), Value):
            leak(item, WRITTEN)
        item = written_item(item)
        if getattr(item, "dtype", self.dtype).kind == "c" != self.dtype.kind:
            item = real_part(item)
        key = plain_key(key, self)
        if accepts_writes(self):
            write_item(self, item, key)
        else:
            self.replace(record(PUT, (self, item), {"key": key}))

    @property
    def owner(self) -> Array:
        """The array that owns the memory: this one."""
        return self

    @property
    def through(self) -> Views:
        """The rules that read this array from its owner, in order: none."""
        return ()

    def replace(self, result: Any) -> Any:
        """Become `result`, as an in-place operation does. The previous value stays on the tape."""
        result = self.fitting(result)
        if isinstance(result._value, np.generic):  # a 0-d array stays an array
            result.restate(np.asarray(result._value))
        if self.ndim and result._value.strides != self._value.strides:  # views of it depend on its memory layout
            result = record(PUT, (self, result), {"key": Ellipsis})
        self.index, self._value = result.index, result._value
        return self

    def fitting(self, result: Any) -> Any:
        """`result` in the dtype of this array.

        Raises:
            ValueError: its shape differs.
            TypeError: it is complex and this array is real.
        """
        if np.shape(result) != self.shape:
            raise ValueError(f"cannot write a result of shape {np.shape(result)} into an array of shape {self.shape}")
        if result.dtype.kind == "c" != self.dtype.kind:
            raise TypeError(f"cannot cast a result of {result.dtype} to {self.dtype} with casting rule 'same_kind'")
        return result if result.dtype == self.dtype else record(CAST, (result,), {"dtype": self.dtype})

    def copy(self, order: str = "C") -> Any:
        """A recorded copy, unaffected by writes to this array."""
        if lies(self._value, order):
            return make_alias(self)
        return record(COPY, (self,), {"order": order})

    def to_write_into(self) -> Array:
        """A second handle of the same row, for a function that may write into the array."""
        return make_alias(self)

    def __copy__(self) -> Any:
        return self.copy("K")

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self.copy("K")


class View(Array):
    """A recorded array that shares memory with `parent`, from which `rule` reads it."""

    __slots__ = ("_own", "_parent", "_rule", "_seen", "_static")

    _own: Any
    _parent: Array
    _rule: Any
    _seen: int
    _static: Mapping[str, Any]

    # Both are read from the parent again after a write to it.
    @property
    def index(self) -> int:  # type: ignore[override]
        """The index of the row with the current numbers."""
        return (self._own if self._parent.index == self._seen else self._read_again()).index  # type: ignore[no-any-return]

    @property
    def _value(self) -> Any:
        """The current numbers."""
        value = (self._own if self._parent.index == self._seen else self._read_again())._value
        return self._rule.forward(self._parent._value, **self._static) if value is None else value

    def _read_again(self) -> Any:
        self._own, self._seen = record(self._rule, (self._parent,), self._static), self._parent.index
        if self.tape.run.written:
            from gradcli.engine.tape.values.in_place_writes import shrink_read_row

            shrink_read_row(self._parent, self._own, is_view=True)
        return self._own

    def restate(self, value: Any) -> None:
        """Replace the numbers by `value`, which differs by rounding only."""
        self._own.restate(value)

    @property
    def owner(self) -> Array:
        """The array that owns the memory."""
        return self._parent.owner

    @property
    def through(self) -> Views:
        """The rules that read this array from its owner, in order."""
        return *self._parent.through, (self._rule, self._static)

    def replace(self, result: Any) -> Any:
        """Become `result`, and write it to the parent."""
        from gradcli.engine.tape.values.in_place_writes import accepts_writes, write_item

        result = self.fitting(result)
        if accepts_writes(self):
            write_item(self, result, Ellipsis)
            return self
        lies_alike = result._value.strides == self._value.strides
        self._parent.replace(WRITTEN_BACK[self._rule](self._parent, result, **self._static))
        self._own, self._seen = result, self._parent.index if lies_alike else UNREAD
        return self

    def is_part(self, parent: Array, key: Any) -> bool:
        """Whether this view is `parent[key]`, for a key of integers and slices."""
        simple = all(isinstance(part, (int, slice)) for part in (key if isinstance(key, tuple) else (key,)))
        return self._parent is parent and simple and self._static.get("key") == key


def _shares(part: Any, whole: Any, static: Mapping[str, Any]) -> bool:
    """Whether `part` shares memory with `whole`. In NumPy, the base of both is then the array that owns the memory."""
    owner = getattr(part, "base", None)
    if owner is not None and part.ndim == 0 and devices.on_device(part) and _is_number(static.get("key", ...)):
        return False  # `x[0]` is a view in CuPy but a number in NumPy, which the program is written for
    return owner is not None and (owner is whole or owner is getattr(whole, "base", None))


def _is_number(key: Any) -> bool:
    """Whether an index reads a scalar. One with an ellipsis reads a 0-d array."""
    return not any(part is Ellipsis for part in (key if isinstance(key, tuple) else (key,)))


def view(parent: Array, rule: Rule, static: Mapping[str, Any], own: Array) -> View:
    """The view of `parent` that `rule` has just read as `own`."""
    handle: View = object.__new__(View)
    handle.tape, handle._own, handle._parent, handle._seen = parent.tape, own, parent, parent.index
    handle._rule, handle._static = rule, static
    return handle


UNREAD = -1  # no row's index: the view must read its parent again

# How a write to a view changes its parent, by the rule that reads the view.
WRITTEN_BACK: dict[Rule, Callable[..., Any]] = {
    INDEX: lambda parent, result, *, key: PUT(parent, result, key=key),
    REAL: lambda parent, result: result + 1j * IMAG(parent),
    IMAG: lambda parent, result: REAL(parent) + 1j * result,
    RESHAPE: lambda parent, result, *, shape, order: RESHAPE(result, shape=parent.shape, order=order),
    TRANSPOSE: lambda parent, result, *, axes: TRANSPOSE(result, axes=inverse(axes)),
    STRIDED: lambda parent, result, *, places: _write_strided(parent, result, places),
}


def _write_strided(parent: Array, result: Any, places: Any) -> Any:
    """The array after writing all elements that a strided view reads at `places`, each of which must occur once."""
    if np.unique(places).size < places.size:
        raise unsupported("numpy.lib.stride_tricks.as_strided with a write into numbers that it shows twice")
    return RESHAPE(PUT(RESHAPE(parent, shape=(-1,), order="C"), result, key=places), shape=parent.shape, order="C")


def lies(value: Any, order: str) -> bool:
    """Whether an array is contiguous in memory, in the order "C" or "F"; in either of them for any other order."""
    if not devices.is_array(value):
        return True
    by_rows, by_columns = value.flags.c_contiguous, value.flags.f_contiguous
    return bool({"C": by_rows, "F": by_columns}.get(order, by_rows or by_columns))


def make_alias(array: Array) -> Array:
    """A second handle for the same row."""
    handle: Array = make_handle(Array, array.tape, array._value)
    handle.index = array.index
    return handle


def constant(tape: Tape, value: Any) -> Array:
    """Enter a plain array on the tape as a constant, so that recorded values can be written into it."""
    handle: Array = make_handle(Array, tape, value)
    tape.rows.append((ARRAY_CONSTANT, value))
    tape.has_arrays = True
    tape.has_complex = tape.has_complex or value.dtype.kind == "c"
    return handle


def array_ufunc_method() -> Callable[..., Any]:
    """The `__array_ufunc__` method, which NumPy calls for a ufunc of a recorded array."""
    from gradcli.engine.tape.values.array_ufunc import RECORDERS, method_of

    return method_of(RECORDERS)


install(NumpyValue, Array)
Array.__name__ = View.__name__ = "ndarray"  # in the messages of errors, which programs may read
method_on_first_use(NumpyValue, "__array_ufunc__", array_ufunc_method)
KINDS[np.ndarray], KINDS.view = Array, View
keep_freed_memory()
