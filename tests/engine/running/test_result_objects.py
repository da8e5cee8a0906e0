"""What a function returns: objects that hold numbers are unwrapped, units and masks are refused, as everywhere."""

import collections
import dataclasses
import json
import linecache

import numpy as np
import pytest

import gradcli
from gradcli import grad, hessian, jacobian, jvp, value_and_grad, vjp
from gradcli.errors import ResultError
from gradcli.terminal.cli import main

X = np.array([1.0, 2.0])
Pair = collections.namedtuple("Pair", "first second")


class Labelled:
    """Labelled numbers, as in xarray: in an attribute `data`."""

    def __init__(self, data):
        self.data = data

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.data, dtype)


class Column:
    """A column of Python objects, as in pandas: in an attribute `values`."""

    def __init__(self, parts):
        self.values = np.empty(len(parts), dtype=object)
        self.values[:] = parts

    def __array__(self, dtype=None, copy=None):
        return self.values


class Length:
    """A number with a unit, as in pint."""

    def __init__(self, magnitude, units="meter"):
        self._held = magnitude, units

    @property
    def magnitude(self):
        return self._held[0]

    @property
    def units(self):
        return self._held[1]

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.magnitude)

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        return Length(ufunc(*(getattr(x, "magnitude", x) for x in inputs)), self.units)

    def __mul__(self, other):
        return Length(self.magnitude * other, self.units)

    __rmul__ = __mul__


class Own:
    """An object of one's own."""

    def __init__(self, loss):
        self.parts = {"loss": [loss]}


@dataclasses.dataclass
class Loss:
    """A structure."""

    total: object


def by_trace(f):
    found = gradcli.trace(f, X)
    return found.sensitivities()[next(found.input_indices())]


FIRST = {
    "grad": lambda f: grad(f)(X),
    "value_and_grad": lambda f: value_and_grad(f)(X)[1],
    "jacobian": lambda f: jacobian(f)(X),
    "vjp": lambda f: vjp(f, X)[1](1.0)[0],
    "trace": by_trace,
    "jvp": lambda f: [jvp(f, (X,), (way,))[1] for way in np.eye(2)],
    "hessian": lambda f: np.diag(hessian(lambda x: 0.5 * np.sum(grad(f)(x) * x**2))(X)),
}


@pytest.mark.parametrize("door", FIRST)
@pytest.mark.parametrize(
    "f",
    [
        lambda x: Labelled(np.sum(x) * 3.0),
        lambda x: Labelled(Labelled(np.sum(x) * 3.0)),
        lambda x: np.sum(Labelled(np.sum(x) * 3.0).data),
    ],
    ids=["a label", "labels within labels", "unwrapped by hand"],
)
def test_a_labelled_number_is_a_number(door, f):
    np.testing.assert_allclose(FIRST[door](f), [3.0, 3.0])


@pytest.mark.parametrize(
    "wrap", [lambda parts: Labelled(np.array(parts)), Column, lambda parts: np.array(parts, dtype=object)]
)
def test_labelled_numbers_are_an_array(wrap):

    def f(x, y):
        return wrap([x * y, y])

    assert jacobian(f, (0, 1))(2.0, 3.0)[0].tolist() == [3.0, 0.0]
    assert jvp(f, (2.0, 3.0), (1.0, 0.0))[1].tolist() == [3.0, 0.0]
    assert vjp(f, 2.0, 3.0)[1](np.array([1.0, 1.0])) == (3.0, 3.0)


def test_structures_keep_their_kind():
    f = lambda x: Pair(Labelled(x[0] ** 2), Loss(x[1]))
    found = jacobian(f)(X)

    assert found.first.tolist() == [2.0, 0.0]
    assert found.second.total.tolist() == [0.0, 1.0]


@pytest.mark.parametrize("door", ["grad", "jacobian", "vjp", "jvp", "trace", "check"])
@pytest.mark.parametrize(
    ("f", "message", "hint"),
    [
        (lambda x: Length(np.sum(x)), "returned a Length with the unit meter", "result.to('meter').magnitude"),
        (lambda x: np.sum(x) * Length(2.0), "returned a Length with the unit meter", "result.to('meter').magnitude"),
        (lambda x: Labelled(Length(np.sum(x))), "returned a Length with the unit meter",
            "result.to('meter').magnitude"),
        (lambda x: np.ma.array([1.0, 2.0], mask=[False, True]), "returned a MaskedArray, whose mask has no derivative",
            "result.filled(0.0)"),
        (lambda x: Own(np.sum(x)), "returned an Own that holds a recorded value", "result.parts['loss'][0]"),
    ],
    ids=["unit", "unit by an operator", "unit in labels", "mask", "object"],
)  # fmt: skip
def test_what_means_more_is_refused(door, f, message, hint):
    with pytest.raises(ResultError) as caught:
        {**FIRST, "check": lambda f: gradcli.check(f, at=X, against=[1.0, 1.0])}[door](f)
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert caught.value.file == __file__
    assert "lambda x:" in linecache.getline(__file__, caught.value.line)


def test_an_operand_with_a_unit_is_refused_where_it_would_be_lost():
    """A function of NumPy that takes its number alone."""
    with pytest.raises(gradcli.GradcliError, match="a Length has a unit, which would be lost"):
        grad(lambda x: np.sum(np.add(x, Length(2.0))))(X)


def test_a_matrix_is_an_array():
    with pytest.warns(PendingDeprecationWarning):
        found = jacobian(lambda x: np.matrix([[1.0, 2.0]]))(2.0)
    assert found.tolist() == [[0.0, 0.0]]
    assert type(found) is np.ndarray


def test_an_aux_is_not_looked_at():
    assert grad(lambda x: (x * x, Own(1.0)), has_aux=True)(3.0)[0] == 6.0
    assert type(grad(lambda x: (x * x, Length(1.0)), has_aux=True)(3.0)[1]) is Length


def test_the_commands_unwrap_and_refuse_alike(tmp_path, capsys):
    (tmp_path / "program.py").write_text(
        "from tests.engine.running.test_result_objects import Labelled, Length\n"
        "import numpy as np\n"
        "def good(x): return Labelled(x * 3.0)\n"
        "def bad(x): return Length(x)\n"
    )
    assert main(["grad", f"{tmp_path}/program.py:good", "--at", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["gradient"] == 3.0
    assert main(["check", f"{tmp_path}/program.py:good", "--at", "2"]) == 0
    capsys.readouterr()
    for command in ("grad", "jacobian", "hessian", "tape", "explain"):
        assert main([command, f"{tmp_path}/program.py:bad", "--at", "2"]) == 2
        assert "with the unit meter" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("candidate", "verdict"),
    [
        (lambda x: (2 * x).astype(complex), "pass"),
        (lambda x: np.fft.ifft(np.fft.fft(2 * x)), "pass"),
        (lambda x: (2 * x).astype(object), "pass"),
        (lambda x: Labelled(2 * x), "pass"),
        (lambda x: (3 * x).astype(complex), "fail"),
    ],
    ids=["complex", "Fourier", "objects", "labelled", "wrong"],
)
def test_candidates_of_other_types_are_judged(candidate, verdict):
    assert gradcli.check(lambda x: np.sum(x**2), at=X, against=candidate).verdict == verdict


@pytest.mark.parametrize(
    ("candidate", "message"),
    [
        (lambda x: 2 * x + 1j, "returned complex numbers; the derivatives by real numbers are real"),
        (lambda x: x.astype(str), "returned an array of text; a gradient consists of numbers"),
        (lambda x: np.array([None, 1.0]), "returned an array of Python objects; a gradient consists of numbers"),
        (lambda x: Length(2 * x), "returned a Length with the unit meter"),
    ],
)
def test_candidates_are_called_what_they_are(candidate, message):
    with pytest.raises(ResultError, match=message):
        gradcli.check(lambda x: np.sum(x**2), at=X, against=candidate)


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (np.array(["a", "b"]), "an array of text"),
        (np.array([None, "b"], dtype=object), "an array of Python objects"),
        (np.array([True, False]), "an array of truth values"),
    ],
)
def test_results_are_called_what_they_are(result, message):
    for take in (lambda f: grad(f)(1.0), lambda f: jacobian(f)(1.0), lambda f: jvp(f, (1.0,), (1.0,))):
        with pytest.raises(ResultError, match=f"returned {message}"):
            take(lambda x: result)


def test_xarray():
    xarray = pytest.importorskip("xarray")
    f = lambda x: (xarray.DataArray([1.0, 2.0]) * x).sum()

    assert grad(lambda x: xarray.DataArray(x * 10.0).sum())(X).tolist() == [10.0, 10.0]
    assert jacobian(lambda x: xarray.DataArray([1.0, 2.0]) * x)(3.0).tolist() == [1.0, 2.0]
    assert grad(f)(3.0) == 3.0


def test_pint():
    unit = pytest.importorskip("pint").UnitRegistry()

    assert grad(lambda x: (x[0] * unit.meter).to("cm").magnitude)(X).tolist() == [100.0, 0.0]
    with pytest.raises(ResultError, match="returned a Quantity with the unit meter"):
        grad(lambda x: x[0] * unit.meter)(X)
    with pytest.raises(ResultError, match="returned a Quantity with the unit dimensionless"):
        grad(lambda x: x * unit.meter / unit.meter)(2.0)


def test_pandas():
    pandas = pytest.importorskip("pandas")

    assert jacobian(lambda x: pandas.Series([x, x * x]))(3.0).tolist() == [1.0, 6.0]
    assert jacobian(lambda x: pandas.DataFrame({"a": [x], "b": [2 * x]}))(3.0).tolist() == [[1.0, 2.0]]
