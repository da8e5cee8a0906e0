"""The problem of a check: careful, timed and repeated calls of the user's function."""
