"""Numbers as text: exact where they are to be copied, short where they are long lists."""

# Signs that look like letters are what is tested.

import math

import pytest

from gradcli.terminal.render.layout import numbers


@pytest.mark.parametrize(
    ("expected", "value"),
    [
        ("52.0", 52.0),
        ("0.1", 0.1),
        ("0.30000000000000004", 0.1 + 0.2),
        ("1e+22", 1e22),
        ("5e-324", 5e-324),
        ("nan", math.nan),
        ("-inf", -math.inf),
        ("7", 7),
        ("True", True),
        ("—", None),
        ("1+2j", 1 + 2j),
    ],
)
def test_exact_reads_back(expected: str, value: object) -> None:
    """A number is its shortest text that reads back as the same number, a missing one a dash."""
    assert numbers.exact(value) == expected


@pytest.mark.parametrize(
    ("expected", "value", "error"),
    [
        ("52.0000000001 ± 3.2e-09", 52.0000000001234, 3.2e-9),
        ("0.1235 ± 0.0042", 0.123456, 0.0042),
        ("123 ± 12", 123.4, 12.0),
        ("1234567.0 ± 4.2e+04", 1234567.0, 42000.0),
        ("1e-300 ± 1e-310", 1e-300, 1e-310),
        ("0 ± 3.8e-14", 0.0, 3.8e-14),
        ("0 ± 3.8e-14", -1e-18, 3.8e-14),
        ("52.0 ± 0", 52.0, 0.0),
        ("nan ± nan", math.nan, math.nan),
        ("1.5 ± inf", 1.5, math.inf),
        ("52.0", 52.0, None),
        ("—", None, None),
    ],
)
def test_within_error_rounds_to_the_error(expected: str, value: float | None, error: float | None) -> None:
    """A value with an error bar has the digits that the error leaves it."""
    assert numbers.within_error(value, error) == expected


@pytest.mark.parametrize(
    ("expected", "part", "whole"),
    [
        ("0", 0.0, 1.0),
        ("<0.01×", 1e-9, 1.0),
        ("0.03×", 0.03, 1.0),
        ("9.99×", 9.99, 1.0),
        ("1.00×", 1.0, 1.0),
        ("1.0000001×", 1.0000001, 1.0),
        ("1.004×", 1.004, 1.0),
        ("0.996×", 0.996, 1.0),
        ("1.0000000000000002×", 1.0 + 2.0**-52, 1.0),
        ("41×", 41.0, 1.0),
        ("999×", 999.0, 1.0),
        (">1000×", 1000.5, 1.0),
        (">1000×", 2.7, 1e-6),
        ("—", None, 1.0),
        ("—", 1.0, None),
        ("—", 1.0, 0.0),
        ("—", math.nan, 1.0),
    ],
)
def test_share_of_the_tolerance(expected: str, part: float | None, whole: float | None) -> None:
    """The share of a tolerance is a factor that can be read at a glance."""
    assert numbers.share(part, whole) == expected


@pytest.mark.parametrize(
    ("expected", "value"),
    [("[False, True]", [False, True]), ("[0, 1]", [0, 1]), ("[0.0, 1.0]", [-0.0, 1.0]), ("0", 0), ("0.0", -0.0)],
)
def test_few_keeps_the_kind_of_a_number(expected: str, value: object) -> None:
    """A truth value and an integer read as such, also where they are zero; a zero has no sign."""
    assert numbers.few(value) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "structure", "expected"),
    [
        ("x", 1.0, {"x": 1.0}),
        ("w", [[1.0, 2.0], [3.0]], {"w[0,0]": 1.0, "w[0,1]": 2.0, "w[1,0]": 3.0}),
        ("p", [{"w": [0.0, 1.0]}, {"w": [2.0]}], {"p[0].w[0]": 0.0, "p[0].w[1]": 1.0, "p[1].w[0]": 2.0}),
        ("p", {"w": [1.0], "b": 2.0}, {"p.w[0]": 1.0, "p.b": 2.0}),
    ],
)
def test_components(name: str, structure: object, expected: dict[str, float]) -> None:
    """A number has its indices behind the name, and its key behind a dot."""
    assert list(numbers.components(name, structure)) == list(expected.items())


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (numbers.short({"w": [[1.0, 2.0]], "b": 0.5}), '{"w": [[1.0, 2.0]], "b": 0.5}'),  # it can be typed again
        (numbers.rough(2.8123e-6), "2.8e-06"),
        (numbers.rough(None), "—"),
        (numbers.shape([]), (0,)),
        (numbers.shape([[], []]), (2, 0)),
        (numbers.count({"w": [[1.0, 2.0], []], "b": 1.0, "c": [2.0]}), 4),
        (numbers.brief([True, False, True, False]), "2 of 4 true"),
        (numbers.brief([[True] * 3] * 2), "6 of 6 true"),
        (numbers.brief([1.0, 2.0, 3.0]), "3 numbers"),
        (numbers.brief(0.1 + 0.2), "0.3"),
    ],
)
def test_other_forms(found: object, expected: object) -> None:
    assert found == expected


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1.0", "-12.25", "1e-10", "nan", "—", "[1.0]"], ["  1.0", "-12.25", "  1e-10", "nan", "—", "[1.0]"]),
        (["123456789012345.0", "0.12345678901234567"], ["123456789012345.0", "0.12345678901234567"]),
        (["2.00 ± 0.1", "22.00 ± 0.1"], [" 2.00 ± 0.1", "22.00 ± 0.1"]),
    ],
)
def test_aligned(cells: list[str], expected: list[str]) -> None:
    """By the decimal point, or by the first part, unless that costs too much room."""
    assert numbers.aligned(cells) == expected


@pytest.mark.parametrize(
    ("expected", "structure"),
    [
        ("1.0", 1.0),
        ("[]", []),
        ("[1.0, 1.0, 1.0, 1.0, 1.0, 1.0]", [1.0] * 6),
        ("[1.0, 1.0, 1.0, … 1000 numbers]", [1.0] * 1000),
        ("[[1.0, 1.0, 1.0, … 3×4 numbers]]", [[1.0] * 4] * 3),
        ("[1.0, 1.0, 1.0, … 7 numbers]", [[1.0] * 4, [1.0] * 3]),
    ],
)
def test_short_says_the_shape(expected: str, structure: object) -> None:
    """A long structure is its first numbers and its shape."""
    assert numbers.short(structure) == expected


@pytest.mark.parametrize(
    ("expected", "structure"), [("1.0", 1.0), ("1 number", [1.0]), ("2×3 numbers", [[1.0] * 3] * 2)]
)
def test_size_of_an_array(expected: str, structure: object) -> None:
    """An array is said by its shape, a number by itself."""
    assert numbers.size(structure) == expected


@pytest.mark.parametrize(
    ("terminal", "length", "whole_is_shown"), [(True, 7, False), (False, 100, True), (False, 101, False)]
)
def test_a_structure_in_a_line(terminal: bool, length: int, whole_is_shown: bool) -> None:
    """In full where it may be typed again; what nobody would type is short in a pipe too."""
    structure = [float(n) for n in range(length)]

    assert numbers.in_a_line(structure, terminal) == (str(structure) if whole_is_shown else numbers.short(structure))
