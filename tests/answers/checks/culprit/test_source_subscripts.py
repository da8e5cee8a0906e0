"""Elements that a visit to a line reads, and the subscripts of its source."""

import pytest

from gradcli.answers.checks.culprit.source_subscripts import NO_SUBSCRIPTS, as_in_source, subscripts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("u[i+1] - u[ i ]", {"u[i+1]": ("u", (("i", 1),)), "u[ i ]": ("u", (("i", 0),))}),
        ("a[-1] * b[0]", {"a[-1]": ("a", (("", -1),)), "b[0]": ("b", (("", 0),))}),
        ("m[i, j - 1] + m[i][2]", {"m[i, j - 1]": ("m", (("i", 0), ("j", -1))), "m[i][2]": ("m", (("i", 0), ("", 2)))}),
        ("u[2*i] + u[i + j] + u[:2] + p.u[i] + u[n[i]] + u[f(i)] + d['k']", {"n[i]": ("n", (("i", 0),))}),
    ],
)
def test_subscripts(text, expected):
    assert subscripts(text) == expected


@pytest.mark.parametrize(
    ("statement", "elements", "texts", "values"),
    [
        ("s += (u[i+1] - u[i])**2", ["u[2]", "u[1]"], {"u[2]": "u[i+1]", "u[1]": "u[i]"}, {"i": 1}),
        ("v[i] = v[i-1] * c[k]", ["v[3]", "c[0]"], {"v[3]": "v[i-1]", "c[0]": "c[k]"}, {"i": 4, "k": 0}),
        ("return m[i, 0] * m[i, j]", ["m[1, 0]", "m[1, 2]"], {"m[1, 0]": "m[i, 0]", "m[1, 2]": "m[i, j]"},
         {"i": 1, "j": 2}),
        ("s = s + x[0] * x[-1]", ["x[0]", "x[-1]"], {"x[0]": "x[0]", "x[-1]": "x[-1]"}, {}),
    ],
)  # fmt: skip
def test_elements_as_in_the_source(statement, elements, texts, values):
    assert as_in_source(statement, elements, in_order=False) == (texts, values)


@pytest.mark.parametrize(
    ("statement", "elements"),
    [
        ("s += u[i] * u[j]", ["u[0]", "u[1]"]),  # either of two ways
        ("s += u[i+1] - u[i]", ["u[0]", "u[2]"]),
        ("s += u[i]", ["u[0]", "u[1]"]),
        ("s += u[i] if c else u[j]", ["u[0]"]),
    ],
)
def test_what_is_not_certain(statement, elements):
    assert as_in_source(statement, elements, in_order=False) == NO_SUBSCRIPTS


def test_elements_in_the_order_of_their_reading():
    assert as_in_source("s += u[i] * u[j]", ["u[2]", "u[1]"], in_order=True)[1] == {"i": 2, "j": 1}
