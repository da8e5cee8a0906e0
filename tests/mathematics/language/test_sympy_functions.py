"""SymPy's forms."""

import math

import pytest
import sympy

from gradcli.mathematics.language import parse, special_functions, sympy_functions
from gradcli.mathematics.language.evaluation import evaluate
from gradcli.mathematics.language.vocabulary import PRIMITIVES

pytestmark = pytest.mark.sampled(4)  # many like cases

X, Y, Z = sympy.symbols("x y z", real=True)


def form(text):
    """The closed form of a formula in x, y and z."""
    names = {"x": X, "y": Y, "z": Z, "pi": sympy.pi, "e": sympy.E}
    return evaluate(parse(text), names, sympy_functions.functions(), number=sympy_functions.number)


def at(expression, **point):
    values = {sympy.Symbol(name, real=True): sympy_functions.number(value) for name, value in point.items()}
    return float(sympy.sympify(expression).subs(values).evalf(30))


def test_every_function_is_there():
    assert set(sympy_functions.functions()) - set(special_functions.WORDS) == set(PRIMITIVES)


@pytest.mark.parametrize("value", [0.1, -0.1, 0.5, 3.0, 1e300, -1e-300, 1 / 3, 12345.678, 2**60, 7])
def test_number_is_exact(value):
    """A number is exact: with fifty digits it is the float's own binary value."""
    assert sympy.Rational(value).evalf(50) == sympy_functions.number(value).evalf(50)


@pytest.mark.parametrize(("value", "text"), [(0.1, "0.1"), (-2.7, "-2.7"), (0.5, "1/2"), (2.0, "2"), (1e300, "1e+300")])
def test_number_prints_as_typed(value, text):
    """A fraction that SymPy can bear is one; any other float prints as Python prints it."""
    assert text == str(sympy_functions.number(value))


@pytest.mark.parametrize(("value", "expected"), [(math.inf, sympy.oo), (-math.inf, -sympy.oo), (math.nan, sympy.nan)])
def test_numbers_that_are_not_finite(value, expected):
    assert sympy_functions.number(value) is expected


def test_equal_numbers_are_one():
    assert sympy.S.Zero == form("0.1*x - 0.1*x")


@pytest.mark.parametrize(
    "text", ["0.7^0.3", "(0.7*x)^0.3", "exp2(0.3)", "x*0.7^0.3*0.3^0.7", "(2*x)^100000", "(3*x)^(10^200)"]
)
def test_powers_end(text):
    """Powers that SymPy would take apart for ever stay as they are."""
    assert 0 != form(text)


@pytest.mark.parametrize("name", sorted(PRIMITIVES))
def test_derivatives_are_plain_formulas(name):
    """No derivative, nor a second one, has a delta, a step or an unevaluated derivative in it."""
    symbols = [X, Y, Z][: PRIMITIVES[name][0]]
    expression = sympy_functions.functions()["add"](sympy_functions.functions()[name](*symbols), 0)
    for one in symbols:
        for other in symbols:
            second = expression.diff(one).diff(other)
            assert not second.has(sympy.DiracDelta, sympy.Heaviside, sympy.Derivative, sympy.Subs)


@pytest.mark.parametrize(
    ("text", "point", "slope"),
    [
        ("abs(x)", {"x": -2.0}, -1),
        ("abs(x)", {"x": 0.0}, 0),
        ("abs(x)^3", {"x": -2.0}, -12),
        ("sqrt(x^2)", {"x": -2.0}, -1),
        ("sign(x)", {"x": 3.0}, 0),
        ("max(x, y)", {"x": 2.0, "y": 1.0}, 1),
        ("max(x, y)", {"x": 1.0, "y": 2.0}, 0),
        ("max(x, y)", {"x": 1.0, "y": 1.0}, 0.5),
        ("min(x, 0)", {"x": 0.0}, 0.5),
        ("x % 3", {"x": 7.5}, 1),
        ("7.5 % x", {"x": 2.0}, -3),
        ("fmod(-7.5, x)", {"x": 2.0}, 3),
        ("remainder(7.5, x)", {"x": 2.0}, -4),
        ("floor(x)*x", {"x": 2.5}, 2),
        ("round(x)*x", {"x": 2.5}, 2),
        ("trunc(x)*x", {"x": -2.5}, -2),
        ("cbrt(x)", {"x": -8.0}, 1 / 12),
        ("x^2 if x < 1 else x", {"x": 3.0}, 1),
        ("(x < 1)*x", {"x": 0.5}, 1),
        ("clip(x, 0, 1)", {"x": 2.0}, 0),
        ("hypot(x, 0)", {"x": -1.0}, -1),
        ("copysign(x, -1)", {"x": 2.0}, -1),
        ("lgamma(x)", {"x": 1.0}, -0.5772156649015329),
        ("sinc(x)", {"x": 1.0}, -1),
    ],
)
def test_slope(text, point, slope):
    """Derivatives have the values of the conventions, at kinks too."""
    assert at(sympy_functions.derivative(form(text), X), **point) == pytest.approx(slope, rel=1e-15)


def test_second_derivative_of_a_root_of_a_square():
    """The absolute value that SymPy makes of its own has no delta in its second derivative either."""
    assert sympy_functions.derivative(sympy_functions.derivative(sympy.sqrt(X**2), X), X) == 0


def test_nested_maxima_stay_small():
    """The maximum of many stays as large as it was typed."""
    names = sympy.symbols("a:z", real=True)
    text = f"max({', '.join(map(str, names))})"
    tree = evaluate(
        parse(text.replace("e,", "E_,")), {**{str(n): n for n in names}, "E_": names[4]}, sympy_functions.functions()
    )
    assert len(names) == sum(1 for _ in tree.atoms(sympy.Symbol))
    assert 60 > sympy.count_ops(tree)


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("max(x, y)", r"\max\left(x, y\right)"),
        ("gamma(x)^2", r"\Gamma^{2}\left(x\right)"),
        ("0.1*x", "0.1 x"),
        ("abs(x)", r"\left|{x}\right|"),
        ("x^100000.0", "x^{100000}"),
    ],
)
def test_latex(text, latex):
    assert latex == sympy.latex(form(text)).replace("100000.0", "100000")


@pytest.mark.parametrize(("text", "expected"), [("1/0", sympy.zoo), ("0/0", sympy.nan), ("max(nan, 1)", sympy.nan)])
def test_undefined(text, expected):
    assert expected == evaluate(
        parse(text), {"nan": sympy.nan}, sympy_functions.functions(), number=sympy_functions.number
    )
