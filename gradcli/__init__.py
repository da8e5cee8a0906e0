"""Symbolic-numeric gradient exploration: a tape, its gradient, and independent checks of it."""
