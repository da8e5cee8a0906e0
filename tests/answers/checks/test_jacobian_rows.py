"""Jacobians, Hessians and Hessian-vector products by hand, judged row by row."""

import numpy as np
import pytest

import gradcli
from gradcli.answers.checks import jacobian_rows
from gradcli.answers.checks.comparison import compare
from gradcli.answers.checks.problem.bound_check import BoundCheck
from gradcli.answers.checks.problem.compared_case import NoMoreCalls
from gradcli.answers.checks.problem.time_budget import Clock
from gradcli.answers.targets.functions import function_target
from gradcli.errors import ResultError
from gradcli.shared.records.check_request import CheckRequest
from gradcli.shared.records.checks import Verdict

TIMES = np.arange(5.0)


def rosenbrock(x):
    """Rosenbrock's valley."""
    return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2


def hessian(x):
    """Its second derivatives."""
    return np.array([[1200 * x[0] ** 2 - 400 * x[1] + 2, -400 * x[0]], [-400 * x[0], 200.0]])


def decay(p):
    """The residuals of a decay at five times."""
    return np.array([p[0] * np.exp(-p[1] * t) for t in TIMES])


def decay_jacobian(p):
    """Their derivatives."""
    return np.stack([np.exp(-p[1] * TIMES), -TIMES * p[0] * np.exp(-p[1] * TIMES)], axis=1)


def spoiled(function, row, column, factor=1.01):
    """A matrix with one wrong entry."""

    def wrong(x):
        matrix = np.array(function(x))
        matrix[row, column] *= factor
        return matrix

    return wrong


AT = np.array([1.5, 2.0])


def failing(f, against, at=AT, **options):
    """The verdict, and the names of the components that fail."""
    found = gradcli.check(f, at=at, against=against, **options)
    return found.verdict, [row.name for row in found.components if row.verdict is Verdict.FAIL]


def about_a_tilted_axis(p):
    """A point after a turn by p[0] about an axis in its own plane, with a height that the turn does not change."""
    return np.array([np.cos(p[0]) * p[1], np.sin(p[0]) * p[1], 0.3 + p[1]])


def turned_forth_and_back(p):
    """Its derivatives in a frame turned back: the 0 in the last row is a difference of equal products."""
    c, s = np.cos(0.7), np.sin(0.7)
    frame = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    columns = [[-np.sin(p[0]) * p[1], np.cos(p[0]) * p[1], 0.0], [np.cos(p[0]), np.sin(p[0]), 1.0]]
    matrix = np.zeros((3, 2))
    for n, column in enumerate(columns):
        matrix[:, n] = frame @ (frame.T @ np.array(column))
    return matrix


@pytest.mark.parametrize("form", [np.array, list, lambda m: [list(row) for row in m], lambda m: [*m.ravel()]])
def test_a_zero_may_be_as_large_as_the_rounding_of_the_matrix(form):
    """The matrix is computed again on the tape, whatever the form of its rows, to bound its rounding."""
    matrix = turned_forth_and_back(np.array([0.4, 1.3]))
    assert 0.0 != matrix[2, 0]
    assert ("pass", []) == failing(
        about_a_tilted_axis, lambda p: form(turned_forth_and_back(p)), at=np.array([0.4, 1.3]), of="jacobian"
    )


def test_a_zero_larger_than_the_rounding_of_the_matrix_is_wrong():
    """A small number in place of 0 fails."""

    def wrong(p):
        matrix = turned_forth_and_back(p)
        matrix[2, 0] += 1e-12 * p[1]
        return matrix

    assert failing(about_a_tilted_axis, wrong, at=np.array([0.4, 1.3]), of="jacobian") == ("fail", ["[2] p[0]"])


def test_a_product_is_judged_along_a_drawn_vector():
    """The note names the vector and the seed."""
    found = gradcli.check(rosenbrock, at=AT, against=lambda x, v: hessian(x) @ v, of="hvp", seed=3)

    assert found.verdict == "pass"
    assert any(note.startswith("the product with v = [") and note.endswith("(seed 3)") for note in found.notes)
    assert gradcli.check(rosenbrock, at=AT, against=lambda x, v: 2 * hessian(x) @ v, of="hvp").verdict == "fail"


def many(x):
    """Two hundred results."""
    return np.sin(np.outer(np.arange(200.0), x)).sum(axis=1)


def many_jacobian(x):
    """Their derivatives."""
    return np.arange(200.0)[:, None] * np.cos(np.outer(np.arange(200.0), x))


@pytest.mark.long
def test_of_many_rows_the_suspects_are_judged_alone():
    """One wrong entry among two hundred rows is named; the others are judged as one sum, and the note says so."""
    right = gradcli.check(many, at=AT, against=many_jacobian, of="jacobian")

    assert (right.verdict, len(right.components)) == ("pass", 34)
    assert "rows: 16 of 200 one by one, the others as one weighted sum (seed 0)" in right.notes
    assert failing(many, spoiled(many_jacobian, 150, 1), of="jacobian") == ("fail", ["[150] x[1]"])
    assert failing(many, None, of="jacobian") == ("pass", [])


@pytest.mark.long
def test_a_wrong_row_that_nobody_suspects_is_found_in_the_sum(monkeypatch):
    """As where the tape cannot follow the function."""
    monkeypatch.setattr("gradcli.answers.checks.jacobian_rows.jacobian", lambda f, places: 1 / 0)

    assert failing(many, spoiled(many_jacobian, 150, 1), of="jacobian") == ("fail", ["[others] x[1]"])


def test_a_transposed_matrix_is_refused():
    """With both shapes."""
    with pytest.raises(ResultError, match=r"shape \(2, 5\); a matrix of 5 by 2"):
        gradcli.check(decay, at=AT, against=lambda p: decay_jacobian(p).T, of="jacobian")


def of_two(x, y):
    return np.array([x[0] * y, x[1] * y**2, x[0] * x[1]])


def rows_of_two(x, y):
    return [[y, 0.0, x[0]], [0.0, y**2, 2 * x[1] * y], [x[1], x[0], 0.0]]


def blocks_of_two(x, y):
    whole = np.array(rows_of_two(x, y))
    return whole[:, :2], whole[:, 2]


def slope(x):
    return np.array([-400 * x[0] * (x[1] - x[0] ** 2) - 2 * (1 - x[0]), 200 * (x[1] - x[0] ** 2)])


def both(x):
    return rosenbrock(x), slope(x)


def sparse(p):
    return pytest.importorskip("scipy.sparse").csr_matrix(decay_jacobian(p))


TWO = np.array([1.0, 2.0]), 3.0


@pytest.mark.parametrize(
    ("f", "against", "at", "of", "wrong"),
    [
        (decay, decay_jacobian, AT, "jacobian", []),
        (rosenbrock, hessian, AT, "hessian", []),
        (decay, None, AT, "jacobian", []),
        (rosenbrock, None, AT, "hessian", []),
        (decay, spoiled(decay_jacobian, 3, 1), AT, "jacobian", ["[3] p[1]"]),
        (rosenbrock, spoiled(hessian, 1, 0), AT, "hessian", ["x[1] x[0]"]),
        (of_two, rows_of_two, TWO, "jacobian", []),
        (of_two, blocks_of_two, TWO, "jacobian", []),
        (decay, sparse, AT, "jacobian", []),
        # A function that returns its value and its derivative is both the function and the candidate.
        (both, None, AT, "gradient", []),
        (rosenbrock, both, AT, "gradient", []),
        (both, slope, AT, "gradient", []),
        (lambda x: (rosenbrock(x), 2 * slope(x)), None, AT, "gradient", ["x[0]", "x[1]"]),
        (lambda t: (t**2, t), None, 3.0, "gradient", ["t"]),
        (lambda p: (decay(p), decay_jacobian(p)), None, AT, "jacobian", []),
        (lambda p: (decay(p), spoiled(decay_jacobian, 2, 0)(p)), None, AT, "jacobian", ["[2] p[0]"]),
        # Two numbers by one are a result, and no pair of a value and its derivative.
        (lambda t: (np.cos(t), np.sin(t)), None, 0.5, "jacobian", []),
    ],
)
def test_the_components_that_fail(f, against, at, of, wrong):
    """By row and column, in the order of the inputs, as a matrix, a block for each input, or a sparse matrix."""
    assert failing(f, against, at, of=of) == ("fail" if wrong else "pass", wrong)


def test_a_tolerance_is_widened():
    """Relative or absolute; the notes say so."""

    def slightly_off(x):
        return 2 * x * (1 + 1e-5)

    def check(**options):
        return gradcli.check(lambda x: x * x, at=3.0, against=slightly_off, **options)

    assert check().verdict == "fail"
    assert check(rtol=1e-4).verdict == "pass"
    assert check(atol=1e-3).verdict == "pass"
    assert "the tolerance is widened by --rtol 0.0001 and --atol 0.1" in check(rtol=1e-4, atol=0.1).notes
    assert gradcli.check(lambda x: x * x, at=3.0, against=lambda x: 2.1 * x, rtol=1e-2).verdict == "fail"


def test_a_function_of_several_results_names_the_option():
    """Where a gradient was asked for."""
    for f in (lambda x: np.array([x, x]), lambda x: (x, np.zeros(3))):
        with pytest.raises(ResultError) as error:
            gradcli.check(f, at=1.0)
        assert error.value.hint.startswith("`check --of jacobian` checks every derivative")


def skipped(*arguments, **options):
    """The comparison of a row for which no time is left."""
    found = compare(*arguments, **options)
    return found.changed(components=tuple(row.changed(verdict=Verdict.SKIPPED) for row in found.components))


def raises(error):
    """A comparison that the user's code ends."""

    def interrupted(*arguments, **options):
        raise error

    return interrupted


@pytest.mark.parametrize(
    "last", [raises(NoMoreCalls()), raises(KeyboardInterrupt()), skipped], ids=["stopped", "interrupted", "empty"]
)
def test_an_interruption_keeps_the_finished_rows(last, monkeypatch):
    """Wherever in a later row it comes; that row is skipped, and nothing is said about it."""
    rows, clock = iter([compare, last]), Clock()

    def compared(*arguments, **options):
        row = next(rows)
        clock.stopped = "out of time" if row is last else None
        return row(*arguments, **options)

    monkeypatch.setattr(jacobian_rows, "compare", compared)
    target = function_target("decay", "decay", decay)
    request = CheckRequest(of="jacobian")
    check = BoundCheck(target, {"p": np.array([2.0, 0.5])}, ["p"], request=request, clock=clock)
    found = jacobian_rows.compare_rows(check)

    assert [row.verdict for row in found.components if row.name.startswith("[0]")] == [Verdict.PASS, Verdict.PASS]
    assert {row.reason for row in found.components if not row.name.startswith("[0]")} == {"out of time"}
    assert len({row.name.partition("]")[0] for row in found.components}) == 1 + 4


def norm_squared(x):
    return np.linalg.norm(x) ** 2


def trace_of_eigenvalues(a):
    return np.sum(np.linalg.eigvalsh((a + a.T) / 2))


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("f", "at", "of", "right", "wrong"),
    [
        (norm_squared, np.zeros(2), "hessian", lambda x: 2 * np.eye(2), lambda x: np.zeros((2, 2))),
        (norm_squared, np.zeros(2), "hvp", lambda x, v: 2 * v, lambda x, v: 0 * v),
        (lambda x: abs(x) ** 3, 0.0, "hessian", lambda x: 0.0, lambda x: 1.0),
        (trace_of_eigenvalues, np.eye(2), "hessian", lambda a: np.zeros((2, 2, 2, 2)),
            lambda a: 1e-3 * np.ones((2, 2, 2, 2))),
    ],
    ids=["norm", "product", "cube", "eigenvalues"],
)  # fmt: skip
def test_second_derivatives_at_kinks_and_equal_eigenvalues(f, at, of, right, wrong):
    """They are limits; gradcli's own and right candidates pass."""
    assert gradcli.check(f, at=at, of=of).verdict == "pass"
    assert gradcli.check(f, at=at, of=of, against=right).verdict == "pass"
    assert gradcli.check(f, at=at, of=of, against=wrong).verdict == "fail"


SMOOTH_AT_0 = {
    "hypot": lambda x: np.hypot(x[0], x[1]) ** 2,
    "a root": lambda x: np.sqrt(np.sum(x**2)) ** 2,
    "both": lambda x: np.sqrt(x @ x) * np.hypot(x[0], x[1]),
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("name", "of"), [(name, of) for name in SMOOTH_AT_0 for of in ("hessian", "hvp")])
def test_second_derivatives_where_the_gradient_is_nan(name, of):
    """Each is the sum of the squares at 0, which values near there show."""
    f, x = SMOOTH_AT_0[name], np.zeros(2)
    right, wrong = ({"hessian": lambda x, k=k: k * np.eye(2), "hvp": lambda x, v, k=k: k * v}[of] for k in (2.0, 2.02))

    assert gradcli.check(f, at=x, of=of).verdict == "pass"
    assert gradcli.check(f, at=x, against=right, of=of).verdict == "pass"
    assert gradcli.check(f, at=x, against=wrong, of=of).verdict == "fail"
