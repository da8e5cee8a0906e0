"""Recorded NumPy values: what arrays and numbers have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.engine.tape.concretization_errors import leak, refuse_hash
from gradcli.engine.tape.value import Value
from gradcli.engine.tape.values import other_attributes
from gradcli.engine.tape.values.getitem import plain_key, read_item
from gradcli.mathematics.rules.complex_parts import IMAG, REAL
from gradcli.mathematics.rules.function_registry import FUNCTIONS

if TYPE_CHECKING:
    from gradcli.engine.tape.values.flat_and_in_place_methods import Flat


class NumpyValue(Value):
    """A recorded value of NumPy's, with the methods and operators of an array."""

    __slots__ = ()
    __array_priority__ = 1000.0
    __array_ufunc__: Callable[..., Any]

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from gradcli.engine.tape.values.array_function import apply_function

        return apply_function(function, args, kwargs)

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        return self.tape.run.array_namespace()

    # Shape and dtype record nothing.
    @property
    def shape(self) -> tuple[int, ...]:
        """The shape."""
        if self.tape.run.data is not None:
            self.tape.run.data.tell_shape(self)
        return self._value.shape  # type: ignore[no-any-return]

    @shape.setter
    def shape(self, shape: Any) -> None:
        from gradcli.engine.tape.values.flat_and_in_place_methods import set_shape

        set_shape(self, shape)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self._value.ndim  # type: ignore[no-any-return]

    @property
    def size(self) -> int:
        """The number of elements."""
        if self.tape.run.data is not None:
            self.tape.run.data.tell_shape(self)
        return self._value.size  # type: ignore[no-any-return]

    @property
    def dtype(self) -> Any:
        """The NumPy dtype."""
        return self._value.dtype

    def __len__(self) -> int:
        if self.tape.run.data is not None:
            self.tape.run.data.tell_shape(self)
        return len(self._value)

    def __iter__(self) -> Iterator[Any]:
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d array")
        return (self[n] for n in range(len(self)))

    def __contains__(self, item: Any) -> bool:
        return bool(np.any(self == item))

    def __getitem__(self, key: Any) -> Any:
        return read_item(self, plain_key(key, self))

    @property
    def T(self) -> Any:
        """The transpose."""
        return FUNCTIONS["transpose"](self)

    @property
    def mT(self) -> Any:
        """The array with its last two axes exchanged."""
        return FUNCTIONS["matrix_transpose"](self)

    @property
    def real(self) -> Any:
        """The real part; a real array itself."""
        return self.apply_rule(REAL, (self,), {}) if self.dtype.kind == "c" else self

    @real.setter
    def real(self, item: Any) -> None:
        self.real[...] = item

    @property
    def imag(self) -> Any:
        """The imaginary part; plain zeros for a real array."""
        return self.apply_rule(IMAG, (self,), {}) if self.dtype.kind == "c" else np.zeros_like(self._value)[()]

    @imag.setter
    def imag(self, item: Any) -> None:
        if self.dtype.kind != "c":
            raise TypeError("array does not have imaginary part to set")
        self.imag[...] = item

    @property
    def flat(self) -> Flat:
        """The elements in C order, to read and to write."""
        from gradcli.engine.tape.values.flat_and_in_place_methods import Flat

        return Flat(self)

    @flat.setter
    def flat(self, item: Any) -> None:
        self.flat[:] = item

    def setflags(self, *_: Any, **__: Any) -> None:
        """Do nothing: the flags of the plain array are not changed."""

    def conjugate(self) -> Any:
        """The complex conjugate; a real array itself."""
        return np.conj(self) if self.dtype.kind == "c" else self

    conj = conjugate

    def copy(self, order: str = "C") -> Any:
        """A recorded copy. A number is its own."""
        return self

    def compress(self, condition: Any, axis: int | None = None, out: Any = None) -> Any:
        """`numpy.compress` of this array."""
        return np.compress(condition, self, axis, out)

    def flatten(self, order: str = "C") -> Any:
        """A one-dimensional copy."""
        return FUNCTIONS["ravel"](self, order).copy()

    def reshape(self, *shape: Any, order: str = "C") -> Any:
        """The array in another shape."""
        return FUNCTIONS["reshape"](self, shape[0] if len(shape) == 1 else shape, order)

    def transpose(self, *axes: Any) -> Any:
        """The array with its axes in another order."""
        order = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        return FUNCTIONS["transpose"](self, order or None)

    def __array_wrap__(self, *_: Any) -> Any:
        leak(self, "numpy.array")


other_attributes.install(NumpyValue)
NumpyValue.__hash__ = refuse_hash  # type: ignore[assignment]
