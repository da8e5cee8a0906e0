"""The table of all rules by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gradcli.lazy_imports import LazyTable
from gradcli.rules.array_rule import ArrayRule

if TYPE_CHECKING:
    from gradcli.rules.rule_types import Elementwise


RULES: LazyTable[Elementwise | ArrayRule] = LazyTable("gradcli.rules.special_functions")
"""The rules by name. Those of SciPy's functions are added when one is needed."""


def elementwise_rule(name: str) -> Elementwise:
    """The elementwise rule called `name`."""
    rule = RULES[name]
    assert not isinstance(rule, ArrayRule)
    return rule


def array_rule(
    name: str, definition: str | Callable[..., Any], *vjps: Callable[..., Any] | None, **options: Any
) -> ArrayRule:
    """Add an array rule to the table. `options` are the other fields of `ArrayRule`."""
    rule = ArrayRule(name, definition, vjps, **options)
    RULES.setdefault(name, rule)  # a custom rule of that name may exist already
    return rule
