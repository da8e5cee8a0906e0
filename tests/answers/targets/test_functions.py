"""The parameters of a function, and how the values of a point reach them."""

import functools
import math

import numpy as np
import pytest

from gradcli.answers.targets import Parameter, parse_point, resolve
from gradcli.answers.targets.functions import parameters_of, source_of
from gradcli.errors import PointError
from tests.answers.targets.conftest import target_of


def called(function, text):
    """The value of the function at a typed point."""
    target = target_of(function)
    point = parse_point(text, target)
    return target.with_inputs(point).function(*point.values())


def test_the_parameters_of_a_function():

    def f(a, /, b, c=3, *args, d, e=5, **options):
        return a

    expected = (
        Parameter("a"),
        Parameter("b"),
        Parameter("c", required=False, default=3),
        Parameter("args", required=False, kind="variadic"),
        Parameter("d", kind="keyword"),
        Parameter("e", required=False, default=5, kind="keyword"),
        Parameter("options", required=False, kind="keywords"),
    )
    assert parameters_of(f) == expected


def test_a_ufunc_says_how_many_arguments_it_has():
    assert (Parameter("x"), Parameter("y")) == parameters_of(np.hypot)


def middle_of_positional(x, k=3, m=0, /):
    return 10 * k + x + m


CALLED = {
    "a C function without a signature": (math.hypot, "3,4", 5.0),
    "a default in the middle": (lambda x, k=3, m=0: 10 * k + x + m, "x=0,m=1", 31.0),
    "a default in the middle of positional parameters": (middle_of_positional, "x=0,m=1", 31.0),
    "a keyword parameter, in its place among the others": (lambda x, *, k: x - k, "1,k=2", -1.0),
    "variable arguments": (lambda x, *args: (x, args), "1,2,3", (1.0, (2.0, 3.0))),
    "variable arguments as a list": (lambda x, *args: (x, args), "x=1,args=[2,3]", (1.0, (2.0, 3.0))),
    "variable arguments by name": (lambda x, *args: (x, args), "x=1,args[0]=2,args[1]=3", (1.0, (2.0, 3.0))),
    "variable arguments in any order": (lambda x, *args: (x, args), "args[1]=3,args[0]=2,x=1", (1.0, (2.0, 3.0))),
    "unknown names": (lambda x, **options: (x, options), "b=2,x=1,a=3", (1.0, {"b": 2.0, "a": 3.0})),
    "a partial function": (functools.partial(lambda x, k: x + k, k=5), "2", 7.0),
}


@pytest.mark.parametrize(("function", "text", "expected"), CALLED.values(), ids=CALLED)
def test_values_reach_their_parameters(function, text, expected):
    assert called(function, text) == expected


@pytest.mark.parametrize(
    ("function", "text", "expected"),
    [(math.hypot, "1,2,3,4", ["x", "y", "z", "x4"]), (lambda x, *args: x, "1,2,3", ["x", "args[0]", "args[1]"])],
)
def test_arguments_without_a_name_get_one(function, text, expected):
    assert list(parse_point(text, target_of(function))) == expected


def test_a_signature_that_cannot_be_read_is_guessed():

    class Odd:
        __signature__ = 3

        def __call__(self, *arguments):
            return sum(arguments)

    assert called(Odd(), "1,2") == 3.0


def test_a_function_whose_order_fits_is_called_itself():

    def f(x, y=2.0):
        return x * y

    target = target_of(f)
    assert (f, f) == (target.function, target.with_inputs(["x"]).function)


def test_the_function_of_a_target_takes_keyword_parameters_in_order():

    def f(x, *, k, m=0):
        return x - k - m

    assert (target_of(f).function(1.0, 2.0), target_of(f).function(1.0, 2.0, 3.0)) == (-1.0, -4.0)


def test_a_gap_in_variable_arguments_is_refused():
    """The second argument cannot be given without the first."""
    with pytest.raises(PointError, match=r"no value for args\[0\]"):
        parse_point("x=1,args[1]=3", target_of(lambda x, *args: x))


def test_inputs_that_are_no_parameters_are_refused():
    with pytest.raises(PointError, match=r"no input named 'z'"):
        target_of(lambda x, y: x).with_inputs(["x", "z"])


def test_the_target_of_a_point_has_its_inputs_as_parameters():
    target = target_of(lambda x, *, k=2: x).with_inputs(["x", "k"])

    assert (("x", True, "positional"), ("k", True, "positional")) == tuple(
        (parameter.name, parameter.required, parameter.kind) for parameter in target.parameters
    )


def test_the_place_of_a_wrapped_function(write):
    path = write("f.py", "import functools\n\n@functools.cache\ndef f(x):\n    return x\n")
    target = resolve("f.py:f")

    assert (str(path), 3) == (target.file, target.line)


def test_a_c_function_has_no_place():
    assert (resolve("math:sin").file, resolve("math:sin").line) == (None, None)


def test_the_source_of_a_function(write):
    """From the margin on, and that of a wrapped function as the user wrote it."""
    write("f.py", "import functools\nif True:\n    @functools.cache\n    def f(x):\n        return x\n")

    assert source_of(resolve("f.py:f").function) == "@functools.cache\ndef f(x):\n    return x\n"


@pytest.mark.parametrize("function", [abs, functools.partial(pow, 2), eval(compile("lambda x: x", "<typed>", "eval"))])
def test_no_source(function):
    assert not source_of(function)
