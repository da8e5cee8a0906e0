"""Passes over the intermediate form: the reverse pass, tangents, saved values, and cleanup."""
