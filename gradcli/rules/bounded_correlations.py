"""The array rule that keeps rounded correlations between -1 and 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.rules.rule_types import array_rule


def _bounded(x: Any) -> Any:
    """What is beyond is rounding, so the derivative does not see it; numbers of many digits need no bounds."""
    return x if x.dtype.kind == "O" else np.clip(x, -1, 1)


BOUNDED = array_rule(
    "bounded",
    "x: np.clip(x, -1, 1)",
    lambda ct, v, x: ct,
    compute=_bounded,
    reach=lambda marks, v, x: marks,
    diagonal=True,
)
