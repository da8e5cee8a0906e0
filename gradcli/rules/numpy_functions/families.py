"""Every family of NumPy's functions that is served; importing this completes the registry."""

from __future__ import annotations

from importlib import import_module

FAMILIES = tuple(
    import_module(f"{__package__}.{name}")
    for name in (
        "counting",
        "cumulative",
        "differences",
        "einsum",
        "emath",
        "fourier",
        "joining",
        "linalg",
        "missing",
        "moves",
        "moving",
        "norms",
        "padding",
        "parts",
        "polynomials",
        "products",
        "quantiles",
        "ramps",
        "reading",
        "reductions",
        "scipy_banded",
        "scipy_distances",
        "scipy_filters",
        "scipy_images",
        "scipy_fourier",
        "scipy_interpolate",
        "scipy_linalg",
        "scipy_matrices",
        "scipy_special",
        "scipy_splines",
        "scipy_stats",
        "sets",
        "sorting",
        "statistics",
        "windows",
        "writing",
    )
)
