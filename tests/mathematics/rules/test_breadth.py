"""Every listed function over scalars, one number, nothing, broadcast and scattered arrays, against differences."""

import warnings

import numpy as np
import pytest

import gradcli.numpy
from gradcli import grad, jvp, queries, trace
from tests.array_forms import FORMS, METHODS, OF_MATRICES, is_of_two, program, programs
from tests.mathematics.rules.agreement import has_plain_value
from tests.mathematics.rules.sample_arrays import numbers, weights

pytestmark = pytest.mark.sampled(8)  # many like cases

ARRAYS = {
    "a number": (numbers(()), numbers((), seed=1)),
    "one": (numbers((1,)), numbers((1,), seed=1)),
    "broadcast": (numbers((2, 3)), numbers((3,), seed=1)),
    "scattered": (numbers((2, 3), order="strided"), numbers((2, 1), seed=1)),
    "by columns": (numbers((2, 2, 3), order="F"), numbers((2, 3), seed=1)),
    # BLAS adds products in another order where an array is reversed, on some processors: these sums are exact.
    "backwards": (np.array([1.75, 1.125, 0.75, 1.375])[::-1], numbers((), seed=1)),
    "nothing": (np.zeros((0,)), np.ones((1,))),
    "no rows": (np.zeros((0, 3)), np.ones((3,))),
}
SQUARES = {
    "one": (np.array([[1.7]]),),
    "square": (numbers((3, 3)) + np.diag([1.0, 2.0, 3.0]),),
    "scattered": (numbers((3, 3), order="strided") + np.diag([1.0, 2.0, 3.0]).T[::1],),
    "by columns": (np.asfortranarray(numbers((2, 2)) + np.diag([1.0, 2.0])),),
    "a stack": (numbers((2, 3, 3)) + np.diag([1.0, 2.0, 3.0]),),
    "nothing": (np.zeros((0, 0)),),
    "no matrices": (np.zeros((0, 2, 2)),),
}
STEP = 1e-3
# What takes a number without axes, or nothing, where NumPy's own code stumbles.
MORE = ("np.fft.fftshift", "np.fft.ifftshift", "np.correlate", "np.take_along_axis", "np.average", "np.compress",
        "special.logsumexp")  # fmt: skip


ALL = {**programs(FORMS), **programs(OF_MATRICES)}


def outcome_of(f, *arguments):
    """What a program gives, or the kind of error that it raises."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return np.asarray(f(*arguments))
        except Exception as error:
            return type(error)


def hold(f, arrays, lenient=False):
    """Values, reverse and forward sweep, and the second derivative along a line; what NumPy refuses is refused."""
    plain = outcome_of(f, *arrays)
    if isinstance(plain, type):
        assert lenient or isinstance(outcome_of(lambda *x: trace(f, *x, names=False).value, *arrays), type)
        return False
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        has_plain_value(f, arrays, f(*arrays))
        if plain.dtype.kind == "f" and np.isfinite(plain).all():
            derivatives_agree(f, arrays, plain)
    return True


def derivatives_agree(f, arrays, plain):
    """All along one direction, so that each is one number."""
    everything = tuple(n for n, x in enumerate(arrays))
    weight, along = weights(plain.shape), [weights(x.shape, seed=n + 3) for n, x in enumerate(arrays)]
    total = lambda *x: np.sum(weight * f(*x))
    line = lambda g: lambda t: g(*(x + t * d for x, d in zip(arrays, along, strict=True)))
    gradient = grad(total, everything)
    once = lambda *x: sum(np.sum(part * d) for part, d in zip(gradient(*x), along, strict=True))
    slope = once(*arrays)
    assert [x.shape for x in arrays] == [part.shape for part in gradient(*arrays)]
    assert slope == pytest.approx(difference(line(total)), rel=1e-6, abs=1e-8)
    assert slope == pytest.approx(np.sum(weight * jvp(f, arrays, along)[1]), rel=1e-9, abs=1e-11)
    twice = sum(np.sum(p * d) for p, d in zip(grad(once, everything)(*arrays), along, strict=True))
    assert twice == pytest.approx(difference(line(once)), rel=1e-5, abs=1e-7)


def difference(f):
    one, two, three = (f(n * STEP) - f(-n * STEP) for n in (1, 2, 3))
    return float((45 * one - 9 * two + three) / (60 * STEP))


@pytest.mark.sampled(32)
@pytest.mark.parametrize("text", programs(FORMS))
def test_functions(text):
    f, binary = program(text), is_of_two(text)
    g = f if binary else lambda x: f(x)
    taken = [hold(g, pair if binary else pair[:1], text.startswith(MORE)) for pair in ARRAYS.values()]
    assert any(taken)


@pytest.mark.parametrize("text", programs(OF_MATRICES))
def test_functions_of_matrices(text):
    f = program(text)
    taken = [hold(lambda x: f(x), x) for x in SQUARES.values()]
    assert any(taken)


@pytest.mark.parametrize("text", METHODS)
def test_methods(text):
    f = program(text)
    assert hold(lambda x: f(x), ARRAYS["broadcast"][:1])
    assert hold(lambda x: f(x), ARRAYS["scattered"][:1])


@pytest.mark.parametrize("text", [text for text in ALL if "special" not in text][::3])
def test_gradcli_numpy(text):
    x, y = ARRAYS["broadcast"] if text in programs(FORMS) else (*SQUARES["square"], None)
    both = [program(text, namespace) for namespace in (np, gradcli.numpy)]
    values = [outcome_of(grad(lambda x, f=f: np.sum(np.sin(f(x, y)))), x) for f in both]
    if isinstance(values[0], type):
        assert values[0] is values[1]
    else:
        np.testing.assert_array_equal(*values)


def test_every_name_is_listed():
    listed = {name for _, names in queries.operations() for name in names} | {"concat"}
    named = {name.rpartition(".")[2] for name, form in ALL.values() if "." in form.partition("{}")[0]}
    assert named - listed <= {"array", "asarray", "asanyarray", "asfortranarray", "asarray_chkfinite"}  # those of lists
