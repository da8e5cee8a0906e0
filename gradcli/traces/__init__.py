"""Traces: what one run did, as every reader reads it."""
