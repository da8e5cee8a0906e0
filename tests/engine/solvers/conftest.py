"""Names are replaced in these tests, and put back after each."""

from tests.replaced_names import forgotten, package

__all__ = ["forgotten", "package"]
