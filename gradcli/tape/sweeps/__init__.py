"""Sweeps over a tape: reverse, forward, many at once, masked, and through the solution of an equation."""
