"""Blocks of components with the same verdict."""

import math

import pytest

from gradcli.answers.checks.comparison import worst_first
from gradcli.shared.records.checks import Component, Verdict
from gradcli.shared.records.component_blocks import blocks


def component(name: str, candidate: float, reference: float) -> Component:
    """A component that passes if its numbers are equal."""
    verdict = Verdict.PASS if candidate == reference else Verdict.FAIL
    allowed = 1e-7 * abs(reference)
    return Component(name, verdict, candidate, reference, None, reference, None, None, allowed, "")


def vector(name: str, wrong: range, count: int = 12) -> list[Component]:
    """The components of a vector, some of which are wrong by different factors."""
    return [component(f"{name}[{n}]", n + 1.0 + (n + 1) ** 2 * (n in wrong), n + 1.0) for n in range(count)]


def matrix(name: str, rows: range, columns: range, factor: float = 3.0) -> list[Component]:
    """The components of a matrix with a wrong block."""
    return [
        component(f"{name}[{i},{j}]", (factor if i in rows and j in columns else 1.0) * (i + j + 1.0), i + j + 1.0)
        for i in range(6)
        for j in range(5)
    ]


@pytest.mark.parametrize(
    ("components", "expected"),
    [
        ([*vector("w", range(0)), *vector("b", range(0))], ["w, b: PASS"]),
        (vector("w", range(3, 7)), ["w[3..6]: FAIL", "w[0..2], w[7..11]: PASS"]),
        (matrix("W", range(2, 4), range(5)), ["W[2..3, 0..4]: FAIL, all 3 times the derivative"]),
        (matrix("W", range(6), range(5), -1.0), ["W: FAIL, all with the opposite sign"]),
        (matrix("W", range(6), range(5), 0.0), ["W: FAIL, all 0"]),
        (matrix("p[0]", range(6), range(5)), ["p[0]: FAIL, all 3 times the derivative"]),
        (vector("[2] x", range(12)), ["[2] x[0..11]: FAIL"]),
        (vector("p['{a}']", range(12)), ["p['{a}']: FAIL"]),
        (vector("w", range(0, 12, 2)), ["6 in w[0..10]: FAIL", "6 in w[1..11]: PASS"]),
    ],
)
def test_blocks(components: list[Component], expected: list[str]) -> None:
    """Components of one input with the same verdict are told as ranges, or counted where they are scattered."""
    assert blocks(components)[: len(expected)] == [text.replace("2..3, 0", "2..3,0") for text in expected]


def test_components_without_a_derivative_pass_by_any_factor() -> None:
    rows = [component(f"w[{n}]", 2.0 * (n % 3), 1.0 * (n % 3)) for n in range(12)]

    assert blocks(rows) == ["w: FAIL where it is not 0, all 2 times the derivative"]


def test_worst_first_by_the_error_over_what_is_allowed() -> None:
    """The first component that fails is the one that is farthest outside its tolerance, not the first of the point."""
    rows = [component("a", 1.0, 1.0), component("b", 1001.0, 1000.0), component("c", 2.0, 1.0), component("d", 1.0, 0)]

    assert [row.name for row in worst_first(rows)] == ["d", "c", "b", "a"]
    assert worst_first([component("e", math.nan, 1.0)])[0].name == "e"
