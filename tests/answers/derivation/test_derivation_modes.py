"""The options of a derivation, and how its text names its source."""

import linecache
import os
from contextlib import suppress

import numpy as np
import pytest

import gradcli
from gradcli.errors import DetachedError, PointError, UnsupportedError, UsageError

pytestmark = pytest.mark.sampled(4)  # many like cases

POINT = {"w": np.array([0.5, -1.0]), "b": 0.5, "x": np.array([[1.0, 2.0], [3.0, 4.0]]), "k": 3.0}


def loss(w, b, x, k):
    total = 0.0
    for _ in range(2):
        total = total + k * np.sum((x @ w + b) ** 2)
    return total


def wanted(name):
    """The tape's gradient by one of the first two parameters."""
    return gradcli.grad(loss, argnums=["w", "b"].index(name))(*POINT.values())


@pytest.mark.parametrize("name", ["w", "b"])
@pytest.mark.parametrize("straight", [False, True])
def test_the_gradient_by_some_inputs(name, straight):
    source = gradcli.derive(loss, at=POINT, wrt=[name], straight=straight)

    np.testing.assert_allclose(source.function(*POINT.values()), wanted(name), rtol=1e-14)
    assert f" by {name}" in source.text


def test_the_value_and_the_gradient_by_some_inputs():
    value, (by_w, by_b) = gradcli.derive(loss, at=POINT, wrt=["b", "w"], value=True).function(*POINT.values())

    assert value == loss(*POINT.values())
    np.testing.assert_allclose(by_w, wanted("w"), rtol=1e-14)
    np.testing.assert_allclose(by_b, wanted("b"), rtol=1e-14)


@pytest.mark.parametrize("mode", ["forward", "jacobian", "hessian"])
def test_other_derivatives_by_some_inputs(mode):
    """The Jacobian of a number is its gradient, and a direction of ones gives the sum."""
    found = gradcli.derive(loss, at=POINT, wrt=["w"], mode=mode)
    arguments = list(POINT.values())
    expected = {
        "forward": np.sum(wanted("w")),
        "jacobian": wanted("w"),
        "hessian": gradcli.hessian(loss)(*arguments),
    }
    direction = [np.ones(2)] if mode == "forward" else []

    np.testing.assert_allclose(found.function(*arguments, *direction), expected[mode], rtol=1e-13)


@pytest.mark.parametrize("lang", ["c", "latex", "numba"])
def test_other_languages_by_some_inputs(lang):
    """The C program is compiled and compared, where there is a compiler."""
    if lang == "numba":
        pytest.importorskip("numba")
    source = gradcli.derive(loss, at=POINT, wrt=["w"], lang=lang)

    assert "loss" in source.text
    if lang == "c":
        assert "const double w[2], double b, double x[2][2], double k, double gradient[2])" in source.text


def test_an_unknown_input():
    with pytest.raises(PointError, match="There is no input named 'v'"):
        gradcli.derive(loss, at=POINT, wrt=["v"])


@pytest.mark.parametrize(
    ("mode", "options", "message"),
    [
        ("forward", ["vector"], "--vector is for a gradient, not for --forward"),
        ("hessian", ["vector"], "--vector is for a gradient, not for --hessian"),
        ("jacobian", ["value", "vector"], "--value is for a gradient or --forward, not for --jacobian"),
    ],
)
def test_an_option_that_a_mode_does_not_have(mode, options, message):
    """The one to leave out is named."""
    with pytest.raises(UsageError, match=message) as refused:
        gradcli.derive(lambda x: x * x, at=1.0, mode=mode, **dict.fromkeys(options, True))

    assert refused.value.hint == f"Leave out --{options[0]}."


def test_the_hessian_of_several_inputs():
    with pytest.raises(UsageError) as refused:
        gradcli.derive(lambda x, y: x * y, at=(1.0, 2.0), mode="hessian")

    assert refused.value.hint == "Type --wrt x."


def in_a_cell(text, name):
    """A function of a notebook's cell."""
    file = os.path.join(os.sep, "tmp", "ipykernel_17", "2184051.py")
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names = {}
    exec(compile(text, file, "exec"), names)
    return names[name]


@pytest.mark.parametrize("straight", [False, True])
def test_a_function_of_a_notebook(straight):
    source = gradcli.derive(in_a_cell("\ndef f(x):\n    return x * x\n", "f"), at=2.0, straight=straight)

    assert "(cell:2)" in source.text
    assert "2184051" not in source.text


def test_a_refusal_in_a_notebook():
    with pytest.raises(UnsupportedError) as refused:
        gradcli.derive(in_a_cell("def f(x):\n    global y\n    y = x\n    return y\n", "f"), at=2.0)

    assert refused.value.excerpt() == ["cell:2: global y"]


def of_items(*xs):
    return sum(x * x for x in xs)


def of_dict(p, x):
    return p["a"] * x


@pytest.mark.parametrize(
    ("function", "at", "straight"),
    [
        (of_items, (1.0, 2.0), False),
        (of_items, (1.0, 2.0), True),
        (of_dict, ({"a": 2.0}, 3.0), True),
        (of_dict, {"p": {"a": 2.0}, "x": 3.0}, True),
    ],
    ids=["items", "items, straight", "dict", "dict by name"],
)
def test_an_input_that_cannot_be_derived(function, at, straight):
    """The hint is about the inputs: the recorded run takes the same."""
    with pytest.raises(UnsupportedError, match=r"derive does not know the (input|parameter)") as refused:
        gradcli.derive(function, at=at, straight=straight)

    expected = (
        "Type def of_dict_of_parts(a, x): return of_dict({" if function is of_dict else "Write a function of numbers"
    )
    assert refused.value.hint.startswith(expected)


class Model:
    """An object whose attributes are objects."""

    def __init__(self):
        self.inner = {"k": object()}
        self.step = 1.0

    def handed_on(self, x):
        return scaled(self, x)

    def counted(self, x):
        self.step = self.step + 1.0
        return self.step * x


def scaled(model, x):
    return model.step * x


MODEL = Model()


def test_an_attribute_that_cannot_be_read():
    """The hint says that the recorded run can be written out."""
    with pytest.raises(UnsupportedError) as refused:
        gradcli.derive(MODEL.handed_on, at=2.0)

    assert refused.value.hint.endswith(
        "`gradcli derive --straight` writes out the recorded run at the point, whatever the source is."
    )


def test_an_attribute_that_changes():
    """The recorded run is not offered, as it is another one at each call."""
    with pytest.raises(UnsupportedError, match=r"self.step, which is read and written") as refused:
        gradcli.derive(MODEL.counted, at=2.0)

    assert "--straight does not write it out either: the function returns a different value" in refused.value.hint


class Kept:
    """What a program may write into: arrays, lists, dicts, attributes and random generators."""

    def __init__(self):
        self.buffer, self.numbers, self.table = np.zeros(2), [0.0, 0.0], {"last": np.zeros(1)}
        self.generator, self.calls = np.random.default_rng(1), 0

    def state(self):
        held = (self.buffer.tolist(), [*self.numbers], self.table["last"].tolist(), self.calls)
        return *held, self.generator.bit_generator.state["state"]


KEPT = Kept()


def fills_an_array(x):
    """An array outside of the function is scratch space."""
    KEPT.buffer[:] = x**2
    return np.sum(KEPT.buffer)


def fills_a_list(x):
    """A list outside of the function is scratch space."""
    KEPT.numbers[0] = x[0] * x[1]
    return KEPT.numbers[0] * x[0]


def fills_a_dict(x):
    """An array in a dict is scratch space."""
    KEPT.table["last"][0] = x[0] * x[1]
    return KEPT.table["last"][0] ** 2


def counts(x):
    KEPT.calls += 1
    return np.sum(x**3)


def draws(x):
    """A generator is advanced, without an effect on the result."""
    return np.sum(x**2) + 0.0 * KEPT.generator.normal()


@pytest.mark.parametrize("straight", [False, True])
@pytest.mark.parametrize("f", [fills_an_array, fills_a_list, fills_a_dict, counts, draws])
def test_a_program_is_left_as_it_was(monkeypatch, f, straight):
    """The numbers of the runs at the point and at trial points are not left in it."""
    monkeypatch.setitem(globals(), "KEPT", Kept())
    before = KEPT.state()

    with suppress(DetachedError, UnsupportedError):
        gradcli.derive(f, at=(np.array([1.0, 2.0]),), straight=straight)

    assert KEPT.state() == before


@pytest.mark.parametrize(("mode", "expected"), [("gradient", "def prod_vjp("), ("forward", "def prod_jvp(")])
def test_a_function_of_a_rule_is_named_after_its_product(mode, expected):
    point = np.array([1.0, 2.0, 3.0])

    assert expected in gradcli.derive(lambda x: np.prod(x) * x[0], at=(point,), mode=mode).text


def test_an_integer_of_more_than_64_bits_is_written_as_a_float():
    derived = gradcli.derive("sum(where(v and 99999999999999999999, v^2, 1))", at={"v": np.array([1.0, 2.0])})

    assert "np.logical_and(v, 1e+20)" in derived.text


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.array([x[0] * x[1], x[0] + x[2] ** 2]),
        lambda x: np.stack([x[0], x[1] * x[2]]),
        lambda x: np.outer(x, x),
        lambda x: [x[0] * x[1], x[2]],
        lambda x: x[0] * x[1],
    ],
)
def test_a_jacobian_by_a_list(function):
    """The last axis runs over its items, as for an array."""
    point = [1.0, 2.0, 3.0]

    found = gradcli.derive(function, at=(point,), mode="jacobian").function(point)

    np.testing.assert_allclose(found, gradcli.jacobian(function)(np.array(point)), rtol=1e-14)


def doubled(x, n=3):
    if n == 0:
        return x
    return 2.0 * doubled(x, n - 1)


def power(x, n=4):
    return x if n == 1 else power(x, n // 2) * power(x, n - n // 2)


@pytest.mark.parametrize("function", [doubled, power])
@pytest.mark.parametrize("mode", ["forward", "jacobian", "hessian"])
def test_the_modes_of_a_recursive_function(function, mode):
    """The product of the function as called by itself returns the value too."""
    derived = gradcli.derive(function, at=1.5, mode=mode).function
    expected = (gradcli.hessian if mode == "hessian" else gradcli.grad)(function)(1.5)
    number = {doubled: 3, power: 4}[function]

    found = derived(1.5, number, 1.0) if mode == "forward" else derived(1.5)

    assert found == pytest.approx(expected, rel=1e-14)


def until_large(x):
    y = x
    while y < 6.0:
        y = y * 1.5
    return y * x


@pytest.mark.parametrize("straight", [False, True])
def test_a_loop_that_does_not_end_beside_the_point(straight):
    """Differences step over zero, where it has no end."""
    source = gradcli.derive(until_large, at=5e-5, straight=straight)

    assert source.verified.by_tape > 0
    assert source.function(5e-5) == pytest.approx(gradcli.grad(until_large)(5e-5), rel=1e-14)
