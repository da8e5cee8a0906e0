"""NumPy's functions that run NumPy's own code, which consists of calls of functions that have rules.

The code runs with other global names: conversions to arrays leave recorded values as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from gradcli.mathematics.rules.function_registry import numeric, serves
from gradcli.mathematics.rules.shape import CAST


def _converted(a: Any, dtype: Any = None, *rest: Any, **options: Any) -> Any:
    """`numpy.asanyarray`, which leaves recorded values recorded."""
    if hasattr(type(a), "apply_rule"):
        return numeric(a, dtype)
    if hasattr(a, "dtype"):
        a = numeric(a)
        return a if dtype is None else a.astype(dtype, copy=False)
    return np.asanyarray(a, dtype)


def _copied(a: Any, dtype: Any = None, *, copy: Any = True, ndmin: int = 0, **options: Any) -> Any:
    """`numpy.array`, which leaves recorded values recorded."""
    made = _converted(a, dtype)
    if copy:
        made = made.copy("K") if np.ndim(made) else CAST(made, dtype=np.ndarray)
    missing = ndmin - np.ndim(made)
    return np.reshape(made, (1,) * missing + np.shape(made)) if missing > 0 else made


_CONVERSIONS = {"array": _copied, **dict.fromkeys(("asarray", "asanyarray", "ascontiguousarray"), _converted)}


class _Converting:
    """One of NumPy's modules, with the conversions of this one."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return _CONVERSIONS.get(name) or getattr(self._module, name)


_NAMES: dict[str, dict[str, Any]] = {}  # the global names of the copied functions, by module


def _copy(function: Any, names: dict[str, Any]) -> FunctionType:
    """A function with other global names."""
    copied = FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
    copied.__kwdefaults__ = function.__kwdefaults__
    return copied


def _recordable(function: Any) -> Callable[..., Any]:
    """NumPy's own code of a function, with the functions that it calls, for recorded values."""
    own = function._implementation
    names = _NAMES.setdefault(own.__globals__["__name__"], {})
    if not names:
        for name, value in own.__globals__.items():
            if isinstance(value, ModuleType) and value.__name__.startswith("numpy"):
                names[name] = _Converting(value)
            elif type(value) is FunctionType and value.__globals__ is own.__globals__:
                names[name] = _copy(value, names)
            else:
                names[name] = _CONVERSIONS.get(name, value)
    return _copy(own, names)


# The functions, each with its arguments that are lists of arrays.
_FUNCTIONS: dict[str, tuple[str, ...]] = {
    "angle": (), "append": (), "apply_over_axes": (), "atleast_1d": (), "atleast_2d": (), "atleast_3d": (),
    "cumulative_prod": (), "cumulative_sum": (), "diff": (), "dsplit": (),
    "emath.arctanh": (), "emath.log": (), "emath.log10": (), "emath.log2": (), "emath.logn": (),
    "emath.power": (), "emath.sqrt": (), "expand_dims": (), "extract": (), "fft.fftshift": (), "fft.hfft": (),
    "fft.ifftshift": (), "fft.ihfft": (), "fft.irfft2": (), "fft.rfft2": (), "fill_diagonal": (),
    "flip": (), "fliplr": (), "flipud": (),
    "geomspace": (), "histogram2d": ("bins",), "hsplit": (), "imag": (), "intersect1d": (),
    "ix_": (), "linalg.cross": (), "linalg.diagonal": (), "linalg.matmul": (),
    "linalg.matrix_transpose": (), "linalg.multi_dot": ("arrays",), "linalg.outer": (),
    "linalg.svdvals": (), "linalg.tensordot": (), "linalg.tensorinv": (), "linalg.trace": (), "linalg.vecdot": (),
    "matrix_transpose": (), "moveaxis": (), "nancumprod": (), "nancumsum": (), "nanprod": (),
    "nansum": (), "outer": (), "polyadd": (), "polyder": (), "polyfit": (), "polyint": (), "polysub": (),
    "polyval": (), "ptp": (), "real": (), "real_if_close": (), "rollaxis": (), "rot90": (), "setxor1d": (),
    "sort_complex": (), "split": (), "tensordot": (), "trapezoid": (), "tril": (), "triu": (),
    "union1d": (), "unique_all": (), "unique_counts": (), "unique_inverse": (), "unique_values": (), "unstack": (),
    "vsplit": (),
}  # fmt: skip

for _name, _sequences in _FUNCTIONS.items():
    serves(_name, sequences=_sequences)(_recordable(attrgetter(_name)(np)))
