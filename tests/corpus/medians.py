"""Claims about medians, quantiles and other order statistics of equal numbers."""

from functools import partial

import numpy as np

from tests.corpus.claim import claims

kinks = partial(claims, own="kink")

SAME = np.full(4, 2.0)


CLAIMS = [
    *kinks("order: the second of three alike", lambda x: sorted(x)[1], [1.0, 1.0, 1.0], lambda x: [1 / 3, 1 / 3, 1 / 3],
        "shares with the sum 1",
        wrong={"half each": lambda x: [0.5, 0.5, 0.5], "one below 0": lambda x: [1.0, 1.0, -1.0]}),
    *kinks("order: the median of three alike", np.median, np.ones(3), lambda x: np.array([0.0, 1.0, 0.0]),
        "shares with the sum 1",
        wrong={"nothing": np.zeros_like, "more than 1": lambda x: np.array([0.0, 1.001, 0.0])}),
    *kinks("order: the median of five, three alike", np.median, np.array([2.0, 5.0, 2.0, 1.0, 2.0]),
        lambda x: np.array([0.2, 0.0, 0.5, 0.0, 0.3]), "shares of the three",
        wrong={"of another": lambda x: np.array([0.2, 0.3, 0.2, 0.0, 0.3])}),
    *kinks("order: the median of four alike", np.median, SAME, lambda x: np.array([0.5, 0.5, 0.0, 0.0]),
        "shares of at most 1/2, with the sum 1",
        wrong={"of one": lambda x: np.array([1.0, 0.0, 0.0, 0.0]),
            "too much of one": lambda x: np.array([0.6, 0.4, 0.0, 0.0])}),
    *kinks("order: a lower quartile of four alike", lambda x: np.quantile(x, 0.25), SAME,
        lambda x: np.array([0.75, 0.25, 0.0, 0.0]), "a quarter of one and three quarters of another",
        wrong={"of one": lambda x: np.array([1.0, 0.0, 0.0, 0.0])}),
    *kinks("order: the second largest of three alike and one less", lambda x: np.partition(x, 2)[2],
        np.array([2.0, 1.0, 2.0, 2.0]), lambda x: np.array([0.25, 0.0, 0.25, 0.5]), "shares of the three",
        wrong={"of the least": lambda x: np.array([0.25, 0.25, 0.25, 0.25]),
            "less than 1": lambda x: np.array([0.4, 0, 0.2, 0.2])}),
    *kinks("order: a trimmed mean of four alike", lambda x: np.mean(np.sort(x)[1:-1]), SAME, lambda x: np.full(4, 0.25),
        "shares of at most 1/2, with the sum 1", wrong={"of one": lambda x: np.array([0.0, 1.0, 0.0, 0.0])}),
    *kinks("order: a median times its own mean", lambda x: np.median(x) * np.mean(x), np.full(3, 2.0),
        lambda x: np.array([2.0, 0.0, 0.0]) + 2 / 3, "2 shares with the sum 1, and 2/3 each",
        wrong={"the mean alone": lambda x: np.full(3, 2 / 3)}),
    *claims("order: the sum of least, middle and largest of three alike",
        lambda x: np.min(x) + np.median(x) + np.max(x), np.full(3, 2.0), why="the sum of all three", own=None,
        wrong={"twice one": lambda x: np.array([2.0, 1.0, 0.0])}),
]  # fmt: skip
