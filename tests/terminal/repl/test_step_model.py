"""Stepping as pure code: what is known after each move, and where search and names lead."""

import pytest

from gradcli.shared.records.explanations import Addition, Steps, SweepStep
from gradcli.shared.records.tapes import Node, TapeListing
from gradcli.terminal.repl.step_model import Position
from tests.terminal.render import samples

STEPS = Steps(
    TapeListing(
        target="f.py:f",
        point={"x": 2.0, "y": 3.0},
        value=6.25,
        nodes=(
            Node(0, "x", "input", (), 2.0, 3.0),
            Node(1, "y", "input", (), 3.0, 2.0),
            Node(2, "p", "mul", (0, 1), 6.0, 1.0, samples.FILE, 3, "p = x * y", "x * y"),
            Node(3, None, "add", (2,), 6.25, 1.0, samples.FILE, 4, "return p + 0.25", "p + 0.25"),
        ),
        result=3,
    ),
    (
        SweepStep(3, (Addition(2, "s_p", "1", 1.0, 0.0, 1.0),)),
        SweepStep(
            2,
            (
                Addition(0, "s_x", "y * s_p", 3.0, 0.0, 3.0),
                Addition(1, "s_y", "x * s_p", 2.0, 0.0, 2.0),
            ),
        ),
    ),
    {"x": 2.0, "y": 3.0, "s_p": 1.0},
)


def known(place: Position) -> tuple[list[float | None], list[float | None]]:
    cells = place.cells()
    return [cell.value for cell in cells], [cell.sensitivity for cell in cells]


@pytest.mark.parametrize(
    ("done", "values", "sensitivities"),
    [
        (0, [2.0, 3.0, None, None], [None] * 4),
        (1, [2.0, 3.0, 6.0, None], [None] * 4),
        (2, [2.0, 3.0, 6.0, 6.25], [None] * 4),
        (3, [2.0, 3.0, 6.0, 6.25], [None, None, 1.0, 1.0]),
        (4, [2.0, 3.0, 6.0, 6.25], [3.0, 2.0, 1.0, 1.0]),
    ],
)
def test_what_is_known(done: int, values: list[float], sensitivities: list[float]) -> None:
    """Values appear going forwards, sensitivities going backwards; the result's own is 1."""
    assert (values, sensitivities) == known(Position(STEPS).to(done))


@pytest.mark.parametrize(
    ("done", "current", "values", "sensitivities"),
    [(0, [], [], []), (1, [2], [2], []), (2, [3], [3], []), (3, [3], [], [2, 3]), (4, [2], [], [0, 1])],
)
def test_what_is_lit(done: int, current: list[int], values: list[int], sensitivities: list[int]) -> None:
    """The node of the last move, and what it changed."""
    cells = Position(STEPS).to(done).cells()

    assert current == [cell.node.index for cell in cells if cell.current]
    assert values == [cell.node.index for cell in cells if cell.value_is_new]
    assert sensitivities == [cell.node.index for cell in cells if cell.sensitivity_is_new]


def test_moves_stop_at_the_ends() -> None:
    """There is nothing before the beginning, and nothing after the end; back is the same as never there."""
    assert [Position(STEPS).by(-1).done, Position(STEPS).by(99).done] == [0, 4]
    assert Position(STEPS).to(3) == Position(STEPS).to(4).by(-1)


@pytest.mark.parametrize(("done", "expected"), [(0, 1), (2, 1), (3, 4), (4, 4)])
def test_a_node_within_the_sweep_under_way(done: int, expected: int) -> None:
    """Forwards where it is computed, backwards where it passes its sensitivity on."""
    assert Position(STEPS).to(done).at_node(2).done == expected


@pytest.mark.parametrize(("expected", "name"), [(2, "p"), (3, "%3"), (3, "3"), (0, " x "), (None, "q")])
def test_names(expected: int | None, name: str) -> None:
    """A name, or a number with or without its sign."""
    assert Position(STEPS).find(name) == expected


@pytest.mark.parametrize(
    ("expected", "done", "text"), [(2, 0, "X * Y"), (3, 1, "p"), (2, 2, "x"), (None, 0, "sin"), (None, 0, "input")]
)
def test_search(expected: int | None, done: int, text: str) -> None:
    """The next step after the last move, round the end, whatever the case; inputs are no steps."""
    assert Position(STEPS).to(done).search(text) == expected
