"""How a sweep over arrays adds cotangents: broadcasting undone, types kept, buffers owned by the sweep alone."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy import ndarray

from gradcli import devices
from gradcli.rules.complex import REAL
from gradcli.rules.shape import CAST, FEW, unbroadcast

# The cotangent of a row that no cotangent has reached.  It is recognised by identity: a zero that was computed is
# another object, and is not skipped, because zero times an infinite partial is not zero.
UNTOUCHED = float("0.0")


def _references(cts: list[Any], index: int) -> int:
    return sys.getrefcount(cts[index])


def _of_a_sample() -> int:
    ct = np.empty(1)
    return _references([ct], 0)


_ALONE = _of_a_sample()  # asked in this way, for versions of Python differ in how a call counts


def is_alone(cts: list[Any], index: int) -> bool:
    """Whether `cts`, and one name of the caller's, have the only references to an array, of which there is no view.

    Then nobody else can tell whether it is written over.
    """
    return type(cts[index]) is ndarray and cts[index].base is None and _references(cts, index) == _ALONE


class Buffer:
    """An array that the sweep owns, so that reading `x[i]` in a loop adds in place instead of making a new array."""

    __slots__ = ("array",)

    def __init__(self, array: Any) -> None:
        self.array = array

    def __add__(self, cotangent: Any) -> Buffer:
        return Buffer(self.array + cotangent)


def accumulate(cts: list[Any], index: int, cotangent: Any, like: Any) -> None:
    """Add `cotangent` to that of row `index`, whose value is `like`: same shape, same type."""
    if not (
        type(cotangent) is type(like) is ndarray and cotangent.shape == like.shape and cotangent.dtype is like.dtype
    ):
        cotangent = fit(cotangent, like)
    present = cts[index]
    if present is UNTOUCHED:
        cts[index] = cotangent
    elif type(present) is Buffer:
        present.array += cotangent
    elif type(present) is ndarray and present.size > FEW:
        if is_alone(cts, index):
            present += cotangent
        else:
            cts[index] = Buffer(present + cotangent)  # further ones are added in place
    else:
        cts[index] = present + cotangent


def hand_over(cts: list[Any], index: int, array: Any) -> None:
    """Add an array that the sweep owns to the cotangent of row `index`, which is of its shape and type."""
    present = cts[index]
    if type(present) is Buffer:
        present.array += array
    else:
        if present is not UNTOUCHED:
            array += present
        cts[index] = Buffer(array)


def fit(cotangent: Any, like: Any) -> Any:
    """`cotangent`, plain or recorded, summed over the axes along which `like` was broadcast, in the type of `like`.

    Of a complex cotangent of real numbers that is the real part.
    """
    if type(cotangent) is ndarray and type(like) is ndarray and cotangent.dtype is like.dtype:
        return unbroadcast(cotangent, like.shape)
    if type(like) is float or type(like) is int:
        if hasattr(cotangent, "dtype"):
            return CAST(real_part(np.sum(cotangent) if np.ndim(cotangent) else cotangent), dtype=float)
        return cotangent
    shape, dtype = like.shape, like.dtype
    if type(cotangent) is np.float64 and type(like) is ndarray and like.size <= FEW:  # broadcasting costs ten times it
        filled = np.empty(shape, dtype)
        filled.fill(cotangent)
        return filled
    if devices.on_device(like) and not devices.on_device(getattr(cotangent, "_value", cotangent)):
        cotangent = cotangent * np.ones_like(like)  # the number that a `float(x)` of the program's was followed by
    if np.shape(cotangent) != shape:
        cotangent = unbroadcast(cotangent, shape)
    if getattr(cotangent, "dtype", None) != dtype and dtype.kind in "fc":
        cotangent = CAST(real_part(cotangent) if dtype.kind == "f" else cotangent, dtype=dtype)
    return cotangent


def real_part(cotangent: Any) -> Any:
    """The real part of a complex cotangent, and a real one as it is."""
    return REAL(cotangent) if getattr(getattr(cotangent, "dtype", None), "kind", "f") == "c" else cotangent


def summed(cotangent: Any, like: Any) -> Any:
    """A cotangent in the shape of `like`: what a constant partial multiplies, which may be a much smaller array."""
    return cotangent if type(like) is ndarray and cotangent.shape == like.shape else fit(cotangent, like)


def owned(cts: list[Any], index: int, like: Any) -> Any:
    """The cotangent of row `index` as an array that may be written to."""
    present = cts[index]
    if type(present) is not Buffer:
        if not is_alone(cts, index):
            present = np.zeros_like(like) if present is UNTOUCHED else own(present)
        cts[index] = present = Buffer(present)
    return present.array


def own(cotangent: Any) -> Any:
    """An array of its own; NumPy's scalars become arrays, which can be written into."""
    return cotangent.copy() if devices.on_device(cotangent) else np.array(cotangent)


def select(cotangent: Any, partial: Any) -> Any:
    """Cotangent times the partial of a rule that hands an argument through: what was not taken gets exactly nothing."""
    return np.where(partial != 0, cotangent * partial, np.zeros_like(partial, shape=()))


def plain(cotangent: Any) -> Any:
    """The cotangent itself, out of the buffer that held it."""
    return cotangent.array if type(cotangent) is Buffer else cotangent
