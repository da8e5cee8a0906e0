"""NumPy's functions of complex numbers and their parts."""

from __future__ import annotations
