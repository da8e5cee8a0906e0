"""Derived programs: what they print, and that they agree with the tape at points on all sides of their branches."""

import inspect
import math
from typing import Any

import numpy as np
import pytest

import gradcli
from examples.hyperbox import f4
from gradcli.answers.derivation.derivation_modes import Wanted, derived
from gradcli.answers.derivation.languages.python_program import compiled
from gradcli.answers.derivation.verification import DerivedTrial, Verified
from gradcli.answers.targets.functions import function_target
from gradcli.errors import InternalError, UnsupportedError, UsageError
from tests.answers.derivation import array_programs, idiom_programs, language_programs, scalar_programs
from tests.answers.derivation.sampled_points import ten_points

pytestmark = pytest.mark.sampled(3)  # many like cases

F4 = '''\
# Derived by gradcli 0.1.0: gradcli.derive(f4, at=…)


def grad_f4(side_lengths):
    """The gradient of f4 (hyperbox.py:9) by side_lengths.

    s_x is the sensitivity of the result to x: how much the result changes when
    x does, relative to that change.
    """
    t_a, t_b, t_c, t_d = side_lengths
    t_ab = t_a * t_b
    t_cd = t_c * t_d
    # ret = 2.0 * t_s
    s_s = 2.0
    # t_s = t_abc + t_abd + t_acd + t_bcd
    s_abc = s_s
    s_abd = s_s
    s_acd = s_s
    s_bcd = s_s
    # t_bcd = t_b * t_cd
    s_b = t_cd * s_bcd
    s_cd = t_b * s_bcd
    # t_acd = t_a * t_cd
    s_a = t_cd * s_acd
    s_cd += t_a * s_acd
    # t_abd = t_ab * t_d
    s_ab = t_d * s_abd
    s_d = t_ab * s_abd
    # t_abc = t_ab * t_c
    s_ab += t_c * s_abc
    s_c = t_ab * s_abc
    # t_cd = t_c * t_d
    s_c += t_d * s_cd
    s_d += t_c * s_cd
    # t_ab = t_a * t_b
    s_a += t_b * s_ab
    s_b += t_a * s_ab
    # t_a, t_b, t_c, t_d = side_lengths
    return [s_a, s_b, s_c, s_d]
'''

PROGRAMS = {**scalar_programs.PROGRAMS, **array_programs.PROGRAMS}
ALL = {**PROGRAMS, **language_programs.PROGRAMS, **idiom_programs.PROGRAMS}
REFUSED = idiom_programs.REFUSED


def held(function: Any, points: list[list[Any]]) -> Verified:
    """The program derived at the first point, held to the tape and to differences at all of them."""
    names = list(inspect.signature(function).parameters)[: len(points[0])]
    target = function_target(function.__name__, function.__name__, function)
    source = derived(target, dict(zip(names, points[0], strict=True)), "gradcli derive", Wanted())
    assert "gradcli" not in source.text.split("\n", 1)[1]
    return DerivedTrial(function, source.function, range(len(names))).at(points)


@pytest.mark.sampled(22)
@pytest.mark.parametrize("function", [f for f in ALL if f not in REFUSED], ids=lambda f: f.__name__)
def test_a_program_agrees_with_the_tape(function):
    """Loops, branches, exits, lists, arrays: at ten points, on both sides of branches, and at those of derive."""
    points = ten_points(ALL[function])

    assert len(points) == held(function, points).by_tape


def test_the_seeds_function():
    source = gradcli.derive(f4, at=[1.0, 2.0, 3.0, 4.0])

    assert str(source) == F4
    assert source.function([1.0, 2.0, 3.0, 4.0]) == [52.0, 38.0, 28.0, 22.0]


SWEEPS = {
    scalar_programs.horner: [
        "s_c[k] += s_p", "p = stack.pop()", "s_x += p * s_p", "s_p = x * s_p", "return s_x, s_c",
    ],
    scalar_programs.euler: [
        "s_y += s_path.pop()", "y = stack.pop()", "s_1 = -(h * s_y)", "s_k += y * s_1", "s_y += k * s_1",
        "s_y += s_path[0]", "return s_y, s_k",
    ],
}  # fmt: skip


@pytest.mark.parametrize("function", SWEEPS, ids=lambda f: f.__name__)
def test_the_end_of_a_sweep(function):
    """It has no name for what stands under another one."""
    names = inspect.signature(function).parameters
    text = str(gradcli.derive(function, at=dict(zip(names, PROGRAMS[function][0], strict=True))))
    lines = [line.strip() for line in text.splitlines() if line.strip()[:1] not in ("", "#")]

    assert lines[-len(SWEEPS[function]) :] == SWEEPS[function]


def test_with_the_value():
    source = gradcli.derive(f4, at=[1.0, 2.0, 3.0, 4.0], value=True)

    assert source.function([1.0, 2.0, 3.0, 4.0]) == (100.0, [52.0, 38.0, 28.0, 22.0])


def test_a_loop_stays_a_loop():
    text = str(gradcli.derive(scalar_programs.newton, at=2.0))

    assert "for _ in reversed(range(6)):" in text
    assert "stack.append(x)" in text


def test_a_typed_expression():
    source = gradcli.derive("x**2 * sin(y)", at=(3.0, 0.0))

    assert source.function(3.0, 0.0) == (0.0, 9.0)
    assert "The gradient of x**2 * sin(y) by x and y." in str(source)


@pytest.mark.parametrize(
    ("text", "point"),
    [
        ("sum(x * sin(x))", {"x": np.array([1.0, 2.0, 3.0])}),
        ("dot(x, x) / mean(x)", {"x": np.array([1.0, 2.0, 3.0])}),
        ("sum(expit(x) * tan(a))", {"x": np.array([1.0, 2.0]), "a": 0.3}),
        ("sum(exp(x) / sum(exp(x)) * x)", {"x": np.array([0.1, 0.2])}),
        ("expit(x) * x", {"x": 0.7}),
        ("digamma(x) * x", {"x": 0.7}),
        ("jv(1.5, x) * x", {"x": 0.7}),
        ("ndtri(x) * x", {"x": 0.7}),
        ("logaddexp(x, 1) * x", {"x": 0.7}),
        ("clip(x, 0, 2) * x", {"x": 0.7}),
        ("fmax(x, 1) * x", {"x": 0.7}),
        ("sinc(x) * x", {"x": 0.7}),
    ],
)
def test_a_typed_expression_of_arrays_or_special_functions(text, point):
    """Its words become NumPy's and SciPy's functions; it is held to the tape before it is given out."""
    if any(word in text for word in ("expit", "digamma", "jv", "ndtri")):
        pytest.importorskip("scipy")

    assert gradcli.derive(text, at=point).verified.by_tape > 0


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.var(x) + np.sum(x),
        lambda x: np.mean(x) * np.sum(np.sin(x)),
        lambda x: np.sum(x * np.sum(x, axis=0, keepdims=True)),
        lambda x: np.sum(np.exp(x - np.max(x))),
        lambda x: np.sum(np.max(x, axis=1) ** 2),
        lambda x: np.sum(x - np.min(x, axis=0, keepdims=True)),
    ],
)
def test_arrays_of_few_digits(function, dtype):
    """Their program is held to the tape within their own rounding, and keeps their dtype."""
    x = np.array([[1.0, 2.0, 3.0], [2.0, 1.5, 4.0]], dtype)
    source = gradcli.derive(function, at=x)

    assert source.verified.by_tape > 0
    assert dtype == source.function(x).dtype


def test_a_wrong_program_is_not_given_out():
    wrong = compiled("def grad_square(x):\n    return 3.0 * x\n", "grad_square")

    with pytest.raises(InternalError, match=r"the derived program gives 6 at 2\.0, and the tape 4"):
        DerivedTrial(scalar_programs.square, wrong, [0]).at([[2.0]])


@pytest.mark.sampled(48)
@pytest.mark.parametrize("mode", ["forward", "jacobian"])
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_forward_mode(function, mode):
    names = list(inspect.signature(function).parameters)
    point = dict(zip(names, PROGRAMS[function][0], strict=False))

    assert gradcli.derive(function, at=point, mode=mode).verified.by_tape > 0


OF_ONE_INPUT = [f for f, points in PROGRAMS.items() if len(points[0]) == 1]
NOT_TWICE = ("cumulative", "repeated_index")


@pytest.mark.sampled(24)
@pytest.mark.parametrize("function", [f for f in OF_ONE_INPUT if f.__name__ not in NOT_TWICE], ids=lambda f: f.__name__)
def test_a_derived_program_is_derived_again(function):
    source = gradcli.derive(function, at=PROGRAMS[function][0], mode="hessian")

    assert source.verified.by_tape > 0


def test_a_name_first_set_in_a_branch_of_a_loop():
    found = [
        gradcli.derive(scalar_programs.set_once, at=1.5, mode=mode).function(1.5) for mode in ("gradient", "hessian")
    ]

    assert found == [8.0 * 1.5**3, 24.0 * 1.5**2]


def test_a_flag_on_a_stack_of_numbers():
    source = gradcli.derive(scalar_programs.kept_beside_a_branch, at=1.5, mode="hessian")

    assert source.verified.by_tape > 0


def test_a_loop_that_never_ends_elsewhere():
    """A run beside the point is given up where it goes on much longer than that at the point."""
    assert gradcli.derive(ends_for_large, at=3.0, mode="hessian").verified.by_tape > 0


def ends_for_large(x):
    """Runs for ever for x below a half."""
    y = x
    while y < 20.0:
        y = y * y * 0.5 + x
    return y


def test_a_direction():
    source = gradcli.derive("x**2 * y", at=(3.0, 2.0), mode="forward", value=True)

    assert source.function(3.0, 2.0, 0.5, 2.0) == (18.0, 12.0 * 0.5 + 9.0 * 2.0)


def test_of_many_results():
    """The Jacobian has a column for each number of the input."""
    source = gradcli.derive(lambda x: [x[0] * x[1], x[0]], at=[3.0, 2.0], mode="jacobian")

    assert source.function([3.0, 2.0]).tolist() == [[2.0, 3.0], [1.0, 0.0]]


@pytest.mark.parametrize(
    ("at", "named"),
    [
        ({"x": 2.0, "v": np.ones(2)}, "x is a number, v is an array with 1 axis"),
        ({"x": np.ones(3), "v": np.ones(3)}, "x is an array with 1 axis, v is an array with 1 axis"),
        ({"x": np.ones((2, 3)), "v": [1.0, 2.0]}, "x is an array with 2 axes, v is a list of numbers"),
    ],
)
def test_inputs_that_are_not_one_vector(at, named):
    """Each input is named with its kind."""
    with pytest.raises(UnsupportedError, match=f"other than numbers alone or one array: {named}") as caught:
        gradcli.derive(lambda x, v: np.sum(x) * (v[0] + v[1]), at=at, vector=True)

    assert "a function of one array v that calls f with its parts, such as f(v[:2], v[2:])" in caught.value.hint


@pytest.mark.parametrize(
    ("at", "named"),
    [
        ([[1.0, 2.0], [3.0]], "x is a list of lists of numbers"),
        ([np.ones(2), np.ones(2)], "x is a list of arrays with 1 axis"),
        (np.ones((2, 2)), "x is an array with 2 axes"),
    ],
)
def test_an_input_that_is_not_one_vector(at, named):
    with pytest.raises(UnsupportedError, match=f"other than numbers alone or one array: {named}"):
        gradcli.derive(lambda x: np.sum(x[0]) ** 2, at={"x": at}, vector=True)


def test_of_one_vector():
    text = str(gradcli.derive("x**2 * y", at=(3.0, 2.0), vector=True))

    assert compiled(text, "grad_f_of_vector")([3.0, 2.0]).tolist() == [12.0, 9.0]


def test_how_many_axes_there_are():
    source = gradcli.derive(lambda w: np.sum(w * w), at=np.array([1.0, 2.0]))

    assert source.function(np.array([1.0, 2.0, 3.0])).tolist() == [2.0, 4.0, 6.0]
    with pytest.raises(AssertionError, match="w is an array with 1 axis"):
        source.function(np.ones((2, 2)))


def test_whole_numbers_are_no_point():
    source = gradcli.derive(lambda w: np.sum(w / 3), at=np.array([1.0, 2.0]))

    with pytest.raises(AssertionError, match="w holds floats"):
        source.function(np.array([1, 2]))


@pytest.mark.parametrize("wanted", [{"lang": "klingon"}, {"mode": "sideways"}, {"lang": "c", "mode": "hessian"}])
def test_what_there_is_not(wanted):
    with pytest.raises(UsageError):
        gradcli.derive("x*x", at=2.0, **wanted)


def by_a_quotient_of_minus_one(x, k):
    return x * math.sin(k * (-1.0 / (k + 2.0)))


def test_a_product_with_a_quotient_of_minus_one():
    assert gradcli.derive(by_a_quotient_of_minus_one, at=(2.0, 3.0), wrt=["x"]).function(2.0, 3.0) == math.sin(-0.6)


def replaced_by_a_copy(u, c):
    xs = [u * c, u + c]
    xs[0][1] = xs[0][1] * c
    y = xs[0].copy()
    y[0] = 2.0 * y[0] * u[1]
    xs[1] = y.copy()
    return np.sum(xs[1] * xs[0])


def replaced_by_each_other(u, c):
    xs = [u * c, u + c]
    xs[0] = xs[1].copy()
    xs[1] = xs[0].copy()
    xs[0][0] = c
    return np.sum(xs[0] * xs[1] * u)


def replaced_by_its_own_element(u, c):
    xs = [u * c]
    for _ in range(3):
        xs[0] = xs[0] * u + xs[0][1]
    return xs[0] @ u


def replaced_by_a_shorter_one(u, c):
    xs = [u * c, u + c]
    for k in range(2):
        xs[k] = np.tanh(xs[k] * c)
    xs[1] = xs[1][:2] * xs[0][1]
    return np.sum(xs[1]) * xs[0][2]


@pytest.mark.parametrize(
    "function", [replaced_by_a_copy, replaced_by_each_other, replaced_by_its_own_element, replaced_by_a_shorter_one]
)
def test_arrays_in_a_list_that_others_take_the_place_of(function):
    assert gradcli.derive(function, at=(np.array([0.5, 1.5, -0.7]), 0.3)).verified


def appended(x):
    items = []
    items.append(x * 1.0)
    items[0][1] *= 2.0
    return np.sum(items[0] ** 2)


def held_in_a_dict(x):
    items = {"a": 1.0 * x}
    items["a"][0] = x[1] * x[1]
    return np.sum(items["a"] ** 2)


def held_under_two_names(x):
    y = x * 1.0
    items = [y, x - 0]
    items[0][0] *= 4.0
    items[1][1] = 3.0 * x[0]
    return np.sum(items[0] * x * items[1])


def replaced_by_a_product_with_one(x):
    items = [x * 2.0]
    items[0] = x * 1.0
    items[0][1] *= 2.0
    return np.sum(items[0] ** 2)


@pytest.mark.parametrize("mode", ["gradient", "forward"])
@pytest.mark.parametrize("f", [appended, held_in_a_dict, held_under_two_names, replaced_by_a_product_with_one])
def test_a_product_with_one_is_an_array_of_its_own(f, mode):
    given = [np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 0.5])][: 1 + (mode == "forward")]
    before = [x.copy() for x in given]

    made = gradcli.derive(f, at=before[0], mode=mode).function(*given)

    gradient = gradcli.grad(f)(before[0])
    np.testing.assert_allclose(made, gradient if mode == "gradient" else gradient @ before[1])
    np.testing.assert_array_equal(given, before)


def differences_of(x, times):
    weights = np.outer(times, times)
    if np.sum(x) > 1e6:
        weights = np.subtract.outer(times, times).T
    return np.sum(weights * x)


def test_only_an_outer_product_is_transposed_by_its_factors():
    x, times = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0])

    derived = gradcli.derive(differences_of, at=(x, times), wrt=["x"]).function

    np.testing.assert_allclose(derived(1e7 * x, times), gradcli.grad(differences_of)(1e7 * x, times))
