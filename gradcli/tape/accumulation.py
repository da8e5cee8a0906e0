"""Addition of cotangents in a sweep over arrays: undoing broadcasting, keeping dtypes, owning buffers."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy import ndarray

from gradcli import devices
from gradcli.rules.complex import REAL
from gradcli.rules.shape import CAST, FEW, unbroadcast
from gradcli.tape.released_arrays import LARGE

# The cotangent of a row that no cotangent has reached, compared by identity. A computed zero is another object and is
# not skipped, because zero times an infinite partial is not zero.
UNTOUCHED = float("0.0")


def _references(cts: list[Any], index: int) -> int:
    ct = cts[index]
    return sys.getrefcount(ct)


def _of_a_sample() -> int:
    ct = np.empty(1)
    return _references([ct], 0)


_ALONE = _of_a_sample()  # measured, because the count that a call sees differs between versions of Python


def is_alone(cts: list[Any], index: int) -> bool:
    """Whether no reference to an array exists except in `cts` and in one variable of the caller, and no view of it.

    Such an array can be overwritten unnoticed.
    """
    ct = cts[index]
    return type(ct) is ndarray and ct.base is None and sys.getrefcount(ct) == _ALONE


class Buffer:
    """An array owned by the sweep. Reads of `x[i]` in a loop add to it in place."""

    __slots__ = ("array",)

    def __init__(self, array: Any) -> None:
        self.array = array

    def __add__(self, cotangent: Any) -> Buffer:
        return Buffer(self.array + cotangent)


def accumulate(cts: list[Any], index: int, cotangent: Any, like: Any) -> None:
    """Add `cotangent` to the cotangent of row `index`, converted to the shape and dtype of the row's value `like`."""
    if not (
        type(cotangent) is type(like) is ndarray and cotangent.shape == like.shape and cotangent.dtype is like.dtype
    ):
        cotangent = fit(cotangent, like)
    present = cts[index]
    if present is UNTOUCHED:
        cts[index] = cotangent
    elif type(present) is Buffer:
        present.array += cotangent
    elif type(present) is ndarray and present.size > LARGE:
        if is_alone(cts, index):
            present += cotangent
        else:
            cts[index] = Buffer(present + cotangent)  # later ones are added in place
    else:
        cts[index] = present + cotangent


def hand_over(cts: list[Any], index: int, array: Any) -> None:
    """Add an array owned by the sweep to the cotangent of row `index`, which has the same shape and dtype."""
    present = cts[index]
    if type(present) is Buffer:
        present.array += array
    else:
        if present is not UNTOUCHED:
            array += present
        cts[index] = Buffer(array)


def fit(cotangent: Any, like: Any) -> Any:
    """Sum `cotangent`, plain or recorded, over the axes along which `like` was broadcast, and cast it to the dtype of
    `like`.

    If `like` is real and the cotangent complex, its real part is taken.
    """
    if type(cotangent) is ndarray and type(like) is ndarray and cotangent.dtype is like.dtype:
        return unbroadcast(cotangent, like.shape)
    if type(like) is float or type(like) is int:
        if hasattr(cotangent, "dtype"):
            return CAST(real_part(np.sum(cotangent) if np.ndim(cotangent) else cotangent), dtype=float)
        return cotangent
    shape, dtype = like.shape, like.dtype
    # Faster than broadcasting by a factor of ten.
    if type(cotangent) is np.float64 and type(like) is ndarray and like.size <= FEW:
        filled = np.empty(shape, dtype)
        filled.fill(cotangent)
        return filled
    if devices.on_device(like) and not devices.on_device(getattr(cotangent, "_value", cotangent)):
        cotangent = cotangent * np.ones_like(like)  # the cotangent of a recorded `float(x)`, which is a Python number
    if np.shape(cotangent) != shape:
        cotangent = unbroadcast(cotangent, shape)
    if getattr(cotangent, "dtype", None) != dtype and dtype.kind in "fc":
        cotangent = CAST(real_part(cotangent) if dtype.kind == "f" else cotangent, dtype=dtype)
    return cotangent


def real_part(cotangent: Any) -> Any:
    """The real part of a complex cotangent; a real one unchanged."""
    return REAL(cotangent) if getattr(getattr(cotangent, "dtype", None), "kind", "f") == "c" else cotangent


def summed(cotangent: Any, like: Any) -> Any:
    """A cotangent reduced to the shape of `like`, possibly much smaller, before a constant partial multiplies it."""
    return cotangent if type(like) is ndarray and cotangent.shape == like.shape else fit(cotangent, like)


def owned(cts: list[Any], index: int, like: Any) -> Any:
    """The cotangent of row `index` as an array that may be overwritten."""
    present = cts[index]
    if type(present) is not Buffer:
        if not is_alone(cts, index):
            present = np.zeros_like(like) if present is UNTOUCHED else own(present)
        cts[index] = present = Buffer(present)
    return present.array


def own(cotangent: Any) -> Any:
    """A new array with the same numbers. A NumPy scalar becomes a writable array."""
    return cotangent.copy() if devices.on_device(cotangent) else np.array(cotangent)


def select(cotangent: Any, partial: Any) -> Any:
    """Cotangent times the partial of a selecting rule. Elements that the rule did not select get exactly zero."""
    return np.where(partial != 0, cotangent * partial, np.zeros_like(partial, shape=()))


def plain(cotangent: Any) -> Any:
    """A cotangent taken out of its buffer, if it is in one."""
    return cotangent.array if type(cotangent) is Buffer else cotangent
