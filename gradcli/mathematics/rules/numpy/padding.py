"""NumPy's `pad` in all its modes, one axis after another, as in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.mathematics.rules.function_registry import numeric, serves, unsupported, whole_numbers
from gradcli.mathematics.rules.layout_preserving_copies import by_rows_or_columns
from gradcli.mathematics.rules.library_values import with_value_of
from gradcli.mathematics.rules.numpy.rearranging_helpers import integers_like, moved_along
from gradcli.shared import devices

# The options of each mode with their defaults.
OPTIONS: dict[str, dict[str, Any]] = {
    "constant": {"constant_values": 0},
    "edge": {},
    "empty": {},
    "linear_ramp": {"end_values": 0},
    "maximum": {"stat_length": None},
    "mean": {"stat_length": None},
    "median": {"stat_length": None},
    "minimum": {"stat_length": None},
    "reflect": {"reflect_type": "even"},
    "symmetric": {"reflect_type": "even"},
    "wrap": {},
}
STATISTICS: dict[str, Callable[..., Any]] = {"maximum": np.max, "mean": np.mean, "median": np.median, "minimum": np.min}


@serves("pad")
def pad(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Any:
    """`numpy.pad`."""
    if callable(mode):
        raise unsupported("numpy.pad with a function as mode=")
    pad_width = pad_width.tolist() if hasattr(pad_width, "tolist") else pad_width  # no operand, and so not on a device
    return (_with_new_numbers if mode in COMPUTED else _padded_in_turn)(array, pad_width, mode, **kwargs)


def _padded_in_turn(array: Any, pad_width: Any, mode: Any, **kwargs: Any) -> Any:
    given = array = numeric(array)
    options = {**OPTIONS.get(mode, {}), **kwargs}
    plain = {name: 1 if name in ("constant_values", "end_values") else option for name, option in options.items()}
    np.pad(np.zeros_like(array), pad_width, mode, **plain)  # raises NumPy's own error for invalid arguments
    widths = _pairs(_by_axis(pad_width, np.ndim(array)), np.ndim(array))
    option = next(iter(options.values()), None)
    pairs = [(option, option)] * len(widths) if isinstance(option, str) or option is None else None
    pairs = pairs or list(_pairs(numeric(option), np.ndim(array)))
    for axis, (width, pair) in enumerate(zip(widths, pairs, strict=True)):
        before, after = whole_numbers(width)
        if before or after:
            array = _padded(array, axis, (before, after), mode, pair)
    return by_rows_or_columns(array, given) if any(map(np.any, widths)) else np.reshape(array, np.shape(array)).copy()


COMPUTED = frozenset(("linear_ramp", "maximum", "mean", "median", "minimum"))
_with_new_numbers = with_value_of("pad", _padded_in_turn)


def _by_axis(pad_width: Any, count: int) -> Any:
    """The widths of all axes, given a dict by axis."""
    if not isinstance(pad_width, dict):
        return pad_width
    widths = [(0, 0)] * count
    for axis, width in pad_width.items():
        widths[axis] = width if isinstance(width, tuple) else (width, width)
    return widths


def _pairs(x: Any, count: int) -> Any:
    """One pair per axis, from a number, one pair or all pairs."""
    return np.broadcast_to(x, (count, 2))


def _padded(x: Any, axis: int, widths: tuple[int, int], mode: Any, option: Any) -> Any:
    if mode in ("reflect", "symmetric") and option[0] == "odd":
        return _reflected_odd(x, axis, widths, mode)
    if mode in ("reflect", "symmetric", "wrap", "edge"):
        return moved_along(lambda places: np.pad(places, widths, mode), x, axis)
    blocks = [_block(x, axis, widths[side], side, mode, option[side]) for side in (0, 1)]
    return np.concatenate([blocks[0], x, blocks[1]], axis=axis)


def _block(x: Any, axis: int, width: int, side: int, mode: str, option: Any) -> Any:
    """The padding before (side 0) or after (side 1) the elements along an axis."""
    shape = (*np.shape(x)[:axis], width, *np.shape(x)[axis + 1 :])
    if mode in ("constant", "empty"):
        filling = np.zeros_like(x, shape=())
        if mode == "constant":
            there = devices.on_device(getattr(x, "_value", x))
            filling = (filling + option).astype(x.dtype) if there else numeric(option, x.dtype)
        return np.broadcast_to(filling, shape)
    if mode == "linear_ramp":
        return _ramp(x, axis, width, side, option)
    length = np.shape(x)[axis] if option is None else min(int(option), np.shape(x)[axis])
    start = 0 if side == 0 else np.shape(x)[axis] - length
    statistic = STATISTICS[mode](_part(x, axis, start, start + length), axis=axis, keepdims=True)
    return np.broadcast_to(statistic, shape)


def _part(x: Any, axis: int, start: int, stop: int) -> Any:
    return x[(slice(None),) * axis + (slice(start, stop),)]


def _ramp(x: Any, axis: int, width: int, side: int, end: Any) -> Any:
    """A ramp from `end` at the outside to the edge element, which is excluded."""
    edge = _part(x, axis, 0, 1) if side == 0 else _part(x, axis, np.shape(x)[axis] - 1, np.shape(x)[axis])
    steps = np.reshape(integers_like(x, width), (width, *(1,) * (np.ndim(x) - axis - 1))).astype(x.dtype)
    end = numeric(end, x.dtype)
    return end + (edge - end) / max(1, width) * (steps if side == 0 else np.flip(steps, 0))


def _reflected_odd(x: Any, axis: int, widths: tuple[int, int], mode: str) -> Any:
    """Odd reflections about the edge element, as many as the widths need."""
    own = int(mode == "symmetric")  # whether the edge element is repeated
    if np.shape(x)[axis] == 1 and not own:
        return _padded(x, axis, widths, "edge", None)
    before, after = widths
    period = np.shape(x)[axis] - 1 + own
    while before or after:
        length = np.shape(x)[axis]
        whole = (length - 1 + own) // period * period
        left, right = min(before, whole), min(after, whole)
        first, last = _part(x, axis, 0, 1), _part(x, axis, length - 1, length)
        start = np.flip(_part(x, axis, 1 - own, 1 - own + left), axis)
        end = np.flip(_part(x, axis, length - 1 + own - right, length - 1 + own), axis)
        x = np.concatenate([2 * first - start, x, 2 * last - end], axis=axis)
        before, after = before - left, after - right
    return x
