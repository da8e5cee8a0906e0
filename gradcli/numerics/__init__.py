"""Numerical methods: finite differences, extrapolation, Taylor remainders, and bounds on rounding errors."""
