"""Replacements for functions, types and modules that need bare numbers."""
