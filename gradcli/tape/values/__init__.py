"""Recorded values: numbers and arrays that behave as plain ones do, and NumPy's protocols that bring calls to them."""
