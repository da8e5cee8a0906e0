"""Mistakes put into gradcli's own code, and whether its tests notice."""
