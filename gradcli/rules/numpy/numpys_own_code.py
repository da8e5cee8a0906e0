"""NumPy's functions that run NumPy's own code, which consists of calls of functions that have rules."""

from __future__ import annotations

from operator import attrgetter

import numpy as np

from gradcli.rules.function_registry import serves

# The functions, each with its arguments that are lists of arrays.
_FUNCTIONS: dict[str, tuple[str, ...]] = {
    "cumulative_prod": (), "cumulative_sum": (), "dsplit": (), "dstack": ("tup",),
    "extract": (), "fill_diagonal": (), "flip": (), "histogram2d": ("bins",), "hsplit": (), "hstack": ("tup",),
    "imag": (), "linalg.diagonal": (), "linalg.matmul": (), "linalg.matrix_transpose": (), "linalg.trace": (),
    "moveaxis": (), "polyadd": (), "polysub": (), "ptp": (), "real": (), "rollaxis": (),
    "setxor1d": (), "split": (), "union1d": (), "unique_all": (), "unique_counts": (), "unique_inverse": (),
    "unique_values": (), "unstack": (), "vsplit": (), "vstack": ("tup",),
}  # fmt: skip

for _name, _sequences in _FUNCTIONS.items():
    serves(_name, sequences=_sequences)(attrgetter(_name)(np)._implementation)
