"""The families of NumPy's functions that most programs use. Importing this module registers them."""

from __future__ import annotations

from gradcli.rules.numpy import (
    in_place,
    indexing,
    joining_splitting,
    products,
    reductions,
    rolling_repeating,
    shapes_axes,
)

FAMILIES = (joining_splitting, shapes_axes, rolling_repeating, products, indexing, reductions, in_place)
