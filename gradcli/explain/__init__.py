"""A run told in the user's own names: the formula of each step, and how each sensitivity came about."""
