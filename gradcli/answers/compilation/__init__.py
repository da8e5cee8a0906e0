"""Compiled gradients: derived programs that are built, compared with eager gradients, and called in their place."""
