"""What sensitivities and tangents are called."""

import pytest

from gradcli.answers.explain.sensitivity_names import Symbols


@pytest.mark.parametrize(
    ("expected", "names"),
    [
        (["s_cd", "s_x"], ["t_cd", "x"]),
        (["s_x", "s_x#2", "s_x[0]", "s_p.w"], ["x", "x#2", "x[0]", "p.w"]),
        (["s__a", "s_s_a", "s_t_a"], ["a", "s_a", "t_a"]),
        (["s_t_a", "s_a"], ["t_a", "a"]),
        (["s_%3", "s_(x^2)", "s_(sin(x))"], ["%3", "x^2", "sin(x)"]),
        (["s___x", "s_s_x", "s_s__x"], ["x", "s_x", "s__x"]),
    ],
)
def test_sensitivities(expected: list[str], names: list[str]) -> None:
    """The seeds' names, and others where two would be alike, or like a quantity."""
    symbols = Symbols("s", names)

    assert [symbols.of(name) for name in names] == expected
    assert len(set(expected)) == len(expected)


def test_tangents() -> None:
    assert [Symbols("d", ["x", "d_x"]).of(name) for name in ("x", "d_x")] == ["d__x", "d_d_x"]
