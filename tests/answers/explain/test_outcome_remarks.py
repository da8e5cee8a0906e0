"""What the lines of a program are told: branches, maxima, masks and steps."""

import pytest

from gradcli.answers.explain.outcome_remarks import remarks
from gradcli.answers.explain.reverse_mode_steps import ReverseExplanation
from gradcli.queries.bound_target import ask


def told(target: str, at: str) -> list[tuple[int, str]]:
    explanation = ReverseExplanation(ask(target, at).record(names=True))
    return [(remark.site.line or 0, remark.text) for remark in remarks(explanation)]


@pytest.mark.parametrize(
    ("expected", "line"),
    [
        ("x > 1 is true, y < 3 is false", "z = x * y if x > 1 and y < 3 else x"),
        ("max takes y", "z = max(x, y)"),
        ("min takes x", "z = min(y, x)"),
        ("max takes 9", "z = max(x, y, 9) * x"),
        ("max takes y", "z = max(1, y, x)"),
        ("min takes 1", "z = min(y, 1, x) * x"),
        ("round(x * 3) is 4: a step function, which passes no sensitivity back", "z = x * round(x * 3)"),
        ("floor(y) is 4: a step function, which passes no sensitivity back", "z = x * math.floor(y)"),
        ("maximum takes y", "z = np.maximum(x, y)"),
    ],
)
def test_numbers(expected: str, line: str, program) -> None:
    """Branches, what Python's own functions took, and what was rounded."""
    text = f"import math\nimport numpy as np\ndef f(x, y):\n    {line}\n    return z * x\n"

    assert told(program(text), "1.5,4") == [(4, expected)]


@pytest.mark.parametrize(
    ("expected", "line"),
    [
        ("x > 0 holds for 2 of 3, at [0, 2]", "z = np.where(x > 0, x, 0.0)"),
        ("x > 9 holds for none", "z = np.where(x > 9, x, x * 2)"),
        ("x > 0 holds for 2 of 3, at [0, 2]", "z = x[x > 0]"),
        ("largest: x[2]", "z = np.max(x) * x"),
        ("smallest: x[1]", "z = x.min() * x"),
        ("each largest: it[0], it[1]", "z = np.max(x[:2] * 0) * x"),
        ("largest of each row: column 2, 1", "z = np.max(np.stack([x, -x]), axis=1)"),
        ("argsort(x) is [1, 0, 2]", "z = x[np.argsort(x)]"),
    ],
)
def test_arrays(expected: str, line: str, program) -> None:
    text = f"import numpy as np\ndef f(x):\n    {line}\n    return np.sum(z * z)\n"

    assert (3, expected) in told(program(text), "[0.5,-1,2]")


def test_the_head_of_a_loop_says_nothing(program) -> None:
    """How often it goes round does; what is asked again and again in a line is counted."""
    text = """
    def f(x):
        while x < 9:
            x = x * 2
        return sum([x * v if x > v else x for v in range(5)])
    """

    assert told(program(text), "1.5") == [(5, "x#3 > 0 is true, x#3 > 1 is true, x#3 > 2 is true, and 2 more")]
