"""Example points, judged by how a function uses its parameters."""

import ast

import numpy as np
import pytest

from examples import hyperbox
from gradcli.answers.targets import parse_point, resolve
from gradcli.answers.targets.example_points import example_point, module_shapes, point_of, source_tree
from gradcli.errors import PointError

MATRIX = "[[2,1],[1,3]]"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f(x, y): return x * y", "x=1,y=1"),
        ("def f(W, x): return np.sum((W @ x) ** 2)", f"W={MATRIX},x=[1,2]"),
        ("def f(a, x): return x @ (a @ x)", f"a={MATRIX},x=[1,2]"),
        ("def f(v): return v @ v", "v=[1,2]"),
        ("def f(A): return np.linalg.slogdet(A)[1]", f"A={MATRIX}"),
        ("def f(v): return v[0] * v[3]", "v=[1,2,3,4]"),
        ("def f(v):\n    a, b, c = v\n    return a * b * c", "v=[1,2,3]"),
        ("def f(m): return sum(a * b for a, b in m)", f"m={MATRIX}"),
        ("def f(m): return m[0][1]", f"m={MATRIX}"),
        ("def f(x, k):\n    for each in x:\n        k = k * each\n    return k", "x=[1,2],k=1"),
        ("def f(p, x): return p['a'] * x + p['b']", 'p={"a":1,"b":1},x=1'),
        ("def f(p): return p['a'] * p['b']['c'] + p['b']['d']", 'p={"a":1,"b":{"c":1,"d":1}}'),
        ("def f(X, w):\n    n, d = X.shape\n    return w.sum() / n", f"X={MATRIX},w=[1,2]"),
        ("def f(x): return np.mean(x ** 2)", "x=[1,2]"),
        ("lambda m: m.T[0, 1]", f"m={MATRIX}"),
    ],
)
def test_a_point(text, expected):
    tree = ast.parse(text)
    node = next(each for each in ast.walk(tree) if isinstance(each, (ast.FunctionDef, ast.Lambda)))

    assert example_point(tree, [each.arg for each in node.args.args]) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f(w): return np.sum((X @ w - y) ** 2)", "w=[1,2,3]"),
        ("def f(w): return w @ X.T @ y", "w=[1,2,3]"),
        ("def f(v): return v @ X", "v=[1,2,3,4]"),
        ("def f(x): return x.dot(x * y)", "x=[1,2,3,4]"),
        ("def f(w): return np.sum(np.dot(Z, w))", "w=[…]"),
        ("def f(W, c): return c * np.sum(W @ X.T)", "W=[…],c=1"),
        ("def f(a): return np.sum(a * q) + a.sum()", "a=[…]"),
        ("def f(a): return a * q", "a=1"),
    ],
)
def test_arrays_outside_a_function_give_the_length(text, expected):
    module = ast.parse("from data import Z\nX = rng.normal(size=(4, 3))\ny = np.zeros(4)\nq = X @ w\n" + text)
    function = module.body[-1]

    names = [each.arg for each in function.args.args]
    assert example_point(function, names, module_shapes(module)) == expected


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("np.array([[1, 2, 3], [4, -5, 6]])", (2, 3)),
        ("np.ones((2, 5))", (2, 5)),
        ("np.zeros(3)", (3,)),
        ("rng.uniform(0, 1, size=6)", (6,)),
        ("[0.5, 1]", (2,)),
        ("2.5", ()),
        ("np.load('x.npy')", None),
        ("np.ones(n)", None),
        ("rng.normal(size=X.shape)", None),
    ],
)
def test_the_shape_of_a_module_level_array(text, shape):
    assert module_shapes(ast.parse(f"a = {text}")) == {"a": shape}


def of_data(w, X, y, rate):
    return np.sum((X @ w - y) ** 2) + rate * w @ w


def test_an_example_can_be_typed():
    target = resolve(f"{__file__}:of_data")
    with pytest.raises(PointError) as missing:
        parse_point(None, target)
    typed = missing.value.hint.partition("--at '")[2].partition("'")[0]

    assert f"w=[1,2],X={MATRIX},y=1,rate=1" == typed
    assert np.isfinite(of_data(*map(np.asarray, parse_point(typed, target).values())))


def test_numbers_in_order_where_they_do():
    with pytest.raises(PointError) as missing:
        parse_point(None, resolve(f"{hyperbox.__file__}:f3"))

    assert missing.value.hint == "f3 takes 3 parameters a, b, c: --at 1,2,3 or --at a=1,b=2,c=3."


def test_names_without_a_value():
    with pytest.raises(PointError) as missing:
        point_of(resolve(f"{__file__}:of_data"), {"y": 1.0, "rate": 1.0})

    assert f"Type at w=[1,2],X={MATRIX}, or give the point with --at." == missing.value.hint


def test_no_source():
    assert source_tree(abs) is None
    assert example_point(None, ["x"]) == "x=1"
