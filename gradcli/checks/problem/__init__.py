"""The problem of a check: the user's function called with care, many times, within a time, at one point or at many."""
