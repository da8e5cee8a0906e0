"""Fixtures that restore replaced names after each test."""

from tests.replaced_names import forgotten, package

__all__ = ["forgotten", "package"]
