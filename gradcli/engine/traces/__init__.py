"""Traces: the read-only record of one run."""
