"""Explanations of a run in the user's own names: the formula of each step, and the origin of each sensitivity."""
