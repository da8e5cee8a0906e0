"""Functions of one code are one program, as far as they reach the same objects."""

import functools
import math

import numpy as np
import pytest

from gradcli import grad, hessian, hvp, jacobian, trace


def with_default(x, kind=float):
    """A type as a default value."""
    return 2.0 * x if type(x) is kind else 3.0 * x


def enclosing(kind):
    """A function that encloses a type."""
    return lambda x: 2.0 * x if type(x) is kind else 3.0 * x


def importing(x):
    """An import in the body."""
    from builtins import float as kind

    return 2.0 * x if type(x) is kind else 3.0 * x


DERIVATIVES = {
    "grad": lambda f: grad(lambda x: f(x) ** 2)(0.5),
    "jacobian": lambda f: jacobian(lambda x: f(x) ** 2)(0.5),
    "hessian": lambda f: hessian(lambda x: f(x) ** 2)(0.5) / 2,
    "nested": lambda f: grad(grad(lambda x: f(x) ** 2))(0.5) / 2,
    "hvp": lambda f: hvp(lambda x: f(x) ** 2, 0.5, 1.0) / 2,
    "trace": lambda f: trace(lambda x: f(x) ** 2, 0.5).sensitivities()[0],
}


@pytest.mark.parametrize("derivative", DERIVATIVES.values(), ids=DERIVATIVES)
def test_a_function_that_encloses_another_one(derivative):
    """It is read anew: each of them asks for the type by a name of its own."""
    derivative(lambda x: x)

    assert [derivative(f) for f in (with_default, enclosing(float), importing)] == [4.0, 4.0, 4.0]


def applied(function, x):
    return function(x)


def product(x):
    return x[0] * x[1]


def product_of_floats(x):
    return float(x[0]) * math.exp(np.array([x[1], 1.0])[0])


def with_default_function(function):
    return lambda x, called=function: called(x)


def with_keyword_function(function):
    return lambda x, *, called=function: called(x)


def decorated(function):
    @functools.wraps(function)
    def called(x):
        return function(x)

    return called


@pytest.mark.parametrize(
    "made",
    [
        lambda f: functools.partial(applied, f),
        lambda f: functools.partial(functools.partial(applied, f)),
        lambda f: functools.partial(lambda x, called: called(x), called=f),
        lambda f: functools.partial(lambda called, x: called[0](x), [f]),
        lambda f: functools.partial(lambda called, x: called[0](x), (f,)),
        with_default_function,
        with_keyword_function,
        decorated,
    ],
)
def test_one_code_that_holds_functions_of_different_needs(made):
    """The second one needs replacements, the first one none."""
    point = np.array([2.0, 3.0])

    assert grad(made(product))(point).tolist() == [3.0, 2.0]
    assert grad(made(product_of_floats))(point) == pytest.approx(math.exp(3.0) * np.array([1.0, 2.0]))


def importing_anew():
    """A function that has no copy, as it assigns a global name, and whose code is exchanged."""

    def f(x):
        global COUNT
        COUNT = 1
        from math import sin

        return sin(x)

    return f


def test_a_function_made_anew_whose_code_is_exchanged():
    assert [grad(importing_anew())(0.5) for _ in range(2)] == [math.cos(0.5)] * 2


def of_plain_numbers(x):
    return x * x if type(x) is float else 0.0


def test_a_helper_that_is_defined_anew(monkeypatch):
    """As in a cell of a notebook that is run again; or for the first time, after a gradient that failed."""
    names = {}
    exec("def f(x): return helper(x) + x", names)
    with pytest.raises(NameError):
        grad(names["f"])(3.0)
    for helper, slope in ((of_plain_numbers, 7.0), (lambda x: 2 * x, 3.0), (of_plain_numbers, 7.0)):
        names["helper"] = helper

        assert grad(names["f"])(3.0) == slope


def test_an_attribute_that_holds_another_helper():
    class Model:
        helper = staticmethod(lambda x: x)

        def __call__(self, x):
            return self.helper(x) + x

    model = Model()
    assert grad(model)(3.0) == 2.0
    model.helper = of_plain_numbers
    assert grad(model)(3.0) == 7.0
