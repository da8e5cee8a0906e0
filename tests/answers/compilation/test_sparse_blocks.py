"""Compiled sparse Jacobians and Hessians: those of the recorded transforms, on other branches and shapes too."""

import pickle

import numpy as np
import pytest

import gradcli
from benchmarks.compiled_equality import outcome
from benchmarks.gradbench.programs import ba, ht
from gradcli.answers.compilation import shared_libraries, sparse_blocks, specialisations
from gradcli.errors import UsageError
from tests.answers.compilation.test_directional_kernels import EDGES, edge_points
from tests.benchmarks.test_gradbench import INPUTS
from tests.methods.transforms.test_sparse_jacobians import JACOBIANS, SIZES, at, chained_valley

pytest.importorskip("scipy")


@pytest.fixture(autouse=True, params=["C", "Python"])
def backend(request, monkeypatch):
    """The fastest backend that a program may have; it is taken also where it is not faster."""
    if request.param == "Python":
        monkeypatch.setattr(shared_libraries, "_compiler", list)
    monkeypatch.setattr(specialisations, "QUICK", 0.0)
    monkeypatch.setattr(specialisations, "_seconds", lambda *_, **options: 0.0)
    return request.param


def assert_same(compiled, eager, arguments):
    """The entries are those of the recorded sparse derivative; there may be more, which are 0."""
    ours, theirs = compiled(*arguments), eager(*arguments)
    assert type(ours) is type(theirs)
    for one, other in zip(*(x if isinstance(x, tuple) else (x,) for x in (ours, theirs)), strict=True):
        assert (type(one), one.shape, one.dtype) == (type(other), other.shape, other.dtype)
        close = 1e-5 if one.dtype == np.float32 else 1e-9
        np.testing.assert_allclose(one.toarray(), other.toarray(), rtol=close, atol=1e-3 * close)
    return ours


def transforms(kind, f, **options):
    transform = getattr(gradcli, kind)
    return transform(f, sparse=True, compile=True, **options), transform(f, sparse=True, **options)


def program(compiled):
    (only,) = compiled.report().programs
    return only


def heat(u):
    """Diffusion and reaction on a square grid."""
    change = np.zeros_like(u)
    change[1:-1, 1:-1] = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
    return change + u**3 - np.sin(u)


def grid(side):
    return at(side * side).reshape(side, side)


def means(x):
    """Two results of many numbers: the rows have fewer colours than the columns."""
    return np.array([np.sum(x * x[::-1]), np.mean(x) ** 2])


def total(x):
    return np.sum(np.sin(x[1:]) * x[:-1])


def of_dict(p):
    return p["w"] * p["v"] + p["b"]


def product(x, y):
    return x * y**2


def collocation(z):
    """The defects of a pendulum's path of states and controls, by the rule of trapezoids, and its ends."""
    states, controls = z[:20].reshape(10, 2), z[20:]
    rates = np.stack([states[:, 1], controls - np.sin(states[:, 0])], 1)
    defects = states[1:] - states[:-1] - 0.05 * (rates[1:] + rates[:-1])
    return np.concatenate([defects.ravel(), states[0] - 1.0, states[-1]])


FORMS = [
    ("jacobian", collocation, (at(30),), {}, 5),
    ("jacobian", heat, (grid(8),), {}, 8),
    ("jacobian", means, (at(8),), {}, 3),
    ("jacobian", total, (at(8),), {}, 2),
    ("jacobian", product, (at(3), 2.0), {"argnums": (1, 0)}, 3),
    ("jacobian", product, (at(3), at(3)), {"argnums": ("y",)}, 2),
    ("jacobian", lambda x: [x[0] * x[1], x[1] ** 2], ([1.0, 2.0],), {}, 3),
    ("jacobian", of_dict, ({"w": at(3), "v": at(3), "b": 2.0},), {}, 4),
    ("jacobian", lambda p: [p[0][:2] * p[1]], ([at(3), at(2)],), {}, 3),
    ("hessian", chained_valley, (at(8),), {}, 4),
    ("hessian", lambda x: x[0] * x[1] ** 2, ([1.0, 2.0],), {}, 3),
    ("hessian", lambda x: x**3, (1.5,), {}, 2),
]


@pytest.mark.parametrize(("kind", "f", "arguments", "options", "products"), FORMS, ids=range(len(FORMS)))
def test_the_structures_of_points(kind, f, arguments, options, products):
    compiled, eager = transforms(kind, f, **options)
    for _ in range(3):
        assert_same(compiled, eager, arguments)

    made = program(compiled)
    assert (made.calls, made.reruns, made.products) == (2, 0, products)


@pytest.mark.sampled(8)  # each case derives a program
@pytest.mark.parametrize("name", JACOBIANS)
def test_a_compiled_sparse_jacobian_is_the_recorded_one(name):
    f, _, colours = JACOBIANS[name]
    compiled, eager = transforms("jacobian", f)
    for seed in range(3):
        assert_same(compiled, eager, (at(SIZES.get(f, 8)) + 0.1 * seed,))

    assert {made.products for made in compiled.report().programs} <= {colours + 1}


def dense(f, arguments, argnums=0):
    """The recorded Jacobian as a matrix, with a column per number of the inputs."""
    value, blocks = gradcli.jacobian(f, argnums, with_value=True)(*arguments)
    blocks = blocks if isinstance(blocks, tuple) else (blocks,)
    return np.hstack([block.reshape(np.size(value), -1) for block in blocks])


def hand(places, theta, relatives, corners, points):
    """The distances of measured points from places on a hand, each of which moves one of them."""
    return ht.distances(theta, relatives, ht.within(places, corners), points)


def hand_arguments():
    theta, places, data = ht.arguments(INPUTS["ht"])
    return places, theta, data["relatives"], ht.skins(places, data)[0], data["points"]


BUNDLES = {**INPUTS["ba"], "n": 3, "m": 12, "p": 36}
PROBLEMS = [  # with the products: one per colour, and one more
    (heat, (grid(20),), 0, 8),
    (ba.errors, ba.arguments(BUNDLES), 0, 15),
    (hand, hand_arguments(), (0, 1), 10),
]


@pytest.mark.parametrize(("f", "arguments", "argnums", "products"), PROBLEMS, ids=["pde", "bundles", "hand"])
def test_the_jacobian_of_a_problem(f, arguments, argnums, products):
    compiled, eager = transforms("jacobian", f, argnums=argnums)
    for _ in range(2):
        ours = assert_same(compiled, eager, arguments)

    matrix = np.hstack([block.toarray() for block in (ours if isinstance(ours, tuple) else (ours,))])
    np.testing.assert_allclose(matrix, dense(f, arguments, argnums), rtol=1e-9, atol=1e-12)
    assert (program(compiled).reruns, program(compiled).products) == (0, products)


def test_an_equation_of_ten_thousand_unknowns():
    compiled, eager = transforms("jacobian", heat)
    for x in (grid(100), grid(100)[::-1].copy()):
        ours, theirs = compiled(x), eager(x)

    assert (ours.nnz, abs(ours - theirs).max() < 1e-12, program(compiled).products) == (theirs.nnz, True, 8)


def branched(x):
    if x[0] > 0.5:
        return x**2
    return x**2 + 1e-9 * x[::-1]


def squared(x):
    matrix = x.reshape(2, 2)
    return matrix @ matrix


def tripled(x):
    return np.array([x[0] * x[1] * x[2], x[3] ** 2])


def largest(x):
    return np.max(x.reshape(-1, 2), axis=1)


def masked(x):
    return np.where(x > 1.0, x**2, x[::-1] * x)


def heat_of_rows(x):
    return heat(x.reshape(2, 2))


WEIGHTS = np.eye(4)


def weighed(x):
    return WEIGHTS @ x**2


OTHERS = [  # a function, a first point, and one at which other elements are not 0
    (squared, [1.0, 0.0, 0.0, 2.0], [1.0, 2.0, 3.0, 4.0]),
    (tripled, [0.0, 0.0, 3.0, 4.0], [2.0, 1.0, 3.0, 4.0]),
]


@pytest.mark.parametrize(("f", "first", "other"), OTHERS)
def test_another_pattern_is_eager_once(f, first, other):
    compiled, _ = transforms("jacobian", f)
    for point in (first, other, first, other, other):
        x = np.array(point)
        matrix = compiled(x).toarray()
        np.testing.assert_allclose(matrix, gradcli.jacobian(f)(x).reshape(-1, 4), rtol=1e-12, atol=0.0)

    assert program(compiled).reruns <= 1


@pytest.mark.parametrize(
    ("f", "dtype", "reason"),
    [
        (branched, float, "each of its paths has other elements"),
        (largest, float, "each of its paths has other elements"),
        (masked, float, "each of its paths has other elements"),
        (heat_of_rows, np.float32, "not told from the rounding of float32"),
    ],
)
def test_elements_that_a_product_would_not_show_are_left_to_the_recorded_derivative(f, dtype, reason):
    compiled, eager = transforms("jacobian", f)
    for point in ([1.0, 2.0, 3.0, 4.0], [0.25, 2.0, 3.0, 4.0], [2.0, 1.0, 3.0, 0.5]):
        assert_same(compiled, eager, (np.array(point, dtype),))

    assert reason in str(compiled.report())


@pytest.mark.sampled(8)  # each case derives a program
@pytest.mark.parametrize(("kind", "f", "first", "others"), EDGES, ids=range(len(EDGES)))
def test_an_edge_case_is_as_recorded(kind, f, first, others):
    compiled, eager = transforms(kind, f)
    for point in (first, *edge_points(first, others), first):
        (ours, warned), (theirs, expected) = outcome(compiled, (point,)), outcome(eager, (point,))
        if isinstance(theirs, str):
            assert ours == theirs
        else:
            np.testing.assert_allclose(ours.toarray(), theirs.toarray(), rtol=1e-9, atol=1e-12)
        assert warned == expected


def test_terms_that_cancel_are_no_other_pattern():
    compiled, eager = transforms("jacobian", lambda x: x**3 - np.sin(x))
    for seed in range(6):
        assert abs(compiled(x := at(20_000) + seed / 10) - eager(x)).max() < 1e-12

    assert program(compiled).reruns == 0


def test_captured_data_may_change_the_pattern():
    compiled, eager = transforms("jacobian", weighed)
    try:
        for weights in (np.eye(4), np.ones((4, 4)), np.eye(4), np.tri(4)):
            WEIGHTS[:] = weights
            assert_same(compiled, eager, (at(4),))
    finally:
        WEIGHTS[:] = np.eye(4)


def ordered(x, order):
    return x[order] ** 2


def test_a_pattern_that_is_always_another_one_is_left_to_the_recorded_derivative():
    compiled, eager = transforms("jacobian", ordered)
    generator = np.random.default_rng(0)
    for _ in range(40):
        assert_same(compiled, eager, (at(200), generator.permutation(200)))

    assert "given up for edge cases" in str(compiled.report())


def test_a_pattern_of_too_many_colours_is_left_to_the_recorded_derivative(monkeypatch):
    monkeypatch.setattr(sparse_blocks, "MOST_NUMBERS", 3)
    compiled, eager = transforms("jacobian", largest)
    for point in ([1.0, 2.0, 3.0, 4.0], [2.0, 1.0, 3.0, 4.0], [2.0, 1.0, 4.0, 3.0]):
        assert_same(compiled, eager, (np.array(point),))

    compiled, eager = transforms("jacobian", heat)
    assert_same(compiled, eager, (grid(4),))
    assert "eager, its pattern has so many colours" in str(compiled.report())


def test_each_shape_has_a_pattern():
    compiled, eager = transforms("jacobian", heat)
    for side in (4, 5, 4, 5):
        assert_same(compiled, eager, (grid(side),))

    assert [made.products for made in compiled.report().programs] == [5, 7]


def test_the_first_call_is_recorded_and_the_report_counts_the_others():
    compiled, _ = transforms("jacobian", heat)
    assert str(compiled.report()) == "compiled jacobian of heat\nnot called yet"
    for _ in range(3):
        compiled(grid(8))

    assert "  products at each call: 8\n  calls: 2" in str(compiled.report())


def test_the_value_comes_with_it():
    compiled = gradcli.jacobian(means, with_value=True, sparse=True, compile=True)
    for _ in range(2):
        value, matrix = compiled(at(8))

    np.testing.assert_allclose(value, means(at(8)), rtol=1e-12)
    assert matrix.shape == (2, 8)


def test_it_is_pickled_with_its_options():
    restored = pickle.loads(pickle.dumps(transforms("hessian", chained_valley)[0]))
    for _ in range(2):
        assert_same(restored, gradcli.hessian(chained_valley, sparse=True), (at(8),))

    assert program(restored).products == 4


@pytest.mark.parametrize("kind", ["jacobian", "hessian"])
def test_it_is_of_one_point(kind):
    with pytest.raises(UsageError, match="A sparse derivative is of one point"):
        getattr(gradcli, kind)(chained_valley, sparse=True, compile=True, points=0)
