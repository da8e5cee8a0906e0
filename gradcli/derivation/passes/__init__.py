"""Passes over the intermediate form: the backward pass, tangents, what is kept for them, what is not needed."""
