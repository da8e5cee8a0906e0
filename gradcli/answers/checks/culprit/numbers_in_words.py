"""Factors of wrong gradients as a user would write them: `3`, `1/2`, `pi/180`, `sqrt(3)`, `0.317`."""

from __future__ import annotations

import math
from fractions import Fraction

LARGEST_DENOMINATOR = 1000
LARGEST_SQUARE = 100
_LN10, _LN2 = math.log(10), math.log(2)

# Numbers with a name.
NAMES = (
    ("pi", math.pi),
    ("pi/180", math.pi / 180),
    ("180/pi", 180 / math.pi),
    ("2*pi", 2 * math.pi),
    ("4*pi", 4 * math.pi),
    ("pi/2", math.pi / 2),
    ("1/pi", 1 / math.pi),
    ("1/(2*pi)", 0.5 / math.pi),
    ("2*pi*1000", 2000 * math.pi),
    ("1/(2*pi*1000)", 0.0005 / math.pi),
    ("sqrt(pi)", math.sqrt(math.pi)),
    ("sqrt(2*pi)", math.sqrt(2 * math.pi)),
    ("1/sqrt(2*pi)", 1 / math.sqrt(2 * math.pi)),
    ("ln 10", _LN10),
    ("1/ln 10", 1 / _LN10),
    ("20/ln 10", 20 / _LN10),
    ("10/ln 10", 10 / _LN10),
    ("ln 2", _LN2),
    ("1/ln 2", 1 / _LN2),
    ("e", math.e),
)

# Factors that are slips, with the words for a candidate that is off by one.
FACTORS = (
    (-1.0, "has the wrong sign"),
    (2.0, "is twice the derivative"),
    (0.5, "is half the derivative: a factor of 2 is missing"),
    (180 / math.pi, "is per radian where the derivative is per degree: a factor of pi/180 is missing"),
    (math.pi / 180, "has an extra factor of pi/180: degrees in place of radians"),
    (-2.0, "is twice the derivative, with the wrong sign"),
    (-0.5, "is half the derivative, with the wrong sign"),
)
NAMED_FACTORS = tuple(
    (sign * value, f"is {sign * value:.6g} = {sign_text}{name} times the derivative")
    for name, value in NAMES
    if name not in ("pi/180", "180/pi")
    for sign, sign_text in ((1, ""), (-1, "-"))
)


def number(x: float) -> str:
    """A factor as a user would write it."""
    if not math.isfinite(x):
        return str(x)
    sign, size = ("-" if x < 0 else ""), abs(float(x))
    for text, value in NAMES:
        if same(size, value):
            return sign + text
    if (ratio := Fraction(size).limit_denominator(LARGEST_DENOMINATOR)).numerator == 1 and same(size, float(ratio)):
        return f"{sign}{ratio}"
    if size * size <= LARGEST_SQUARE and not same(size, round(size)) and same(size**2, round(size**2)):
        return f"{sign}sqrt({round(size**2)})"
    return f"{x:.6g}"


def same(x: float, y: float, room: float = 1e-14) -> bool:
    """Whether two numbers are equal up to rounding."""
    return abs(x - y) <= room * abs(y)
