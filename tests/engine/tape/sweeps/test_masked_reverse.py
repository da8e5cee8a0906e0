"""What the program did not take contributes exactly nothing; what it computed to be zero does not vanish."""

import math

import numpy as np
import pytest

from gradcli import grad, hessian, jacobian, jvp, trace
from gradcli.mathematics.rules import RULES

pytestmark = pytest.mark.sampled(4)  # many like cases

nan, inf = math.nan, math.inf
DATA = np.array([[1.0, 2.0], [nan, 1.0], [inf, 3.0], [4.0, 5.0]])
OK = np.isfinite(DATA).all(axis=1)
NOTHING = np.zeros(0)


def gradient(f, *x):
    return np.asarray(grad(f)(*map(np.array, x))).tolist()


def overwritten(x):
    """A sum of roots of which the first was written over."""
    roots = np.sqrt(x)
    roots[0] = x[1]
    return roots.sum()


NOT_TAKEN = [
    (overwritten, [0.0, 4.0], [0.0, 1.25]),
    (lambda x: np.where(x < 1, x, np.sqrt(x)).sum(), [0.0, 4.0], [1.0, 0.25]),
    (lambda x: np.where(x > 1, np.sqrt(x), x).sum(), [0.0, 4.0], [1.0, 0.25]),
    (lambda x: np.where(x < 1, 0.0, np.sqrt(x)).sum(), [0.0, 4.0], [0.0, 0.25]),
    (lambda x: np.where(x > 0, x * np.log(x), 0.0).sum(), [0.0, 1.0], [0.0, 1.0]),
    (lambda x: np.where(x > 0, np.sin(1 / x), x).sum(), [0.0], [1.0]),
    (lambda x: np.sqrt(x)[1:].sum(), [0.0, 4.0], [0.0, 0.25]),
    (lambda x: np.sqrt(x)[1], [0.0, 4.0], [0.0, 0.25]),
    (lambda x: np.sqrt(x)[[1, 1]].sum(), [0.0, 4.0], [0.0, 0.5]),
    (lambda x: np.sqrt(x)[x > 0].sum(), [0.0, 4.0], [0.0, 0.25]),
    (lambda x: np.take(np.sqrt(x), 1), [0.0, 4.0], [0.0, 0.25]),
    (lambda x: np.maximum(np.sqrt(x), 1.0).sum(), [0.0, 4.0], [0.0, 0.25]),
    (lambda x: np.minimum(np.cbrt(x), -1.0).sum(), [0.0, -8.0], [0.0, 1 / 12]),
    (lambda x: np.clip(np.sqrt(x), 1.0, 9.0).sum(), [0.0, 4.0], [0.0, 0.25]),
    (lambda x: RULES["relu"](-np.sqrt(x)).sum(), [0.0, 4.0], [0.0, 0.0]),
    (lambda x: np.max(np.sqrt(x)), [0.0, 4.0], [0.0, 0.25]),
    (lambda x: np.min(-np.sqrt(x)), [0.0, 4.0], [0.0, -0.25]),
    (lambda x: np.max(np.sqrt(x).reshape(2, 2), axis=1).sum(), [0.0, 4.0, 16.0, 0.0], [0.0, 0.25, 0.125, 0.0]),
    (lambda x: np.sqrt(x).reshape(2, 2).T[1].sum(), [0.0, 4.0, 0.0, 16.0], [0.0, 0.25, 0.0, 0.125]),
    (lambda x: np.concatenate([np.sqrt(x), x])[1:].sum(), [0.0, 4.0], [1.0, 1.25]),
    (lambda x: np.stack([np.sqrt(x), x])[:, 1].sum(), [0.0, 4.0], [0.0, 1.25]),
    (lambda x: np.broadcast_to(np.sqrt(x), (3, 2))[:, 1].sum(), [0.0, 4.0], [0.0, 0.75]),
    (lambda x: np.sqrt(x).reshape(2, 2).sum(axis=1)[1], [0.0, 4.0, 16.0, 1.0], [0.0, 0.0, 0.125, 0.5]),
    (lambda x: np.sqrt(x).reshape(2, 2).mean(axis=0)[1], [0.0, 4.0, 0.0, 16.0], [0.0, 0.125, 0.0, 0.0625]),
    (lambda x: np.sqrt(x).reshape(2, 2).prod(axis=1)[1], [0.0, 4.0, 16.0, 1.0], [0.0, 0.0, 0.125, 2.0]),
    (lambda x: (np.sqrt(x).reshape(2, 2) @ np.ones(2))[1], [0.0, 4.0, 16.0, 1.0], [0.0, 0.0, 0.125, 0.5]),
    (lambda x: np.sum(NOTHING * np.log(x)), [0.0], [0.0]),
    (lambda x: np.sum(np.broadcast_to(np.sqrt(x), (0, 1))), [0.0], [0.0]),
    (lambda x: np.prod(NOTHING + np.log(x)) + x[0], [0.0], [1.0]),
    (lambda x: np.sum(np.concatenate([NOTHING / x, x])), [0.0], [1.0]),
    (lambda x: np.sum(NOTHING @ (np.ones((0, 1)) * np.log(x))), [0.0], [0.0]),
    (lambda x: np.einsum("i,j->", NOTHING, np.log(x)) + x[1], [0.0, 1.0], [0.0, 1.0]),
    (lambda x: np.einsum("j,i->", np.sqrt(x), NOTHING, optimize=True), [0.0], [0.0]),
    (lambda x: np.einsum("i,j->j", x[:0], np.sqrt(x)).sum(), [0.0, 4.0], [0.0, 0.0]),
    (lambda x: np.einsum("i,j,k->k", NOTHING, np.sqrt(x), x)[1], [0.0, 4.0], [0.0, 0.0]),
    (lambda x: np.einsum("...i,j->...", np.zeros((2, 0)), np.sqrt(x)).sum(), [0.0], [0.0]),
    (lambda x: np.einsum(NOTHING, [0], np.log(x), [1], []), [0.0], [0.0]),
    (lambda x: np.sum(np.tensordot(NOTHING, np.log(x), axes=0)), [0.0], [0.0]),
    (lambda x: np.sum(np.outer(NOTHING, np.log(x))), [0.0], [0.0]),
    (lambda x: np.sum(np.kron(NOTHING, np.log(x))), [0.0], [0.0]),
    (lambda x: np.sum(np.zeros((0, 1)) @ np.log(x)), [0.0], [0.0]),
    (lambda x: np.where(OK, DATA @ x, 0.0).sum(), [1.0, 1.0], [5.0, 7.0]),
    (lambda x: (DATA @ x)[OK].sum(), [1.0, 1.0], [5.0, 7.0]),
    (lambda x: (x @ DATA.T)[3], [1.0, 1.0], [4.0, 5.0]),
    (lambda x: np.where(OK, DATA[:, 0] * x, 0.0).sum(), 2.0, 5.0),
    (lambda x: np.where(np.isfinite(DATA), DATA * x, 0.0).sum(), [1.0, 1.0], [5.0, 11.0]),
    (lambda x: np.where(OK, np.prod(DATA * x, axis=1), 0.0).sum(), [1.0, 1.0], [22.0, 22.0]),
    (lambda x: np.linalg.norm(x), [0.0, 0.0], [0.0, 0.0]),
]


@pytest.mark.parametrize(("f", "x", "wanted"), NOT_TAKEN)
def test_what_is_not_taken_is_nothing(f, x, wanted):
    """An infinite partial of a number that was not taken does not matter."""
    with np.errstate(all="ignore"):
        assert gradient(f, x) == wanted


@pytest.mark.parametrize(("f", "x", "wanted"), NOT_TAKEN)
def test_nor_in_a_gradient_that_is_recorded(f, x, wanted):
    with np.errstate(all="ignore"):
        assert np.asarray(trace(grad(f), np.array(x), names=False).value).tolist() == wanted


@pytest.mark.parametrize(
    ("f", "x", "wanted"),
    [
        (lambda x: (np.sqrt(x) ** 2).sum(), [0.0, 4.0], [nan, 1.0]),
        (lambda x: (np.array([0.0, 1.0]) * np.sqrt(x)).sum(), [0.0, 4.0], [nan, 0.25]),
        (lambda x: np.sqrt(x).sum(), [0.0, 4.0], [inf, 0.25]),
        (lambda x: np.where(x < 1, np.sqrt(x), x).sum(), [0.0, 4.0], [inf, 1.0]),
        (lambda x: np.maximum(np.sqrt(x), 0.0).sum(), [0.0, 4.0], [inf, 0.25]),
        (lambda x: (np.sqrt(x)[:1] * 0.0).sum(), [0.0, 4.0], [nan, 0.0]),
        (lambda x: (DATA @ x)[:2].sum(), [1.0, 1.0], [nan, 3.0]),
        (lambda x: (DATA @ x)[2], [1.0, 1.0], [inf, 3.0]),
        (lambda x: np.linalg.norm(np.sqrt(x)), [0.0, 0.0], [nan, nan]),
    ],
)
def test_what_is_computed_stays(f, x, wanted):
    """Where a path leads to the result, zero times infinity is nan, and infinity is infinity."""
    np.testing.assert_array_equal(gradient(f, x), wanted)


@pytest.mark.parametrize("x", [0.0, np.float64(0.0), np.array(0.0)])
def test_scalars(x):
    """`where(x < 1, x, sqrt(x))` at 0 has the gradient 1 as a number, too."""
    f = lambda x: RULES["where"](x < 1, x, RULES["sqrt"](x))
    assert grad(f)(x) == 1.0
    assert grad(grad(f))(x) == 0.0


def test_numbers_put_into_arrays():
    """Python floats of which an array is made are left out as well."""
    f = lambda x, y: np.sqrt(np.stack([x, y]))[1]
    assert grad(f, (0, 1))(0.0, 4.0) == (0.0, 0.25)


def test_second_derivatives_of_what_is_not_taken():
    """The second derivative does not see it either, even where the first was finite."""
    f = lambda x: np.where(x < 1, x**2, x**1.5).sum()
    with np.errstate(all="ignore"):
        assert hessian(f)(np.array([0.0, 4.0])).tolist() == [[2.0, 0.0], [0.0, 0.375]]


def test_rows_of_a_jacobian():
    with np.errstate(all="ignore"):
        found = jacobian(lambda x: np.sqrt(x) * x.sum())(np.array([0.0, 4.0]))
    np.testing.assert_array_equal(found, [[inf, 0.0], [2.0, 3.0]])


def test_every_sensitivity():
    """What is shown of the tape is exact at every node, also where the inputs' own derivatives are finite."""

    def f(x):
        w = np.where(x > 0, x, 0.0)
        return np.where(x > 0, np.sqrt(w), w).sum()

    recording = trace(f, np.array([0.0, 1.0]))
    sensitivity = next(
        found for node, found in zip(recording.nodes, recording.sensitivities(), strict=True) if node.name == "w"
    )
    assert sensitivity.tolist() == [1.0, 0.5]


def test_single_precision():
    with np.errstate(all="ignore"):
        found = grad(lambda x: np.where(x < 1, x, np.sqrt(x)).sum())(np.array([0.0, 4.0], dtype=np.float32))
    assert (found.dtype, found.tolist()) == (np.float32, [1.0, 0.25])


def test_a_seed_that_is_recorded():
    """A recorded cotangent may be differentiated by where it is zero, too: that is how a tangent is found inside."""
    directional = lambda x: np.sum(jvp(np.sin, (x,), (np.array([1.0, 0.0]),))[1])
    np.testing.assert_allclose(grad(directional)(np.array([0.5, 0.5])), [-np.sin(0.5), 0.0], rtol=1e-15)


def test_reading_in_a_loop_stays_linear():
    """All that is read of an array goes back to it in one step of the recorded sweep."""

    def steps(n):
        return len(trace(grad(lambda x: sum(x[i] ** 2 for i in range(n))), np.ones(n), names=False).nodes)

    assert steps(40) - steps(30) == steps(20) - steps(10)
    counted = [node.operation for node in trace(grad(lambda x: x[0] * x[1] * x[2]), np.ones(3), names=False).nodes]
    assert counted.count("scatter") == 1
