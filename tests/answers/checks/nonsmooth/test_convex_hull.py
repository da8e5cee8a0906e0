"""The nearest point of a convex hull, against hulls whose nearest points are known."""

import itertools

import numpy as np
import pytest

from gradcli.answers.checks.nonsmooth.convex_hull import nearest_hull_point


@pytest.mark.parametrize("size", [1, 3, 8])
def test_of_a_box(size):
    corners = np.array(list(itertools.product((0.0, 1.0), repeat=size)))
    for target in np.random.default_rng(size).uniform(-0.5, 1.5, (20, size)):
        assert np.allclose(np.clip(target, 0, 1), nearest_hull_point(corners, target), rtol=0, atol=1e-6)


@pytest.mark.parametrize(("size", "count"), [(2, 3), (5, 20), (20, 60), (64, 150)])
def test_of_points_at_random(size, count):
    """A mean of the points is nearest to itself; from the nearest point to one outside no point lies further out."""
    random = np.random.default_rng(count)
    points = random.normal(size=(count, size))
    inside, outside = random.dirichlet(np.ones(count)) @ points, 5 * random.normal(size=size)
    found = nearest_hull_point(points, outside)
    way = outside - found

    assert np.allclose(inside, nearest_hull_point(points, inside), rtol=0, atol=1e-6)
    assert np.max(points @ way) <= found @ way + 1e-8 * abs(found @ way)


@pytest.mark.parametrize(
    ("points", "target", "expected"),
    [
        ([[1.0, 0.0], [0.0, 1.0]], [1.0, 1.0], [0.5, 0.5]),
        ([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [0.4, 0.4], [0.5, 0.5]),
        ([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]], [0.7, 0.3], [0.7, 0.3]),
        ([[2.0, 3.0]], [0.0, 0.0], [2.0, 3.0]),
    ],
    ids=["a line", "twice the same", "three on a line", "one"],
)
def test_of_flat_hulls(points, target, expected):
    """Points that are alike, or on a line, do no harm."""
    assert np.allclose(expected, nearest_hull_point(np.array(points), np.array(target)), rtol=0, atol=1e-9)
