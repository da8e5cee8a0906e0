"""The imports of a derived file are all that its functions need, from public modules."""

import importlib
import sys
import types

import numpy as np
import pytest
import scipy.linalg as theirs
from scipy.linalg import solve_sylvester

import gradcli
from gradcli.errors import UnsupportedError

MATRIX = np.array([[2.0, 1.0], [0.5, 3.0]])


def of_a_module(x):
    """A solution of Sylvester's equation, by the name that a module has here."""
    return np.sum(theirs.solve_sylvester(x, x.T, np.eye(2)))


def of_a_name(x):
    return np.sum(solve_sylvester(x, x.T, np.eye(2)))


@pytest.mark.parametrize("function", [of_a_module, of_a_name])
def test_what_a_rule_calls_is_imported(function):
    source = gradcli.derive(function, at=(MATRIX,))

    assert "import scipy\n" in str(source)
    np.testing.assert_allclose(source.function(MATRIX), gradcli.grad(function)(MATRIX), rtol=1e-12)


def test_a_function_is_imported_from_its_public_module():
    assert "from scipy.linalg import solve_sylvester" in str(gradcli.derive(of_a_name, at=(MATRIX,)))


def test_a_module_under_another_name_than_its_own(monkeypatch, tmp_path):
    """It is imported by a name under which it can be imported."""
    backend = types.ModuleType("numpy_of_backends")
    backend.cos = np.cos
    monkeypatch.setitem(sys.modules, "chosen_backend", backend)
    file = tmp_path / "uses_backend.py"
    file.write_text("def f(a):\n    return gs.cos(a[0]) * a[1]\n")
    scope = {"gs": backend, "__name__": "uses_backend"}
    exec(compile(file.read_text(), str(file), "exec"), scope)

    text = str(gradcli.derive(scope["f"], at=np.array([0.3, 0.4])))

    assert "import chosen_backend as gs\n" in text


def test_a_module_that_no_name_stands_for(tmp_path):
    file = tmp_path / "uses_hidden.py"
    file.write_text("def f(a):\n    return gs.cos(a[0]) * a[1]\n")
    hidden = types.ModuleType("hidden_module")
    hidden.cos = np.cos
    scope = {"gs": hidden, "__name__": "uses_hidden"}
    exec(compile(file.read_text(), str(file), "exec"), scope)

    with pytest.raises(UnsupportedError, match="the module gs, which cannot be imported by a name"):
        gradcli.derive(scope["f"], at=np.array([0.3, 0.4]))


def of_three_numbers(x):
    if x.shape != (3,):
        raise ValueError("Three numbers are needed, in an array with shape (3,), such as [1, 2" + str(x.shape))
    return np.sum(x * x)


def test_a_text_that_is_longer_than_a_line():
    """It is not broken, whatever brackets it has."""
    derived = gradcli.derive(of_three_numbers, at=np.ones(3)).function

    assert derived(np.ones(3)).tolist() == [2.0, 2.0, 2.0]
    with pytest.raises(ValueError, match=r"with shape \(3,\), such as \[1, 2\(4,\)"):
        derived(np.ones(4))


def test_a_name_that_is_another_function_elsewhere(monkeypatch, tmp_path):
    (tmp_path / "of_numbers.py").write_text("from math import sqrt\ndef root(x):\n    return sqrt(x * x + 1.0)\n")
    text = "import of_numbers\nfrom numpy import sqrt\ndef f(x):\n    return of_numbers.root(x[0]) * sqrt(x).sum()\n"
    (tmp_path / "of_arrays.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    function = importlib.import_module("of_arrays").f
    point = np.array([0.5, 1.5])

    source = gradcli.derive(function, at=(point,))

    assert "np.sqrt(" in str(source)
    np.testing.assert_allclose(source.function(point), gradcli.grad(function)(point), rtol=1e-12)


def test_a_module_with_the_name_of_one_that_a_derivative_needs(monkeypatch, tmp_path):
    """The derivative of `i1` calls `special.i0`, of SciPy."""
    (tmp_path / "special.py").write_text("")
    text = "import special\nfrom scipy.special import i1\ndef f(x):\n    return i1(x[0]) * x[1]\n"
    (tmp_path / "of_bessel.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    function = importlib.import_module("of_bessel").f

    derived = gradcli.derive(function, at=np.array([0.5, 1.5])).function

    np.testing.assert_allclose(derived(np.ones(2)), gradcli.grad(function)(np.ones(2)), rtol=1e-12)
