"""The column of a Series or a DataFrame that holds a recorded array. It is imported only where pandas is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from pandas.api.extensions import ExtensionArray, ExtensionDtype, register_extension_dtype

from gradcli.engine.tape.value import is_recorded, plain_value, record
from gradcli.mathematics.rules.shape import CAST


@register_extension_dtype
class RecordedDtype(ExtensionDtype):  # type: ignore[misc]
    """The dtype of columns of recorded floats."""

    name = "recorded"
    type = float
    kind = "f"
    na_value = float("nan")
    _is_numeric = True

    @classmethod
    def construct_array_type(cls) -> Any:
        """The class of columns."""
        return RecordedColumn


class RecordedColumn(NDArrayOperatorsMixin, ExtensionArray):  # type: ignore[misc]
    """A column of recorded floats.

    Attributes:
        data: the recorded array.
    """

    dtype = RecordedDtype()

    def __init__(self, data: Any) -> None:
        self.data = data

    @classmethod
    def _from_sequence(cls, scalars: Any, *, dtype: Any = None, copy: bool = False) -> Any:
        return scalars if isinstance(scalars, RecordedColumn) else cls(np.stack([*scalars]))

    @classmethod
    def _concat_same_type(cls, columns: Sequence[Any]) -> Any:
        return cls(np.concatenate([column.data for column in columns]))

    def __getattr__(self, name: str) -> Any:
        """What NumPy's arrays have and columns have not, such as `.sum()`."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.data, name)

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, item: Any) -> Any:
        return _column(self.data[item])

    def __setitem__(self, item: Any, value: Any) -> None:
        self.data[item] = _data(value)

    def __array__(self, *_: Any, **__: Any) -> Any:
        return self.data  # NumPy refuses it, so that the function is called with the recorded array

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if any(hasattr(type(x), "_typ") and not isinstance(x, RecordedColumn) for x in inputs):
            return NotImplemented  # a Series or a DataFrame, which aligns first
        return _column(getattr(ufunc, method)(*map(_data, inputs), **options))

    def __array_function__(self, function: Callable[..., Any], types: Any, arguments: Any, options: Any) -> Any:
        return _column(function(*map(_data, arguments), **options))

    @property
    def nbytes(self) -> int:
        """The size of its numbers."""
        return int(self.data.nbytes)

    def isna(self) -> Any:
        """Which numbers are NaN."""
        return np.isnan(plain_value(self.data))

    def copy(self) -> Any:
        """A copy."""
        return RecordedColumn(self.data.copy())

    def to_numpy(self, *_: Any, **__: Any) -> Any:
        """The recorded array."""
        return self.data

    def take(self, indices: Any, *, allow_fill: bool = False, fill_value: Any = None) -> Any:
        """The numbers at some places; where `allow_fill` a place of -1 stands for NaN."""
        taken = self.data[np.asarray(indices)]
        return RecordedColumn(np.where(np.asarray(indices) < 0, np.nan, taken) if allow_fill else taken)

    def map(self, mapper: Any, na_action: Any = None) -> Any:
        """The results of a function of each number."""
        return RecordedColumn(np.stack([mapper(number) for number in self.data]))

    def _values_for_argsort(self) -> Any:
        return plain_value(self.data)

    def _reduce(self, name: str, *, skipna: bool = True, keepdims: bool = False, **options: Any) -> Any:
        given = {"ddof": options.get("ddof", 1)} if name in ("std", "var") else {}
        return _column(getattr(np, name)(self.data[~self.isna()] if skipna else self.data, keepdims=keepdims, **given))

    def _accumulate(self, name: str, *, skipna: bool = True, **_: Any) -> Any:
        missing = self.isna() & skipna
        return RecordedColumn(getattr(np, name)(self.data[~missing])).take(
            np.where(missing, -1, np.cumsum(~missing) - 1), allow_fill=True
        )


def _data(x: Any) -> Any:
    if isinstance(x, (list, tuple)):
        return type(x)(map(_data, x))
    return x.data if isinstance(x, RecordedColumn) else x


def _column(result: Any) -> Any:
    """A result for pandas: floats as a column, and a number as one of Python's, which it does not convert."""
    value = plain_value(result)
    if np.result_type(value).kind != "f" or np.ndim(value) > 1:
        return result
    if np.ndim(value):
        return RecordedColumn(result)
    return record(CAST, (result,), {"dtype": float}) if is_recorded(result) else result
