"""Patches of a user's program for the duration of one run."""
