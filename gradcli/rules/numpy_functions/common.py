"""The families of NumPy's functions that most programs use; importing this puts them into the registry."""

from __future__ import annotations

from gradcli.rules.numpy_functions import joining, moves, moving, products, reading, reductions, writing

FAMILIES = (joining, moves, moving, products, reading, reductions, writing)
