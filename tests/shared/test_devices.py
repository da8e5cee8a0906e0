"""Devices: how one is chosen, what is placed on it, what never moves, and what is said where arrays are mixed."""

import sys

import numpy as np
import pytest

import gradcli
from gradcli import grad
from gradcli.errors import DeviceError, DeviceMemoryError, MixedDevicesError, UnsupportedError
from gradcli.shared import devices
from tests.standin.array import count, ndarray
from tests.standin.library import installed

X = np.array([0.5, 1.0, 2.0])
HOST = np.array([3.0, 4.0, 5.0])


@pytest.fixture
def cupy():
    with installed() as library:
        count.reset()
        yield library


@pytest.fixture
def gpu(cupy):
    with gradcli.device("gpu"):
        yield cupy


# Choosing


@pytest.mark.usefixtures("cupy")
def test_there_is_a_device():
    """The first one has a name of its own, and is what `gpu` means."""
    assert devices.names() == ["cpu", "gpu", "gpu:0"]
    assert repr(gradcli.device("gpu")) == "device('gpu')"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        *((name, "The devices are cpu, gpu, gpu:0.") for name in (
            "tpu", "GPU", "", "gpu:", "gpu:-1", "gpu:one", "cpu:0"
        )),
        ("gpu:1", "CuPy finds 1: cpu, gpu, gpu:0"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("cupy")
def test_an_unknown_device(name, said):
    with pytest.raises(DeviceError) as caught:
        gradcli.device(name)
    assert f"there is no device {name!r}" in caught.value.message
    assert said in f"{caught.value.message} {caught.value.hint}"


def test_without_cupy(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with gradcli.device("cpu"):
        assert grad(lambda x: np.sum(x**2))(X).tolist() == [1.0, 2.0, 4.0]
    with pytest.raises(DeviceError) as caught:
        gradcli.device("gpu")
    assert "the GPU needs CuPy" in caught.value.message
    assert "pip install 'gradcli[cuda12]'" in caught.value.hint
    assert devices.names() == ["cpu", "gpu"]


def test_without_a_driver(cupy, monkeypatch):

    def fail():
        raise cupy.cuda.runtime.CUDARuntimeError("cudaErrorNoDevice: no CUDA-capable device is detected")

    monkeypatch.setattr(cupy.cuda.runtime, "getDeviceCount", fail)
    with pytest.raises(DeviceError, match="CuPy finds no device: cudaErrorNoDevice"):
        gradcli.device("gpu")


@pytest.mark.usefixtures("cupy")
def test_a_function_may_be_decorated():
    assert isinstance(gradcli.device("gpu")(grad(np.sum))(X), ndarray)
    assert isinstance(grad(np.sum)(X), np.ndarray)


def test_the_innermost_choice_counts(gpu):
    with gradcli.device("cpu"):
        assert isinstance(grad(np.sum)(X), np.ndarray)
    assert isinstance(grad(np.sum)(X), gpu.ndarray)


# Placing


@pytest.mark.usefixtures("gpu")
def test_what_moves():
    """The point and the constants go to the device, nothing comes back; the one question is whether all is finite."""
    found = grad(lambda x: np.sum(HOST * np.sin(x)))(X)

    assert (count.uploads, count.downloads, count.syncs) == (2, 0, 1)
    np.testing.assert_allclose(devices.to_host(found), HOST * np.cos(X), rtol=1e-15)


def test_arrays_that_are_there_already(cupy):
    x = cupy.asarray(X)
    count.reset()
    found = grad(lambda x: np.sum(np.sin(x) * x))(x)

    assert (count.uploads, count.downloads) == (0, 0)
    np.testing.assert_allclose(found.get(), np.sin(X) + X * np.cos(X), rtol=1e-15)


def test_constants_on_the_device(cupy):
    """A constant of CuPy's on either side, and what is written into it afterwards does not count."""
    x, constant = cupy.asarray(X), cupy.asarray(HOST)

    def f(x):
        a = constant * 1.0
        total = np.sum(a * x) + np.sum(x * a) + a @ x
        a += 1.0
        return total

    assert (3 * HOST).tolist() == grad(f)(x).tolist()


def filled(x):
    """`np.zeros` and its like, into which recorded values are written, are made on the device."""
    b = np.zeros(3)
    b[0] = x[1]
    b[1:] = [x[0] * x[2], 2.0]
    return np.sum(b * b)


def swapped(x):
    """Reading a number is no view."""
    y = x.copy()
    kept = y[0]
    y[0] = y[2]
    y[2] = kept
    return y[0] + 10.0 * y[2]


def written_twice(x):
    """Where indices repeat a place CuPy leaves open which number stays; here it is the last, as with NumPy."""
    y = np.zeros(2)
    y[[0, 1, 0]] = x
    return y[0] + 10.0 * y[1]


@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize(
    ("f", "gradient"),
    [(filled, [4.0, 2.0, 1.0]), (swapped, [10.0, 0.0, 1.0]), (written_twice, [0.0, 10.0, 1.0])],
)
def test_programs_that_write(f, gradient):
    value, found = gradcli.value_and_grad(f)(X)

    assert (float(value), found.tolist()) == (float(f(X)), gradient)


@pytest.mark.usefixtures("gpu")
def test_numbers_stay_python_s():
    """A Python float is computed by Python; a gradient by it is a Python float."""
    assert (grad(lambda x: x * x)(3.0), count.uploads) == (6.0, 0)
    by_array, by_number = grad(lambda x, c: np.sum(c * x), (0, 1))(X, 2.0)
    assert ([2.0, 2.0, 2.0], 3.5, float) == (by_array.tolist(), by_number, type(by_number))


@pytest.mark.usefixtures("gpu")
def test_every_transform():
    f = lambda x: np.sum(x**3 * HOST)
    value, pullback = gradcli.vjp(f, X)
    found = [
        (gradcli.hessian(f)(X), np.diag(6 * X * HOST)),
        (gradcli.hvp(f, X, X), 6 * X * X * HOST),
        (gradcli.jacobian(lambda x: x * x)(X), np.diag(2 * X)),
        (gradcli.elementwise_grad(np.exp)(X), np.exp(X)),
        (gradcli.jvp(f, (X,), (X,))[1], np.sum(3 * X**3 * HOST)),
        (pullback(2.0)[0], 6 * X**2 * HOST),
        (value, f(X)),
        (gradcli.trace(f, X, names=False).sensitivities()[0], 3 * X**2 * HOST),
        (gradcli.trace(f, X, names=False).replay(2 * X).value, f(2 * X)),
    ]
    for got, wanted in found:
        assert devices.on_device(got)
        np.testing.assert_allclose(devices.to_host(got), wanted, rtol=1e-14, atol=1e-14)


@pytest.mark.usefixtures("gpu")
def test_variables():
    """Variables and constants are made on the device, and a training step leaves them there."""
    w, b = gradcli.Variable([1.0, 2.0]), gradcli.Variable(0.0)
    data = gradcli.constant([[1.0, 2.0], [3.0, 4.0]])
    count.reset()
    with gradcli.GradientTape() as tape:
        loss = np.sum(np.square(data @ w + b))
    by_w, by_b = tape.gradient(loss, [w, b])
    w.assign_sub(0.5 * by_w)
    b.assign_add(by_b)
    assert (count.uploads, count.downloads) == (0, 0)
    assert (w.numpy().tolist(), b.numpy()) == ([-37.0, -52.0], 32.0)
    assert isinstance(w.numpy(), np.ndarray)
    with gradcli.GradientTape() as tape:
        y = w * w
    assert tape.gradient(y, w, output_gradients=gradcli.constant([1.0, 3.0])).numpy().tolist() == [-74.0, -312.0]


# Refusals


@pytest.mark.parametrize(
    ("f", "shapes"),
    [
        (lambda x: np.sum(x * HOST), ("(3,)", "(3,)")),
        (lambda x: np.sum(HOST[:1] - x), ("(1,)", "(3,)")),
        (lambda x: np.where(x > 1, HOST, 0.0) @ x, ("(3,)", "(3,)")),
        (lambda x: np.sum(np.stack([x, HOST])), ("(3,)", "(3,)")),
        (lambda x: np.sum(x[np.array([0, 1])]), ("(2,)", "(3,)")),
    ],
)
def test_arrays_of_both_places(cupy, f, shapes):
    with pytest.raises(MixedDevicesError) as caught:
        grad(f)(cupy.asarray(X))
    host, there = shapes
    assert caught.value.message == (
        f"a NumPy array of shape {host} on the host meets a CuPy array of shape {there} on the device gpu:0"
        " in one operation"
    )
    assert (__file__, 5) == (caught.value.file, caught.value.exit)
    assert "cupy.asarray(a)" in caught.value.hint


@pytest.mark.parametrize(
    ("f", "error", "said"),
    [
        # Where an outcome on the device is handed to code that converts it, the way out is named.
        (lambda x: np.sum(np.array(x > 1) * x), MixedDevicesError, "is passed to code that needs an array on the host"),
        (lambda x: np.sum(sys.modules["cupy"].sin(x)), UnsupportedError, "Use NumPy's function of the same name"),
        (lambda x: np.sum(x * np.nanpercentile(x > 1, 50)), UnsupportedError, "CuPy has no"),
    ],
)
@pytest.mark.usefixtures("gpu")
def test_refusals(f, error, said):
    with pytest.raises(error) as caught:
        grad(f)(X)
    assert said in f"{caught.value.message} {caught.value.hint}"


def test_no_memory_left(cupy, monkeypatch):
    """In the program, at its line, and for the point."""

    def fail(x):
        raise cupy.cuda.memory.OutOfMemoryError("Out of memory allocating 8,000,000,512 bytes")

    with pytest.raises(DeviceMemoryError) as caught:
        grad(fail)(cupy.asarray(X))
    assert caught.value.message == "the device is out of memory: Out of memory allocating 8,000,000,512 bytes"
    assert (caught.value.file, caught.value.exit) == (__file__, 5)
    monkeypatch.setattr(cupy, "asarray", fail)
    with gradcli.device("gpu"), pytest.raises(DeviceMemoryError, match="allocating 8,000,000,512 bytes"):
        grad(np.sum)(X)


class Labelled:
    """Numbers under labels, as pandas holds them: by place they cannot be read, and axes are known by name."""

    __array_priority__ = 1000

    def __init__(self, numbers):
        self.numbers = np.array(numbers)

    def __array__(self, dtype=None, copy=None):
        return np.array(self.numbers, dtype)

    @property
    def dtype(self):
        return self.numbers.dtype

    @property
    def shape(self):
        return self.numbers.shape


@pytest.mark.parametrize(
    ("f", "x", "gradient"),
    [
        (lambda x, s: np.mean((x * s - 1.0) ** 2), 2.0, 29.0),
        (lambda x, s: np.sum(np.exp(x * s)), 0.0, 5.0),
        (lambda x, s: np.dot(x, s), np.array([3.0, 4.0]), [1.0, 4.0]),
        (lambda x, s: np.mean(x[0] * s + x[1]), np.array([3.0, 4.0]), [2.5, 1.0]),
        (lambda x, s: np.sum(np.where(s, x, 0.0) * np.multiply(s, x)), np.array([3.0, 4.0]), [6.0, 32.0]),
    ],
)
def test_numbers_under_labels(f, x, gradient):
    """An object that holds an array is computed with as the array, the labels left behind."""
    np.testing.assert_allclose(gradient, grad(f)(x, Labelled([1.0, 4.0])), rtol=1e-14)


def test_numbers_under_labels_are_those_of_the_run():
    series = Labelled([1.0, 4.0])

    def f(x):
        y = x * series
        series.numbers[:] = 100.0
        return np.sum(y)

    assert grad(f)(2.0) == 5.0
