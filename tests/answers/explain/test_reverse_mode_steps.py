"""The reverse sweep in the user's names: what the seeds write by hand, and numbers that agree with the sweep."""

import re

import numpy as np
import pytest

from gradcli import trace
from gradcli.answers.explain.reverse_mode_steps import ReverseExplanation
from gradcli.queries.bound_target import ask


def told(target, at, whole=False):
    """The explanation of a target; of a typed expression as one statement."""
    question = ask(target, at)
    recording = question.record(names=True)
    fixed = {*recording.input_indices(), recording.result_index()} if whole else None
    return list(ReverseExplanation(recording, fixed).backwards())


def lines(target, at, whole=False):
    """Every addition as it would be written by hand."""
    return [f"{each.name} += {each.term}" for statement in told(target, at, whole) for each in statement.additions]


F4 = """def f(t_a, t_b, t_c, t_d):
    t_ab = t_a * t_b
    t_cd = t_c * t_d
    t_abc = t_ab * t_c
    t_abd = t_ab * t_d
    t_acd = t_a * t_cd
    t_bcd = t_b * t_cd
    t_s = t_abc + t_abd + t_acd + t_bcd
    ret = 2.0 * t_s
    return ret
"""


def test_the_explanation_of_the_seeds(program):
    """Line by line what the seeds write, in their order."""
    assert [
        "s_s += 2.0",
        "s_abc += s_s", "s_abd += s_s", "s_acd += s_s", "s_bcd += s_s",
        "s_b += t_cd * s_bcd", "s_cd += t_b * s_bcd",
        "s_a += t_cd * s_acd", "s_cd += t_a * s_acd",
        "s_d += t_ab * s_abd", "s_ab += t_d * s_abd",
        "s_c += t_ab * s_abc", "s_ab += t_c * s_abc",
        "s_c += t_d * s_cd", "s_d += t_c * s_cd",
        "s_a += t_b * s_ab", "s_b += t_a * s_ab",
    ] == lines(program(F4), "1,2,3,4")  # fmt: skip


def test_the_numbers_of_the_seeds(program):
    """52, 38, 28, 22 are what the sums come to."""
    after = {each.name: each.after for statement in told(program(F4), "1,2,3,4") for each in statement.additions}

    assert [after[name] for name in ("s_a", "s_b", "s_c", "s_d")] == [52.0, 38.0, 28.0, 22.0]


@pytest.mark.parametrize(
    ("expression", "at", "expected"),
    [
        ("2*x + y", "1,2", ["s_x += 2", "s_y += 1"]),
        ("x - y", "1,2", ["s_x += 1", "s_y += -1"]),
        ("x*x", "3", ["s_x += 2 * x"]),
        ("x^2", "3", ["s_x += 2 * x"]),
        ("x^3", "3", ["s_x += 3 * x ** 2"]),
        ("x^5", "3", ["s_x += 5 * x ** 4"]),
        ("x^2.5", "3", ["s_x += 2.5 * x ** 1.5"]),
        ("x^2 * sin(y)", "3,2", ["s_x += 2 * x * sin(y)", "s_y += cos(y) * x ** 2"]),
        ("sin(x * y)", "3,2", ["s_x += y * cos(x * y)", "s_y += x * cos(x * y)"]),
        ("x / y", "3,2", ["s_x += 1 / y", "s_y += -(x / y) / y"]),
        ("max(x, y)", "3,2", ["s_x += 1"]),
        ("max(x, y)", "2,2", ["s_x += 0.5", "s_y += 0.5"]),
        ("where(x > 1, x, y)", "3,2", ["s_x += 1"]),
        ("-(x + 1)", "3", ["s_x += -1"]),
        ("exp(-x)", "3", ["s_x += -exp(-x)"]),
    ],
)
def test_an_expression_is_one_statement(expression, at, expected):
    """Its partial by each name is one product, or a sum of some; ones are left out."""
    assert lines(expression, at, whole=True) == expected


def test_places_of_arrays(program):
    """What is read at a place comes back to that place; sums in place are shown as they are."""
    text = "import numpy as np\ndef f(x):\n    step = x[1:] - x[:-1] ** 2\n    return np.sum(100.0 * step ** 2)\n"

    assert [
        "s_step += 2 * step * 100.0",
        "s_x[1:] += s_step",
        "s_x[:-1] += -2 * x[:-1] * s_step",
    ] == lines(program(text), "[1.3,0.7,0.8]")


def test_arrays_that_are_filled(program):
    """A place that is written passes its sensitivity to what is written, and none to what was there."""
    text = (
        "import numpy as np\ndef f(x):\n    y = x * 1.0\n    y[0] = y[1] * x[2]\n    y[1:] = x[0]\n"
        "    y[:] = y * x[1]\n    y[y > 1] = 2.0 * y[0]\n    return y.sum()\n"
    )

    assert [
        "s_y#5 += 1",
        "s_y#4[0] += 2.0 * sum(s_y#5)",
        "s_x[1] += sum(y#3 * s_y#4)",
        "s_y#3 += x[1] * s_y#4",
        "s_x[0] += sum(s_y#3[1:])",
        "s_y#2 += where(arange(3) >= 1, 0, s_y#3)",
        "s_x[2] += y[1] * s_y#2[0]",
        "s_y += where(arange(3) == 0, 0, s_y#2)",
        "s_y[1] += x[2] * s_y#2[0]",
        "s_x += s_y",
    ] == lines(program(text), "[1,2,3]")


def test_our_names_for_functions_are_those_of_numpy(program):
    """A norm is a square root, and a contraction is written as it is typed."""
    text = "import numpy as np\ndef f(x):\n    return x[0] * (np.linalg.norm(x) + np.einsum('i,i->', x, x))\n"

    assert "s_x[0] += sqrt(sum(square(x))) + einsum('i,i->', x, x)" in lines(program(text), "[3,4]")


def test_matrices(program):
    text = "import numpy as np\ndef f(w, x):\n    z = w @ x\n    return np.mean(z * z)\n"

    assert ["s_z += 2 * z / 2", "s_w += outer(s_z, x)", "s_x += w.T @ s_z"] == lines(
        program(text), '{"w": [[1,2],[3,4]], "x": [1,2]}'
    )


def test_a_name_bound_again_has_a_number(program):
    text = "def f(x):\n    for _ in range(2):\n        x = x * x\n    return x\n"
    found = lines(program(text), "3")

    assert found == ["s_x#1 += 2 * x#1", "s_x += 2 * x * s_x#1"]


PROGRAMS = [
    """
    import numpy as np
    def f(x):
        y = np.exp(x) / (1 + x * x)
        z = np.sin(y[::-1]) * y
        return np.sum(z)
    """,
    """
    import numpy as np
    def f(x):
        a = x.reshape(2, 2)
        b = np.linalg.inv(a + np.eye(2) * 3)
        return np.trace(b @ a)
    """,
    """
    import numpy as np
    def f(x):
        z = np.exp(1j * x) * (2 - 1j)
        w = np.conj(z) * z * z
        return np.sum(w.imag) + np.sum(abs(z) * z.real)
    """,
    """
    import math
    def f(x):
        y = [math.sin(v) * v for v in x]
        s = sum(y)
        return s * s / y[0]
    """,
    """
    import numpy as np
    def f(x):
        b = np.zeros(4)
        b[1:] = x[:-1] * 2
        b[0] = x[3] ** 2
        return np.dot(b, x)
    """,
]


def test_a_read_of_all_places_by_an_empty_index_is_told(program):
    """`x[()]` of an array without axes, as SciPy returns it."""
    text = """
    import numpy as np
    def f(x):
        y = np.exp(x)
        return y[()] * 3.0
    """
    assert [line.replace("[()]", "") for line in lines(program(text), '{"x": 0.3}')] == ["s_y += 3.0", "s_x += y * s_y"]


def test_complex_factors_are_written_as_python_writes_them(program):
    """A factor of 1j, and one of -1j, which are of size one and yet left out by nobody."""
    text = """
    def f(x):
        z = x * 1j
        w = z * -1j
        return w.real
    """
    assert lines(program(text), "0.3") == ["s_w += 1", "s_z += 1j * s_w", "s_x += real(-1j * s_z)"]


@pytest.mark.parametrize("text", PROGRAMS)
def test_the_sums_are_the_sensitivities(program, text):
    """What the statements add comes to what the sweep found, for every quantity that has a name."""
    question = ask(program(text), "[0.3,0.7,1.1,0.4]")
    recording = question.record(names=True)
    explanation = ReverseExplanation(recording)
    rows = {each.node for statement in explanation.backwards() for each in statement.additions}

    for row in rows:
        np.testing.assert_allclose(explanation.running[row], explanation.sensitivities[row], rtol=1e-12)
    assert set(recording.input_indices()) <= rows


COMPLEX = [
    """
    import numpy as np
    def f(x):
        y = np.fft.fft(x)
        power = np.abs(y) ** 2
        return power[1] + power[2]
    """,
    """
    import numpy as np
    def f(x):
        z = x * (1.25 + 2.5j)
        w = np.exp(z * z[::-1]) / (z + 3)
        u = np.conj(w) * x[0]
        return np.sum(u.real) + np.sum(w.imag)
    """,
    """
    def f(x):
        a, b, c, d = x
        z = (a + 2j) * b
        w = z * z * (1 - 1j) / (c + 1j * z)
        return w.real * d + w.imag
    """,
]


@pytest.mark.parametrize("text", COMPLEX)
def test_the_sums_are_the_sensitivities_of_complex_numbers(program, text):
    test_the_sums_are_the_sensitivities(program, text)


def test_terms_of_complex_numbers_are_what_is_added(program):
    """The text of each, computed, gives the number beside it: partials by their conjugates, real parts for reals."""
    recording = ask(program(COMPLEX[2]), "[0.3,0.7,1.1,0.4]").record(names=True)
    explanation = ReverseExplanation(recording)
    known = {node.name: node.value for node in recording.nodes if node.name}
    known |= {"conj": np.conj, "real": np.real}
    known |= {f"s_{name}": explanation.sensitivities[n] for n, name in enumerate(explanation.names)}
    added = [each for statement in explanation.backwards() for each in statement.additions]

    assert 10 <= len(added)
    for each in added:
        np.testing.assert_allclose(eval(each.term, known), each.amount, rtol=1e-12, err_msg=each.term)


@pytest.mark.long
def test_a_long_run_is_told_in_linear_time():
    """Ten thousand statements are no burden, and every one of them is there."""

    def power(x):
        for _ in range(5000):
            x = x * 1.0001
        return x

    recording = trace(power, 1.0)
    assert sum(1 for _ in ReverseExplanation(recording).backwards()) == 5000


def test_terms_are_texts_of_the_language(program):
    assert not [line for line in lines(program(F4), "2,3,4,5") if re.search(r"%\d|<|lambda", line)]
