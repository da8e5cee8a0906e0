"""Replacements for NumPy's classes and objects that loop over arrays or build them item by item."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np

from gradcli.engine.patching.patch_points import MISSING, WRAPPERS, FindReplacement
from gradcli.engine.tape.tape import active_tape
from gradcli.engine.tape.value import outcome, plain_value
from gradcli.engine.tape.values.array_creation import array, as_array, asarray
from gradcli.engine.tape.values.array_function import holds_recorded, list_as_array
from gradcli.mathematics.rules.function_registry import in_common_dtype, unsupported
from gradcli.mathematics.rules.numpy.joining_splitting import joined


class Vectorized:
    """A function that `numpy.vectorize` applies to each element, recorded or not."""

    def __init__(self, original: Any, find_replacement: FindReplacement = lambda _: MISSING) -> None:
        functools.update_wrapper(self, original.pyfunc)
        self._original = original
        shim = find_replacement(original.pyfunc)
        self._each = original.pyfunc if shim is MISSING else shim

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        original = self._original
        if active_tape() is None:
            return original(*arguments, **options)
        if original.signature:
            if holds_recorded((*arguments, *options.values())):
                raise unsupported("numpy.vectorize with signature=")
            return original(*arguments, **options)
        given: dict[Any, Any] = {**dict(enumerate(arguments)), **options}
        arrays = {name: asarray(x) for name, x in given.items() if name not in original.excluded}
        shape = np.broadcast_shapes(*map(np.shape, arrays.values()))
        arrays = {name: np.broadcast_to(x, shape) for name, x in arrays.items()}
        results = [self._call({**given, **_numbers(arrays, place)}) for place in np.ndindex(shape)]
        if not results:
            raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
        types = self._types(given, arrays, results[0])
        if not isinstance(results[0], tuple):
            return self._gathered(results, shape, types[0])
        gathered = zip(zip(*results, strict=True), types, strict=True)
        return tuple(self._gathered(part, shape, dtype) for part, dtype in gathered)

    def _call(self, given: dict[Any, Any]) -> Any:
        by_place = [x for name, x in given.items() if isinstance(name, int)]
        return self._each(*by_place, **{name: x for name, x in given.items() if isinstance(name, str)})

    def _types(self, given: dict[Any, Any], arrays: dict[Any, Any], first: Any) -> list[Any]:
        """The requested dtypes, or those of the first call, made with NumPy's numbers instead of Python's."""
        if self._original.otypes:
            return list(map(np.dtype, self._original.otypes))
        if any(x.dtype.char in "efgFG" for x in arrays.values()):
            first = self._call({**given, **{name: plain_value(x).flat[0] for name, x in arrays.items()}})
        return [np.result_type(plain_value(x)) for x in (first if isinstance(first, tuple) else (first,))]

    def _gathered(self, results: Any, shape: tuple[int, ...], dtype: Any) -> Any:
        """The results as an array of a dtype."""
        made: Any = np.reshape(asarray(list(results)), shape)
        return as_array(made).astype(dtype) if holds_recorded(made) else made.astype(dtype)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)


def _numbers(arrays: dict[Any, Any], place: tuple[int, ...]) -> dict[Any, Any]:
    """One element of each array, as a Python number."""
    return {name: x[place].item() for name, x in arrays.items()}


def vectorize(pyfunc: Any = np._NoValue, *arguments: Any, **options: Any) -> Any:
    """`numpy.vectorize`, as a function and as a decorator with options."""
    if pyfunc is np._NoValue:
        return functools.partial(vectorize, **options)
    return Vectorized(np.vectorize(pyfunc, *arguments, **options))


def ndenumerate(arr: Any) -> Iterator[tuple[tuple[int, ...], Any]]:
    """`numpy.ndenumerate`."""
    if not holds_recorded(arr):
        return iter(np.ndenumerate(arr))
    made = asarray(arr)
    return ((place, made[place]) for place in np.ndindex(made.shape))


def nditer(op: Any, *arguments: Any, **options: Any) -> Any:
    """`numpy.nditer`, refused for recorded arrays, into which it could write."""
    if holds_recorded(op):
        raise unsupported("numpy.nditer")
    return np.nditer(op, *arguments, **options)


class Joined:
    """`numpy.r_` and `numpy.c_` for arrays that include a recorded one."""

    def __init__(self, original: Any, axis: int, dimensions: int, first: int) -> None:
        self.__wrapped__ = original
        self._how = axis, dimensions, first

    def __getitem__(self, key: Any) -> Any:
        if not holds_recorded(key):
            return self.__wrapped__[key]
        items, (axis, dimensions, first) = key if isinstance(key, tuple) else (key,), self._how
        if isinstance(items[0], str):
            axis, dimensions, first = self._directive(items[0])
            items = items[1:]
        parts = [np.r_[item] if isinstance(item, slice) else item for item in items]
        return joined(in_common_dtype(map(list_as_array, parts)), dimensions, first, axis)

    def _directive(self, text: str) -> tuple[int, int, int]:
        """The axis to join along, the least number of axes, and the position of an array's own axes among them."""
        try:
            given = [int(part) for part in text.split(",")]
        except ValueError:
            raise unsupported(f"numpy.r_ with {text!r}") from None
        return tuple(given + list(self._how[len(given) :]))  # type: ignore[return-value]


def fromiter(iter: Any, dtype: Any, count: int = -1, **options: Any) -> Any:
    """`numpy.fromiter`."""
    items = list(iter) if count < 0 else [x for x, _ in zip(iter, range(count), strict=False)]
    if not holds_recorded(items):
        return np.fromiter(items, dtype, count, **options)
    if len(items) < count:
        raise ValueError(f"iterator too short: Expected {count} but iterator had only {len(items)} items.")
    return array(items, dtype)


def arange(*arguments: Any, **options: Any) -> Any:
    """`numpy.arange`. The number of elements is an outcome."""
    from gradcli.engine.tape.values.array_creation import FUNCTIONS

    if not holds_recorded((*arguments, *options.values())):
        return FUNCTIONS["arange"](*arguments, **options)
    return _recorded_arange(*arguments, **options)


def _count(start: Any, stop: Any, step: Any) -> int:
    return len(np.arange(float(start), float(stop), float(step)))


def _recorded_arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None, **_: Any) -> Any:
    start, stop = (0, start) if stop is None else (start, stop)
    count = outcome("arange", _count, start, stop, step)
    ramp = start + np.arange(count) * ((start + step) - start)
    made = asarray(ramp) if holds_recorded(ramp) else ramp * 1.0
    return made if dtype is None else made.astype(dtype)


OBJECTS: dict[str, Any] = {
    "arange": arange, "fromiter": fromiter, "ndenumerate": ndenumerate, "nditer": nditer,
    "r_": Joined(np.r_, axis=0, dimensions=1, first=-1), "c_": Joined(np.c_, axis=-1, dimensions=2, first=0),
    "vectorize": vectorize,
}  # fmt: skip
WRAPPERS[np.vectorize] = Vectorized
