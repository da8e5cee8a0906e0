"""Addition of cotangents in a sweep over arrays, in place where only the sweep refers to them."""

from __future__ import annotations

from sys import getrefcount
from typing import Any

import numpy as np
from numpy import ndarray

from gradcli.engine.tape.memory.reference_counts import HELD_ONCE, is_alone, owned_copy
from gradcli.mathematics.rules.complex_parts import REAL
from gradcli.mathematics.rules.shape import CAST, FEW, unbroadcast
from gradcli.shared import devices

# The cotangent of a row that no cotangent has reached, compared by identity. A computed zero is another object and is
# not skipped, because zero times an infinite partial is not zero.
UNTOUCHED = float("0.0")


def accumulate(cts: list[Any], index: int, cotangent: Any, like: Any) -> None:
    """Add `cotangent` to the cotangent of row `index`, converted to the shape and dtype of the row's value `like`."""
    if type(cotangent) is ndarray and type(like) is ndarray and cotangent.dtype is like.dtype:
        if cotangent.shape != like.shape:
            cotangent = unbroadcast(cotangent, like.shape)
    else:
        cotangent = fit(cotangent, like)
    present = cts[index]
    if present is UNTOUCHED:
        cts[index] = cotangent
    elif type(present) is ndarray and getrefcount(present) <= HELD_ONCE and present.base is None:
        present += cotangent  # nothing else refers to it; `is_alone` would take a call
    else:
        cts[index] = present + cotangent


def accumulation_lines(index: str, cotangent: str, like: str, fits: str) -> list[str]:
    """The lines of a compiled pullback that accumulate a cotangent. `fits` is a condition under which it has the shape
    and dtype of `like`: the first such cotangent of a row is stored without a call.
    """
    return [
        f"if {fits} and _cts[{index}] is _untouched:",
        f"    _cts[{index}] = {cotangent}",
        "else:",
        f"    _accumulate(_cts, {index}, {cotangent}, {like})",
    ]


def hand_over(cts: list[Any], index: int, array: Any) -> None:
    """Add an array that may be overwritten to the cotangent of row `index`, which has the same shape and dtype."""
    present = cts[index]
    if present is not UNTOUCHED:
        array += present
    cts[index] = array


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


def reduced_cotangent(cotangent: Any, like: Any) -> Any:
    """A cotangent reduced to the shape of `like`, possibly much smaller, before a constant partial multiplies it."""
    return cotangent if type(like) is ndarray and cotangent.shape == like.shape else fit(cotangent, like)


def owned_cotangent(cts: list[Any], index: int, like: Any) -> Any:
    """The cotangent of row `index` as an array that may be overwritten."""
    present = cts[index]
    if not is_alone(cts, index):
        cts[index] = present = np.zeros_like(like) if present is UNTOUCHED else owned_copy(present)
    return present


def select(cotangent: Any, partial: Any) -> Any:
    """Cotangent times the partial of a selecting rule. Elements that the rule did not select get exactly zero."""
    if issubclass(type(partial), (int, float, np.generic)):  # one condition selects all; a device takes no plain bool
        return cotangent * partial if partial else np.zeros_like(cotangent)
    return np.where(partial != 0, cotangent * partial, np.zeros_like(partial, shape=()))
