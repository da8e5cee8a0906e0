"""No program in C reads or writes beyond an array, also at points at which it takes other branches than at its own."""

import shutil

import numpy as np
import pytest

import gradcli
from gradcli.answers.derivation.languages.c import trial
from gradcli.answers.derivation.languages.c.terms import literal
from gradcli.errors import InternalError, UnsupportedError

LOW, HIGH, MIXED = np.array([0.1, 0.2, 0.3, 0.4]), np.array([1.1, 1.2, 1.3, 1.4]), np.array([1.1, 0.2, 1.3, 0.4])
SANITIZERS = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")


def unset_in_the_first_iterations(x):
    total = 0.0
    for i in range(4):
        if i > 2:
            m = np.sin(np.outer(x, x) * x[i])
            total += np.sum(m * m)
    return np.sum(total * x)


def unset_until_a_number_is_large(x):
    total = 0.0
    for i in range(4):
        if x[i] > 1.0:
            m = np.sin(np.outer(x, x) * x[i])
            m = m * m
            total += np.sum(m * m)
        else:
            total += x[i] ** 3
    return np.sum(total * x)


def unset_in_nested_loops(x):
    total = 0.0
    for i in range(4):
        for j in range(i):
            if j > 1 and x[j] > 1.0:
                m = np.outer(x, x) * x[i]
                m = np.sin(m)
                total += np.sum(m * m)
    return np.sum(total * x)


def strips(x):
    total = 0.0
    for i in range(4):
        if i > 1:
            part = np.sin(x[:i] * x[i])
            total += np.sum(part * part)
    return np.sum(total * x)


def strips_of_matrices(x):
    total = 0.0
    m = np.outer(x, x)
    for i in range(1, 4):
        if i > 2:
            part = np.sin(m[:i, i:] * x[i])
            part = part * part
            total += np.sum(part * part)
    return np.sum(total * x)


def arrays_and_numbers_by_turns(x):
    total = 0.0
    for i in range(4):
        if x[i] > 1.0:
            m, k = x * x[i], x[0]
        else:
            k, m = x[1], x * x[i]
        if i > 2:
            q = np.sin(m * k)
            total += np.sum(q * q)
    return np.sum(total * x)


def ended_by_a_break(x):
    total = 0.0
    for i in range(4):
        if i > 1 and x[i] > 1.0:
            break
        for j in range(3):
            if x[j] * (i + 1) > 2.0:
                break
            w = np.outer(x, x) * x[i]
            w = w * np.sin(w)
            total += np.sum(w * w)
    return np.sum(total * x)


def counted_by_while(x):
    total, i = 0.0, 0
    while i < 4:
        if i > 1 and x[i] > 1.0:
            w = np.outer(x, x) * x[i]
            w = np.sin(w)
            total += np.sum(w)
        i += 1
    return np.sum(total * x)


def weighed(x, i):
    total = 0.0
    for j in range(4):
        if j >= i and x[j] > 1.0:
            w = np.outer(x, x) * x[j]
            w = np.sin(w)
            total += np.sum(w * w)
    return total


def in_a_called_function(x):
    total = 0.0
    for i in range(3):
        total += weighed(x, i) * x[i]
    return np.sum(total * x)


def places_of_an_array(x):
    y = np.outer(x, x)
    for i in range(4):
        if x[i] > 1.0:
            y[i] = np.sin(y[i] * y[i - 1])
        elif i > 2:
            y[:i] = y[:i] * y[i]
    return np.sum(y * y)


def unbounded(x):
    s = x[0]
    while s < 10.0:
        s = s * (1.0 + x[1]) + x[2]
    return s


def read_at_a_number(x):
    k = int(x[0])
    return x[k] ** 2 + x[1]


def written_at_a_number(x):
    y = np.zeros(4)
    y[int(x[0])] = x[1] * x[2]
    return np.sum(y * y)


def sets_beyond_the_end(x):
    y = np.zeros(4)
    if x[0] > 5.0:
        y[np.array([0, 9])] = x[:2] * x[2:]
    return np.sum((x + y) ** 2)


def adds_beyond_the_end(x):
    y = np.zeros(4)
    if x[0] > 5.0:
        np.add.at(y, np.array([0, 9]), x[:2] * x[2:])
    return np.sum((x + y) ** 2)


def beyond_in_a_branch(x):
    total = 0.0
    for i in range(10):
        if x[0] > 5.0 and x[i] > 0.0:
            break
        total = total + x[min(i, 3)] * x[0]
    return np.sum(total * x)


def before_in_a_branch(x):
    total = 0.0
    for i in range(10):
        if x[0] > 5.0 and x[4 - i - 1 - 1] > 0.0:
            break
        total = total + x[min(i, 3)] * x[0]
    return np.sum(total * x)


PROGRAMS = [
    unset_in_the_first_iterations, unset_until_a_number_is_large, unset_in_nested_loops, strips, strips_of_matrices,
    arrays_and_numbers_by_turns, ended_by_a_break, counted_by_while, in_a_called_function, places_of_an_array,
]  # fmt: skip


def gradients(source, *points):
    calls = [f"double given[4] = {literal(point)};\ngiven, gradient" for point in points]
    return trial.numbers(str(source), source.name, calls, [("gradient", 4)], returns=False)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("at", [LOW, HIGH], ids=["low", "high"])
def test_a_program_writes_within_its_arrays_at_other_points(function, at, monkeypatch):
    monkeypatch.setattr(trial, "FLAGS", (*trial.FLAGS, *SANITIZERS))
    source = gradcli.derive(function, at=(at,), lang="c")
    points = [LOW, HIGH, MIXED]

    results = gradients(source, *points)

    for result, point in zip(results, points, strict=True):
        assert result == pytest.approx(source.function(point).tolist(), rel=1e-10)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("at", [LOW, HIGH], ids=["low", "high"])
def test_a_compiled_gradient_is_the_eager_one_at_other_points(function, at):
    compiled, eager = gradcli.grad(function, compile=True), gradcli.grad(function)

    for point in (at, at, LOW, HIGH, MIXED):
        assert compiled(point) == pytest.approx(eager(point), rel=1e-10)


def test_a_loop_of_any_number_of_iterations_that_fills_a_list_is_refused():
    with pytest.raises(UnsupportedError, match="a loop of any number of turns that keeps numbers for the way back"):
        gradcli.derive(unbounded, at=(LOW,), lang="c")


@pytest.mark.parametrize("function", [read_at_a_number, written_at_a_number, sets_beyond_the_end, adds_beyond_the_end])
@pytest.mark.parametrize("first", [6.0, 1e6])
def test_an_index_beyond_the_end_ends_the_program(function, first):
    source = gradcli.derive(function, at=(HIGH,), lang="c")

    with pytest.raises(InternalError, match="0 <= index && index < length"):
        gradients(source, np.array([first, 1.2, 1.3, 1.4]))


@pytest.mark.parametrize("function", [read_at_a_number, written_at_a_number])
def test_an_index_may_count_from_the_end(function):
    source, point = gradcli.derive(function, at=(HIGH,), lang="c"), np.array([-4.0, 1.2, 1.3, 1.4])

    assert gradients(source, point)[0] == source.function(point).tolist()
    with pytest.raises(InternalError, match="0 <= index && index < length"):
        gradients(source, point - 1.0)


@pytest.mark.parametrize("function", [beyond_in_a_branch, before_in_a_branch])
def test_a_known_index_outside_of_an_array_is_refused(function):
    with pytest.raises(UnsupportedError, match="how to write") as refused:
        gradcli.derive(function, at=(LOW,), lang="c", mode="forward")

    assert refused.value.line


def taken_off_by_turns(x):
    ys = [x[0], x[1]]
    total = x[1] * 0.0
    for i in range(4):
        if x[0] > i:
            y = ys.pop()
            total = total + y**2
    return total


def last_of_a_list_of_any_length(x):
    ys = []
    for i in range(4):
        if x[i] > 1.0:
            ys.append(x[i] * x[0])
    return ys[-1] * ys[0]


def test_an_item_that_is_taken_off_a_list_of_any_length_is_refused():
    with pytest.raises(UnsupportedError, match="of a list whose length the sizes do not decide") as refused:
        gradcli.derive(taken_off_by_turns, at=(HIGH,), lang="c", mode="forward")

    assert refused.value.line


def test_an_item_of_an_empty_list_ends_the_program():
    source = gradcli.derive(last_of_a_list_of_any_length, at=(HIGH,), lang="c", mode="forward")
    calls = [f"double given[4] = {literal(point)};\ngiven, given" for point in (MIXED, LOW)]

    assert trial.numbers(str(source), source.name, calls[:1], [], returns=True)[0] == [source.function(MIXED, MIXED)]
    with pytest.raises(InternalError, match="0 <= index && index < length"):
        trial.numbers(str(source), source.name, calls[1:], [], returns=True)
