"""The digits of a value and of a gradient as a record."""

import math

import pytest

from gradcli import queries
from gradcli.errors import UnsupportedError
from gradcli.shared.records.json_form import as_json

BELL = """\
import math

def f(x):
    rest = 1.0 - math.cos(x)
    return rest / x**2
"""


def test_the_digits_of_value_and_gradient(program):
    """Seven of the value are sure, none of the derivative; both errors are within their bounds."""
    found = queries.precision(program(BELL), "1e-4")

    assert abs(found.value.value - 0.49999999958333335) <= found.value.error < 1e-6
    assert abs(found.gradient[0].value + 8.333333327777778e-06) <= found.gradient[0].error < 1e-2
    assert (round(found.value.digits), round(found.gradient[0].digits)) == (7, 0)


def test_the_node_that_costs_them(program, folder):
    cosine, rest = queries.precision(program(BELL), "1e-4").nodes

    assert (cosine.expression, cosine.line, cosine.source) == ("cos(x)", 4, "rest = 1.0 - math.cos(x)")
    assert min(cosine.of_value, cosine.of_gradient) > 0.99
    assert (rest.expression, rest.name, rest.rewrite) == ("1.0 - cos(x)", "rest", "2 * sin(x / 2)**2")
    assert str(folder / "p.py") == rest.file


@pytest.mark.parametrize("function", ["sum", "mean"])
def test_numbers_of_an_array_that_cancel(program, function):
    text = f"import numpy as np\ndef f(x):\n    return np.{function}(np.array([1e8 * x, x, -1e8 * x]))\n"
    assert [found.code for found in queries.precision(program(text), "0.3").findings] == ["G601"]


def test_the_finding(program):
    (found,) = queries.precision(program(BELL), "1e-4").findings

    assert (found.code, found.line) == ("G601", 4)
    assert (
        "1.0 - cos(x) loses 8 digits: the value is good to 7 digits, the derivative by x to 0. "
        "Write 2 * sin(x / 2)**2, which is good to 16 digits here" == found.message
    )


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (2, " digits, and one other step of this line loses some too: "),
        (4, " digits, and 3 other steps of this line lose some too: "),
    ],
)
def test_one_finding_for_a_line_of_many_steps(program, count, words):
    text = f"def f(x):\n    return sum([1.0 - (1.0 + x * 10**-n) for n in range(6, 6 + {count})])\n"
    (found,) = queries.precision(program(text), "0.3").findings

    assert (found.code, found.line) == ("G601", 2)
    assert words in found.message


@pytest.mark.parametrize(
    ("target", "at", "code"),
    [
        ("log(1 + x)", "1e-9", ["G602"]),
        ("acos(cos(x))", "1e-4", ["G602"]),
        ("sin(2 * pi * x)", "100.3", []),
        ("x**2 + sin(y)", "1,2", []),
        ("x - 0.3", "0.30000001", []),
        ("sin(2 * pi * x)", "0.5", []),
        ("tan(4 * pi * x)", "0.25", []),
        ("log(8 * x / 8)", "1.000001", []),
        ("cos(2 * x) + 1", "1.5707963267948966", ["G601"]),
        ("4 * x - 2 * y", "0.3,0.60000001", []),
    ],
    ids=str,
)
def test_codes(target, at, code):
    assert [finding.code for finding in queries.precision(target, at).findings] == code


@pytest.mark.parametrize(
    ("target", "at", "cut"),
    [
        ("floor(x) + y", "1.3,2", ["x"]),
        ("round(x)", "1.3", ["x"]),
        ("sign(x) * y", "1.3,2", ["x"]),
        ("floor(x) + floor(y)", "1.3,2.5", ["x", "y"]),
        ("floor(x) + x", "1.3", []),
    ],
)
def test_a_derivative_that_is_cut(target, at, cut):
    found = queries.precision(target, at).findings

    assert [each.message.partition(" acts")[0] for each in found if each.code == "G205"] == cut


def test_the_components():
    """The worst is the one of which the fewest digits are good; only those wanted are there."""
    text, at = "3.3*x + (1 - cos(y))/y**2", "2,1e-4"
    found, one = queries.precision(text, at), queries.precision(text, at, wrt="x")

    assert (found.worst, [each.name for each in found.gradient]) == ("y", ["x", "y"])
    assert [(each.name, each.digits > 15) for each in one.gradient] == [("x", True)]
    node = queries.precision("(1 - cos(x))/x**2", "1e-4").nodes[0]
    assert (node.name, node.file, node.line) == ("cos(x)", None, None)


@pytest.mark.parametrize(
    ("lines", "at"),
    [
        ("return 3.0", "1"),
        ("return np.sum(scipy.linalg.expm(x))", "[[1, 0.5], [2, 1]]"),
        ("return np.sum(scipy.linalg.sqrtm(x))", "[[2, 0.5], [0.1, 3]]"),
        ("return np.sum(scipy.linalg.logm(x))", "[[2, 0.5], [0.1, 3]]"),
        *((f"a = np.zeros(())\n    a[{key}] = x * x\n    return a * x", "2") for key in ("()", "...")),
    ],
)
def test_programs_that_lose_no_digits(lines, at, program):
    found = queries.precision(program(f"import numpy as np\nimport scipy.linalg\ndef f(x):\n    {lines}\n"), at)

    assert found.value.digits > 10
    assert found.gradient[0].digits > 10


def test_json():
    found = as_json(queries.precision("exp(x)", "1000"))

    assert (found["command"], found["value"]["value"], found["value"]["error"]) == ("precision", "Infinity", "Infinity")
    assert math.isclose(0.0, found["value"]["digits"])


def test_complex_numbers_are_refused(tmp_path):
    file = tmp_path / "waves.py"
    file.write_text("import numpy as np\ndef power(x):\n    return np.abs(np.exp(1j * x) + 0.5)\n")
    with pytest.raises(UnsupportedError, match="complex numbers"):
        queries.precision(f"{file}:power", "1")
