"""All families of supported NumPy functions. Importing this module completes the registry."""

from __future__ import annotations

from importlib import import_module

FAMILIES = tuple(
    import_module(f"gradcli.mathematics.rules.{name}")
    for name in (
        "numpy.histograms",
        "numpy.differences",
        "numpy.einsum",
        "numpy.emath",
        "numpy.fourier",
        "numpy.joining_splitting",
        "numpy.linalg",
        "numpy.nan_functions",
        "numpy.shapes_axes",
        "numpy.rearranging",
        "numpy.norms",
        "numpy.padding",
        "complex_parts",
        "numpy.polynomials",
        "numpy.products",
        "numpy.quantiles",
        "numpy.spaced_values",
        "numpy.indexing",
        "numpy.reductions",
        "scipy.banded",
        "scipy.distances",
        "scipy_internals.signal_image_filters",
        "scipy_internals.image_interpolation",
        "scipy.fourier",
        "scipy_internals.piecewise_polynomials",
        "scipy.linalg",
        "scipy.structured_matrices",
        "scipy.lu_and_polar_factors",
        "scipy.special",
        "scipy_internals.integrator_step_sizes",
        "scipy_internals.fitpack_splines",
        "scipy_internals.multivariate_covariance",
        "numpy.sets",
        "numpy.sorting",
        "numpy.statistics",
        "numpy.in_place",
    )
)
