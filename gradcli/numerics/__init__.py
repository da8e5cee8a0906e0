"""Numerical methods: finite differences, extrapolation, Taylor remainders, bounds of rounding errors."""
