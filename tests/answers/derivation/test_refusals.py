"""What is not derived is refused by name and line."""

import functools
import inspect
import math

import numpy as np
import pytest
from scipy.integrate import odeint, solve_ivp
from scipy.optimize import fsolve

import gradcli
from gradcli import queries
from gradcli.errors import InconclusiveError, UnsupportedError

pytestmark = pytest.mark.sampled(2)  # many like cases

TABLE = {"a": object()}


def tries(x):
    try:
        return math.sqrt(x)
    except ValueError:
        return x


def hands_on(x):
    def inner(y):
        return x * y

    return sorted([x, 2.0], key=inner)[0]


def looks_up(x):
    return x * len(TABLE)


def deletes(x):
    y = x * 2.0
    if x > 10.0:
        del y
    return y * 3.0


def aliased(xs):
    ys = [x * 2.0 for x in xs]
    zs = ys
    zs[0] = xs[1]
    return ys[0] * zs[1]


def has_no_rule(x):
    return math.nextafter(x, 2.0) * x


def is_unreached(x):
    if x > 1e300 and x < 1e-300:
        return math.exp(x)
    return x * x


def at_places_of_an_array(x):
    y = np.zeros(3)
    y[np.array([0, 0])] = x[:2]
    return np.sum(y * y)


def at_listed_places(x):
    y = np.zeros(3)
    y[[0, 2, 0]] = x[1]
    return np.sum(y * y)


def scaled_by(c):
    def scaled(x):
        return c * x

    return scaled


DOUBLED, TRIPLED = scaled_by(2.0), scaled_by(3.0)


def scales_twice(x):
    return DOUBLED(x) * TRIPLED(x)


TURNED = np.array([[2.0, 1.0], [0.0, 3.0]])
TURNED_BY = TURNED.dot


def keeps_a_method(x):
    d = TURNED.dot
    return np.sum(d(np.array([x, x])))


def keeps_an_append(x):
    values = []
    push = values.append
    push(x * x)
    return sum(values)


def writes_by_position(x):
    y = np.zeros(1)
    np.multiply(x, x, y)
    return y[0]


def sorts_for_nothing(x):
    values = [x, 2.0]
    nothing = values.sort()
    return values[0] * x if nothing is None else x


def asks_a_sort(x):
    values = [x, 2.0]
    return values[0] if values.sort() is None else x


def calls_a_partial(x):
    def own(v, k):
        return v**k * x

    return functools.partial(own, k=4)(x)


def hands_on_a_generator(x):
    return np.fromiter((v * v for v in [x]), float, count=1).sum()


def unpacks_sorted(x):
    low, high = sorted([0, x - 100])
    return high * high + low


@pytest.mark.parametrize(
    ("function", "message", "hint", "place"),
    [
        (sorts_for_nothing, "the method sort, which changes its object", "", (sorts_for_nothing, 2)),
        (asks_a_sort, "the method sort, which changes its object", "", (asks_a_sort, 2)),
        (unpacks_sorted, r"sorted\(\[0, x - 100\]\), of whole numbers", "such as 0.0", (unpacks_sorted, 1)),
        (lambda x: sorted((0, x - 100))[1] * x, ".*, a whole number in every run", "such as 0.0", None),
        (lambda x: np.sum(np.hstack([0, np.array([x])])), ".*, of whole numbers and floats", "Write floats", None),
        (keeps_a_method, "d, the method dot of an array", r"on the array: A.dot(x).", (keeps_a_method, 2)),
        (lambda x: np.sum(TURNED_BY(np.array([x, x]))), "TURNED_BY, the method dot", "A.dot(x).", None),
        (keeps_an_append, "a statement that only has an effect", "values.append(v)", (keeps_an_append, 3)),
        (writes_by_position, "a statement that only has an effect", "b[:] = np.dot(A, x)", (writes_by_position, 2)),
        (
            calls_a_partial,
            r"functools.partial\(own, .*\)\(x\), which calls a partial that is made",
            "the module holds",
            (calls_a_partial, 4),
        ),
        (
            hands_on_a_generator,
            r"\(v \* v for v in \[x\]\), a generator",
            "Write a list: [v * v for v in [x]].",
            (hands_on_a_generator, 1),
        ),
        (scales_twice, "two different values of the name c", "Give one of them another name.", (DOUBLED, 0)),
        (
            lambda x: np.partition(np.array([x, 1.0]), 1)[0],
            r"np.partition\(.*\): argpartition, an operation without a source form",
            "by other functions, such as indices",
            None,
        ),
        (lambda x: max([x], key=lambda v: v), "a lambda that is passed", "write a loop", None),
    ],
)
def test_a_refusal_says_what_to_write_instead(function, message, hint, place):
    """In words that are not the derivation's own, at the user's line."""
    with pytest.raises(UnsupportedError, match=f"derive does not know {message}") as caught:
        gradcli.derive(function, at=2.0)

    where, below = place or (function, 0)
    assert hint in caught.value.hint
    assert (__file__, where.__code__.co_firstlineno + below) == (caught.value.file, caught.value.line)


@pytest.mark.parametrize("call", ['p.get("a")', 'p.get("a", 1.0)', 'q["p"].get("a")'])
def test_a_lookup_by_get_is_written_with_brackets(call, tmp_path):
    path = tmp_path / "lookup.py"
    path.write_text(f"def f(p, x):\n    q = {{'p': p}}\n    return {call} * x\n")

    with pytest.raises(UnsupportedError) as caught:
        queries.derive(f"{path}:f", 'p={"a":1},x=2')

    assert caught.value.hint.startswith(f"Write {call.partition('.get')[0]}['a'].".replace('"', "'"))


def of_products(x):
    return np.sum(np.cumprod(x) ** 2)


def of_a_product(x):
    return np.prod(x) ** 2


@pytest.mark.parametrize("function", [of_products, of_a_product])
def test_a_gradient_that_cannot_be_derived_again(function):
    """The user's line is named, not a function that gradcli wrote."""
    with pytest.raises(UnsupportedError) as caught:
        gradcli.derive(function, at=np.array([1.0, 2.0, 4.0]), mode="hessian")

    line = inspect.getsource(function).splitlines()[1].strip()
    assert f"the second derivatives of {line}: in its gradient, `" in caught.value.message
    assert "`gradcli hessian` computes numbers" in caught.value.hint
    assert (__file__, function.__code__.co_firstlineno + 1) == (caught.value.file, caught.value.line)


@pytest.mark.parametrize(
    ("text", "at", "value"), [("log(x)", -1.0, "nan"), ("sqrt(x)", -2.0, "nan"), ("1/x", 0.0, "inf")]
)
def test_an_expression_without_a_value(text, at, value):
    """The point is at fault; no line of a program that gradcli made is shown."""
    with pytest.raises(InconclusiveError) as caught:
        gradcli.derive(text, at=at)

    assert f"{text} is {value} at {at}" == caught.value.message


@pytest.mark.parametrize(
    ("function", "at", "message", "line"),
    [
        (tries, 2.0, "derive does not know a try statement", 1),
        (hands_on, 2.0, "derive does not know sorted, a function without a written derivative", 4),
        (looks_up, 2.0, "derive does not know the value of TABLE, a dict", 0),
        (deletes, 2.0, "derive does not know del y, which is read below", 3),
        (aliased, [1.0, 2.0], "zs as a second name of what ys holds", 2),
        (has_no_rule, 2.0, "math.nextafter", 1),
        (at_places_of_an_array, np.array([1.0, 2.0, 3.0]), r"a write at the places np.array", 2),
        (at_listed_places, np.array([1.0, 2.0, 3.0]), r"a write at the places \[0, 2, 0\]", 2),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_construct_is_refused(function, at, message, line):
    """The user's line is named."""
    with pytest.raises(UnsupportedError, match=message) as caught:
        gradcli.derive(function, at=at)

    assert function.__code__.co_firstlineno + line == caught.value.line


def test_a_branch_that_is_not_taken_is_looked_into():
    """By force, once."""
    source = gradcli.derive(is_unreached, at=2.0)

    assert source.function(2.0) == 4.0
    assert "math.exp" in str(source)


def test_a_result_that_is_no_number():
    """A gradient is of one."""
    with pytest.raises(gradcli.GradcliError, match="returns a list of numbers"):
        gradcli.derive(lambda_like, at=2.0)


def lambda_like(x):
    return x, x * x


def adds_into_a_view(x):
    y = x.copy()
    part = y[1:]
    part *= 2.0
    return np.sum(y**2)


def swaps_views(x):
    y = x * 1.0
    y[:2], y[2:4] = y[2:4], y[:2]
    return y[0] * 3.0 + y[2] ** 2


def swaps_rows(x):
    y = np.outer(x, x)
    y[0], y[1] = y[1], y[0]
    return y[0, 0] * 3.0 + y[1, 1] ** 2


def writes_at_named_places(x):
    places = np.triu_indices(2)
    y = np.zeros((2, 2))
    y[places] = x[:3]
    return np.sum(y @ y)


def through_text(x):
    return float(str(x)) * x


@pytest.mark.parametrize(
    ("function", "at", "message"),
    [
        (lambda x: {0: x}[0] * 2.0, 2.0, "which is no number, list or array"),
        (lambda x: math.sin(float("%.15g" % x)), 2.0, "float of a value of another type"),  # noqa: UP031
        (lambda x: len(locals()) * x, 2.0, r"locals\(\)"),
        (adds_into_a_view, np.array([1.0, 2.0, 3.0]), "part as a second name of what y holds"),
        (swaps_views, np.array([1.0, 2.0, 3.0, 4.0]), r"y\[2:4\], a view of an array that is written into"),
        (swaps_rows, np.array([1.0, 2.0]), r"y\[1\], a view of an array that is written into"),
        (writes_at_named_places, np.array([1.0, 2.0, 3.0]), "a write at the places places"),
        (through_text, 2.0, "float of a value of another type"),
        (lambda z: (z * z).real, 1.0 + 2.0j, "complex numbers|no real number"),
    ],
)
def test_what_would_lose_a_derivative_is_refused(function, at, message):
    """Never a silent zero."""
    with pytest.raises(UnsupportedError, match=message):
        gradcli.derive(function, at=at)


@pytest.mark.parametrize(
    ("target", "at"), [("x^y", "0,0"), ("0^y", "0"), ("x^y^x", "0,0"), ("x^(2*y)", "0,0"), ("y*x^y", "0,0")]
)
def test_a_point_without_a_derivative(target, at):
    """The function has a value there, and the tape an infinite derivative."""
    with pytest.raises(InconclusiveError, match="the derived program raises ValueError") as caught:
        queries.derive(target, at)

    assert "Choose a point at which the function has a derivative" in caught.value.hint


def product(x, y=2.0):
    return x * y


def by_name(x, *, y):
    return x * y


@pytest.mark.parametrize(
    ("function", "at", "message", "line"),
    [
        (functools.partial(product, y=3.0), {"x": 1.0}, "a partial of product is no plain Python function", None),
        (functools.partial(product, 3.0), {"y": 1.0}, "a partial of product is no plain Python function", None),
        (by_name, {"x": 1.0, "y": 2.0}, "the parameter y, which is passed by keyword", by_name.__code__.co_firstlineno),
    ],
)
def test_arguments_by_name(function, at, message, line):
    """The user's function is named, not the one that hands it the arguments."""
    with pytest.raises(UnsupportedError, match=message) as caught:
        gradcli.derive(function, at=at)

    assert line == caught.value.line


def test_a_lambda():
    """It is found by the place of its body."""
    f, g = lambda x: x * x, lambda x: x * 3.0

    assert (gradcli.derive(f, at=3.0).function(3.0), gradcli.derive(g, at=3.0).function(3.0)) == (6.0, 3.0)


def test_a_lane_that_is_not_taken():
    """Its infinite partial would make a nan, and nothing is written."""
    with pytest.raises(UnsupportedError, match="would give nan"):
        gradcli.derive(lambda x: np.sum(np.where(x > 0.0, np.sqrt(x), x)), at=np.array([0.0, 1.0]))


def wraps(x):
    return x * np.int8(100) * np.int8(2)


def test_whole_numbers_that_wrap():
    """100 * 2 is -56 in eight bits."""
    with pytest.raises(UnsupportedError, match="so few bits that they wrap around") as refused:
        gradcli.derive(wraps, at=2.0)

    assert "float(x)" in refused.value.hint


def of_nested(p, x):
    return np.sum(p["layer"]["w"] ** 2) * p["b"] * x


def of_text_keys(p):
    return p["a b"] ** 2


def test_a_dict_of_parameters_is_taken_apart():
    """The recorded run has no dict as an input: the hint is a function of the parts, derived as it is typed."""
    at = {"p": {"layer": {"w": np.array([1.0, 2.0])}, "b": 3.0}, "x": 2.0}
    with pytest.raises(UnsupportedError, match="the input p, a dict with the keys layer, b") as caught:
        gradcli.derive(of_nested, at=at, straight=True)
    text = 'def of_nested_of_parts(w, b, x): return of_nested({"layer": {"w": w}, "b": b}, x)'
    names = {"of_nested": of_nested}
    exec(text, names)
    found = gradcli.derive(names["of_nested_of_parts"], at=(np.array([1.0, 2.0]), 3.0, 2.0), straight=True)

    assert f"Type {text} and derive that with --straight." == caught.value.hint
    assert of_nested.__code__.co_firstlineno == caught.value.line
    np.testing.assert_allclose(found.function(np.array([1.0, 2.0]), 3.0, 2.0)[0], [12.0, 24.0])


def test_a_dict_whose_keys_are_no_names():
    """It is left to the user to write the function."""
    with pytest.raises(UnsupportedError, match="a dict with the keys a b") as caught:
        gradcli.derive(of_text_keys, at=({"a b": 2.0},), straight=True)

    assert caught.value.hint.startswith("Write a function of numbers")


def decay(t, y, k):
    return -k * y


def named_right_hand_side(k):
    found = solve_ivp(decay, (0, 1), [1.0], args=(k,))
    return found.y[0, -1]


def own_right_hand_side(k):
    def own(t, y):
        return -k * y

    return solve_ivp(own, (0, 1), [1.0]).y[0, -1]


def without_a_rule(k):
    return odeint(lambda y, t: -k * y, 1.0, [0, 1])[-1, 0]


def by_an_equation(k):
    return fsolve(lambda y: y**2 - k, 1.0)[0]


def complex_steps(x):
    return abs(x + 1j)


def prints(x):
    print(x)
    with np.errstate(all="raise"):
        return x**2


# of the integrator
CHOSEN_STEPS = "--straight does not write it out either: derive does not know norm, an operation without a source form."


@pytest.mark.parametrize(("function", "message", "hint", "line"), [
    (named_right_hand_side, r"solve_ivp\(decay, .*\), which is no number, list or array", CHOSEN_STEPS, 1),
    pytest.param(own_right_hand_side, "the attribute y", CHOSEN_STEPS, 4, marks=pytest.mark.long),
    (without_a_rule, "a lambda that is passed to another function",
        "either: scipy.integrate.odeint has no derivative rule. ", 1),
    (by_an_equation, "a lambda that is passed to another function",
        "either: derive does not know the solution of scipy.opt", 1),
    (complex_steps, "complex numbers", "--straight does not write it out either: derive does not know complex", 1),
    (prints, "a with statement", "the outcome of text. Leave out what prints", 2),
])  # fmt: skip
def test_the_recorded_run_is_offered_where_it_can_be_written_out(function, message, hint, line):
    """Otherwise it is said what stands against it."""
    with pytest.raises(UnsupportedError, match=f"derive does not know {message}") as caught:
        gradcli.derive(function, at=2.0)

    assert hint in caught.value.hint
    assert function.__code__.co_firstlineno + line == caught.value.line


def test_a_program_that_prints(capsys):
    """Its output is not mixed with the derived program."""
    gradcli.derive(prints_and_squares, at=2.0)

    assert capsys.readouterr() == ("", "")


def prints_and_squares(x):
    print("at", x)
    return x**2


class Holder:
    """A class whose function takes no instance."""

    @staticmethod
    def squares(x):
        return x**2


def test_a_static_method_is_its_function():
    """Its decorator is none that changes what it computes."""
    assert str(gradcli.derive(Holder.squares, at=3.0)).rstrip().endswith("return 2 * x")


@pytest.mark.parametrize("bounded", [lambda x: np.clip(x, None, 1.0), lambda x: x.clip(0.7, None)])
def test_a_bound_that_is_none_in_c(bounded):
    with pytest.raises(UnsupportedError, match=r"how to write (np|x)\.clip"):
        gradcli.derive(lambda x: np.sum(bounded(x)) * x[0], at=np.array([1.2, 0.5]), lang="c")


def takes_by_a_name(x):
    m = x > 0.5
    return np.sum(x[m] ** 2)


@pytest.mark.parametrize(
    ("function", "straight", "message", "line"),
    [
        (takes_by_a_name, True, r"the mask np.greater\(x, 0.5\)", 2),
        (takes_by_a_name, False, "the mask m", 2),
        (lambda x: np.median(x), False, "median_pull, a function that the derived program in Python defines,", 0),
        (lambda x: np.sum(np.roll(x, 1) ** 2), True, r"np.roll\(t_1, \(1,\), \(0,\)\)", 0),
    ],
)
def test_what_c_does_not_hold_is_named_by_the_users_line(function, straight, message, line):
    with pytest.raises(UnsupportedError, match=f"how to write {message} in C") as caught:
        gradcli.derive(function, at=np.array([1.2, 0.4, 0.7]), straight=straight, lang="c")

    assert (__file__, function.__code__.co_firstlineno + line) == (caught.value.file, caught.value.line)


@pytest.mark.parametrize(
    "result",
    [
        lambda x: (np.sum(x**2), x * 2),
        lambda x: (x * 2, x[:2] ** 2),
        lambda x: {"a": x[0] * x[1]},
        lambda x: [[x[0], x[1] * x[0]], [x[2]]],
        lambda x: (x[0] * x[1], None),
        lambda x: ([], x),
    ],
)
def test_the_jacobian_of_a_result_that_is_no_array_is_refused(result):
    with pytest.raises(UnsupportedError, match="the Jacobian of a result that is no array"):
        gradcli.derive(result, at=np.array([1.0, 2.0, 3.0]), mode="jacobian")
