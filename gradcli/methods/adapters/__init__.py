"""Objects of other libraries that bring a derivative of their own, as plain functions of NumPy's numbers."""
