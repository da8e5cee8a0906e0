"""Derived programs in C: compiled without a warning, and the same numbers as the Python program."""

import ast
import ctypes
import gc
import inspect
import linecache
import math
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradcli
from examples.hyperbox import f4
from gradcli.answers.derivation.verification import flat
from gradcli.errors import UnsupportedError
from tests.answers.derivation import array_programs, idiom_programs, language_programs, scalar_programs

pytestmark = pytest.mark.sampled(8)  # many like cases

FLAGS = ("-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O3", "-ffp-contract=off", "-shared", "-fPIC")
NOT_IN_C = {
    "newton_until": "a loop of any number of turns that keeps numbers",
    "collatz_like": "a loop of any number of turns that keeps numbers",
    "stacked": "waiting_1.pop(), of a list whose length the sizes do not decide",
    "recursive": "the call of power",
    "fourier": "the call of transform",
    "comprehension": "an item of a list that grows",
    "flagged": "best is None",
    "least_squares": "np.linalg.solve",
    "gathered": "the mask mask",
    "repeated_index": "the mask y < 0.5",
    "elimination": "items, a tuple or range that is kept",
    "cumulative": "np.cumsum",
    "one_name_in_loops": "(1.5, 2.5)",
}
EXACT = {"box", "newton", "horner_items", "fibonacci", "accumulated", "searched", "bubble_sort", "edit_distance"}
"""Programs of + - * / alone, whose partials are too."""
PROGRAMS = {
    each: points
    for each, points in {**scalar_programs.PROGRAMS, **array_programs.PROGRAMS}.items()
    if each.__name__ not in NOT_IN_C
}
compiled_only = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")

F4 = """\
/* Derived by gradcli 0.1.0: gradcli.derive(f4, at=…) */

/* The gradient of f4 (hyperbox.py:9) by side_lengths.

   s_x is the sensitivity of the result to x: how much the result changes when
   x does, relative to that change. */
void grad_f4(const double side_lengths[4], double gradient[4])
{
    const double t_a = side_lengths[0];
    const double t_b = side_lengths[1];
    const double t_c = side_lengths[2];
    const double t_d = side_lengths[3];
    const double t_ab = t_a * t_b;
    const double t_cd = t_c * t_d;
    // ret = 2.0 * t_s
    const double s_s = 2.0;
    // t_s = t_abc + t_abd + t_acd + t_bcd
    const double s_abc = s_s;
"""


def compiled(source: Any, folder: Path) -> Any:
    """The function of a derived C program."""
    text, library = folder / f"{source.name}.c", folder / f"{source.name}.so"
    text.write_text(str(source), encoding="utf-8")
    subprocess.run(["cc", *FLAGS, "-o", str(library), str(text), "-lm"], check=True, capture_output=True)
    return getattr(ctypes.CDLL(str(library)), source.name)


def called(function: Any, point: Any, expected: Any) -> list[float]:
    """What a gradient in C gives: of one number it is returned, else handed back array by array."""
    if isinstance(expected, float):
        function.restype = ctypes.c_double
        return [function(*(_given(each) for each in point))]
    parts = [np.zeros(np.shape(each)) for each in (expected if isinstance(expected, tuple) else [expected])]
    if all(part.ndim == 0 for part in parts):
        parts = [np.zeros(len(parts))]
    function(*(_given(each) for each in point), *(part.ctypes.data_as(ctypes.c_void_p) for part in parts))
    return flat(tuple(parts)).tolist()


def _given(value: Any) -> Any:
    if np.ndim(value) == 0:
        return ctypes.c_double(value)
    made = np.array(value, dtype=float)
    return (ctypes.c_double * made.size)(*made.ravel())


def named(function: Any, point: Any) -> dict[str, Any]:
    """A point by the names of the parameters."""
    return dict(zip(inspect.signature(function).parameters, point, strict=False))


@pytest.mark.sampled(36)
@compiled_only
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_a_program_agrees_with_the_python_one(function, tmp_path):
    """At each point of the same sizes; bit for bit where only + - * / are used."""
    points = [
        each for each in PROGRAMS[function] if list(map(np.shape, each)) == list(map(np.shape, PROGRAMS[function][0]))
    ]
    source = gradcli.derive(function, at=named(function, points[0]), lang="c")
    in_c = compiled(source, tmp_path)
    for point in points:
        expected = source.function(*point)
        found = called(in_c, point, expected)

        if function.__name__ in EXACT:
            assert found == flat(expected).tolist()
        else:
            assert found == pytest.approx(flat(expected), rel=1e-13, abs=1e-13 * max(map(abs, found)))


def with_an_unread_input(xs):
    """The slope of a weighted sum does not depend on the point."""
    return sum(a * b for a, b in zip(xs, [1.0, 2.0], strict=True))


def with_an_unread_array(x):
    """The gradient needs the sizes of an array, and not its numbers."""
    m = x.reshape(-1, 1) * x
    return np.sum(m[:, ::-1] * np.arange(len(x)))


def with_numbers_that_are_not_read(x, y):
    """The slopes of a plane are constant, whatever a comment says of x and y."""
    # x and y are added
    return 2 * x + y


def with_an_array_of_the_same_shape(x):
    """Of an array that is filled, the gradient needs the shape alone, which the file states."""
    y = np.zeros_like(x)
    for i in range(len(x)):
        y[i] = x[i]
    return np.sum(y)


UNREAD = {
    with_an_array_of_the_same_shape: (np.array([1.0, 2.0, 3.0]),),
    with_an_unread_input: ([1.0, 2.0],),
    with_an_unread_array: (np.array([1.0, 2.0, 3.0]),),
    with_numbers_that_are_not_read: (1.0, 2.0),
}


@compiled_only
@pytest.mark.parametrize("straight", [False, True])
@pytest.mark.parametrize("function", UNREAD, ids=lambda f: f.__name__)
def test_what_is_not_read_gives_no_warning(function, straight, tmp_path):
    point = UNREAD[function]
    source = gradcli.derive(function, at=named(function, point), straight=straight, lang="c")
    expected = source.function(*point)

    assert flat(expected) == pytest.approx(called(compiled(source, tmp_path), point, expected), rel=1e-13)


@compiled_only
@pytest.mark.parametrize("function", [
    idiom_programs.trapz_use, language_programs.scattered, language_programs.unpacked_with_a_star,
    language_programs.global_constants,
])  # fmt: skip
def test_what_the_sizes_decide(function, tmp_path):
    """Slices of lists, sums at places and lists of the file have the sizes that they have in the Python program."""
    point = (language_programs.PROGRAMS | idiom_programs.PROGRAMS)[function][0]
    source = gradcli.derive(function, at=named(function, point), lang="c")
    expected = source.function(*point)

    assert called(compiled(source, tmp_path), point, expected) == pytest.approx(flat(expected), rel=1e-13)


def numbers_by_text(x):
    least, most, unset = float("inf"), float("-inf"), float("nan")
    for k in range(3):
        if x[k] < least:
            least = x[k]
        if x[k] > most:
            most = x[k]
    return least * most * float("2.5") if unset != unset else 0.0


@compiled_only
def test_numbers_by_text(tmp_path):
    point = (np.array([1.3, 1.7, 0.4]),)
    source = gradcli.derive(numbers_by_text, at=named(numbers_by_text, point), lang="c")
    expected = source.function(*point)

    assert called(compiled(source, tmp_path), point, expected) == pytest.approx(flat(expected), rel=1e-13)


def joined_rows(x, m):
    """Arrays of different lengths along the first axis."""
    y = np.concatenate([x, x[:1] * 2.0, np.tanh(x)], axis=0)
    rows = np.concatenate((m[1:], m * x[0]))
    return np.sum(y**2) * np.sum(rows[0] * rows[-1])


@compiled_only
def test_joined_arrays(tmp_path):
    point = (np.array([0.5, -1.0, 2.0]), np.array([[1.0, 2.0], [0.3, -0.4]]))
    source = gradcli.derive(joined_rows, at=named(joined_rows, point), lang="c")
    expected = source.function(*point)

    assert called(compiled(source, tmp_path), point, expected) == pytest.approx(flat(expected), rel=1e-13)


def shrunk(x):
    x = x[1:] * x[:-1]
    return np.sum(x)


def scaled(x, factor):
    """Its names are those of the function that calls it."""
    y = x * factor
    y[0] = 0.5
    return y, np.sum(y)


def calls_with_the_same_names(x, y):
    z, total = scaled(x, y)
    x = x + z * total
    y, factor = scaled(x, total)
    return np.sum(y) * factor * shrunk(x)


@compiled_only
@pytest.mark.parametrize("function", [shrunk, calls_with_the_same_names], ids=lambda f: f.__name__)
def test_names_of_several_sizes_and_of_called_functions(function, tmp_path):
    point = (np.array([1.0, -0.5, 2.0]), 0.7)[: function.__code__.co_argcount]
    source = gradcli.derive(function, at=named(function, point), lang="c")
    expected = source.function(*point)

    assert called(compiled(source, tmp_path), point, expected) == pytest.approx(flat(expected), rel=1e-12)


def reads_from_the_end(x):
    """Reads items by an array of indices, one of which counts from the end."""
    return np.sum(x[np.array([0, -1])] ** 2)


def adds_from_the_end(x):
    """Adds to items by an array of indices, one of which counts from the end."""
    y = np.zeros(3)
    np.add.at(y, np.array([0, -1]), x[:2])
    return np.sum(y**2)


def adds_its_own_items(x):
    y = x * x
    np.add.at(y, [0, 0, 2], y[[2, 0, 1]])
    np.add.at(y, [1, 0, 2], 2.0 * y[::-1] + x)
    return np.sum(y**3)


@pytest.mark.parametrize("function", [reads_from_the_end, adds_from_the_end, adds_its_own_items])
def test_an_array_of_indices_from_the_end(function, tmp_path):
    point = np.array([1.0, 2.0, 3.0])
    source = gradcli.derive(function, at=(point,), lang="c")
    expected = source.function(point)

    assert called(compiled(source, tmp_path), (point,), expected) == pytest.approx(expected.tolist(), rel=1e-14)


FOUR = np.array([0, 2, 0, -1])
OF_TABLE = np.arange(1.0, 7.0).reshape(3, 2)


def rows_of_a_table(table):
    return np.sum(np.tanh(table[FOUR] @ np.array([0.1, 0.2])) ** 2)


def pairs_of_rows(x):
    d = x[FOUR] - x[np.array([1, 1, 0, 2])]
    return np.sum(np.sqrt(np.sum(d**2, axis=1) + 1.0))


def sums_of_rows(x):
    y = np.ones((3, 2))
    np.add.at(y, FOUR[:3], x * x)
    return np.sum(y**3)


def one_row_added_often(x):
    y = np.zeros((3, 2))
    np.add.at(y, FOUR, x[0] * x[1])
    return np.sum(y**3)


def matrices_of_a_stack(x):
    y = np.stack([x, x**2, 2.0 * x])
    return np.sum(y[FOUR] ** 3)


@compiled_only
@pytest.mark.parametrize(
    "function", [rows_of_a_table, pairs_of_rows, sums_of_rows, one_row_added_often, matrices_of_a_stack]
)
def test_an_array_of_indices_of_rows(function, tmp_path):
    source = gradcli.derive(function, at=(OF_TABLE,), lang="c")
    expected = gradcli.grad(function)(OF_TABLE)

    found = called(compiled(source, tmp_path), (OF_TABLE,), expected)
    assert found == pytest.approx(expected.ravel().tolist(), rel=1e-12)


def halved_to_a_sum(x):
    while np.sum(x**2) > 1.0:
        x = x * 0.5
    return np.sum(x**3)


def halved_to_a_maximum(x):
    while max(abs(x[0]), x[1]) > 0.1:
        x = x * 0.5
    return np.sum(x**2)


@compiled_only
@pytest.mark.parametrize("function", [halved_to_a_sum, halved_to_a_maximum])
def test_a_loop_whose_condition_needs_statements(function, tmp_path):
    point = np.array([3.0, -1.0, 2.0])
    source = gradcli.derive(function, at=(point,), lang="c")
    expected = source.function(point.copy())

    assert called(compiled(source, tmp_path), (point,), expected) == pytest.approx(expected, rel=1e-12)


def test_a_length_that_a_number_decides():
    """It is refused by name, in whatever function it appears."""
    for text in ("np.zeros(n)", "x * np.ones((n, 1))", "np.arange(n)", "np.full(n, 2.0)", "np.linspace(0.0, 1.0, n)"):
        scope = {"np": np}
        lines = ["def f(x):", "    n = int(x) + 1", f"    return x * x + np.sum({text}) * x", ""]
        linecache.cache[f"<{text}>"] = (1, None, [f"{each}\n" for each in lines], f"<{text}>")
        exec(compile("\n".join(lines), f"<{text}>", "exec"), scope)

        with pytest.raises(UnsupportedError, match="in C"):
            gradcli.derive(scope["f"], at=2.5, lang="c")


MATRIX = np.arange(6.0).reshape(2, 3)


def another_diagonal(x):
    return np.sum(np.eye(3, k=1) @ x * x)


def another_diagonal_by_position(x):
    return np.sum(np.eye(3, 3, 1) @ x * x)


def raveled_by_columns(x):
    part = np.ravel(MATRIX, "F")
    return np.sum(part[:3] * x)


def flattened_by_columns(x):
    part = MATRIX.flatten("F")
    return np.sum(part[:3] * x)


def reshaped_by_columns(x):
    part = np.reshape(MATRIX, (3, 2), "F")
    return np.sum(part[:, 0] * x)


def any_of_a_generator(x):
    return x[0] * x[1] if any(v > 5 for v in x) else x[0] - x[1] ** 2


def counts_under_a_condition(x):
    return x[0] * x[1] * sum(1 for v in x if v > 5)


def sum_of_truth_values(x):
    """In NumPy it is a truth value as well."""
    return x[0] * x[1] * ((x[0] > 0.1) + (x[1] > 0.5))


def an_inverted_truth_value(x):
    """In NumPy it is a truth value, in Python -1 or -2."""
    return x[0] * x[1] * ~(x[0] > 0.1)


@pytest.mark.parametrize(
    "function",
    [
        another_diagonal, another_diagonal_by_position, raveled_by_columns, flattened_by_columns, reshaped_by_columns,
        any_of_a_generator, counts_under_a_condition, sum_of_truth_values, an_inverted_truth_value,
    ],
)  # fmt: skip
def test_what_c_would_compute_in_another_way_is_refused(function):
    """It is not left out."""
    with pytest.raises(UnsupportedError, match=r"does not know how to write .* in C"):
        gradcli.derive(function, at=np.array([0.3, 0.7, 1.1]), lang="c")


def inner_of_matrices(x):
    return np.sum(np.inner(MATRIX, MATRIX * 2.0)[0] * x[:2]) + np.sum(np.inner(MATRIX, x)) + np.inner(x, x)


def sizes_of_axes(x):
    total = 0.0
    for n in range(1, 4):
        part = np.outer(x[:n], x)
        total = total + np.size(part, 0) * np.sum(part) + np.size(part, axis=1) * x[0] + np.size(part) * x[1]
    return total


@compiled_only
@pytest.mark.parametrize("function", [inner_of_matrices, sizes_of_axes])
def test_inner_products_and_sizes(function, tmp_path):
    x = np.array([0.3, 0.7, 1.1])
    expected = gradcli.grad(function)(x)

    ours = called(compiled(gradcli.derive(function, at=x, lang="c"), tmp_path), [x], expected)

    np.testing.assert_allclose(ours, expected, rtol=1e-12)


def test_a_new_axis_in_two_places():
    x = np.array([[1.0, 2.0], [3.0, 4.0]])
    text = str(gradcli.derive(lambda x: np.sum(np.expand_dims(x, (0, 2)) ** 3), at=(x,), lang="c"))

    assert "gradient[2][2]" in text


@pytest.mark.sampled(16)
@pytest.mark.parametrize("name", NOT_IN_C)
def test_what_is_not_written_in_c(name):
    programs = {**scalar_programs.PROGRAMS, **array_programs.PROGRAMS}
    function = next(each for each in programs if each.__name__ == name)
    with pytest.raises(UnsupportedError) as refused:
        gradcli.derive(function, at=named(function, programs[function][0]), lang="c")

    assert NOT_IN_C[name] in refused.value.message
    assert refused.value.line


def test_a_list_of_arrays_that_grows_is_refused():
    """It is a list under two names, one of which is appended to."""
    with pytest.raises(UnsupportedError, match="of a list that grows in C"):
        gradcli.derive(idiom_programs.stack_list, at=np.array([1.0, 2.0, 0.5]), lang="c")


def reads_items(x):
    """Reads numbers of a list that grows, and an array from its end to its start."""
    ys = []
    for k in range(3):
        ys.append(x[k] * x[k])
    return ys[0] * ys[2] + np.sum(x[::-1] * np.arange(3))


def test_items_of_a_list_that_grows_and_of_a_reversed_array():
    text = str(gradcli.derive(reads_items, at=np.array([1.0, 2.0, 0.5]), lang="c"))

    assert "ys_1[2]" in text
    assert "gradient[2 - i] += " in text


def test_the_nodes_that_all_syntax_trees_share_are_left_alone():
    """Else the observations of a function that is derived later were looked up for the contexts of its names."""
    gradcli.derive(array_programs.sum_of_squares, at=np.array([1.0, 2.0]), lang="c")

    assert not hasattr(ast.parse("x", mode="eval").body.ctx, "number")


def test_the_seeds_function():
    assert str(gradcli.derive(f4, at=[1.0, 2.0, 3.0, 4.0], lang="c")).startswith(F4)


def test_with_the_value():
    """The value is returned, a single slope goes through a pointer."""
    text = str(gradcli.derive("x**2", at=3.0, value=True, lang="c"))

    assert "double grad_f(double x, double *gradient)\n" in text
    assert "    *gradient = 2 * x;\n    return result;\n" in text


def test_a_direction():
    text = str(gradcli.derive("x*y", at=(3.0, 2.0), mode="forward", lang="c"))

    assert "double jvp_f(double x, double y, double d_x, double d_y)\n" in text


def test_the_path_of_one_run():
    text = str(gradcli.derive(scalar_programs.newton_until, at=2.0, straight=True, lang="c"))

    assert "#include <assert.h>\n" in text
    assert "assert(fabs(a * a - a) > 1e-12);" in text


def unused(x, y):
    """Does not use y; `double` and `log` are words of C."""
    double = x * math.log(x)
    log = double * double
    return math.log(log + 1.0)


@compiled_only
def test_words_of_c(tmp_path):
    """They get an underscore or a number, and what is not used makes no warning."""
    source = gradcli.derive(unused, at=(2.0, 3.0), lang="c")

    assert flat(source.function(2.0, 3.0)).tolist() == called(compiled(source, tmp_path), (2.0, 3.0), (1.0, 1.0))


def whole_numbers(x, n=7):
    """Rounds whole numbers as Python does."""
    total = 0.0
    for k in range(-n, n, 3):
        total += x ** (k % 4) * (k // 2) / (abs(k) + 1)
    return total


@compiled_only
def test_quotients_of_whole_numbers(tmp_path):
    source = gradcli.derive(whole_numbers, at={"x": 1.5}, lang="c")

    assert source.function(1.5) == pytest.approx(called(compiled(source, tmp_path), (1.5,), 1.0)[0], rel=1e-15)


def inverted(x):
    """Inverts the bits of whole numbers, which count from the end."""
    return sum(x[~k] ** 2 * k for k in range(3)) + np.sum(~np.arange(3) * x) + x[~(len(x) // 2)] * ~len(x)


def inverted_masks(x):
    return np.sum(np.where(~(x > 1.0), x * x, x))


def quotients(x):
    """2.6 // 0.7 is 3.0, though 2.6 minus the rest is less than 3.0 times 0.7."""
    return x[0] // 0.7 * x[1] + np.sum(x // 0.1 * x) + np.sum(-x // 0.1 * x) + np.sum(x // -0.3 * x) + 6 // x[2] * x[2]


@compiled_only
@pytest.mark.parametrize("function", [inverted, inverted_masks, quotients])
@pytest.mark.parametrize("point", [[2.6, 0.7, 1.1], [0.3, -2.6, 0.6], [-0.9, 1e17, -6.0]])
def test_operators_on_whole_numbers_and_quotients(function, point, tmp_path):
    point = np.array(point)
    source = gradcli.derive(function, at={"x": np.array([0.31, 0.72, 1.13])}, lang="c")

    assert called(compiled(source, tmp_path), (point,), point) == pytest.approx(gradcli.grad(function)(point))


def large_integers(x):
    """The whole numbers of the array overflow an int of C from 46341 on."""
    k = np.arange(len(x))
    return np.sum(x * (k * k))


def a_large_count(x, n=3000):
    return x * (n**2 * n)


def rounded(x):
    return int(x) * x


@compiled_only
@pytest.mark.parametrize(
    ("function", "point"), [(large_integers, np.ones(46400)), (a_large_count, 1.5), (rounded, 3.5e9)]
)
def test_whole_numbers_that_are_no_int_are_refused(function, point):
    with pytest.raises(UnsupportedError, match=f"a whole number of {2**31} or more"):
        gradcli.derive(function, at={"x": point}, lang="c")


def test_rounded_numbers_are_asserted_to_be_ints():
    assert "whole(x)" in str(gradcli.derive(rounded, at=1.5, lang="c"))


def polynomial(x, c=(1.0, 2.0, 3.0)):
    """Has coefficients that the point leaves out."""
    total = 0.0
    for k in range(3):
        total += c[k] * x**k
    return total


@compiled_only
@pytest.mark.parametrize("mode", ["gradient", "forward"])
def test_a_default(mode):
    text = str(gradcli.derive(polynomial, at={"x": 2.0}, mode=mode, lang="c"))

    assert "    const double c[3] = {1.0, 2.0, 3.0};\n" in text


TABLE = np.array([1.0, 2.0, 3.0])


def fills_a_table(x):
    """Writes into an array of its file."""
    for i in range(3):
        TABLE[i] = x * i
    return TABLE.sum()


def fills_a_default(x, table=np.zeros(2)):  # noqa: B008
    """Writes into a default value."""
    table[:] = x
    return table[0] * table[1]


@compiled_only
@pytest.mark.parametrize(("function", "slope"), [(fills_a_table, 3.0), (fills_a_default, 4.0)])
def test_an_array_that_is_filled(function, slope, tmp_path):
    gc.collect()  # what earlier derivations left refers to the array too
    source = gradcli.derive(function, at={"x": 2.0}, lang="c")

    assert [slope] == called(compiled(source, tmp_path), (2.0,), 2.0)
    assert (source.verified.by_tape > 1) is (function is fills_a_table)  # no constant takes the place of a default


def trace(a):
    """Of a square matrix and its transpose."""
    return np.trace(a @ a.T)


@compiled_only
def test_arguments_behind_a_star(tmp_path):
    """The size of a unit matrix is that of another one."""
    point = (np.array([[1.0, 2.0], [3.0, 5.0]]),)
    source = gradcli.derive(trace, at=point, lang="c")

    assert flat(2.0 * point[0]).tolist() == called(compiled(source, tmp_path), point, point[0])


def digamma(x):
    """Has a partial that C lacks."""
    y = 2.0 * x
    return math.gamma(y)


def test_the_line_of_a_refusal():
    with pytest.raises(UnsupportedError, match="digamma") as refused:
        gradcli.derive(digamma, at=2.0, lang="c")

    assert inspect.getsourcelines(digamma)[1] + 3 == refused.value.line


def picked(x):
    labels = np.array([1, 0, 1])
    return -np.mean(x[np.arange(3), labels] ** 2)


@compiled_only
def test_a_product_of_what_two_index_arrays_read():
    """They are read together, and make one axis; the program is compared with the Python program."""
    x = np.arange(6.0).reshape(3, 2) - 1.3

    text = str(gradcli.derive(picked, at=x, lang="c", mode="forward"))

    assert "x[place(t_1, 3)][place(labels[i], 2)]" in text


def items_multiplied(x):
    rows = [x * 1.0, x * 2.0]
    return np.sum(rows[0] * rows[1])


def items_in_a_loop(x):
    rows = [x * 3.0, x]
    total = 0.0
    for k in range(2):
        total += np.sum(rows[k] ** 2)
    return total


def an_item_replaced(x):
    rows = [x * 3.0, x * 2.0]
    rows[0] = rows[1] * x
    return np.sum(rows[0] * rows[1])


@compiled_only
@pytest.mark.parametrize("function", [items_multiplied, items_in_a_loop, an_item_replaced])
def test_the_items_of_a_list_of_arrays_are_arrays(function, tmp_path):
    """They are added elementwise, and not joined as lists are."""
    x = np.array([1.0, -2.0, 0.5])
    source = gradcli.derive(function, at=x, lang="c")

    assert called(compiled(source, tmp_path), (x,), x) == pytest.approx(gradcli.grad(function)(x))


def out_of_order(x):
    total = 0.0
    for k in range(34):
        total += x[2 * k + 1] * 3.0
        total += x[2 * k] * 2.0
    return total * total


def backwards_inside(x):
    total = 0.0
    for k in range(17):
        for i in range(3, -1, -1):
            total += x[4 * k + i] * 3.0
    return total * total


def mirrored_inside(x):
    total = 0.0
    for k in range(17):
        for i in range(4):
            total += x[4 * k + 3 - i] * 3.0
    return total * total


def in_order(x):
    total = 0.0
    for k in range(68):
        total += x[k] * 3.0
    return total * total


@compiled_only
@pytest.mark.parametrize("function", [out_of_order, backwards_inside, mirrored_inside, in_order])
def test_elements_are_added_in_the_order_of_the_program(function, tmp_path):
    """GCC 12 reads wrong elements at -O3, with which the tests compile."""
    x = np.linspace(-1.0, 2.0, 68)
    source = gradcli.derive(function, at={"x": x}, lang="c")
    expected = gradcli.grad(function)(x)

    np.testing.assert_allclose(called(compiled(source, tmp_path), [x], expected), expected, rtol=1e-12)
    assert ("tree-vectorize" in str(source)) == (function is not in_order)
