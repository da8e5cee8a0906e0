"""Claims where a factor or a power makes a kink flat: the derivative is 0, though no rule of the tape's says so."""

import fractions
import math

import numpy as np
import scipy.linalg

from tests.corpus.claim import Claim, claims


def flat(name, f, at, why, small=1e-3) -> list[Claim]:
    """Claims that the gradient is 0, and that it is not."""
    zero, ones = (lambda x: 0.0 * x), (lambda x: 0.0 * x + 1.0)
    wrong = {"one": ones, f"{small:g}": lambda x: 0.0 * x + small}
    return claims(f"flat: {name}", f, at, zero, why, own=None, wrong=wrong)


def norm(x):
    """The Euclidean norm, by BLAS: nothing is recorded of it."""
    return scipy.linalg.blas.dnrm2(np.array(x, dtype=float))


Z, Z3 = np.float64(0.0), np.zeros(3)

CLAIMS = [
    *flat("a number times the norm", lambda x: x[0] * np.linalg.norm(x), np.zeros(2), "at most r**2"),
    *flat("the middle number times the norm", lambda x: x[1] * np.linalg.norm(x), Z3, "at most r**2"),
    *flat("a number times the norm of the others", lambda x: x[0] * np.linalg.norm(x[1:]), Z3, "at most r**2"),
    *flat("a number times the largest", lambda x: x[2] * np.max(np.abs(x)), Z3, "at most r**2"),
    *flat("a number times BLAS's norm", lambda x: x[0] * norm(x), Z3, "at most r**2"),
    *flat("the norm to the power 3/2", lambda x: np.linalg.norm(x) ** 1.5, Z3, "r**1.5"),
    *flat("the norm squared", lambda x: np.linalg.norm(x) ** 2, Z3, "r**2"),
    *flat("the norm cubed", lambda x: np.linalg.norm(x) ** 3, Z3, "r**3"),
    *flat("the norm to the power 5/4", lambda x: np.linalg.norm(x) ** 1.25, Z3, "r**1.25", 0.1),
    *flat("the taxicab norm squared", lambda x: np.sum(np.abs(x)) ** 2, Z3, "at most 3 r**2"),
    *flat("the largest size squared", lambda x: np.max(np.abs(x)) ** 2, Z3, "at most r**2"),
    *flat("the root of a square, by x", lambda x: x * math.sqrt(x * x), 0.0, "x |x|"),
    *flat("abs by sine", lambda x: abs(x) * math.sin(x), 0.0, "x |x| and less"),
    *flat("abs by 1 less cos", lambda x: np.abs(x) * (1 - np.cos(x)), Z, "|x|**3/2"),
    *flat("the positive part to the power 3/2", lambda x: np.maximum(x, 0.0) ** 1.5, Z, "at most |x|**1.5"),
    *flat("a power of 4/3", lambda x: abs(x) ** (4 / 3), 0.0, "|x|**(4/3)", 0.1),
    *flat("a cube root to the fourth", lambda x: np.cbrt(x) ** 4, Z, "|x|**(4/3)", 0.1),
    *flat("a square to the power 3/2", lambda x: (x * x) ** 1.5, 0.0, "|x|**3"),
    *flat("a root by its square", lambda x: np.sqrt(np.abs(x)) * x, Z, "|x|**1.5 with the sign of x"),
    *flat("a product of sizes", lambda x: np.abs(x[0]) * np.abs(x[1]), np.zeros(2), "at most r**2/2"),
    *flat("the least of squares", lambda x: np.min(x**2), np.zeros(2), "at most r**2"),
    *flat("a jump by a square", lambda x: math.floor(x) * x * x, 0.0, "at most x**2"),
    *flat("a sign by a square", lambda x: np.sign(x) * x**2, Z, "x |x|"),
    *flat("Csendes' function", lambda x: x**6 * (2 + math.sin(1 / x)) if x else 0.0, 0.0, "at most 3 x**6"),
    *flat("an oscillation by a square", lambda x: x**2 * math.sin(1 / x) if x else 0.0, 0.0, "at most x**2", 0.5),
    *flat("BLAS's norm to the power 3/2", lambda x: norm(x) ** 1.5, Z3, "r**1.5"),
    *flat("BLAS's norm squared", lambda x: norm(x) ** 2, Z3, "r**2"),
    *flat("a normal density far out", lambda x: np.exp(-1.0 / np.maximum(x * x, 1e-300)), Z, "less than any power"),
    *claims("flat beside a slope: norm to the power 3/2", lambda x: np.linalg.norm(x) ** 1.5 + x[0] - 2 * x[2], Z3,
        lambda x: np.array([1.0, 0.0, -2.0]), "r**1.5 is flat", own=None,
        wrong={"a millionth": lambda x: np.array([1.000001, 0.0, -2.0]),
            "one sign": lambda x: np.array([1.0, 0, 2.0])}),
    *claims("flat in one, a kink in another", lambda x, y: abs(x) ** 1.5 + abs(y), (0.0, 0.0), lambda x, y: (0.0, 0.4),
        "|x|**1.5 is flat, |y| has the slopes -1 and 1", own=None, truth="kink",
        wrong={"not flat": lambda x, y: (0.1, 0.4), "outside": lambda x, y: (0.0, 1.2)}),
    *(
        claim
        for name, f in {
            "a power of 6/5": lambda x: abs(x) ** 1.2 + x,
            "a power of 6/5 to the right": lambda x: max(x, 0.0) ** 1.2 + x,
            "a power of 6/5 in fractions": lambda x: abs(float(fractions.Fraction(float(x)))) ** 1.2 + x,
        }.items()
        for claim in claims(
            f"flat beside a slope: {name}",
            f,
            0.0,
            lambda x: 1.0,
            "|x|**1.2 is flat",
            own=None,
            wrong={"a hundred-thousandth": lambda x: 1.00001, "a thousandth": lambda x: 0.999, "twice": lambda x: 2.0},
        )
    ),
]  # fmt: skip
