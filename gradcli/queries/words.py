"""The operations that the program knows."""

from __future__ import annotations


def operations() -> list[str]:
    """The names of all operations that have a rule or are zero by declaration."""
    from gradcli import rules
    from gradcli.rules import numpy_functions

    words = set(rules.functions()) | set(rules.RULES)
    return sorted(words) + sorted(f"numpy.{name}" for name in numpy_functions.FUNCTIONS)
