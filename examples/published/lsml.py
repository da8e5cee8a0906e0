"""The loss of metric-learn's LSML for three quadruplets with their default weights, and its gradient."""

import numpy as np
from metric_learn import LSML

AB = np.array([[1.0, 0.5], [2.0, -1.0], [0.5, 1.5]])
CD = np.array([[0.5, 0.5], [1.0, 0.5], [1.0, 0.0]])
PRIOR = np.eye(2)

learner = LSML()
learner.w_ = np.ones(3) / 3  # as fit sets them where it is given none


def loss(metric):
    """The loss that `fit` reduces."""
    return learner._total_loss(metric, AB, CD, PRIOR)


def gradient(metric):
    """The gradient by which it does."""
    return learner._gradient(metric, AB, CD, PRIOR)


def corrected(metric):
    """The gradient with the weight of each quadruplet."""
    total = PRIOR - np.linalg.inv(metric)
    for weight, ab, cd in zip(learner.w_, AB, CD, strict=True):
        long, short = np.sqrt(ab @ metric @ ab), np.sqrt(cd @ metric @ cd)
        if long > short:
            total += weight * (long - short) * (np.outer(ab, ab) / long - np.outer(cd, cd) / short)
    return total
