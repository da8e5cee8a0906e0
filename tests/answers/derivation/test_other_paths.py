"""Programs that go other ways at other points, where a name holds a value of another kind: a list, a float or None."""

import linecache

import numpy as np
import pytest

import gradcli
from gradcli.errors import UnsupportedError

pytestmark = pytest.mark.sampled(4)  # many like cases

POINTS = [np.array(point) for point in ([1.3, 1.7], [6.2, 1.3], [1.5, 6.4], [7.1, 6.8], [2.5, 0.4], [-1.2, 0.6])]


def a_list_slice(x):
    ys = [x[0], x[1]]
    if x[0] > 5:
        ys[:] = [x[0] ** 2, x[1] * x[0], x[1]]
    return ys[0] * ys[-1]


def a_list_slice_in_a_loop(x):
    ys = [x[0]]
    for k in range(3):
        if x[0] > k:
            ys[:] = [y * x[1] for y in ys] + [x[1]]
    return sum(ys)


def scaled(ys, x):
    ys[:] = [y * x[0] for y in ys]
    return ys[0]


def a_list_slice_in_a_callee(x):
    ys = [x[1], x[0], 1.0]
    if x[0] > 5:
        ys[1] = scaled(ys, x)
    first = scaled(ys, x)
    return first * ys[1] + ys[2]


def a_list_slice_of_another_list(x):
    ys, zs = [x[0], x[1]], [x[1], x[1] ** 2]
    if x[0] > 5:
        zs[:] = ys
    ys[0] = 3.0 * x[1]
    return ys[0] * zs[0] * zs[1]


def none_or_a_list(x):
    s, t = None, [x[0]]
    for k in range(3):
        if x[0] > k:
            s = [x[0] * k, x[1]]
            t = s
        else:
            s = None
    return t[0] * (x[1] ** 2 if s is None else s[1])


def none_or_two_lists(x):
    a, b = None, None
    if x[0] > 5:
        a, b = [x[0]], [[x[1]]]
    return x[0] * x[1] ** 2 if a is None else a[0] * b[0][0]


def a_list_or_none(x):
    s = [x[0], x[1]]
    if x[0] < 5:
        s = None
    return x[0] * x[1] ** 2 if s is None else s[0] ** 2


def picked(x):
    return {"a": x * x, "b": [x[0]]} if x[0] > 5 else None


def none_or_a_dict(x):
    t = picked(x)
    return x[0] * x[1] ** 2 if t is None else np.sum(t["a"] ** 2) * t["b"][0]


def none_or_a_dict_under_another_name(x):
    s = None
    if x[0] > 5:
        s = {"a": x * x}
    t = s
    return x[0] * x[1] ** 2 if t is None else np.sum(t["a"] ** 2)


def none_or_a_tuple(x):
    s = None
    if x[0] > 5:
        s = (x * 2.0, x[0])
    return x[0] * x[1] ** 2 if s is None else np.sum(s[0] * s[1])


def an_array_or_none(x):
    s, total = x * x, 0.0
    for k in range(3):
        if x[0] > k:
            total = total + (0.0 if s is None else np.sum(s))
            s = None if k == 1 else x * k
    return total * x[0]


def an_integer_or_a_float(x):
    n, r = 0, x[1]
    if x[0] > 5:
        n = x[0]
    if x[1] > 5:
        r = n * 2
    return r * x[0]


def an_integer_or_an_item(x):
    ys, r = [0, 0], x[0]
    if x[0] > 5:
        ys[0] = x[1]
    return r + ys[0] * 2 if x[1] > 5 else r**2


def an_integer_or_a_field(x):
    d, r = {"a": 0}, x[0]
    if x[0] > 5:
        d["a"] = x[1]
    if x[1] > 5:
        r = r + d["a"] * 2
    return r**2


def integers_or_floats(x):
    u, r = np.zeros(2, dtype=int), x[0]
    if x[0] > 5:
        u = x * x
    return (r + np.sum(u)) ** 2 if x[1] > 5 else r


def an_empty_list_or_items(x):
    s, r = [], x[0]
    if x[0] > 5:
        s.append(x[0] * x[1])
    return r + sum(s) if x[1] > 5 else r


def none_or_an_array(x):
    s = None
    if x[0] > 5:
        s = x * x[1]
    return x[0] * (1.0 if s is None else np.sum(s)) if x[1] > 5 else x[0]


def squared(y):
    return y * y


def a_name_of_a_result(x):
    y = squared(x)
    z = y
    y2 = squared(y)
    return np.sum(y2 * z)


def of_items(x):
    return [x[0] * x[1], x[1]]


def a_name_of_a_list_that_is_returned(x):
    y = of_items(x)
    z = y
    y2 = of_items(y)
    return y2[0] * z[1]


def chosen(x, y):
    return y + (x[0] if y > 3 else 0.0)


def an_element_read_in_a_branch_of_a_callee(x):
    return chosen(x, x[0]) + chosen(x, x[1])


def a_store_under_dots(x):
    u = x * 1.0
    if x[0] > 5:
        u[...] = u * x[0]
    return u[0] * u[1] ** 2


def a_list_of_an_array(x):
    ys = (x * 2.0).tolist()
    ys[0] = ys[1] * 2.0 if x[0] > 5 else ys[0]
    return ys[0] * ys[1]


def a_range_of_numbers(x):
    u = np.linspace(x[0], x[1], 3)
    u[1] = u[1] * u[2]
    return u[0] * u[1]


def an_array_written_into_behind_a_choice(x):
    y, w = x * 1.0, x * 0.5
    z = np.where(y > 1.0, y, 0.5 * w)
    if x[0] > 5:
        y[1] *= x[0]
    return np.sum(y * w) + np.sum(z)


def an_array_written_into_behind_a_product(x):
    y, w = x * 1.0, x * 0.5
    z = w * w
    if x[0] > 5:
        y[0] = x[1] ** 2
    return np.sum(y * w) + np.sum(z)


def a_row_written_into_behind_a_sum(x):
    m, w = np.outer(x, x), x * 0.5
    if x[0] > 5:
        m[0] = m[1] * x[0]
    return np.sum(m[0] * w) + np.sum(m * m) + np.sum(np.sin(w))


def an_array_written_into_in_a_loop(x):
    y, w = x * 1.0, x + 2.0
    for i in range(2):
        if x[i] > 5:
            y[i] *= w[0]
    return np.sum(y * w) + np.sum(w / y)


FUNCTIONS = [
    an_array_written_into_behind_a_choice, an_array_written_into_behind_a_product, a_row_written_into_behind_a_sum,
    an_array_written_into_in_a_loop,
    a_list_slice, a_list_slice_in_a_loop, a_list_slice_in_a_callee, a_list_slice_of_another_list, none_or_a_list,
    none_or_two_lists, a_list_or_none, none_or_a_dict, none_or_a_dict_under_another_name, none_or_a_tuple,
    an_array_or_none, an_integer_or_a_float, an_integer_or_an_item, an_integer_or_a_field, integers_or_floats,
    an_empty_list_or_items, none_or_an_array, an_element_read_in_a_branch_of_a_callee, a_store_under_dots,
    a_list_of_an_array, a_range_of_numbers, a_name_of_a_result, a_name_of_a_list_that_is_returned,
]  # fmt: skip


@pytest.mark.parametrize("at", POINTS[:2], ids=str)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_a_program_derived_on_one_path_holds_on_the_others(function, at):
    derived = gradcli.derive(function, at=at).function

    for point in POINTS:
        np.testing.assert_allclose(derived(point), gradcli.grad(function)(point), rtol=1e-12)


def a_part_of_a_list(x):
    ys = [x[0], x[1]]
    ys[1:] = [x[1] * x[0], x[1]]
    return ys[0] * ys[-1]


def a_slice_of_a_row(x):
    ys = [[x[0]], [x[1]]]
    ys[0][:] = [x[1] * x[0]]
    return ys[0][0] * ys[1][0] ** 2


def an_item_of_a_slice(x):
    ys = [x[0], x[1]]
    ys[1:][0] = x[0] * 5
    return ys[0] * ys[1]


def a_list_slice_by_an_array(x):
    ys = [x[0], x[1]]
    ys[:] = x * x
    return ys[0] * ys[1]


def zero_or_a_list(x):
    s = 0
    if x[0] > 5:
        s = [x[0], x[1]]
    return x[0] if s == 0 else s[1] ** 2


def rebinds(u, v):
    u[0] = v
    if v > 5:
        u = u * 2.0
    return np.sum(u)


def an_argument_bound_to_another_value(x):
    u = x * 1.0
    total = rebinds(u, x[1])
    return total * u[1]


def appended(u, items):
    items = [] if items is None else items
    items.append(u)
    return items


def an_argument_or_a_new_list(x):
    ys = appended(x[0], None)
    ys = appended(x[1], ys)
    return ys[0] * ys[1]


@pytest.mark.parametrize(
    ("function", "message", "line"),
    [
        (an_argument_bound_to_another_value, "u, an argument that is written into and bound", "u = u * 2.0"),
        (an_argument_or_a_new_list, "items, an argument that is written into and bound", "items = [] if"),
        (a_part_of_a_list, r"the write into ys\[1:\], a slice of a list", "ys[1:] ="),
        (a_slice_of_a_row, r"the write into ys\[0\]\[:\], a slice of a list", "ys[0][:] ="),
        (an_item_of_a_slice, r"the write into ys\[1:\]\[0\], a slice of a list", "ys[1:][0] ="),
        (a_list_slice_by_an_array, r"the write into ys\[:\], a slice of a list", "ys[:] ="),
        (zero_or_a_list, "a name that is list of numbers and plain value by turns", "s == 0"),
    ],
    ids=lambda part: getattr(part, "__name__", ""),
)
def test_what_holds_on_one_path_alone_is_refused_in_its_line(function, message, line):
    with pytest.raises(UnsupportedError, match=message) as refused:
        gradcli.derive(function, at=POINTS[0])

    assert line in linecache.getline(__file__, refused.value.line)


def a_flag_that_its_branch_changes(x):
    is_first, total = True, 0.0
    for k in range(3):
        if is_first:
            total += x[0] ** 2 * x[1]
            is_first = False
        else:
            total = total * x[k % 2]
    return total


def a_condition_that_its_branch_changes(x):
    is_large = x[0] > 2.0
    total = x[1]
    if is_large:
        total = total * x[0]
        is_large = total > 10.0
    if is_large:
        return total * x[1]
    is_large = total < 0.9
    return total + x[1] ** 3 if is_large else total * x[0]


def a_list_first_made_in_a_loop(x):
    total = 0.0
    for k in range(2):
        ys = [x[0] * x[1]]
        ys.append(x[k])
        total = total + ys[0] ** 3 * ys[1]
    ys.append(x[1] * x[0])
    return ys[0] * total * ys[2]


@pytest.mark.parametrize(
    "function", [a_flag_that_its_branch_changes, a_condition_that_its_branch_changes, a_list_first_made_in_a_loop]
)
def test_what_changes_after_it_decides(function):
    derived = gradcli.derive(function, at=POINTS[0]).function

    for x in POINTS:
        assert np.allclose(derived(x), gradcli.grad(function)(x), rtol=1e-12)
