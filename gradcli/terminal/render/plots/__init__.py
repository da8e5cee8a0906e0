"""Plots: curves and bars in the terminal, pictures in files."""
