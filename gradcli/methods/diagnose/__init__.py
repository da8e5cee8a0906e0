"""Findings on a gradient from a recorded run: cut paths, kinks, distances to branches, origins of NaN."""
