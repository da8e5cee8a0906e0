"""The derivative by a complex step: Im f(x + ih) / h, without subtraction, where the program is analytic.

A program that takes an absolute value, a real part or a comparison on the way has another derivative along the
imaginary axis, or none, and one that drops the imaginary part has 0.  So the difference quotients along both axes are
compared first: where f is analytic their errors, of second order, are opposite and cancel in the mean.  And real
differences have to show a slope that is not 0, with which the complex step agrees: a 0 proves nothing.
(W. Squire and G. Trapp, Using complex variables to estimate derivatives of real functions, SIAM Review 40, 1998.)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from gradcli.methods.differences import Slope

TINY = 1e-30  # of the scale of the input: a step whose square is lost beside anything
PROBE = 1e-3  # of the scale of the input: the step of the difference quotients along both axes
SURE = 1e-12  # the error of the derivative, relative: some thousand roundings
AGREEMENT = 1e-8  # of the mean of both quotients with the derivative, beyond their own errors
RESOLVED = 10.0  # times its error: a smaller slope by real differences is not told from 0

Function = Callable[[complex], complex]


def slope(f: Function, x: float, eps: float, differences: Slope) -> Slope | None:
    """The derivative of `f` at `x`, as sure as rounding allows; None where `f` is not shown to be analytic.

    Args:
        f: the function of a complex number.
        x: the point.
        eps: the rounding unit of the function's own arithmetic.
        differences: what real differences say; the one-sided slopes are kept.
    """
    if not abs(differences.value) > RESOLVED * differences.error:
        return None
    scale = _scale(x)
    try:
        here = complex(f(complex(x)))
        value = complex(f(complex(x, TINY * scale))).imag / (TINY * scale)
        if not math.isfinite(value) or not _is_analytic(f, x, here, value, eps, scale):
            return None
    except Exception:  # a program that takes no complex numbers may raise whatever it likes
        return None
    error = SURE * abs(value) * max(1.0, eps / 2.0**-52)
    if not abs(value - differences.value) <= differences.error + error:
        return None
    return replace(differences, value=value, error=error, step=TINY * scale)


def is_refuted(f: Function, x: float, eps: float) -> bool:
    """Whether `f` takes complex numbers, and a probe shows that it is not analytic."""
    scale = _scale(x)
    try:
        here = complex(f(complex(x)))
        value = complex(f(complex(x, TINY * scale))).imag / (TINY * scale)
        return math.isfinite(value) and not _is_analytic(f, x, here, value, eps, scale)
    except Exception:  # a program that takes no complex numbers may raise whatever it likes
        return False


def _scale(x: float) -> float:
    """The scale on which `f` is taken to vary: what is computed from a large number may vary on that of 1."""
    return min(max(abs(x), 1e-3), 1.0) if x else 1.0


def _is_analytic(f: Function, x: float, here: complex, value: float, eps: float, scale: float) -> bool:
    """Whether the quotients along both axes agree with the derivative as those of an analytic function do."""
    apart = []
    for h in (PROBE * scale, 0.25 * PROBE * scale):
        along_real = (complex(f(complex(x + h))) - complex(f(complex(x - h)))) / ((x + h) - (x - h))
        along_imaginary = (complex(f(complex(x, h))) - complex(f(complex(x, -h)))) / (2j * h)
        noise = 100 * eps * abs(here) / h
        bend = abs(along_real - along_imaginary)
        mean = 0.5 * (along_real + along_imaginary)
        apart.append(abs(mean - value) <= AGREEMENT * abs(value) + 0.01 * bend + noise)
    return all(apart)
