"""Derived programs in other languages than Python: each is made of the same statements."""
