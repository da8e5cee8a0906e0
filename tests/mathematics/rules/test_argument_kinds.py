"""NumPy's functions of arguments of every kind: value, shape and dtype are those of the plain run."""

import copy
import itertools
import warnings

import numpy as np
import pytest

from gradcli import trace
from gradcli.errors import GradcliError
from gradcli.mathematics.rules import all_rule_imports
from gradcli.mathematics.rules.function_registry import FUNCTIONS

pytestmark = pytest.mark.sampled(24)  # many like cases

RECORDED = {
    "float": 1.3,
    "array": np.array([0.3, 0.7, 0.2]),
    "matrix": np.array([[0.4, 0.1, 0.9], [0.8, 0.25, 0.6]]),
    "float32 array": np.array([0.3, 0.7, 0.2], np.float32),
    "float32": np.float32(0.6),
    "no dimension": np.array(0.4),
}
PLAIN = {
    "int": 2,
    "bool": True,
    "number": 0.5,
    "floats": np.array([0.5, 0.25, 0.75]),
    "integers": np.array([1, 2, 0]),
    "booleans": np.array([True, False, True]),
    "list": [0.5, 0.1, 0.2],
    "list of integers": [1, 2, 0],
    "floats of 32 bits": np.array([0.5, 0.25, 0.75], np.float32),
    "integer of NumPy": np.int64(1),
    "number of 32 bits": np.float32(0.25),
    "nothing": None,
    "empty": np.zeros(0),
}
KINDS = [*RECORDED, *PLAIN]
LEFT_OUT = ("copyto", "place", "put", "put_along_axis", "putmask", "fill_diagonal", "einsum_path")  # no number results
# NumPy's sets and polynomials combine Python numbers with arrays before it converts them; its angle halves a boolean.
OTHER_DTYPES = ("angle", "intersect1d", "linspace", "polysub", "union1d")


def _names():
    """NumPy's supported functions, from whose names no dot leads elsewhere, and its ufuncs."""
    assert all_rule_imports.FAMILIES
    functions = {name for name in FUNCTIONS if "." not in name} | {
        name for name in dir(np) if isinstance(getattr(np, name), np.ufunc)
    }
    return sorted(functions - {*LEFT_OUT})


def _results(found):
    many = isinstance(found, (list, tuple)) and any(map(np.ndim, found))
    return [x for part in found for x in _results(part)] if many else [np.asarray(found)]


def _differs(function, kinds):
    """Whether the result of a traced call differs from the plain one; also False where either is refused."""
    at = [RECORDED[kind] for kind in kinds if kind in RECORDED]

    def program(*recorded):
        rest = iter(recorded)
        return function(*(next(rest) if kind in RECORDED else copy.copy(PLAIN[kind]) for kind in kinds))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            plain = program(*at)
        except Exception:
            return False  # not a call that NumPy allows
        try:
            found = trace(program, *at, names=False).value
        except GradcliError:
            return False
    pairs = [*itertools.zip_longest(_results(plain), _results(found))]
    return any(x.dtype.kind in "fcbiu" and not _is_same(function, x, y) for x, y in pairs)


def _is_same(function, expected, found):
    same_type = expected.dtype == found.dtype or function.__name__ in OTHER_DTYPES
    rtol = 1e-6 if np.float32 in (expected.dtype, found.dtype) else 0
    return expected.shape == found.shape and same_type and np.allclose(expected, found, rtol, 0, equal_nan=True)


@pytest.mark.parametrize("name", [name for name in _names() if hasattr(np, name)])
def test_values_shapes_and_dtypes(name):
    function = getattr(np, name)
    counts = (function.nin,) if isinstance(function, np.ufunc) else (1, 2)  # not `out`
    calls = [kinds for count in counts for kinds in itertools.product(KINDS, repeat=count)]

    assert [kinds for kinds in calls if not RECORDED.keys().isdisjoint(kinds) and _differs(function, kinds)] == []
