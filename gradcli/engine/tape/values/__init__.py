"""Recorded values: numbers and arrays that behave like plain ones, through Python's operators and NumPy's protocols."""
