"""Derivatives at many points are those at each of them, stacked, whatever computes them."""

import math
import tracemalloc
import warnings

import numpy as np
import pytest

import gradcli
from benchmarks.compiled_equality import outcome
from gradcli.answers.compilation import derivative_at_points, specialisations
from gradcli.errors import PointError, ResultError, UsageError
from gradcli.shared.pytree import leaves, map_leaves

pytestmark = pytest.mark.sampled(8)  # each case derives a program

WEIGHTS = np.linspace(0.5, 1.5, 3)
X = np.random.default_rng(0).normal(size=(7, 3))
A, B = X[:, 0].copy(), X[:, 1] ** 2


@pytest.fixture(autouse=True, params=["derived", "recorded"])
def are_many(request, monkeypatch):
    """Whether the points are so many that a program is derived."""
    monkeypatch.setattr(specialisations, "QUICK", 0.0)
    monkeypatch.setattr(derivative_at_points, "WORTH", 0.0 if request.param == "derived" else math.inf)
    return request.param == "derived"


def weighted(x, power=2):
    return np.sum(WEIGHTS * x**power)


def cubed(x):
    return np.sum(WEIGHTS * x**3)


def product(x, y):
    return x * math.sin(y) * y


def shifted(x):
    return np.tanh(x[1:] * x[:-1])


def of_dict(p):
    return p["a"] * np.sum(p["b"] ** 2)


def counted(x):
    return x * 2.0, 3


def partly_counted(x):
    return (x[0] * x[1], 1) if x[0] > 0 else (x[0] * x[1], 0.5)


def cubed_number(x):
    return x**3


def logarithm(x):
    return np.log(x) * x


def stacked(results):
    """Results as one structure of arrays."""
    columns = iter([np.stack(column) for column in zip(*map(leaves, results), strict=True)])
    return map_leaves(lambda _: next(columns), results[0])


CALLS = [
    ("grad", weighted, (X,), 0, {}),
    ("grad", weighted, (X, 3), "x", {}),
    ("grad", weighted, (X[:1],), 0, {}),
    ("grad", weighted, (X.astype(np.float32),), 0, {}),
    ("grad", weighted, (np.asfortranarray(X),), 0, {}),
    ("grad", of_dict, ({"a": A, "b": X},), 0, {}),
    ("value_and_grad", weighted, (X,), 0, {}),
    ("value_and_grad", product, (A, B), (0, 1), {"argnums": (1, 0)}),
    ("value_and_grad", product, (A, 2.0), 0, {"argnums": (0, 1)}),
    ("value_and_grad", product, (1.5, B), "y", {"argnums": "x"}),
    ("jacobian", shifted, (X,), 0, {"with_value": True}),
    ("jacobian", weighted, (X,), 0, {}),
    ("jacobian", counted, (X,), 0, {"with_value": True}),
    ("jacobian", partly_counted, (X,), 0, {"with_value": True}),
    ("hessian", cubed, (X,), 0, {}),
    ("hessian", product, (A, B), (0, 1), {"argnums": (0, 1)}),
    ("hvp", cubed, (X, X[::-1].copy()), (0, 1), {}),
    ("hvp", cubed, (X, X[0]), 0, {}),
]


@pytest.mark.parametrize(("kind", "f", "arguments", "points", "options"), CALLS, ids=range(len(CALLS)))
def test_the_derivatives_at_each_point(kind, f, arguments, points, options, are_many):
    transform = getattr(gradcli, kind)
    at_points, at_one = transform(f, points=points, **options), transform(f, **options)
    places = [{"x": 0, "y": 1}.get(place, place) for place in (points if isinstance(points, tuple) else (points,))]
    count = len(leaves(arguments[places[0]])[0])

    def row(number):
        def at(leaf):
            return leaf[number].item() if leaf.ndim == 1 else leaf[number]

        given = [*arguments]
        for place in places:
            given[place] = map_leaves(at, given[place])
        return given

    expected = stacked([at_one(*row(number)) for number in range(count)])
    for _ in range(2):
        results = at_points(*arguments)
        assert type(results) is type(expected)
        for ours, theirs in zip(leaves(results), leaves(expected), strict=True):
            assert ours.dtype == theirs.dtype
            np.testing.assert_allclose(ours, theirs, rtol=1e-5 if ours.dtype == np.float32 else 1e-12)
    report = at_points.report()
    assert bool(report.programs) == (are_many and count > 2)
    if not report.programs and not are_many:
        assert report.eager == ((f"{count} points", "they are too few for a program"),)


@pytest.mark.parametrize(("f", "special", "eager"), [(logarithm, 0.0, 1), (cubed_number, 2.0, 0)])
def test_each_point_of_a_compiled_derivative_is_a_call(f, special, eager):
    at_points, points = gradcli.grad(f, points=0, compile=True), np.array([1.0, 2.0, special, 3.0])

    with warnings.catch_warnings(action="ignore"):
        at_points(points)
        at_points(points)

    (program,) = at_points.report().programs
    assert (program.calls, program.reruns) == (len(points) - 1 + len(points), 2 * eager)


@pytest.mark.parametrize("f", [logarithm, lambda x: math.log(x) * x, lambda x: 1 / x], ids=["np", "math", "division"])
@pytest.mark.parametrize("special", [0.0, -1.0, math.nan, math.inf])
def test_an_edge_case_among_the_points(f, special):
    """It is left to the recorded derivative, which warns and raises."""
    points = B.copy()
    points[5] = special
    at_points, at_one = gradcli.value_and_grad(f, points=0), gradcli.value_and_grad(f)

    results, said = outcome(at_points, [points])
    expected, expected_said = outcome(lambda xs: stacked([at_one(x) for x in xs.tolist()]), [points])

    assert said == expected_said
    if isinstance(expected, str):
        assert results == expected
    else:
        np.testing.assert_allclose(results, expected, rtol=1e-12)


def test_the_memory_is_that_of_the_results(are_many):
    at_points, points = gradcli.jacobian(shifted, points=0), np.random.default_rng(1).normal(size=(2000, 30))
    at_points(points[:3])
    tracemalloc.start()
    try:
        size = at_points(points).nbytes
        assert tracemalloc.get_traced_memory()[1] < 1.7 * size
    finally:
        tracemalloc.stop()


def test_captured_data_are_read_anew(monkeypatch):
    at_points = gradcli.grad(weighted, points=0)
    before = at_points(X)
    monkeypatch.setitem(globals(), "WEIGHTS", 2 * WEIGHTS)

    np.testing.assert_allclose(at_points(X), 2 * before)


def bent(x, y):
    return WEIGHTS * x * np.log(y) + np.sqrt(x[0]), x[1] * y


@pytest.mark.parametrize("argnums", [0, (0, 1), (1, 0)])
@pytest.mark.parametrize("special", [1.0, 0.0])
def test_a_jacobian_in_c_leaves_an_edge_case_among_the_points(argnums, special):
    """Of each input and value, with captured data."""
    xs, ys = X**2 + 0.1, B + 0.1
    xs[5, 0] = special
    at_points = gradcli.jacobian(bent, argnums, points=(0, 1), with_value=True)
    at_one = gradcli.jacobian(bent, argnums, with_value=True)

    rows = zip(xs, ys.tolist(), strict=True)

    results, said = outcome(at_points, [xs, ys])
    expected, expected_said = outcome(lambda *_: stacked([at_one(*row) for row in rows]), [xs, ys])

    assert said == expected_said
    assert type(results[1]) is type(expected[1])
    for ours, theirs in zip(leaves(results), leaves(expected), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_a_point_by_keyword():
    np.testing.assert_allclose(gradcli.grad(product, "x", points="x")(x=A, y=2.0), np.full(7, math.sin(2.0) * 2.0))
    np.testing.assert_allclose(gradcli.grad(product, points=0)(A, y=2.0), np.full(7, math.sin(2.0) * 2.0))


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda: gradcli.grad(weighted, points=True), UsageError, "Type points=0 for the first argument"),
        (lambda: gradcli.grad(weighted, points=0, has_aux=True), UsageError, "Leave out points="),
        (lambda: gradcli.jacobian(weighted, points=0, sparse=True), UsageError, "of one point"),
        (lambda: gradcli.grad(weighted, points=0)([1.0, 2.0]), PointError, "np.stack"),
        (lambda: gradcli.grad(product, points=0)(1.0, 2.0), PointError, "no leading axis"),
        (lambda: gradcli.grad(product, points=(0, 1))(A, B[1:]), PointError, "6 points beside 7"),
        (lambda: gradcli.grad(weighted, points=0)(X[:0]), PointError, "no points"),
        (lambda: gradcli.grad(lambda *, x: x, "x", points="x")(x=A), PointError, "by position"),
        (lambda: gradcli.grad(weighted, points="z")(X), PointError, "points asks for the argument 'z'"),
        (lambda: gradcli.grad(weighted, points=7)(X), PointError, "points asks for argument 7"),
        (lambda: gradcli.grad(weighted, points=0.5), UsageError, "points is 0.5"),
        (lambda: gradcli.jacobian(lambda x: x[x > 0], points=0)(X), ResultError, "different structures or shapes"),
    ],
    ids=range(12),
)
def test_what_is_refused(ask, error, message):
    with pytest.raises(error) as raised:
        ask()

    assert message in f"{raised.value}\n{raised.value.hint}"
