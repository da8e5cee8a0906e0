"""TensorFlow's variables: tensors with an assignable value, which a GradientTape watches automatically."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.tape.value import plain_value
from gradcli.errors import UsageError
from gradcli.methods.transforms.public_functions import library_call
from gradcli.shared import devices
from gradcli.tensorflow.tape_scopes import innermost_value, recording
from gradcli.tensorflow.tensors import Tensor, array_of, new_array, of_type, plain_values


class Variable(Tensor):
    """A tensor with an assignable value, which every open GradientTape watches when it is read.

    Args:
        initial_value: a number, an array, nested lists of numbers, or a function without arguments that returns one.
        trainable: False excludes the variable from automatic watching.
        name: a name for printing.
        dtype: the NumPy dtype; integers, booleans and strings carry no derivative.
        shape: the shape that the initial value must have.

    Raises:
        UsageError: the shape differs, or the dtype cannot hold the numbers.
    """

    __slots__ = ("name", "trainable")

    @library_call
    def __init__(
        self, initial_value: Any, trainable: bool = True, name: str | None = None, dtype: Any = None, shape: Any = None
    ) -> None:
        value = array_of(initial_value() if callable(initial_value) else initial_value, dtype)
        if shape is not None and tuple(shape) != np.shape(value):
            raise UsageError(f"the initial value's shape {np.shape(value)} is not the given shape {tuple(shape)}")
        super().__init__(value)
        self.trainable = trainable
        self.name = name or "Variable"

    def __reduce__(self) -> Any:
        return Variable, (plain_value(self._inner), self.trainable, self.name)

    def __copy__(self) -> Variable:
        return Variable(plain_value(self._inner), self.trainable, self.name)

    def _operand(self) -> Any:
        return self._inner if recording.paused else innermost_value(self)

    def _in_place(self, other: Any) -> Any:
        """Refuse `v += x`.

        Raises:
            UsageError: always.
        """
        raise UsageError(
            f"the variable {self.name!r} cannot be changed in place",
            hint="Write v.assign_add(x), v.assign_sub(x) or v.assign(v * x); or y = v * x for another tensor.",
        )

    @library_call
    def assign(self, value: Any) -> Variable:
        """Set the value to another one of the same shape. Results computed earlier keep the old value.

        Raises:
            UsageError: the shape differs, or the variable's dtype cannot hold the numbers.
        """
        new = devices.array_on_device_of(new_array(self._given(value)), self._inner)
        if new.dtype != self.dtype:
            new = of_type(new, self.dtype)
        if new.shape != self.shape:
            raise UsageError(f"a value of shape {new.shape} cannot be assigned to {self.name!r} of shape {self.shape}")
        self._inner = new[()] if new.ndim == 0 else new.copy()
        for window in recording.windows:
            window.forget(self)
        return self

    # In a loop, `v += x` would rebind v to a tensor and leave the variable unchanged.
    __iadd__ = __isub__ = __imul__ = __imatmul__ = __itruediv__ = __ifloordiv__ = __imod__ = __ipow__ = _in_place

    def assign_add(self, delta: Any) -> Variable:
        """Add `delta` to the value."""
        return self.assign(self._inner + self._step(delta))

    def assign_sub(self, delta: Any) -> Variable:
        """Subtract `delta` from the value."""
        return self.assign(self._inner - self._step(delta))

    def _given(self, value: Any) -> Any:
        if value is None:
            raise UsageError(
                f"None cannot be assigned to the variable {self.name!r}",
                hint="A gradient is None where the target does not depend on the variable.",
            )
        return plain_values(value)

    def _step(self, delta: Any) -> Any:
        """The increment as an array or a number."""
        plain = self._given(delta)
        return plain if devices.is_array(plain) or isinstance(plain, (float, int)) else new_array(plain)

    def _is_recorded(self) -> bool:
        return any(window.watches(self) for window in recording.windows)

    def read_value(self) -> Tensor:
        """The value as a tensor, unaffected by later assignments."""
        inner = self._operand()
        return Tensor(devices.copied(inner))

    def value(self) -> Tensor:
        """The same as `read_value`."""
        return self.read_value()

    def __format__(self, spec: str) -> str:
        return super().__format__(spec) if spec else str(self)

    def __repr__(self) -> str:
        return f"<Variable {self.name!r} shape={self.shape} dtype={self.dtype} value={self.numpy()!r}>"

    def __str__(self) -> str:
        return repr(self)
