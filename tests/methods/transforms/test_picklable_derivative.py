"""The functions that the transforms return are pickled, copied and bound as methods."""

import copy
import functools
import inspect
import math
import multiprocessing
import pickle

import numpy as np
import pytest

from gradcli import elementwise_grad, grad, hessian, jacobian, value_and_grad


def f(x, scale=1.0):
    """A sum of cubes."""
    return scale * np.sum(x**3)


@grad
def decorated(x):
    """A square, whose derivative the module holds in its place."""
    return x**2


class Model:
    """A callable object with a method."""

    def __init__(self, weight):
        self.weight = weight

    def __call__(self, x):
        return self.weight * x**2

    def loss(self, x):
        return self.weight * x**3

    slope = grad(loss, argnums=1)


POINT = np.array([1.0, 2.0])
MADE = {
    "grad": grad(f),
    "a gradient by name": grad(f, argnums=("x", "scale")),
    "value_and_grad": value_and_grad(f),
    "jacobian": jacobian(f),
    "a Jacobian with its value": jacobian(f, with_value=True),
    "hessian": hessian(f),
    "elementwise_grad": elementwise_grad(np.tanh),
    "a gradient of a gradient": grad(grad(math.sin)),
    "of a callable object": grad(Model(3.0)),
    "of a method": grad(Model(3.0).loss),
    "of a partial application": grad(functools.partial(f, scale=3.0)),
}


@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
def test_round_trip(made):
    """The copy gives the same numbers."""
    point = (POINT, 2.0) if made is MADE["a gradient by name"] else (POINT,) if _takes_arrays(made) else (2.0,)
    expected = made(*point)

    for again in (pickle.loads(pickle.dumps(made)), copy.copy(made), copy.deepcopy(made)):
        np.testing.assert_equal(again(*point), expected)


def _takes_arrays(made):
    return "scale" in inspect.signature(made).parameters or made is MADE["elementwise_grad"]


def test_another_process():
    """One that is started anew imports the function."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.map(MADE["grad"], [POINT, 2 * POINT])

    np.testing.assert_equal(found, [3 * POINT**2, 12 * POINT**2])


@pytest.mark.parametrize("transform", [grad, value_and_grad, jacobian, hessian, elementwise_grad])
def test_a_function_without_a_place(transform):
    """Pickle's own error names it."""

    def local(x):
        return x**2

    with pytest.raises((AttributeError, pickle.PicklingError), match=r"local"):
        pickle.dumps(transform(local))
    with pytest.raises((AttributeError, pickle.PicklingError), match="<lambda>"):
        pickle.dumps(transform(lambda x: x**2))


def test_a_decorated_function():
    """It is pickled by the name under which its module holds it."""
    assert decorated is pickle.loads(pickle.dumps(decorated))
    assert decorated(3.0) == 6.0


def test_a_method():
    """A derivative in the body of a class is a method of its instances."""
    assert Model(2.0).slope(2.0) == 24.0
    assert Model.slope(Model(2.0), 2.0) == 24.0


def test_it_has_the_signature_and_the_name_of_the_function():
    """Help and editors show those."""
    assert str(inspect.signature(MADE["grad"])) == "(x, scale=1.0)"
    assert "f" == MADE["grad"].__name__
    assert "A sum of cubes." == MADE["grad"].__doc__
    assert repr(MADE["hessian"]).startswith("<gradcli.hessian of <function f at ")
