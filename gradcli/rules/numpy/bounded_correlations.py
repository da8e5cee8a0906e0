"""The array rule that clips rounded correlations to the interval from -1 to 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.rules.array_rule import array_rule


def _bounded(x: Any) -> Any:
    """Clip. The excess is rounding error, so the derivative ignores it; numbers with many digits need no clipping."""
    return x if x.dtype.kind == "O" else np.clip(x, -1, 1)


BOUNDED = array_rule(
    "bounded",
    "x: np.clip(x, -1, 1)",
    lambda ct, v, x: ct,
    compute=_bounded,
    reach=lambda marks, v, x: marks,
    diagonal=True,
)
