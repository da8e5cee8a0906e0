"""The rule tables: the operations and their derivatives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gradcli.mathematics.rules import elementwise
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.mathematics.rules.compiled_formulas import ARRAY_FUNCTIONS, GENERIC_FUNCTIONS
from gradcli.mathematics.rules.nondifferentiable import WORDS, Declared
from gradcli.mathematics.rules.rule_table import RULES
from gradcli.mathematics.rules.rule_types import Elementwise, Rule

__all__ = ["RULES", "ArrayRule", "Elementwise", "Rule", "elementwise", "functions"]

GENERIC_FUNCTIONS.update({name: Declared(name) for name in WORDS})


def _log(x: Any, base: Any = None) -> Any:
    """The logarithm, natural or to a base."""
    return RULES["log"](x) if base is None else RULES["div"](RULES["log"](x), RULES["log"](base))


def _where(condition: Any, x: Any, y: Any, *names: Any) -> Any:
    """The choice between two values, or between the results of two functions of `names`."""
    if names and not any(hasattr(type(name), "apply_rule") for name in names):
        return ARRAY_FUNCTIONS["where"](condition, x, y, *names)
    return RULES["where"](condition, *((x(*names), y(*names)) if names else (x, y)))


GENERIC_FUNCTIONS.update({"log": _log, "where": _where})


def functions() -> Mapping[str, Callable[..., Any]]:
    """Every function of the formula language. They compute on plain values and record on recorded ones."""
    if "sum" not in GENERIC_FUNCTIONS:
        import numpy as np

        GENERIC_FUNCTIONS.update({"sum": np.sum, "mean": np.mean, "prod": np.prod, "dot": np.dot})
    return GENERIC_FUNCTIONS
