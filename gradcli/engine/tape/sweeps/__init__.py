"""Sweeps over a tape: reverse, forward, batched, masked, and through the solution of an equation."""
