"""SciPy's distances between all points, in every metric: held to SciPy's own values and to differences."""

import numpy as np
import pytest
import scipy.spatial.distance as distance

from gradcli import grad
from gradcli.errors import UnsupportedError
from gradcli.mathematics.rules.scipy.distances import METRICS
from tests.mathematics.rules.agreement import agree_nearby
from tests.mathematics.rules.sample_arrays import numbers

pytestmark = pytest.mark.sampled(4)  # many like cases

A, B, MORE, WEIGHTS = (numbers(shape, seed=n) for n, shape in enumerate([(3, 4), (4, 4), (7, 4), (4,)]))
MORE = MORE**1.5  # no two differences are the same
PLAIN = [name for name in METRICS if name not in ("mahalanobis", "seuclidean")]


@pytest.mark.parametrize("metric", METRICS)
def test_between_two_sets(metric):
    agree_nearby(lambda a, b: distance.cdist(a, b, metric), A, MORE, rtol=1e-9)


@pytest.mark.parametrize("metric", METRICS)
def test_within_one_set(metric):
    agree_nearby(lambda a: distance.pdist(a, metric), MORE, rtol=1e-9)


@pytest.mark.parametrize("metric", PLAIN)
def test_weights(metric):
    agree_nearby(lambda a, b, w: distance.cdist(a, b, metric, w=w), A, B, WEIGHTS, rtol=1e-9)


def test_options():
    """The power, the variances, and the inverse of the covariances."""
    agree_nearby(lambda a, b: distance.cdist(a, b, "minkowski", p=3), A, B)
    agree_nearby(lambda a, v: distance.pdist(a, "seuclidean", V=v), A, WEIGHTS)
    agree_nearby(lambda a, v: distance.cdist(a, B, "mahalanobis", VI=v), A, np.eye(4) + 0.3)


def test_a_function_as_the_metric():
    agree_nearby(lambda a, b: distance.cdist(a, b, lambda u, v: np.sum(u * v**2)), A, B)
    agree_nearby(lambda a: distance.pdist(a, lambda u, v: np.sum(u * v**2)), A)


def test_squareform():
    agree_nearby(lambda a: distance.squareform(distance.pdist(a)), MORE)
    agree_nearby(lambda a: distance.squareform(distance.squareform(distance.pdist(a)) ** 2), MORE)


def test_equal_points():
    """The Euclidean distance has slope 0 there, by convention."""
    assert np.all(np.isfinite(grad(lambda a: np.sum(distance.cdist(a, a)))(A)))


def test_refusals():
    with pytest.raises(UnsupportedError, match="with metric=hamming has no derivative rule"):
        grad(lambda a: np.sum(distance.cdist(a, B, "hamming")))(A)
