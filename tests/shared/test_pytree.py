"""Nested numbers: taken apart and put together again."""

from collections import OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass, field

import numpy as np
import pytest

from gradcli import check, grad, hessian, hvp, jacobian, jvp, trace, vjp
from gradcli.errors import PointError, UsageError
from gradcli.methods.numerics import differences
from gradcli.shared.pytree import all_finite, labelled, leaves, map_leaves

Pair = namedtuple("Pair", "a b")

STRUCTURES = [
    (2, 4, [2]),
    ([1, 2], [2, 4], [1, 2]),
    ((1, [2, (3,)]), (2, [4, (6,)]), [1, 2, 3]),
    ({"a": 1, "b": {"c": [2]}}, {"a": 2, "b": {"c": [4]}}, [1, 2]),
    (Pair(1, [2]), Pair(2, [4]), [1, 2]),
    ([], [], []),
    ({}, {}, []),
    (OrderedDict(b=1, a=2), OrderedDict(b=2, a=4), [1, 2]),
    ([[1], [], ({},)], [[2], [], ({},)], [1]),
]


@pytest.mark.parametrize(("structure", "doubled", "flat"), STRUCTURES)
def test_structures(structure, doubled, flat):
    found = map_leaves(lambda x: 2 * x, structure)

    assert (doubled, type(doubled)) == (found, type(found))
    assert flat == leaves(structure)


def test_a_dictionary_with_defaults_keeps_them():
    """A kind of dictionary stays what it is, and the original is left alone."""
    original = defaultdict(list, a=1)
    found = map_leaves(lambda x: 2 * x, original)

    assert (dict(found), found["new"]) == ({"a": 2}, [])
    assert original == {"a": 1}


@dataclass
class Layer:
    """Numbers, arrays, and a field that is none."""

    weights: np.ndarray
    bias: float
    activation: str = field(default="tanh", metadata={"static": True})


@dataclass(frozen=True, slots=True)
class Model:
    """Frozen and nested, with a check that recorded values would not pass."""

    layers: list
    scale: float

    def __post_init__(self):
        assert type(self.scale) is float

    def loss(self, x):
        for layer in self.layers:
            x = getattr(np, layer.activation)(layer.weights @ x + layer.bias)
        return self.scale * np.sum(x)


MODEL = Model([Layer(np.array([[0.5, -1.0], [2.0, 0.3]]), 0.1), Layer(np.array([[1.0, 2.0]]), -0.2, "sin")], 3.0)
X = np.array([0.4, -0.7])


def test_dataclasses():
    """Plain, frozen, nested: a gradient is one of the same classes; static fields stay what they are."""
    gradient = grad(Model.loss)(MODEL, X)

    assert Model is type(gradient)
    assert [Layer, Layer] == list(map(type, gradient.layers))
    assert [layer.activation for layer in gradient.layers] == ["tanh", "sin"]
    assert MODEL.loss(X) / 3 == pytest.approx(gradient.scale)
    for n, layer in enumerate(MODEL.layers):
        slope = differences.slope(lambda t, n=n: float(_moved(n, t).loss(X)), 0.0, 2.2e-16)
        assert slope.value == pytest.approx(np.sum(gradient.layers[n].weights) + gradient.layers[n].bias, rel=1e-8)
        assert type(layer.weights) is type(gradient.layers[n].weights)


def _moved(number, step):
    layers = [Layer(each.weights, each.bias, each.activation) for each in MODEL.layers]
    layers[number].weights = layers[number].weights + step
    layers[number].bias += step
    return Model(layers, MODEL.scale)


def test_transforms_of_dataclasses():
    point, along = Layer(np.array([1.0, 2.0]), 3.0), Layer(np.array([1.0, 0.0]), 2.0)

    def square(layer):
        return Layer(layer.weights**2, layer.bias**2)

    value, tangent = jvp(square, (point,), (along,))
    assert (tangent.weights.tolist(), tangent.bias, tangent.activation) == ([2.0, 0.0], 12.0, "tanh")
    value, pullback = vjp(square, point)
    assert (value.weights.tolist(), value.bias) == ([1.0, 4.0], 9.0)
    (back,) = pullback(along)
    assert (back.weights.tolist(), back.bias) == ([2.0, 0.0], 12.0)
    whole = jacobian(square)(point)
    assert whole.weights.weights.tolist() == [[2.0, 0.0], [0.0, 4.0]]
    assert whole.bias.bias == 6.0
    second = hessian(lambda layer: np.sum(layer.weights) * layer.bias**2)(point)
    assert second.bias.bias == 6.0
    assert second.weights.bias.tolist() == [6.0, 6.0]
    assert trace(square, point).replay(point).value.bias - 3.0 == 6.0


def test_named_tuples_in_lists():
    gradient = grad(lambda pairs: pairs[0].a * pairs[1].b[0])([Pair(2.0, [3.0]), Pair(4.0, [5.0])])

    assert [Pair(5.0, [0.0]), Pair(0.0, [2.0])] == gradient


def test_a_field_that_is_no_number():
    with pytest.raises(PointError, match=r'a str cannot(.|\n)*"static": True'):
        grad(lambda pair: pair.a)(Pair(1.0, "b"))


def test_aux_of_a_pullback():
    value, pullback, aux = vjp(lambda x: (x * x, [x]), 3.0, has_aux=True)

    assert (value, aux, pullback(1.0)) == (9.0, [3.0], (6.0,))
    assert float is type(aux[0])


@pytest.mark.parametrize("value", [1.0, 3, np.ones(3), 1j, np.array([1j])])
def test_finite_numbers(value):
    """A value is finite where every number in it is, a complex number where both parts are."""
    assert all_finite(value)


@pytest.mark.parametrize("value", [np.nan, np.inf, np.array([1.0, np.nan]), [1, complex("inf")]])
def test_numbers_that_are_not_finite(value):
    assert not all_finite(value)


def test_the_names_of_numbers():
    """Fields of dataclasses and of named tuples have names of their own."""
    labels = [label for label, _ in labelled("p", [Layer(1.0, 2.0), {"a": 3.0}])]

    assert labels == ["p[0].weights", "p[0].bias", "p[1].a"]


@pytest.mark.parametrize(
    "use",
    [
        lambda held: jacobian(lambda x: held)(1.0),
        lambda held: hessian(lambda x: held)(1.0),
        lambda held: grad(lambda x: (x, held), has_aux=True)(1.0),
        lambda held: trace(lambda x: held, 1.0),
        lambda held: vjp(lambda x: x * x, 1.0)[1](held),
        lambda held: jvp(lambda x: x * x, (1.0,), (held,)),
        lambda held: hvp(lambda x: x * x, 1.0, held),
        lambda held: check(lambda x: x * x, at=1.0, against=lambda x: held),
    ],
)
def test_a_structure_that_holds_itself(use):
    """As a result, a cotangent, a tangent or a candidate."""
    held = [1.0]
    held.append(held)

    with pytest.raises(UsageError, match="list holds itself"):
        use(held)
