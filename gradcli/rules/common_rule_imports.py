"""The families of NumPy's functions that most programs use. Importing this module registers them."""

from __future__ import annotations

from gradcli.rules.numpy import (
    diagonals_triangles,
    in_place,
    indexing,
    inserting_deleting,
    joining_splitting,
    numpys_own_code,
    products,
    reductions,
    rolling_repeating,
    shapes_axes,
    strided_windows,
)

FAMILIES = (
    joining_splitting,
    numpys_own_code,
    shapes_axes,
    rolling_repeating,
    inserting_deleting,
    strided_windows,
    diagonals_triangles,
    products,
    indexing,
    reductions,
    in_place,
)
