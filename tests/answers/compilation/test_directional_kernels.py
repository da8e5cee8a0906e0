"""Compiled Jacobians, Hessians and products of Hessians are those of the recorded transforms, at edge cases too."""

import math
import shutil

import numpy as np
import pytest

import gradcli
from benchmarks.compiled_equality import outcome
from gradcli.answers.compilation import shared_libraries, specialisations
from gradcli.errors import UsageError
from gradcli.shared.pytree import leaves
from tests.answers.compilation.test_compiled_derivative import CASES

pytestmark = pytest.mark.sampled(16)  # each case derives a program


@pytest.fixture(autouse=True, params=["C", "Python"])
def backend(request, monkeypatch):
    """The fastest backend that a program may have; it is taken also where it is not faster."""
    if request.param == "Python":
        monkeypatch.setattr(shared_libraries, "_compiler", list)
    monkeypatch.setattr(specialisations, "QUICK", 0.0)
    return request.param


def transforms(kind, f, **options):
    """The compiled transform and the recorded one."""
    transform = getattr(gradcli, kind)
    return transform(f, compile=True, **options), transform(f, **options)


def assert_same(compiled, eager, arguments):
    (ours, said), (theirs, eager_said) = outcome(compiled, arguments), outcome(eager, arguments)
    if isinstance(theirs, str):
        assert ours == theirs
    for one, other in zip(leaves(ours), leaves(theirs), strict=True):
        assert type(one) is type(other)
        assert np.shape(one) == np.shape(other)
        np.testing.assert_allclose(one, other, rtol=1e-9) if not isinstance(other, str) else None
    assert type(ours) is type(theirs)
    assert said == eager_said


def listed(x):
    return [x[0] * x[1] ** 2, math.sin(x[0])]


def shifted(x):
    return np.tanh(x[1:] * x[:-1])


def product(x, y):
    return x * math.sin(y) * y


def pair(x):
    return x * x, x**3


def named(x):
    return {"a": x * x, "b": np.sin(x)}


def outer(x, y):
    return x * np.sum(y), np.outer(y, y) * x


def total(x, y):
    return np.sum(np.tanh(x) * y)


def of_dict(p):
    return p["a"] * p["b"] ** 2 * p["a"]


def of_tuple(p):
    return p[0] * p[1] ** 2 * p[0]


def weighed(x, data, depth):
    if depth == 0:
        return x
    return np.tanh(weighed(x, data, depth - 1)) * data["w"][0]


def of_record(x, data):
    return weighed(x, data["inner"], 2)


def shifted_if_any(x, by):
    return x[1:] * by[0, 1] + x[:-1] ** 2 if by.size else x[by.ravel()[0] :]


def valley(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def elements(x):
    result = 0.0
    for i in range(len(x) - 1):
        result += x[i] * x[i + 1] ** 2
    return result


ARRAY = np.linspace(0.5, 1.5, 6)
FORMS = [
    ("jacobian", listed, ([1.0, 2.0],), {}),
    ("jacobian", listed, ([1.0, 2.0],), {"with_value": True}),
    ("jacobian", shifted, (ARRAY,), {}),
    ("jacobian", shifted, (ARRAY.astype(np.float32),), {}),
    ("jacobian", product, (1.0, 2.0), {"argnums": (1, 0)}),
    ("jacobian", pair, (1.5,), {"with_value": True}),
    ("jacobian", named, (ARRAY,), {"with_value": True}),
    ("jacobian", outer, (1.5, ARRAY), {"argnums": (1, 0)}),
    ("jacobian", outer, (1.5, ARRAY.reshape(2, 3)), {"argnums": ("y",)}),
    ("jacobian", total, (ARRAY, 2.0), {"argnums": (0, 1)}),
    ("jacobian", of_dict, ({"a": 1.0, "b": 2.0},), {}),
    ("jacobian", of_record, (ARRAY, {"inner": {"w": ARRAY}}), {}),
    ("jacobian", shifted_if_any, (ARRAY, ARRAY.reshape(2, 3)), {}),
    ("hessian", product, (1.0, 2.0), {"argnums": (0, 1)}),
    ("hessian", product, (1.0, 2.0), {"argnums": "y"}),
    ("hessian", valley, (ARRAY,), {}),
    ("hessian", elements, ([1.0, 2.0, 3.0],), {}),
    ("hessian", of_dict, ({"a": 1.0, "b": 2.0},), {}),
    ("hessian", of_tuple, ((1.0, 2.0),), {}),
    ("hessian", total, (ARRAY, 2.0), {"argnums": (0, 1)}),
    ("hvp", valley, (ARRAY, ARRAY[::-1].copy()), {}),
    ("hvp", elements, ([1.0, 2.0, 3.0], [0.5, 0.1, 0.2]), {}),
    ("hvp", of_dict, ({"a": 1.0, "b": 2.0}, {"a": 0.1, "b": 0.2}), {}),
    ("hvp", of_tuple, ((1.0, 2.0), (0.1, 0.2)), {}),
]


@pytest.mark.parametrize(("kind", "f", "arguments", "options"), FORMS, ids=range(len(FORMS)))
def test_the_structures_of_points_and_results(kind, f, arguments, options):
    compiled, eager = transforms(kind, f, **options)
    for _ in range(3):
        assert_same(compiled, eager, arguments)

    (program,) = compiled.report().programs
    assert (program.calls, program.reruns) == (2, 0)


POINT = np.array([1.0, 2.0])
EDGES = [
    ("jacobian", lambda x: np.sqrt(x) * x, POINT, [[0.0, 1.0], [-1.0, 1.0]]),
    ("jacobian", lambda x: np.abs(x) * x, POINT, [[0.0, 1.0], [0.0, 0.0]]),
    ("jacobian", lambda x: np.maximum(x, 1.0) * x[0], POINT + 1, [[1.0, 2.0]]),
    ("jacobian", lambda x: np.where(x > 0, x * x, 0.0), POINT, [[0.0, -1.0], [-1.0, -1.0]]),
    ("jacobian", lambda x: x / np.linalg.norm(x), POINT, [[0.0, 0.0]]),
    ("jacobian", lambda x: np.array([x[0] ** x[1], x[1]]), POINT, [[0.0, 2.0], [0.0, 0.0], [-1.0, 2.0], [-1.0, 2.5]]),
    ("jacobian", lambda x: np.std(x) * x, POINT, [[1.0, 1.0]]),
    ("jacobian", lambda x: [x[0] / x[1], math.log(x[0])], POINT.tolist(), [[1.0, 0.0], [0.0, 1.0], [-1.0, 1.0]]),
    ("jacobian", lambda x: [x[0] * x[0], x[1]], POINT.tolist(), [[0.0, 0.0], [math.nan, 1.0], [math.inf, 1.0]]),
    ("jacobian", lambda x: x * x, POINT, [[math.inf, 1.0], [math.inf, -math.inf], [9e307, 9e307], [1e200, 1.0]]),
    ("jacobian", lambda x: x * x * x, np.float64(2.0), [1e200, math.inf]),
    ("hessian", lambda x: np.std(x * x), POINT, [[1.0, 1.0]]),
    ("hessian", lambda x: np.sum(x) ** 1.5, POINT, [[0.0, 0.0]]),
    ("hessian", lambda x: np.sum(np.log(x)), POINT, [[0.0, 1.0], [-1.0, 1.0]]),
    ("hessian", lambda x: np.sum(x**3), POINT, [[0.0, 0.0], [0.0, 1.0]]),
    ("hessian", lambda x: x[0] / x[1], POINT, [[0.0, 0.0], [1.0, 0.0]]),
    ("hessian", lambda x: np.sum(np.where(x > 1.0, x**3, x**2)), POINT * 3, [[1.0, 1.0], [0.0, 2.0]]),
    ("hessian", lambda x: np.sum((x > 1.0) * x**3 + x**2), POINT * 3, [[1.0, 1.0], [0.0, 2.0]]),
    ("hessian", lambda x: np.sum(x[x >= 2.0] ** 3) + np.sum(x**2), POINT * 3, [[2.0, 4.0], [1.0, 4.0]]),
    ("hessian", lambda x: np.sum(np.where(x > 1.0, np.log(x), x**2)), POINT * 3, [[-1.0, 3.0], [0.0, 2.0]]),
    ("hessian", lambda x: np.sum(np.log1p(np.exp(x))), POINT, [[800.0, 0.0]]),
    ("hessian", lambda x: math.log(x[0]) * x[1], POINT.tolist(), [[0.0, 1.0], [-1.0, 1.0]]),
    ("hessian", lambda x: x[0] ** 2.5 + x[1] ** 2, POINT.tolist(), [[-1.0, 1.0], [0.0, 1.0]]),
    ("hessian", lambda x: (x[0] - 1) * x[1] if x[0] > 1 else x[1] ** 2, [1.5, 2.0], [[1.0, 2.0], [0.5, 2.0]]),
    ("hessian", lambda x: max(x[0], x[1]) ** 2, POINT.tolist(), [[1.0, 1.0], [3.0, 2.0]]),
]


def edge_points(first, others):
    """The other points as lists, numbers or arrays, as the first one is."""
    return [type(first)(other) if not isinstance(first, np.ndarray) else np.array(other) for other in others]


@pytest.mark.parametrize(("kind", "f", "first", "others"), EDGES, ids=range(len(EDGES)))
def test_an_edge_case_is_as_eager(kind, f, first, others):
    points = edge_points(first, others)
    direction = first + first if isinstance(first, np.ndarray) else [0.5, -0.25]
    calls = [(kind, ())] if kind == "jacobian" else [(kind, ()), ("hvp", (direction,))]
    for transform, more in calls:
        compiled, eager = transforms(transform, f)
        for point in (first, *points, first):
            assert_same(compiled, eager, (point, *more))

        assert len(compiled.report().programs) == 1, compiled.report()


@pytest.mark.parametrize("kind", ["jacobian", "hessian"])
@pytest.mark.parametrize(("f", "first", "others"), CASES, ids=[f"{f.__name__}-{n}" for n, (f, *_) in enumerate(CASES)])
def test_an_edge_case_of_a_gradient_is_as_eager(kind, f, first, others):
    compiled, eager = transforms(kind, f)
    for arguments in (first, *others, first):
        assert_same(compiled, eager, arguments)


@pytest.mark.parametrize(
    ("f", "x", "reason"),
    [
        (lambda x: np.sum(np.abs(x) ** 3), ARRAY, "the kinks of abs are limits"),
        (lambda x: (x % 0.7) * x, 0.5, "the kinks of % are limits"),
        (lambda x: np.sum(np.maximum(x, 1.0) ** 2), ARRAY, "the kinks of maximum are limits"),
        (lambda x: np.sum(x ** (x + 1.0)), ARRAY, "the kinks of abs are limits"),
        (lambda x: np.sum(np.arctan2(x, 2.0)), ARRAY, "the kinks of hypot are limits"),
        (lambda x: 3.0 * x, 0.5, "the derivative is 0"),
    ],
)
def test_a_hessian_that_stays_eager(f, x, reason):
    compiled, eager = transforms("hessian", f)
    for _ in range(2):
        assert_same(compiled, eager, (x,))

    assert reason in str(compiled.report())


def test_a_recorded_derivative_that_is_faster(monkeypatch):
    monkeypatch.setattr(shared_libraries, "_compiler", list)
    monkeypatch.setattr(specialisations, "QUICK", math.inf)
    compiled = gradcli.jacobian(lambda x: x[:2] * np.sum(x), compile=True)
    compiled(np.ones(400))

    assert "eager, which is faster than the derived program" in str(compiled.report())


def counted(x):
    return [x[0] * x[1], 1] if x[0] > 0 else [x[0] * x[1], 0.5]


IN_C = [("jacobian", shifted, (ARRAY,)), ("hessian", valley, (ARRAY,)), ("hvp", elements, ([1.0, 2.0], [0.5, 0.1]))]


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
@pytest.mark.parametrize(("kind", "f", "arguments"), IN_C)
def test_the_backend(kind, f, arguments, backend):
    compiled, _ = transforms(kind, f)
    compiled(*arguments)

    assert compiled.report().programs[0].backend == backend


def test_a_value_with_a_whole_number_is_not_computed_in_c():
    compiled, eager = transforms("jacobian", counted)
    for x in ([1.0, 2.0], [1.5, 2.0], [-1.0, 2.0]):
        assert_same(compiled, eager, (x,))

    assert compiled.report().programs[0].backend == "Python"


@pytest.mark.parametrize(("point", "options"), [((ARRAY, ARRAY), {"compile": True}), ((ARRAY,), {})])
def test_a_product_is_compiled_as_a_function(point, options):
    with pytest.raises(UsageError, match="product = hvp"):
        gradcli.hvp(valley, *point, **options)
