"""How far rounding moves what a program computes, by trial: the program is played again, every step a little off.

A running analysis adds up what cannot come together, so that in a loop its bound grows without end; a trial sees what
the loop itself makes of an error.  Some trials err the same way at every step, as the repeated sum of one number does.
(D. Parker, Monte Carlo Arithmetic, 1997.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.methods.rounding.arithmetic import is_short
from gradcli.methods.rounding.bounds import own_errors
from gradcli.tape.compiled import ARITHMETIC
from gradcli.tape.replay import Diverged, computed
from gradcli.tape.tape import CONSTANT, Row, Tape

ALIKE = (1.0, -1.0)  # trials in which every step errs to the same side
RANDOM = 6  # and others
SAFETY = 16.0  # times what was seen: more than that rounding hardly does


def moved_by_trial(tape: Tape, rows: Sequence[int], half_ulp: float) -> list[float]:
    """How far rounding may move each number of some rows, in order; two for the two parts of a complex one.

    Costs eight runs of the recorded program; infinite where it cannot be run with other numbers.
    """
    last = max(rows, default=-1)
    generator = np.random.default_rng(0)
    here = [x for row in rows for x in _numbers(tape.rows[row][1])]
    try:
        own = own_errors(tape, last, half_ulp)
        tried = [_played(tape, last, own, half_ulp, _signs(generator, side)) for side in (*ALIKE, *(0.0,) * RANDOM)]
    except (Diverged, *ARITHMETIC, TypeError, LookupError, AttributeError, NotImplementedError):
        return [math.inf] * len(here)
    moved = np.array([[x for row in rows for x in _numbers(values[row])] for values in tried])
    with np.errstate(all="ignore"):
        most = SAFETY * np.max(np.abs(moved - np.array(here)), axis=0, initial=0.0)
    return [math.inf if math.isnan(x) else x for x in most.tolist()]


def _signs(generator: np.random.Generator, side: float) -> Any:
    """Draws how much of its error each number has, of a shape."""
    if not side:
        return lambda shape: generator.uniform(-1.0, 1.0, shape)
    return lambda shape: side * generator.uniform(0.5, 1.0, shape)


def _played(tape: Tape, last: int, own: list[Any], half_ulp: float, draw: Any) -> list[Any]:
    """The values of the rows up to the last one, each a little off."""
    values: list[Any] = []
    with np.errstate(all="ignore"):
        for row, error in zip(tape.rows[: last + 1], own, strict=True):
            if not row[0].recorded:
                values.append(row[1])
                continue
            arguments = [_constant(x, half_ulp, draw) if i == CONSTANT else values[i] for i, x in _pairs(row)]
            values.append(_off(computed(row, arguments), error, draw))
    return values


def _pairs(row: Row) -> Any:
    return zip(row[2::2], row[3::2], strict=True)


def _constant(x: Any, half_ulp: float, draw: Any) -> Any:
    """A constant of the program, which was rounded when it was written down, unless it is short."""
    floating = isinstance(x, float) or getattr(x, "dtype", np.dtype(int)).kind in "fc"
    return _off(x, np.where(is_short(x), 0.0, half_ulp * np.abs(x)), draw) if floating else x


def _off(x: Any, error: Any, draw: Any) -> Any:
    """A number or an array, off by some of its error."""
    if not np.any(error):
        return x
    moved = x + np.where(np.asarray(error) > 0, error, 0.0) * draw(np.shape(x))
    return moved.astype(x.dtype)[()] if hasattr(x, "dtype") else type(x)(moved)


def _numbers(value: Any) -> list[float]:
    flat = np.ravel(np.asarray(value))
    return [part for x in flat for part in (x.real, x.imag)] if np.iscomplexobj(flat) else flat.astype(float).tolist()
