"""Derived programs with Numba's decorator."""

import ast
import inspect
import linecache
import warnings

import numpy as np
import pytest

import gradcli
from gradcli.answers.derivation.file_prelude import SUM_TO
from gradcli.answers.derivation.languages import numba, translated_programs
from gradcli.answers.derivation.languages.numba import SUM_TO_IN_LOOPS, check, decorated
from gradcli.answers.derivation.languages.python_program import compiled
from gradcli.answers.derivation.verification import flat
from gradcli.errors import UnsupportedError, UsageError
from tests.answers.derivation import array_programs, scalar_programs

pytestmark = pytest.mark.sampled(4)  # many like cases

PROGRAMS = (scalar_programs.newton, scalar_programs.collatz_like, array_programs.rosenbrock, array_programs.kalman)


@pytest.mark.parametrize(
    ("imports", "expected"),
    [
        ("", "import numba\n"),
        ("import math\n", "import math\n\nimport numba\n"),
        ("import math\n\nimport numpy as np\n", "import math\n\nimport numba\nimport numpy as np\n"),
        ("from scipy import special\n", "import numba\nfrom scipy import special\n"),
    ],
)
def test_the_import(imports, expected):
    text = (
        f"# Derived\n\n{imports}\n\ndef f(x):\n    return x\n"
        if imports
        else "# Derived\n\n\ndef f(x):\n    return x\n"
    )

    assert f"# Derived\n\n{expected}\n\n@numba.njit\ndef f(x):\n    return x\n" == decorated(text)


def test_what_numba_lacks():
    """A stack holds values of one type, and a reversed range goes down."""
    text = str(gradcli.derive(scalar_programs.collatz_like, at=9.3, lang="numba"))

    assert "reversed" not in text
    assert "    stack = []\n    stack_of_" in text


@pytest.mark.parametrize(
    ("whole", "part"),
    [((2, 3), (3,)), ((2, 3), (2, 1)), ((4, 2, 3), (1, 3)), ((2, 3), (2, 3)), ((3, 2, 2), (3, 1, 2)), ((5,), (1,))],
)
def test_the_sum_over_broadcast_axes(whole, part):
    """Numba takes no tuple of axes."""
    scope = {"np": np}
    exec(SUM_TO_IN_LOOPS, scope)
    ct = np.arange(1.0, 1.0 + np.prod(whole)).reshape(whole)

    assert scope["sum_to"](ct, part).tolist() == compiled(f"import numpy as np\n{SUM_TO}", "sum_to")(ct, part).tolist()


def broadcast(x, w, b):
    return np.sum(np.tanh(x @ w + b))


def masked(x):
    return np.sum(x[x > 0] ** 2)


def test_sums_and_masks():
    """A mask names no place twice, so that its sum needs no `np.add.at`, which Numba lacks."""
    with_sums = str(gradcli.derive(broadcast, at=(np.ones((1, 2)), np.ones((2, 2)), np.ones(2)), lang="numba"))

    assert SUM_TO_IN_LOOPS.replace("def ", "@numba.njit\ndef ") in with_sums
    assert "    s_x[t_1] += 2 * x[t_1]\n" in str(gradcli.derive(masked, at=np.array([1.0, -2.0]), lang="numba"))


def test_a_power_of_a_whole_number_with_an_exponent_that_may_be_negative():
    text = str(gradcli.derive(lambda x, n: x * x * 2**-n, at={"x": 1.5, "n": 4}, lang="numba", wrt=["x"]))

    assert "x * 2.0 ** (-n)" in text


def test_every_function_is_decorated():
    tree = ast.parse(str(gradcli.derive(scalar_programs.calls, at=(0.4, 1.5), lang="numba")))
    functions = [each for each in tree.body if isinstance(each, ast.FunctionDef)]

    assert len(functions) == 5
    assert {ast.unparse(each.decorator_list[0]) for each in functions} == {"numba.njit"}


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_a_compiled_program(function):
    pytest.importorskip("numba")
    point = {**scalar_programs.PROGRAMS, **array_programs.PROGRAMS}[function][0]
    names = dict(zip(inspect.signature(function).parameters, point, strict=True))
    source, plain = (gradcli.derive(function, at=names, lang=lang) for lang in ("numba", "python"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = source.function(*point)

    assert flat(plain.function(*point)) == pytest.approx(flat(found), rel=1e-13)


@pytest.mark.parametrize(("form", "expected"), [
    ({"mode": "forward"}, ("jvp_f", [2.0, 3.0, 2.0, 3.0])),  # the directions come after the inputs
    ({"vector": True}, ("grad_f", [2.0, 3.0])),  # not the second function, of one vector
])  # fmt: skip
def test_the_compiled_function_and_its_arguments(form, expected, monkeypatch):
    monkeypatch.setattr(translated_programs, "find_spec", lambda name: name)
    calls = []
    monkeypatch.setattr(numba, "check", lambda function, plain, point: calls.append((function, point)))
    monkeypatch.setattr(translated_programs, "compiled", lambda text, name: name)

    gradcli.derive("x * y", at=(2.0, 3.0), lang="numba", **form)

    assert calls == [expected]


@pytest.mark.parametrize(("error", "message"), [
    (NotImplementedError("keywords of divide"), "the derived program: keywords of divide"),
    (AssertionError(), "the derived program: its compiler raises AssertionError"),
    (TypeError("Failed in nopython mode\nNo implementation of sum at 0x7f:\n\n >>> sum(array(float64, 2d, C))"),
        "the derived program: there is no sum(array(float64, 2d, C))"),
    (TypeError('no yield\nFile "<derived g 1>", line 2:\nDuring: typing of call at <derived g 1> (3)'),
        "`return s + np.einsum(x)` of the derived program: no yield"),
])  # fmt: skip
def test_what_the_compiler_lacks_is_no_error_of_the_function(error, message, monkeypatch):
    """The Python program has run at the point: whatever the compiled one raises, Numba does not compile."""
    lines = ["def g(x):\n", "    s = 1.0\n", "    return s + np.einsum(x)\n"]
    monkeypatch.setitem(linecache.cache, "<derived g 1>", (1, None, lines, "<derived g 1>"))

    def compiled(x):
        raise error

    with pytest.raises(UnsupportedError) as caught:
        check(compiled, float, [2.0])
    assert caught.value.message == f"Numba does not compile {message}"


def test_a_hessian_is_not_written():
    with pytest.raises(UsageError, match="--lang numba writes a gradient, a product or a Jacobian, no hessian"):
        gradcli.derive(lambda x: x**3, at=2.0, mode="hessian", lang="numba")
