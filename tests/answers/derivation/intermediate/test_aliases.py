"""Second names of what is written into, and arguments kept for a reverse pass that are written into after the call."""

import linecache

import numpy as np
import pytest

import gradcli
from gradcli.errors import UnsupportedError

pytestmark = pytest.mark.sampled(2)  # many like cases

X = np.array([0.5, -1.0, 2.0])


def of_neighbours(x):
    return np.sum(np.tanh(x[1:] * x[:-1]))


def of_items(xs):
    total = 0.0
    for x in xs:
        total += x * x * xs[0]
    return total


def of_fields(d):
    return np.sum(np.sin(d["a"]) * d["b"])


def an_array(x):
    u = x * 1.0
    kept = of_neighbours(u)
    u[0] = x[1] * 3.0
    return kept * np.sum(u)


def an_array_in_a_loop(x):
    u, total = np.zeros(3), 0.0
    for k in range(3):
        u[k] = x[k] * x[0]
        total += of_neighbours(u)
        u[1:] = x[:-1]
    return total * of_neighbours(u)


def an_array_at_places(x):
    u = np.sin(x)
    kept = of_neighbours(u)
    np.add.at(u, [0, 0, 2], x)
    return kept * of_neighbours(u)


def a_list(x):
    xs = [x[0], x[1], x[2] * 2.0]
    kept = of_items(xs)
    xs[0] = x[2]
    return kept * of_items(xs)


def a_list_that_grows(x):
    xs = [x[0]]
    kept = of_items(xs)
    xs.append(x[1] * 2.0)
    return kept * of_items(xs)


def a_dict(x):
    d = {"a": x * 3.0, "b": x * 2.0}
    kept = of_fields(d)
    d["b"] = x * x
    return kept * of_fields(d)


def a_part_of_an_array(x):
    u = np.outer(x, x)
    kept = of_neighbours(u[0])
    u[0] = x
    return kept * of_neighbours(u[0])


FUNCTIONS = [an_array, an_array_in_a_loop, an_array_at_places, a_list, a_list_that_grows, a_dict, a_part_of_an_array]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_the_reverse_pass_of_a_call_has_the_argument_as_it_was(function):
    derived = gradcli.derive(function, at=X).function

    np.testing.assert_allclose(derived(X), gradcli.grad(function)(X), rtol=1e-12)


def a_row_of_a_list(x):
    rows = [[0.0] * 2 for _ in range(2)]
    if x[0] > 5:
        rows[1] = rows[0]
    rows[0][1] = x[1] ** 2
    return rows[1][1] * x[0] + x[1] * x[0]


def a_row_of_a_list_in_every_run(x):
    rows = [[x[0], 0.0], [0.0, x[1]]]
    rows[1] = rows[0]
    rows[0][1] = x[1] ** 2
    return rows[1][1] * rows[1][0]


def a_value_of_a_dict(x):
    d = {"a": [x[0]], "b": [x[1]]}
    if x[0] > 5:
        d["b"] = d["a"]
    d["a"][0] = x[1] * x[0]
    return d["b"][0] * x[0]


class Holder:
    """An object with one field."""

    def __init__(self, v):
        self.v = v


def an_attribute(x):
    a, b = Holder([x[0]]), Holder([x[1]])
    if x[0] > 5:
        b.v = a.v
    a.v[0] = x[0] ** 2 * x[1]
    return b.v[0] * x[0] + a.v[0]


def a_row_of_an_attribute(x):
    a = Holder([[x[0], 1.0], [x[1], 2.0]])
    if x[0] > 5:
        a.v[1] = a.v[0]
    a.v[0][1] = x[1] ** 2
    return a.v[1][1] * a.v[1][0]


def rows_of_an_array(x):
    held = np.zeros((2, 2))
    rows = [held[0], held[1]]
    rows[0][1] = x[1] ** 2
    return held[0, 1] * x[0]


def items_by_an_order(x):
    points = [[x[0], x[1]], [x[1], x[0]]]
    order = [0, 1] if x[0] < 5 else [0, 0]
    chosen = [points[i] for i in order]
    chosen[0][0] = chosen[0][0] * 3
    return chosen[1][0] * x[1] + chosen[0][0]


def items_of_a_list(x):
    rows = [[x[0], x[1]], [x[1], x[0]]]
    new = [row for row in rows] if x[0] > 5 else [list(row) for row in rows]  # noqa: C416
    new[0][1] = rows[1][0] * rows[0][1]
    return new[0][1] * rows[0][1] + rows[0][0]


def an_appended_part(x):
    kept, u = [], x.copy()
    for _ in range(3):
        if x[0] > 5:
            kept.append(u[:1])
        u[0] = u[0] * 0.9 + u[1]
    total = u[0]
    for each in kept:
        total = total + each[0] * u[1]
    return total


def a_repeated_row(x):
    rows = [[0.0] * 2] * 2
    rows[0][0] = x[0]
    return rows[1][0] * x[1]


def one_list_twice(x):
    a, b = [x[0], 1.0], [x[1], 2.0]
    rows = [a, b] if x[0] < 5 else [a, a]
    rows[0][1] = x[1] ** 2
    return rows[1][1] * rows[0][0] + rows[0][1]


def the_best_state(x):
    best, state = None, [x[0], x[1]]
    for _ in range(4):
        state[0] = state[0] * 0.9 + state[1] * 0.1
        if state[0] > 5:
            best = state
    return state[0] + (best[0] ** 2 if best is not None else 0.0)


def itself_or_a_copy(u):
    return u if u[0] > 5 else u.copy()


def limited(u):
    if u[0] < 5:
        return u * 1.0
    return u


def an_argument_that_is_returned(x):
    u = x * 1.0
    v = itself_or_a_copy(u)
    v[0] = v[0] ** 2
    return u[0] * v[1] + v[0]


def an_argument_that_is_returned_at_the_end(x):
    u = x * 2
    v = limited(u)
    v[0] = v[0] ** 2
    return u[0] * v[1] + v[0]


def a_slice_of_shared_arrays(x):
    u = np.array([x[0], x[1]])
    b = [u * 1, u * 2]
    b[:] = [u * 3, u]
    if x[0] > 50:
        b[1][0] = x[1] ** 2
    return b[1][0] * u[0]


def a_slice_of_shared_lists(x):
    a, b = [[x[0]], [x[1]]], [[1.0], [1.0]]
    b[:] = a
    if x[0] > 50:
        b[0][0] = x[1] ** 2
    return a[0][0] * x[1]


def a_list_into_itself(x):
    a = [x[0], x[1]]
    if x[0] > 50:
        a[:] = a
    return a[0] * a[1]


@pytest.mark.parametrize("function", [a_slice_of_shared_arrays, a_slice_of_shared_lists, a_list_into_itself])
def test_a_slice_whose_items_would_be_shared_is_refused(function):
    with pytest.raises(UnsupportedError, match="a slice of a list") as refused:
        gradcli.derive(function, at=np.array([2.0, 1.5]))

    assert "[:] =" in linecache.getline(__file__, refused.value.line)


def scaled_by_a_second_name(y):
    v = y
    v *= 2.0
    return v


def a_second_name_in_a_called_function(x):
    z = x * 1.0
    u = scaled_by_a_second_name(z)
    return np.sum(z * x * u)


ALIASES = [
    (a_second_name_in_a_called_function, "v = y"),
    (a_row_of_a_list, "rows[1] = rows[0]"),
    (a_row_of_a_list_in_every_run, "rows[1] = rows[0]"),
    (a_value_of_a_dict, 'd["b"] = d["a"]'),
    (an_attribute, "b.v = a.v"),
    (a_row_of_an_attribute, "a.v[1] = a.v[0]"),
    (rows_of_an_array, "rows = [held[0]"),
    (items_by_an_order, "for i in order"),
    (items_of_a_list, "[row for row in rows]"),
    (an_appended_part, "kept.append"),
    (a_repeated_row, "rows = "),
    (one_list_twice, "[a, a]"),
    (the_best_state, "best = state"),
    (an_argument_that_is_returned, "v = itself_or_a_copy(u)"),
    (an_argument_that_is_returned_at_the_end, "v = limited(u)"),
]


@pytest.mark.parametrize(("function", "line"), ALIASES, ids=lambda part: getattr(part, "__name__", ""))
@pytest.mark.parametrize("at", [[1.3, 1.7], [6.2, 1.3]])
def test_a_second_name_of_what_is_written_into_is_refused_in_its_line(function, line, at):
    with pytest.raises(UnsupportedError, match="as a second name of what") as refused:
        gradcli.derive(function, at=np.array(at))

    assert line in linecache.getline(__file__, refused.value.line)


VIEWS = {
    "swapaxes": lambda y: np.swapaxes(y, 0, 1),
    "moveaxis": lambda y: np.moveaxis(y, 0, 1),
    "transpose": lambda y: np.transpose(y, (1, 0)),
    "squeeze": lambda y: np.squeeze(y),
    "expand_dims": lambda y: np.expand_dims(y, 0),
    "rot90": lambda y: np.rot90(y),
}


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("is_written", [False, True])
def test_a_view_is_a_second_name(name, is_written):
    view = VIEWS[name]

    def function(x):
        y = x * 2.0
        z = view(y)
        if is_written:
            z[0] = 5.0
        else:
            y[0, 0] = 5.0
        return np.sum(y * y) + np.sum(z * z)

    with pytest.raises(UnsupportedError, match="as a second name of what"):
        gradcli.derive(function, at=np.array([[1.5, 2.0], [0.5, -1.0]]))


def swapped_rows(x):
    rows = [[x[0], x[1]], [x[1], x[0]]]
    if x[0] > 5:
        rows[0], rows[1] = rows[1], rows[0]
    rows[0][0] = 3 * x[0] * x[1]
    return rows[0][0] * rows[0][1] + rows[1][0] * rows[1][1]


def a_replaced_row(x):
    rows = [[x[0], x[1]], [x[1], x[0]]]
    rows[1] = rows[0]
    rows[0] = [x[1], x[1] * x[0]]
    return rows[0][1] * rows[1][0]


def copied_rows(x):
    rows = [[x[0], x[1]], [x[1], x[0]]]
    new = [list(row) for row in rows]
    new[1] = list(new[0])
    new[0][1] = rows[1][0] * rows[0][1]
    return new[0][1] * rows[0][1] + new[1][1]


def rows_of_an_array_that_are_read(x):
    held = np.outer(x, x)
    rows = [held[0], held[1]]
    return (rows[1] + held[0]) @ x


def an_array_row_in_place_of_another(x):
    held = np.outer(x, x)
    held[1] = held[0]
    held[0, 0] = x[1] ** 3
    return np.sum(held[1] * held[0])


def an_argument_that_is_returned_and_read(x):
    u = x * 1.0
    return np.sum(itself_or_a_copy(u) * u)


DERIVED = [
    swapped_rows, a_replaced_row, copied_rows, rows_of_an_array_that_are_read, an_array_row_in_place_of_another,
    an_argument_that_is_returned_and_read,
]  # fmt: skip


@pytest.mark.parametrize("function", DERIVED, ids=lambda f: f.__name__)
def test_a_second_name_of_what_is_not_written_into_is_derived(function):
    derived = gradcli.derive(function, at=np.array([1.3, 1.7])).function

    for at in (np.array([1.3, 1.7]), np.array([6.2, 1.3])):
        np.testing.assert_allclose(derived(at), gradcli.grad(function)(at), rtol=1e-12)


def cubes_and_sum(x):
    out = x * x
    return out, np.sum(out**3)


def shift(x, out):
    out[1:] = x[:-1]
    return np.sum(out**3) * x[0]


def of_a_loop(x):
    total = 0.0
    for i in range(2):
        u = x * x[i]
        total += np.sum(u**3)
    u[-1] = x[0] * x[0]
    return np.sum(u) * total


def of_a_loop_in_place(x):
    total = 0.0
    for i in range(2):
        u = x * x[i]
        total += np.sum(u**3)
    u += x
    return np.sum(u**2) * total


def of_a_call(x):
    u, total = cubes_and_sum(x)
    u[-1] = x[0] * x[0]
    return np.sum(u) * total


def of_an_argument(x):
    u = np.ones(3)
    total = shift(x, u)
    u[-1] = x[0] * x[0]
    return np.sum(u) * total


def of_an_argument_in_a_loop(x):
    total = 1.0
    for i in range(2):
        u = np.ones(3) * x
        part = shift(x, u)
        u[-1] = x[0] * x[i]
        total = total * (np.sum(u) + part)
    return np.sum(u) * part * total


def of_a_list_that_grows(x):
    total = 0.0
    for i in range(2):
        xs = [x[0] * x[1], x[i]]
        total += xs[0] ** 3 * xs[1]
    xs[0] = 2.0 * x[1]
    return xs[0] * total


def of_a_call_in_a_list(x):
    rows, total = [], 1.0
    for i in range(2):
        u, part = cubes_and_sum(x * x[i])
        rows.append(u)
        total = total * part
    rows[0][1] = x[0] * 2.0
    return np.sum(rows[0] * rows[1]) * total


def of_a_call_in_a_dict(x):
    d = {}
    d["u"], total = cubes_and_sum(x)
    d["u"][0] = x[1] * x[2]
    return np.sum(d["u"]) * total


IN_LISTS = [of_a_call_in_a_list, of_a_call_in_a_dict]  # which C does not write


@pytest.mark.parametrize("function", IN_LISTS, ids=lambda f: f.__name__)
def test_what_a_called_function_keeps_is_as_it_was_when_it_is_written_into_in_a_list(function):
    derived = gradcli.derive(function, at=X).function

    np.testing.assert_allclose(derived(X), gradcli.grad(function)(X), rtol=1e-12)


KEPT = [of_a_loop, of_a_loop_in_place, of_a_call, of_an_argument, of_an_argument_in_a_loop, of_a_list_that_grows]


@pytest.mark.parametrize("lang", ["python", "c"])
@pytest.mark.parametrize("function", KEPT, ids=lambda f: f.__name__)
def test_what_the_reverse_pass_keeps_is_as_it_was_when_it_is_written_into_later(function, lang):
    """Derivation compares with the tape; so does the Python program here."""
    derived = gradcli.derive(function, at=X, lang=lang)

    assert derived.verified.by_tape
    if lang == "python":
        np.testing.assert_allclose(derived.function(X), gradcli.grad(function)(X), rtol=1e-12)


def in_a_reversed_list(x):
    a = [x[0], x[1], x[2]]
    b = a[::-1]
    b[0] = 2.0 * x[1]
    return a[0] * b[0] + a[2] * b[2]


def in_parts_of_a_list(x):
    a = [x[0], x[1], x[2]]
    for k in range(2):
        b = a[:2]
        a[0] = b[1] * a[2]
        b[1] = a[0] * b[0]
        a = b + [x[k]]
    return a[0] * a[1] * a[2]


@pytest.mark.parametrize("function", [in_a_reversed_list, in_parts_of_a_list])
def test_a_slice_of_a_list_of_numbers_is_a_new_list(function):
    derived = gradcli.derive(function, at=X).function

    np.testing.assert_allclose(derived(X), gradcli.grad(function)(X), rtol=1e-12)


def a_second_name_of_a_list_that_grows(x):
    z = [x[0]]
    y = z
    y += [x[1] * x[2]]
    return z[1] * z[0]


def a_second_name_of_a_list_that_is_repeated(x):
    z = [x[0], x[1]]
    y = z
    y *= 2
    return z[3] * z[0]


def a_field_that_grows(x):
    d = {"k": [x[0]]}
    z = d["k"]
    d["k"] += [x[1]]
    return z[1] * z[0]


def a_reversed_list_of_lists(x):
    a = [[x[0]], [x[1]]]
    b = a[::-1]
    b[0][0] = 3.0
    return a[1][0] * x[0]


GROWING = [
    a_second_name_of_a_list_that_grows, a_second_name_of_a_list_that_is_repeated, a_field_that_grows,
    a_reversed_list_of_lists,
]  # fmt: skip


@pytest.mark.parametrize("function", GROWING, ids=lambda f: f.__name__)
def test_a_second_name_of_a_list_that_changes_is_refused(function):
    with pytest.raises(UnsupportedError, match="second name"):
        gradcli.derive(function, at=X)


def grows_by_a_tuple(x):
    z = [x[0]]
    z += (x[1], x[2])
    return z[1] * z[0]


def test_a_list_that_grows_by_a_tuple_is_refused():
    with pytest.raises(UnsupportedError, match=r"no list, in z \+ \(x\[1\], x\[2\]\)"):
        gradcli.derive(grows_by_a_tuple, at=X)


def a_part(v):
    return v[:2]


def a_part_under_a_name(v):
    part = v[1:]
    return part


def itself_under_a_name(v):
    same = v
    return same


def in_a_tuple(v):
    return v, 2.0


def in_a_list(v):
    return [v * 2.0, v]


def in_a_dict(v):
    return {"a": v, "b": v * 2.0}


def as_a_column(v):
    return v.reshape(3, 1)


def one_of_two_parts(v):
    if v[0] > 0.0:
        return v[:2]
    return v[1:]


def into_a_part(v):
    w = v * 3.0
    p = a_part(w)
    p[1] = v[2]
    return np.sum(p) * np.sum(w)


def into_a_part_under_a_name(v):
    w = v * 3.0
    p = a_part_under_a_name(w)
    p[1] = v[2]
    return np.sum(p) * np.sum(w)


def into_itself_under_a_name(v):
    w = v * 3.0
    p = itself_under_a_name(w)
    p[1] = v[2]
    return np.sum(p) * np.sum(w)


def into_an_item_of_a_tuple(v):
    w = v * 3.0
    p = in_a_tuple(w)
    p[0][1] = v[2]
    return np.sum(p[0]) * np.sum(w)


def into_an_item_of_a_list(v):
    w = v * 3.0
    p = in_a_list(w)
    p[1][1] = v[2]
    return np.sum(p[1]) * np.sum(w)


def into_an_unpacked_item(v):
    w = v * 3.0
    p, _ = in_a_tuple(w)
    p[1] = v[2]
    return np.sum(p) * np.sum(w)


def into_a_value_of_a_dict(v):
    w = v * 3.0
    p = in_a_dict(w)
    p["a"][1] = v[2]
    return np.sum(p["a"]) * np.sum(w)


def into_a_column(v):
    w = v * 3.0
    p = as_a_column(w)
    p[1] = v[2]
    return np.sum(p) * np.sum(w)


def into_one_of_two_parts(v):
    w = v * 3.0
    p = one_of_two_parts(w)
    p[1] = v[2]
    return np.sum(p) * np.sum(w)


def into_the_argument(v):
    w = v * 3.0
    p, _ = in_a_tuple(w)
    w[1] = v[2]
    return np.sum(p) * np.sum(w)


SHARING = [
    into_a_part, into_a_part_under_a_name, into_itself_under_a_name, into_an_item_of_a_tuple, into_an_item_of_a_list,
    into_an_unpacked_item, into_a_value_of_a_dict, into_a_column, into_one_of_two_parts, into_the_argument,
]  # fmt: skip


@pytest.mark.parametrize("lang", ["python", "c"])
@pytest.mark.parametrize("function", SHARING, ids=lambda f: f.__name__)
def test_what_a_call_returns_is_a_second_name_of_what_it_shares(function, lang):
    with pytest.raises(UnsupportedError, match=r"as a second name of what|in C"):
        gradcli.derive(function, at=X, lang=lang)


def numbers_of(v):
    return v[0], v[1]


def of_numbers(v):
    w = v * 3.0
    p = numbers_of(w)
    w[1] = v[2]
    return p[0] * np.sum(w) * p[1]


def copied_by_one(v):
    return v[:2] * 1.0, v * 2.0


def of_a_product_with_one(v):
    p = copied_by_one(v)
    p[0][1] = v[2] * v[0]
    return np.sum(p[0]) * np.sum(p[1])


def of_a_product_with_one_in_a_tuple(v):
    p = (v * 1.0, v * 2.0)
    p[0][1] = v[2] * v[0]
    return np.sum(p[0]) * np.sum(p[1])


def of_an_array_of_a_product_with_one(v):
    y = np.asarray(v * 1.0)
    y[1] = v[2] * v[0]
    return np.sum(y * y)


def of_a_parameter_in_a_tuple(v):
    p = (v, 3.0)
    p[0][1] = 2.0
    return np.sum(p[0]) * p[1]


def of_the_argument_itself(v):
    w = v * 3.0
    p = a_parameter(w)
    return np.sum(p * p) * np.sum(w)


def a_parameter(v):
    return v


def of_a_part_that_is_only_read(v):
    w = v * 3.0
    p = a_part(w)
    return np.sum(p) * np.sum(w)


OWN = [
    of_numbers, of_a_product_with_one, of_a_product_with_one_in_a_tuple, of_an_array_of_a_product_with_one,
    of_a_parameter_in_a_tuple, of_the_argument_itself, of_a_part_that_is_only_read,
]  # fmt: skip


@pytest.mark.parametrize("function", OWN, ids=lambda f: f.__name__)
def test_what_shares_nothing_with_another_name_is_derived(function):
    derived, at = gradcli.derive(function, at=X).function, X.copy()

    np.testing.assert_allclose(derived(at), gradcli.grad(function)(X.copy()), rtol=1e-12)
    np.testing.assert_array_equal(at, X)


def test_an_argument_that_is_returned_in_c():
    assert "void grad_of_the_argument_itself(" in str(gradcli.derive(of_the_argument_itself, at=X, lang="c"))


def states_in_tuples(x):
    states = [(np.zeros_like(x), x * 1.0) for _ in range(2)]
    total = 0.0
    for n in range(3):
        given = x
        for k in range(2):
            h, c = states[k]
            h, c = np.tanh(h * x + given), c * 0.5 + h
            states[k] = (h, c)
            given = h
        total += np.sum(given * n)
    return total + np.sum(states[0][1])


def a_replaced_item(x):
    states = [x * 1.0, x * 2.0]
    first = states[0]
    states[0] = x * x
    return np.sum(first * states[0])


def a_replaced_value(x):
    states = {"a": x * 1.0, "b": x * 2.0}
    first = states["a"]
    states["a"] = x * x
    return np.sum(first * states["a"] * states["b"])


def items_by_turns(x):
    states = [x * 1.0, x * 2.0]
    for k in range(3):
        last = states[k % 2]
        states[k % 2] = last * x
        states[(k + 1) % 2] = states[(k + 1) % 2] + last
    return np.sum(states[0] * states[1])


def a_part_of_a_replaced_item(x):
    states = [x * 1.0, x * 2.0]
    part = states[0][1:]
    states[0] = x * x
    return np.sum(part * states[0][1:])


@pytest.mark.parametrize(
    "function",
    [states_in_tuples, a_replaced_item, a_replaced_value, items_by_turns, a_part_of_a_replaced_item],
    ids=lambda f: f.__name__,
)
def test_an_item_that_another_one_replaces_keeps_its_second_name(function):
    np.testing.assert_allclose(gradcli.derive(function, at=X).function(X), gradcli.grad(function)(X), rtol=1e-12)


def an_item_that_is_added_to(x):
    states = [x * 1.0, x * 2.0]
    first = states[0]
    states[0] += x * x
    return np.sum(first * states[0])


def a_value_that_is_multiplied(x):
    states = {"a": x * 1.0}
    first = states["a"]
    states["a"] *= x
    return np.sum(first * x)


def an_item_that_is_written_into(x):
    states = [x * 1.0, x * 2.0]
    first = states[0]
    states[0][:] = 3.0
    return np.sum(first * x)


def with_other_numbers(states):
    states[1][0] = 3.0
    return states


def an_item_that_a_function_writes_into(x):
    states = [x * 1.0, x * 2.0]
    second = states[1]
    states = with_other_numbers(states)
    return np.sum(second * states[0])


@pytest.mark.parametrize(
    "function",
    [
        an_item_that_is_added_to,
        a_value_that_is_multiplied,
        an_item_that_is_written_into,
        an_item_that_a_function_writes_into,
    ],
    ids=lambda f: f.__name__,
)
def test_a_second_name_of_an_item_that_changes_is_refused(function):
    with pytest.raises(UnsupportedError, match="second name"):
        gradcli.derive(function, at=X)
