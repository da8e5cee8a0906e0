"""Numerical methods: finite differences, extrapolation, and bounds on rounding errors."""
