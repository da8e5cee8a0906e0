"""The Jacobian-vector product of every rule of linear algebra: its vjp's transpose, differences, and differentiated."""

import numpy as np
import pytest

from gradcli import grad, jvp
from gradcli.mathematics.rules import RULES, linalg
from gradcli.mathematics.rules.linalg import matrix_functions, triangular_lu_sylvester
from gradcli.mathematics.rules.scipy import lu_and_polar_factors
from gradcli.methods.transforms.derivative_warnings import collected
from tests.mathematics.rules.agreement import paired, slope_at_zero, weighted
from tests.mathematics.rules.sample_arrays import matrix, weights

pytestmark = pytest.mark.sampled(8)  # many like cases

MODULES = [linalg, matrix_functions, triangular_lu_sylvester, lu_and_polar_factors]
ONE_BY_ONE = {"lstsq", "lu", "sylvester", "solve_banded", "unitary"}  # no stacks
FREE = {"eigh", "eig", "svd"}  # complex vectors are unique but for a phase, which differences do not hold


def hermitian(x):
    """A Hermitian matrix, positive definite where `x` is large on its diagonal."""
    return x + np.conj(np.swapaxes(x, -1, -2))


def triangle(x):
    return np.tril(x)


def mostly_diagonal(x):
    """A matrix whose eigenvalues are real where it is, and far apart where the numbers of its diagonal are."""
    return x * (0.2 + 0.8 * np.eye(3))


def fifth(x):
    """A matrix whose eigenvalues lie before the first pole of the tangent, as do those of its neighbours."""
    return x / 5


def same(x):
    return x


SHAPES = {"tall": (4, 3), "wide": (3, 4)}
CASES = {
    **{name: (name, [(3, 3)], same, {}) for name in ("inv", "det", "logdet", "lu", *matrix_functions.NAMES)},
    "tanm": ("tanm", [(3, 3)], fifth, {}),
    "pinv": ("pinv", [(4, 3)], same, {"rcond": 1e-12}),
    "pinv-wide": ("pinv", [(3, 4)], same, {"rcond": 1e-12}),
    "solve": ("solve", [(3, 3), (3, 2)], same, {}),
    "lstsq": ("lstsq", [(4, 3), (4, 2)], same, {"rcond": None}),
    "lstsq-wide": ("lstsq", [(3, 4), (3, 2)], same, {"rcond": None}),
    "eigh": ("eigh", [(3, 3)], hermitian, {"uplo": "L"}),
    "eig": ("eig", [(3, 3)], mostly_diagonal, {}),
    "cholesky": ("cholesky", [(3, 3)], hermitian, {}),
    **{f"{name}-{kind}": (name, [shape], same, {}) for name in ("qr", "svd") for kind, shape in SHAPES.items()},
    "svd": ("svd", [(3, 3)], same, {}),
    "sylvester": ("sylvester", [(3, 3), (2, 2), (3, 2)], same, {}),
    "substitution": ("substitution", [(3, 3), (3, 2)], triangle, {"below": True}),
    "solve_banded": ("solve_banded", [(4, 5), (5, 2)], same, {"below": 2, "above": 1}),
    "solve_banded-vector": ("solve_banded", [(4, 5), (5,)], same, {"below": 1, "above": 2}),
    "solve_banded-small": ("solve_banded", [(6, 2), (2,)], same, {"below": 3, "above": 2}),
    "unitary": ("unitary", [(4, 3)], same, {}),
    "unitary-square": ("unitary", [(3, 3)], same, {}),
}
KINDS = ["real", "complex", "stack"]
ALL = [(name, kind) for name in CASES for kind in KINDS if kind != "stack" or CASES[name][0] not in ONE_BY_ONE]


def drawn(name, kind, shift=0, spread=1.0):
    """Arguments of a rule, or with another shift directions of the same structure."""
    rule, shapes, structured, static = CASES[name]

    def one(seed, shape):
        shape = (2, *shape) if kind == "stack" else shape
        x = matrix(*shape, seed=seed) if not shift else weights(shape, seed=seed)
        x = x + 1j * weights(shape, seed=seed + 50) / 3 if kind == "complex" else x
        return structured(x) if len(shape) > 1 and shape[-1] == shape[-2] else x

    found = [one(10 * shift + n, shape) for n, shape in enumerate(shapes)]
    if rule == "solve_banded" and not shift:
        found[0][static["above"]] += 5.0
    return RULES[rule], found, static


@pytest.mark.parametrize(("name", "kind"), ALL, ids=str)
def test_transpose_of_the_vjp(name, kind):
    """<ct, J t> = <J^T ct, t>, of each argument alone and of all together."""
    rule, x, static = drawn(name, kind)
    tangents = drawn(name, kind, shift=1)[1]
    v = rule(*x, **static)
    ct = weights(v.shape) + (1j * weights(v.shape, seed=8) if np.iscomplexobj(v) else 0.0)
    moving = dict(enumerate(tangents))
    for some in [moving, *({n: t} for n, t in moving.items())]:
        pulled = [np.sum(rule.vjp(n, ct, v, tuple(x), static) * t) for n, t in some.items()]
        pushed = rule.jvp(some, v, *x, **static)
        assert v.shape == pushed.shape
        assert v.dtype == pushed.dtype
        np.testing.assert_allclose(np.real(np.sum(ct * pushed)), np.real(sum(pulled)), rtol=1e-10, atol=1e-12)


def unique(name, kind):
    return kind != "complex" or CASES[name][0] not in FREE


DETERMINED = [(name, kind) for name, kind in ALL if unique(name, kind)]


@pytest.mark.parametrize(("name", "kind"), DETERMINED, ids=str)
def test_differences(name, kind):
    rule, x, static = drawn(name, kind)
    tangents = drawn(name, kind, shift=1)[1]
    total = weighted(lambda *x: rule(*x, **static), rule(*x, **static))
    slope = lambda *t: rule.jvp(dict(enumerate(t)), rule(*x, **static), *x, **static)

    value, error = slope_at_zero(lambda h: float(total(*(a + h * t for a, t in zip(x, tangents, strict=True)))))

    assert error < 1e-6
    found = float(weighted(slope, rule(*x, **static))(*tangents))
    assert found == pytest.approx(value, rel=1e-9, abs=4 * error + 1e-11)


@pytest.mark.parametrize(("name", "kind"), DETERMINED, ids=str)
def test_differentiated(name, kind):
    """A product is a program of NumPy calls, which the engine differentiates by the arguments and by the tangents."""
    rule, x, static = drawn(name, kind)
    tangents, along = drawn(name, kind, shift=1)[1], [*drawn(name, kind, shift=2)[1], *drawn(name, kind, shift=3)[1]]
    count = len(x)

    def product(*both):
        return rule.jvp(dict(enumerate(both[count:])), rule(*both[:count], **static), *both[:count], **static)

    both = [*x, *tangents]
    total = weighted(product, product(*both))
    value, error = slope_at_zero(lambda h: float(total(*(a + h * d for a, d in zip(both, along, strict=True)))))

    assert error < 1e-5
    gradient = grad(total, tuple(range(len(both))))(*both)
    assert paired(gradient, along) == pytest.approx(value, rel=1e-7, abs=4 * error + 1e-9)


def test_every_rule():
    rules = {x.name for module in MODULES for x in vars(module).values() if x in RULES.values() and not x.linear}

    assert {rule for rule, *_ in CASES.values()} >= rules | set(matrix_functions.NAMES)


def test_equal_eigenvalues_have_tangents_where_no_vector_is_read():
    """The tangent of the sum of the eigenvalues is the trace."""
    tangent = np.array([[1.0, 2.0], [2.0, 5.0]])

    assert pytest.approx(jvp(lambda x: np.sum(np.linalg.eigh(x)[0]), (np.eye(2),), (tangent,))[1]) == 6.0
    assert pytest.approx(jvp(lambda x: np.sum(np.linalg.svd(x)[1]), (np.eye(2),), (tangent,))[1]) == 6.0


VECTORS = {"eigh": lambda x: np.linalg.eigh(x)[1], "svd": lambda x: np.linalg.svd(x)[0]}


@pytest.mark.parametrize("name", VECTORS)
@pytest.mark.parametrize("diagonal", [(1.0, 1.0, 5.0), (1.0, 1.0, 1.0), (0.0, 0.0, -2.0), (0.0, 0.0, 0.0)])
def test_vectors_of_equal_eigenvalues_that_nothing_turns_have_tangents(name, diagonal):
    """A tangent that keeps the equal values equal leaves them as they are."""
    x, tangent = np.diag([2.0, 2.0, 3.0]), np.diag(diagonal)

    np.testing.assert_array_equal(jvp(VECTORS[name], (x,), (tangent,))[1], np.zeros((3, 3)))


@pytest.mark.parametrize("name", VECTORS)
@pytest.mark.parametrize("diagonal", [(1.0, 4.0, 5.0), (4.0, 1.0, 5.0)])
def test_vectors_of_equal_eigenvalues_that_change_places(name, diagonal):
    """On one side of the point the values stand in the other order, and the vectors with them."""
    with collected() as found:
        jvp(VECTORS[name], (np.diag([2.0, 2.0, 3.0]),), (np.diag(diagonal),))

    assert [each.code for each in found] == ["G215"]


def test_a_square_of_a_vector_s_number_has_a_tangent_where_a_tangent_turns_it_out_of_equal_values():
    """By second-order perturbation it is 1 - h**2, though its slope along other tangents jumps."""
    x, tangent = np.diag([2.0, 2.0, 3.0]), np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])

    assert jvp(lambda x: np.linalg.eigh(x)[1][0, 0] ** 2, (x,), (tangent,))[1] == pytest.approx(0.0, abs=1e-12)


def test_a_singular_matrix_has_a_tangent_of_its_determinant():
    x = np.array([[1.0, 2.0], [2.0, 4.0]])

    assert pytest.approx(jvp(np.linalg.det, (x,), (np.array([[1.0, 1.0], [2.0, -1.0]]),))[1]) == -3.0
