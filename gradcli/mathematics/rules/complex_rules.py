"""The rules of operations on complex numbers, and the error for an operation that has none."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Never

from gradcli.errors import UnsupportedError
from gradcli.mathematics.rules.rule_types import Rule


def is_complex(value: Any) -> bool:
    """Whether a value is a NumPy value of complex dtype."""
    return hasattr(value, "dtype") and value.dtype.kind == "c"


def for_complex(rule: Rule, values: Iterable[Any]) -> Rule:
    """The rule to use when some of the arguments, given by their plain values, may be complex.

    Raises:
        UnsupportedError: there is none.
    """
    if rule.on_complex is rule or not any(map(is_complex, values)):
        return rule
    return rule.on_complex or refuse_complex(rule)


def refuse_complex(rule: Rule) -> Never:
    """Raise the error for a rule on complex numbers."""
    raise UnsupportedError(
        f"the derivative of {rule.name} is known for real numbers only, not for complex ones",
        hint="Compute with np.real(z), np.imag(z) and abs(z), which are real; `gradcli help conventions` says more.",
    )
