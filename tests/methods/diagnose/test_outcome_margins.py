"""Whether a run stands at a switch, and how far it is from one."""

import math

import numpy as np
import pytest

import gradcli
from gradcli.methods.diagnose.outcome_margins import (
    at_switch,
    confirmed,
    kink_nodes,
    moving_operands,
    nearest_bend,
    nearest_change,
    nodes_at_kink,
)
from gradcli.methods.transforms.gradients import trace

pytestmark = pytest.mark.sampled(4)  # many like cases


def distance_to_change(run, direction, bending=()):
    return nearest_change(run, moving_operands(run, direction, bending), bending)


@pytest.mark.parametrize(
    ("f", "at", "expected"),
    [
        (lambda x: x * x, 1.0, False),
        (lambda x: x if x < 1 else 2 * x, 1.0, True),
        (lambda x: x if x <= 1 else 2 * x, 1.0, True),
        (lambda x: x if x < 1 else 2 * x, 1 + 1e-9, False),
        (lambda x: x * math.floor(x), 2.0, True),
        (lambda x: x * math.floor(x), 2.5, False),
        (lambda x: x * round(x), 2.5, True),
        (lambda x: x * int(x), 3.0, True),
        (lambda x: x * (x // 2), 4.0, True),
        (lambda x: x * (x == 1), 1.0, True),
        (lambda x: x * (x == 1), 2.0, False),
        (abs, 0.0, True),
        (abs, 1e-300, False),
        (lambda x: x**1.5, 0.0, True),
        (lambda x: x * gradcli.stop_gradient(x), 1.0, False),
        (lambda x: np.max(x), np.array([1.0, 1.0, 0.0]), True),
        (lambda x: np.max(x), np.array([1.0, 0.5, 0.0]), False),
        (lambda x: x[np.argmax(x)], np.array([1.0, 1.0, 0.0]), True),
        (lambda x: x[np.argmax(x)], np.array([1.0, 0.9, 0.0]), False),
        (lambda x: x[np.argmax(x)], np.array([1.0, 0.5, 1.0]), True),
        (lambda x: np.sort(x)[2], np.array([1.0, 0.5, 1.0, 0.0, 2.0]), True),
        (lambda x: np.sort(x)[2], np.array([1.0, 0.5, 1.1, 0.0, 2.0]), False),
        (lambda x: np.partition(x, 2)[2], np.array([1.0, 0.5, 3.0, 0.0, 1.0]), True),
        (lambda x: np.unique(x)[0], np.array([1.0, 0.5, 3.0, 0.0, 1.0]), True),
        (lambda x: np.unique(x)[0], np.array([1.0, 0.5, 3.0, 0.0, 1.1]), False),
        (lambda x: np.interp(1.5, [1.0, 2.0], x), np.array([1.0, 0.5]), False),
        (lambda x: np.interp(x, [1.0, 2.0, 3.0], [0.0, 2.0, 1.0]), 2.0, True),
        (lambda x: np.interp(x, [1.0, 2.0, 3.0], [0.0, 2.0, 1.0]), 2.5, False),
        (lambda x: np.sum(np.maximum(x, 0)), np.array([1.0, 0.0]), True),
        (lambda x: np.sum(x[x > 0]), np.array([1.0, 0.0]), True),
        (lambda x: np.sum(x[x > 0]), np.array([1.0, -1.0]), False),
        (lambda x: x[0] if x[0] < x[1] else x[1], np.array([1.0, 1.0]), True),
        (lambda x: math.acos(math.cos(x)), 0.0, True),
        (lambda x: math.acos(math.cos(x)), 0.5, False),
        (math.acosh, 1.0, True),
        (lambda x: np.linalg.eigvalsh(x)[1], np.eye(2), True),
        (lambda x: np.linalg.eigvalsh(x)[1], np.diag([1.0, 2.0]), False),
        (lambda x: np.sum(np.linalg.eigvalsh(x)), np.eye(2), False),
        (lambda x: np.sum(np.log(np.linalg.eigvalsh(x))), np.eye(2), False),
        (lambda x: np.sum(np.linalg.eigvalsh(x)[1:]), np.diag([1.0, 2.0, 2.0]), False),
        (lambda x: np.sum(np.linalg.eigvalsh(x)[1:]), np.diag([1.0, 1.0, 2.0]), True),
        (lambda x: np.sum(np.linalg.eigh(x)[1] ** 3), np.eye(2), True),
        (lambda x: np.sum(np.linalg.svd(x)[1]), np.eye(2), False),
        (lambda x: np.sum(np.linalg.svd(x)[1]), np.diag([1.0, 0.0]), True),
        (lambda x: np.sum(np.linalg.svd(x)[1][:1]), np.diag([1.0, 0.0]), False),
        (lambda x: np.sum(np.real(np.linalg.eigvals(x))[:1]), np.eye(2), True),
    ],
)
def test_at_a_switch(f, at, expected):
    """The smallest move changes what the program was told, or the slope of a rule."""
    assert at_switch(trace(f, at)) is expected


@pytest.mark.parametrize(
    ("f", "at", "expected"),
    [
        (lambda x: x * x, 1.0, math.inf),
        (lambda x: x if x < 1 else 2 * x, 0.75, 0.25),
        (lambda x: x if 3 * x < 1 else 2 * x, 0.75, 5 / 12),
        (lambda x: x if x * x < 4 else 2 * x, 1.0, 1.5),
        (lambda x: x * math.floor(x), 2.25, 0.25),
        (lambda x: x * math.ceil(2 * x), 2.4, 0.1),
        (lambda x: x * round(x), 2.25, 0.25),
        (lambda x: x * int(x), 2.9, 0.1),
        (lambda x: x * (x // 2), 4.5, 0.5),
        (lambda x: x * (1 // x), 0.9, 0.09),
        (lambda x: 2 * x if x else x, 0.5, 0.5),
    ],
)
def test_the_distance_to_the_next_outcome(f, at, expected):
    assert math.isclose(expected, distance_to_change(trace(f, at), {0: 1.0}), rel_tol=1e-9)


def test_an_input_that_no_outcome_sees_may_move_as_it_likes():
    tape = trace(lambda x, y: x * y if x < 1 else y, 0.75, 5.0)

    assert (distance_to_change(tape, {0: 1.0}), distance_to_change(tape, {1: 1.0})) == (0.25, math.inf)


def test_of_many_numbers_the_nearest_counts():
    """A mask changes where the first of its numbers does."""
    tape = trace(lambda x: np.sum(np.where(x > 0, x, 2 * x)), np.array([3.0, -0.5, 1.0]))
    found = [distance_to_change(tape, {0: np.eye(3)[n]}) for n in range(3)]

    assert found == [3.0, 0.5, 1.0]
    assert math.isclose(0.25, distance_to_change(tape, {0: np.array([1.0, 2.0, 1.0])}))


def test_a_comparison_of_two_numbers_that_move_together():
    tape = trace(lambda x: x[0] if x[0] < x[1] else x[1], np.array([1.0, 3.0]))

    assert (2.0, 1.0, math.inf) == tuple(
        distance_to_change(tape, {0: np.array(way)}) for way in ([1.0, 0.0], [1.0, -1.0], [1.0, 1.0])
    )


@pytest.mark.parametrize(
    ("f", "at", "longest", "least", "most"),
    [
        (lambda x: x if x * x < 4 else 2 * x, 1.0, 10.0, 0.5, 1.5),
        (lambda x: x if x * x * x < 1e-3 else 2 * x, 0.01, 1.0, 0.02, 0.2),
        (lambda x: x if x < 1 else 2 * x, 0.75, 10.0, 0.25, 0.25),
        (lambda x: x * gradcli.stop_gradient(x), 1.0, 0.1, math.inf, math.inf),
        (lambda x: math.log(x) if x > -1 else x, 1e-3, 0.5, 1.0, 1.01),
    ],
    ids=["curved", "flat", "straight", "stopped", "off the domain"],
)
def test_the_distance_is_confirmed(f, at, longest, least, most):
    """Outcomes are asked again at the ends of the longest step."""
    tape = trace(f, at)
    found = confirmed(tape, lambda t: [at + t], distance_to_change(tape, {0: 1.0}), longest)

    assert least <= found <= most


@pytest.mark.parametrize(
    ("f", "at", "expected"),
    [
        (abs, 0.25, 0.25),
        (lambda x: np.maximum(2 * x, 1.0), 0.75, 0.25),
        (lambda x: np.clip(x, 0.0, 1.0), 0.75, 0.25),
        (lambda x: np.sign(x) * x, -0.5, 0.5),
        (lambda x: np.sum(np.abs(x - np.arange(3.0))), 0.75, 0.25),
        (lambda x: np.sum(np.abs(x - np.arange(100.0))), 0.75, math.inf),
        (lambda x: abs(x) if x < 0.5 else x, 0.25, 0.25),
    ],
)
def test_the_distance_to_the_next_kink(f, at, expected):
    tape = trace(f, np.float64(at))

    assert math.isclose(expected, distance_to_change(tape, {0: 1.0}, kink_nodes(tape)))


def test_the_row_that_bends_first():
    tape = trace(lambda x: abs(x - 1) + abs(x - 3), 2.5)

    assert tape.nodes[nearest_bend(tape, {0: 1.0}, kink_nodes(tape))].operands[0] == -0.5


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda x: x * x if abs(x) < 1.0 else x, []),
        (lambda x: x * x if np.maximum(x, 0.0) < 1.0 else x, []),
        (lambda x: x * x if abs(x) < 1.0 else x + abs(x), []),
        (lambda x: x * x + abs(x) if x < 1.0 else x, ["abs"]),
        (lambda x: x * x if np.sign(x) > -0.5 else -x, ["sign"]),
    ],
)
def test_a_kink_on_the_way_to_outcomes_alone_does_not_matter(f, expected):
    """But a jump does, which changes them."""
    tape = trace(f, np.float64(0.0))

    assert [tape.nodes[index].operation for index in nodes_at_kink(tape)] == expected


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda x: x if np.all(np.arange(3.0) >= 0.0) else -x, False),
        (lambda x: x if np.all(np.arange(3.0) + x >= 0.0) else -x, True),
        (lambda x: x * np.searchsorted(np.arange(3.0), 2.0), False),
        (lambda x: x * np.searchsorted(np.arange(3.0) + x, 2.0), True),
    ],
)
def test_constant_arrays_are_at_no_branch_point(f, expected):
    assert at_switch(trace(f, np.float64(0.0))) is expected


def test_no_tangents_are_computed_where_no_outcome_compares_numbers(monkeypatch):
    """The text of a number changes anywhere, or nowhere, and a count never."""
    recorded = gradcli.trace(lambda x: x * len(str(x)) + x ** int(np.count_nonzero([1, 0])), 1.5)
    monkeypatch.setattr(type(recorded), "tangents", lambda *_: pytest.fail("a sweep"))

    assert distance_to_change(recorded, {0: 1.0}) == math.inf
