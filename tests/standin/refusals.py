"""What CuPy's functions refuse beyond their parameters, as its Python sources (13.6 and 14.2) say."""

import numpy as np

from tests.standin.array import is_one

NUMBERS = (int, float, complex)


def refuse(name, arguments, options):
    """Refuse what CuPy's function of that name refuses.

    Raises:
        TypeError, ValueError, NotImplementedError: as CuPy's.
    """
    if name in REFUSALS:
        REFUSALS[name](*arguments, **options)


def interp(x, xp, fp, left=None, right=None, period=None):
    if not x._held.flags.c_contiguous:
        raise NotImplementedError("Non-C-contiguous x is currently not supported")


def column_stack(tup):
    if not all(map(is_one, tup)):
        raise TypeError("Only cupy arrays can be column stacked")


def searchsorted(a, v, side="left", sorter=None):
    if not is_one(a):
        raise NotImplementedError("Only int or ndarray are supported for a")
    if not is_one(v) and not isinstance(v, NUMBERS):
        raise NotImplementedError("Only int or ndarray are supported for v")


def select(condlist, choicelist, default=0):
    """A default of many numbers, and choices that are no arrays."""
    if not np.isscalar(default):
        raise TypeError("default only accepts scalar values")
    if not all(map(is_one, choicelist)):
        raise TypeError("choicelist only accepts lists of cupy ndarrays")


def trapezoid(y, x=None, dx=1.0, axis=-1):
    if not is_one(y) or not (x is None or is_one(x)):
        raise TypeError("`y` should be of type cupy.ndarray")


def cumulative(x, **options):
    if not is_one(x):
        raise TypeError("`x` should be of type cupy.ndarray")


def ediff1d(arr, to_end=None, to_begin=None):
    for part in (arr, to_end, to_begin):
        if part is not None and not is_one(part):
            raise TypeError("`arr` should be of type cupy.ndarray")


def histogram(a, bins=10, **options):
    if isinstance(bins, str):
        raise NotImplementedError("only integer and array bins are implemented")


def extract(condition, a):
    if not is_one(a):
        raise TypeError("extract requires input array to be cupy.ndarray")


def like(a, *arguments, subok=None, **options):
    if subok is not None:
        raise TypeError("subok is not supported yet")


def repeat(a, repeats, axis=None):
    if not isinstance(repeats, (int, np.integer, list, tuple)):
        raise ValueError("'repeats' should be int or sequence")


def tile(A, reps):
    """Counts in an array of the device, which are arrays themselves."""
    if is_one(reps) or (isinstance(reps, (list, tuple)) and any(map(is_one, reps))):
        raise TypeError("only integers can be counts")


def reshape(a, *arguments, **options):
    """A shape in an array of the device."""
    shape = arguments[0] if arguments else options.get("shape", options.get("newshape"))
    if is_one(shape) or (isinstance(shape, (list, tuple)) and any(map(is_one, shape))):
        raise TypeError("only integers can be lengths")


def lexsort(keys, axis=-1):
    """Keys that are no array, and more than two axes."""
    if not is_one(keys):
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    if keys.ndim > 2:
        raise NotImplementedError("Keys with the rank of three or more is not supported in lexsort")


REFUSALS = {
    "column_stack": column_stack,
    "cumulative_prod": cumulative,
    "cumulative_sum": cumulative,
    "ediff1d": ediff1d,
    "empty_like": like,
    "extract": extract,
    "full_like": like,
    "histogram": histogram,
    "interp": interp,
    "lexsort": lexsort,
    "ones_like": like,
    "repeat": repeat,
    "reshape": reshape,
    "searchsorted": searchsorted,
    "select": select,
    "tile": tile,
    "trapezoid": trapezoid,
    "zeros_like": like,
}
