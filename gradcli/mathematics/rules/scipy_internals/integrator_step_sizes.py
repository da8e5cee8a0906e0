"""The error norms of SciPy's `solve_ivp`, from which it chooses its steps, as plain numbers.

But for its error, the solution does not depend on the steps. The derivative of the error by the steps may have any
size, so that each derivative is that of the steps taken. (E. Hairer, S. Norsett and G. Wanner, Solving Ordinary
Differential Equations I, 1993, section II.6: internal differentiation.)
"""

from __future__ import annotations

from importlib import import_module
from inspect import unwrap
from typing import Any

import numpy as np

from gradcli.mathematics.rules.function_registry import serves

STEP = "step size"  # the outcome


@serves("scipy.integrate._ivp.common.norm")
def norm(errors: Any) -> Any:
    """SciPy's root mean square of some errors."""
    return np.linalg.norm(errors.stopped(STEP)) / errors.size**0.5


@serves("scipy.integrate._ivp.common.select_initial_step", sequences=None)
def select_initial_step(*given: Any) -> Any:
    """SciPy's first step, for which its module may read the plain norm."""
    step = unwrap(import_module("scipy.integrate._ivp.common").select_initial_step)(*given)
    return step.stopped(STEP) if hasattr(type(step), "stopped") else step
