"""Claims where equal numbers are put in order: the slopes along the axes are 0, and along all of them together 1.

The gradients of the pieces are the permutations of a few weights, and their means are the vectors that these majorize.
(G. Hardy, J. Littlewood, G. Pólya, Inequalities, 1934: the permutohedron.)
"""

import heapq
import statistics
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.corpus.claim import Claim, claims

RANKED = np.array([1.0, -2.0, 0.5, 3.0])
RAMP = np.linspace(1.0, 2.0, 11)


def ranked(
    name: str,
    f: Callable[..., Any],
    at: Any,
    right: Sequence[Any],
    wrong: Sequence[Any],
    **options: Any,
) -> list[Claim]:
    """The claims about a function of one argument whose pieces are known: the tape's own gradient, and vectors."""
    first, *rest = right
    found = claims(
        f"in order: {name}",
        f,
        at,
        lambda x: first,
        "a mean of permuted weights",
        own="kink",
        wrong={f"{place}": lambda x, vector=vector: vector for place, vector in enumerate(wrong)},
        **options,
    )
    others = (
        Claim(f"in order: {name}, mean {n}", f, at, lambda x, v=v: v, "kink", "a mean") for n, v in enumerate(rest)
    )
    return [*found, *others]


def middle(x: Any, y: Any, z: Any) -> Any:
    return max(min(x, y), min(max(x, y), z))


def relus(x: Any) -> Any:
    """Bends of one input and of two together, of which the first input's cancel along its axis."""
    return max(0.0, x[0]) - max(0.0, x[0] + x[1]) + 0.5 * max(0.0, x[1])


def trimmed(x: Any) -> Any:
    """The mean without the first and the last in order."""
    return np.mean(np.sort(x)[1:-1])


def units(n: int, size: int) -> Any:
    return np.eye(size)[n]


ONES = np.ones(3)
BEYOND_A_SIMPLEX = ([0.5, 0.5, 0.5], [0.0, 0.0, 0.0], [1.0, 1.0, -1.0], [0.5, 0.51, -0.01], [0.34, 0.34, 0.34])

CLAIMS = [
    *ranked(
        "the second of a list", lambda x: sorted(x)[1], [1.0] * 3, ([1 / 3] * 3, [0.0, 1.0, 0.0], [0.2, 0.0, 0.8]),
        BEYOND_A_SIMPLEX,
    ),
    *ranked("a median", np.median, np.ones(3), ([1 / 3] * 3, [0.0, 1.0, 0.0], [0.2, 0.0, 0.8]), BEYOND_A_SIMPLEX),
    *ranked("a median at 0", np.median, np.zeros(3), ([1 / 3] * 3, [0.0, 1.0, 0.0]), BEYOND_A_SIMPLEX),
    *ranked(
        "a median of an even number", np.median, np.full(4, 2.5),
        ([0.25] * 4, [0.5, 0.0, 0.5, 0.0], [0.4, 0.3, 0.2, 0.1]),
        ([1.0, 0.0, 0.0, 0.0], [0.6, 0.2, 0.1, 0.1], [0.0] * 4, [0.3, 0.3, 0.3, 0.3]),
    ),
    *ranked(
        "a median of some that are equal", np.median, np.array([2.0, -1.0, 2.0, 5.0, 2.0]),
        ([1 / 3, 0.0, 1 / 3, 0.0, 1 / 3], [1.0, 0.0, 0.0, 0.0, 0.0]),
        ([0.2] * 5, [0.0] * 5, [0.5, 0.0, 0.5, 0.0, 0.5]),
    ),
    *ranked(
        "a median of sizes unlike", lambda x: np.median(x * [1.0, 10.0, 100.0]), np.array([3.0, 0.3, 0.03]),
        ([1 / 3, 10 / 3, 100 / 3], [0.0, 10.0, 0.0]), ([0.0, 0.0, 0.0], [1.0, 10.0, 100.0], [1 / 3, 1 / 3, 1 / 3]),
    ),
    *ranked(
        "a median of many", np.median, np.full(11, 1.5), (np.full(11, 1 / 11), units(7, 11)),
        (np.full(11, 1 / 10), np.zeros(11), 2 * RAMP / np.sum(RAMP)),
    ),
    *ranked(
        "a median of a list", statistics.median, [1.0, 1.0, 1.0], ([1 / 3] * 3, [0.0, 1.0, 0.0]), BEYOND_A_SIMPLEX,
    ),
    *ranked("a median without nan", np.nanmedian, np.ones(3), ([1 / 3] * 3, [0.0, 1.0, 0.0]), BEYOND_A_SIMPLEX),
    *ranked(
        "a part of an array", lambda x: np.partition(x, 2)[2], np.full(5, 0.7), ([0.2] * 5, units(4, 5)),
        ([0.0] * 5, [0.3] * 5),
    ),
    *ranked(
        "a place of a sorted array", lambda x: np.sort(x)[1] ** 2, np.full(3, 2.0), ([4 / 3] * 3, [0.0, 4.0, 0.0]),
        ([4.0] * 3, [0.0] * 3, [1.0] * 3),
    ),
    *ranked(
        "a place by argsort", lambda x: x[np.argsort(x)[1]], np.full(3, 2.0), ([1 / 3] * 3, [0.0, 1.0, 0.0]),
        BEYOND_A_SIMPLEX,
    ),
    *ranked(
        "a quantile", lambda x: np.quantile(x, 0.3), np.full(5, 2.0), ([0.2] * 5, [0.8, 0.2, 0.0, 0.0, 0.0]),
        ([0.9, 0.1, 0.0, 0.0, 0.0], [0.0] * 5, [0.3] * 5),
    ),
    *ranked(
        "a percentile", lambda x: np.percentile(x, 75.0), np.full(5, 2.0), ([0.2] * 5, units(2, 5)),
        ([0.0] * 5, [0.5] * 5),
    ),
    *ranked(
        "the two least", lambda x: sum(heapq.nsmallest(2, x)), [1.0] * 4, ([0.5] * 4, [1.0, 1.0, 0.0, 0.0]),
        ([1.0] * 4, [0.0] * 4, [1.2, 0.8, 0.0, 0.0]),
    ),
    *ranked(
        "the second largest", lambda x: heapq.nlargest(2, x)[1], [1.0] * 4, ([0.25] * 4, [0.0, 0.0, 1.0, 0.0]),
        ([1.0] * 4, [0.0] * 4),
    ),
    *ranked(
        "a mean without the ends", trimmed, np.full(4, 3.0), ([0.25] * 4, [0.5, 0.5, 0.0, 0.0]),
        ([0.0] * 4, [0.5] * 4, [1.0, 0.0, 0.0, 0.0]),
    ),
    *ranked(
        "weights by rank", lambda x: np.sort(x) @ RANKED, np.full(4, 0.5), ([0.625] * 4, RANKED[::-1]),
        ([0.6] * 4, [3.0, 3.0, -2.0, -1.5], [0.0] * 4, [3.1, -2.0, 0.5, 0.9]),
    ),
    *ranked(
        "a distance to the median", lambda x: np.sum(np.abs(x - np.median(x))), np.ones(3),
        ([0.0] * 3, [1.0, 0.0, -1.0], [0.5, -0.5, 0.0]), ([0.5, 0.5, 0.5], [1.0, 1.0, -2.0], [1.2, 0.0, -1.2]),
    ),
    *ranked(
        "a median beside a size", lambda x: np.median(x[:3]) + np.abs(x[3]), np.array([1.0, 1.0, 1.0, 0.0]),
        ([1 / 3, 1 / 3, 1 / 3, 0.5], [0.0, 1.0, 0.0, -1.0]),
        ([0.0, 0.0, 0.0, 0.5], [0.5, 0.5, 0.5, 0.0], [1 / 3, 1 / 3, 1 / 3, 1.1]),
    ),
    *ranked(
        "a median beside a smooth term", lambda x: np.median(x[:3]) + x[3] ** 2, np.array([1.0, 1.0, 1.0, 3.0]),
        ([1 / 3, 1 / 3, 1 / 3, 6.0], [0.0, 1.0, 0.0, 6.0]),
        ([0.0, 0.0, 0.0, 6.0], [0.5, 0.5, 0.5, 6.0], [1 / 3, 1 / 3, 1 / 3, 6.1]),
    ),
    *ranked(
        "bends of two inputs together", relus, np.zeros(2), ([1.0, 0.0], [0.0, -1.0], [-1.0, -0.5], [0.0, 0.0]),
        ([1.0, 0.5], [-1.0, 0.0], [0.5, -1.0], [0.0, 0.6]),
    ),
    *claims(
        "in order: the middle of three by comparisons", middle, (2.0, 2.0, 2.0), lambda x, y, z: (1 / 3, 1 / 3, 1 / 3),
        "a mean of unit vectors", own="kink",
        wrong={"none": lambda x, y, z: (0.0, 0.0, 0.0), "all": lambda x, y, z: (1.0, 1.0, 1.0)},
    ),
]  # fmt: skip
