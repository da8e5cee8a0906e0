"""Claims at kinks of functions that the tape cannot follow: differences alone judge them, along directions too."""

import struct

import numpy as np
import scipy.linalg

from tests.corpus.claim import claims


def hide(x):
    """The numbers of an array, through bytes and back."""
    numbers = np.ravel(np.asarray(x, dtype=float)).tolist()
    return np.array(struct.unpack(f"{len(numbers)}d", struct.pack(f"{len(numbers)}d", *numbers)))


def hidden(name, f, at, right, why, wrong, truth="kink"):
    """The claims about a function of hidden numbers; there is no gradient by the tape."""
    return claims(
        f"{name}, hidden",
        lambda x: float(f(hide(x))),
        np.array(at),
        lambda x: np.array(right),
        why,
        own=None,
        truth=truth,
        wrong={what: lambda x, g=g: np.array(g) for what, g in wrong.items()},
    )


CLAIMS = [
    *hidden("the larger of two", np.max, [1.0, 1.0], [0.3, 0.7], "shares of 1",
        {"both": [1.0, 1.0], "neither": [0.0, 0.0], "less than 1": [0.6, 0.3], "a little more": [0.5, 0.50001]}),
    *hidden("the larger of two, one of them", np.max, [1.0, 1.0], [1.0, 0.0], "shares of 1", {}),
    *hidden("the length of nothing", np.linalg.norm, [0.0, 0.0, 0.0], [0.6, 0.0, -0.8], "no longer than 1",
        {"longer": [0.9, 0.0, -0.8], "a thousandth longer": [0.6006, 0.0, -0.8008]}),
    *hidden("the sum of sizes", lambda x: np.sum(np.abs(x)), [0.0, 0.0, 2.0], [1.0, -1.0, 1.0], "each on its own",
        {"one beyond": [1.0, -1.1, 1.0], "the smooth one": [0.0, 0.0, 0.5]}),
    *hidden("bends of both kinds", lambda x: np.sum(np.array([1.0, -2.0, 0.5]) * np.maximum(x, 0.0)), [0.0, 0.0, 0.0],
        [1.0, -2.0, 0.5], "relu'(0) = 1", {"one too much": [1.0, -2.0, 0.7]}),
    *hidden("bends of both kinds, in part", lambda x: np.sum(np.array([1.0, -2.0, 0.5]) * np.maximum(x, 0.0)),
        [0.0, 0.0, 0.0], [1.0, 0.0, 0.25], "each on its own", {}),
    *hidden("the largest eigenvalue of the identity",
        lambda x: scipy.linalg.lapack.dsyev(np.reshape(x, (2, 2)), lower=1, compute_v=0)[0][-1],
        [[1.0, 0.0], [0.0, 1.0]], [[0.36, 0.0], [0.96, 0.64]], "v v^T of a unit vector",
        {"both": [[1.0, 0.0], [0.0, 1.0]], "of no vector": [[1.0, 0.0], [1.0, 0.0]]}),
    *hidden("the smaller of two sizes", lambda x: np.min(np.abs(x)), [0.0, 0.0], [0.0, 0.0],
        "0 along both axes, and 1 along the diagonal", {"more than 1": [0.7, 0.7]}),
    *hidden("a smooth sum beside none", lambda x: np.sum(np.sin(x)) + x[0] * x[1], [0.3, -0.2],
        [np.cos(0.3) - 0.2, np.cos(0.2) + 0.3], "textbook", {"one term": [np.cos(0.3), np.cos(0.2)]}, truth="right"),
]  # fmt: skip
