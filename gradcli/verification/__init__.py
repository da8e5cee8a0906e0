"""Verification of every gradient in a project: cases, workers and reports."""
