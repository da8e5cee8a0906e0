"""Derivatives of a recorded program with 50 digits: numbers, linear algebra and Fourier transforms in many digits."""
