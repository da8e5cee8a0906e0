"""Derived programs in languages other than Python, all written from the same statements."""
