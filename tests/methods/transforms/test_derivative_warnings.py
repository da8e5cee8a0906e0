"""Every transform warns of the same findings, and the commands print what the library warns of."""

import math
import warnings

import numpy as np
import pytest

import gradcli
from gradcli import FindingWarning, elementwise_grad, grad, hessian, hvp, jacobian, jvp, queries, value_and_grad, vjp
from gradcli.methods.transforms import derivative_warnings

FIRST = {
    "grad": lambda f, x: grad(f)(x),
    "value_and_grad": lambda f, x: value_and_grad(f)(x),
    "has_aux": lambda f, x: grad(lambda x: (f(x), x), has_aux=True)(x),
    "jacobian": lambda f, x: jacobian(f)(x),
    "jacobian of two": lambda f, x: jacobian(lambda x: [f(x), np.array([f(x), 1.0])])(x),
    "jvp": lambda f, x: jvp(f, (x,), (np.ones_like(x)[()],)),
    "vjp": lambda f, x: vjp(f, x)[1](1.0),
    "elementwise_grad": lambda f, x: elementwise_grad(f)(x),
    "inside of another": lambda f, x: grad(lambda x: np.sum(x * grad(f)(x)))(x),
    "keyword": lambda f, x: grad(lambda *, a, x: a * f(x), argnums="x")(a=1.0, x=x),
}
SECOND = {
    "hessian": lambda f, x: hessian(f)(x),
    "hvp": lambda f, x: hvp(f, x, np.ones_like(x)[()]),
    "jacobian of grad": lambda f, x: jacobian(grad(f))(x),
    "grad of grad": lambda f, x: grad(lambda x: np.sum(grad(f)(x)))(x),
}


@pytest.fixture(autouse=True)
def forgetful(monkeypatch):
    for name in ("_warned", "_looked_at", "_times"):
        monkeypatch.setattr(derivative_warnings, name, type(getattr(derivative_warnings, name))())


def warned(take, f, x):
    """The codes of which a transform warns, and the lines that it names."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        take(f, x)
    assert {each.filename for each in seen} <= {__file__}
    return sorted({str(each.message).partition(":")[0] for each in seen if each.category is FindingWarning})


def times_its_root(x):
    """Its slope is 0, and 0 times infinity on the tape."""
    return np.sum(np.sqrt(x) * x)


def hole(x):
    return x if x != 0 else 0.0 * x


def sinc(x):
    """Smooth, with the right first derivative at 0 alone."""
    return np.sum(np.where(x == 0, 1.0, np.sin(x) / np.where(x == 0, 1.0, x)))


def steps(x):
    return np.sum(np.floor(3 * x))


def vanished(x):
    return np.sum(np.exp(-800 - x))


def overflow(x):
    return np.sum(np.exp(800 + x) * x)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("door", FIRST)
@pytest.mark.parametrize(
    ("f", "at", "code"),
    [
        (times_its_root, np.array([0.0]), "G102"),
        (lambda x: math.sqrt(x) * x, 0.0, "G102"),
        (hole, 0.0, "G206"),
        (lambda x: (x if x else 0.0 * x), 0.0, "G206"),
        (lambda x: np.sum(np.where(x == 0, 0.0, np.sin(x))), np.zeros(2), "G206"),
        (steps, np.array([0.5, 1.2]), "G205"),
        (lambda x: 2.0 * math.floor(x), 0.5, "G205"),
        (vanished, np.array([1.0]), "G109"),
        (lambda x: math.exp(-x), 800.0, "G109"),
        (overflow, np.array([1.0]), "G108"),
        (lambda x: x[0] * np.inf, np.ones(1), "G110"),
    ],
    ids=["nan", "nan of numbers", "hole", "hole by truth", "hole of arrays", "flat", "flat number", "underflow",
         "underflow of a number", "overflow", "infinite value"],
)  # fmt: skip
def test_every_first_derivative(door, f, at, code):
    if door == "inside of another" and code in ("G206", "G109", "G108"):
        pytest.skip("its derivative is another one")

    assert warned(FIRST[door], f, at) == [code]


@pytest.mark.parametrize("door", SECOND)
@pytest.mark.parametrize(
    ("f", "at", "code"),
    [
        (times_its_root, np.array([0.0]), "G102"),
        (lambda x: np.sum(x**1.5), np.zeros(1), "G104"),
        (sinc, np.zeros(2), "G206"),
        (steps, np.array([0.5, 1.2]), "G205"),
        (lambda x: x[0] * np.inf, np.ones(1), "G110"),
    ],
    ids=["nan", "infinite", "hole", "flat", "infinite value"],
)  # fmt: skip
def test_every_second_derivative(door, f, at, code):
    assert warned(SECOND[door], f, at) == [code]


@pytest.mark.parametrize("take", [*FIRST.values(), *SECOND.values()], ids=[*FIRST, *SECOND])
@pytest.mark.parametrize(
    ("f", "at"),
    [
        (lambda x: np.sum(x * x), np.array([0.0])),
        (lambda x: np.sum(np.where(x == 0, 0.0, x**3)), np.zeros(2)),
        (lambda x: x**3 if x == 0 else x * x * x, 0.0),
        (lambda x: np.sum(np.where(x > 0, np.sqrt(np.where(x > 0, x, 1.0)), 0.0)), np.array([4.0, -1.0])),
        (lambda x: np.sum(np.exp(-800 * x) + x * x), np.array([1.0])),
    ],
    ids=["flat at the point", "no hole", "the same there", "not taken", "underflow of a part"],
)  # fmt: skip
def test_what_is_right_is_silent(take, f, at):
    """Zeros that are right, numbers that were not taken, and a branch that agrees with its neighbours."""
    assert warned(take, f, at) == []


@pytest.mark.parametrize("door", FIRST)
def test_a_mask_at_its_end_has_a_slope_and_no_second_one(door):
    found = warned(FIRST[door], lambda x: np.sum(x * (x > 0)), np.array([1.0, 0.0]))

    assert found == (["G213"] if door == "inside of another" else [])


@pytest.mark.parametrize(
    ("tangent", "codes"), [([1.0, 0.0], ["G102"]), ([0.0, 1.0], []), ([1.0, 1.0], ["G102"])]
)  # fmt: skip
def test_a_product_warns_of_the_numbers_that_move_alone(tangent, codes):
    f = lambda x: np.sqrt(x[0]) * x[0] + x[1] ** 2

    assert warned(lambda f, x: jvp(f, (x,), (np.array(tangent),)), f, np.zeros(2)) == codes


@pytest.mark.parametrize(
    ("f", "at"),
    [
        (lambda x: math.sqrt(x * x), 0.0),
        (lambda x: (x**3) ** (1 / 3), 0.0),
        (lambda x: np.cbrt(x**3), 0.0),
        (lambda x: np.sum(np.cbrt(x**3)), np.zeros(2)),
        (lambda x: np.linalg.det(x * np.eye(2)) ** 0.5, np.float64(0.0)),
        (lambda x: np.sum(np.cbrt(x**3)) + x, np.float64(0.0)),
    ],
)
@pytest.mark.parametrize("door", ["jvp", "jacobian"])
def test_a_computed_zero_times_an_infinite_slope_is_nan_forwards_too(door, f, at):
    """As it is in a reverse sweep: a tangent of 0 would be wrong without a word. A tall Jacobian is swept forwards."""
    many = lambda x: np.full(40, 1.0) * f(x)
    one = np.ones_like(at)[()]

    assert warned(FIRST[door], f if door == "jvp" else many, at) == ["G102"]
    assert np.all(np.isnan(jvp(f, (at,), (one,))[1] if door == "jvp" else jacobian(many)(at)))
    assert np.all(jvp(lambda x, y: f(x) + y, (at, 1.0), (0.0 * one, 1.0))[1] == 1.0)


def test_a_product_with_what_is_not_finite_is_the_callers():
    assert warned(lambda f, x: vjp(f, x)[1](math.nan), lambda x: x * x, 2.0) == []
    assert warned(lambda f, x: jvp(f, (x,), (math.inf,)), lambda x: x * x, 2.0) == []


def test_a_product_that_overflows():
    assert warned(lambda f, x: jvp(f, (x,), (1e300,)), lambda x: 1e300 * x, 2.0) == ["G102"]


def test_each_function_behind_the_same_code_is_looked_at():
    closure = lambda f: lambda x: f(x)

    assert warned(FIRST["grad"], closure(hole), 0.0) == ["G206"]
    assert warned(FIRST["grad"], closure(lambda x: 2.0 * x if x != 0 else 0.0), 0.0) == ["G206"]


def test_a_hole_costs_runs_once():
    calls = []

    def f(x):
        calls.append(None)
        return hole(x)

    assert warned(FIRST["grad"], f, 0.0) == ["G206"]
    calls.clear()
    grad(f)(0.0)
    assert len(calls) == 1


def test_the_findings_of_a_trace_have_the_names_of_the_program():
    (found,) = gradcli.trace(hole, 0.0).findings

    assert found.code == "G206"
    assert found.severity == "warning"
    assert found.message.startswith(
        "the derivative by x belongs to a path that only this point takes; next to it the slo"
    )


def quotient(x):
    return np.sin(x) / x


def rectified(x):
    return x if x > 0 else 0.0


@pytest.mark.parametrize(
    ("f", "codes"),
    [
        (hole, ["G206"]),
        (rectified, ["G206"]),
        (quotient, ["G101", "G209"]),
        (lambda x: (np.exp(x) - 1) / x, ["G101", "G209"]),
        (lambda x: x / abs(x), ["G101", "G201"]),
        (lambda x: 1.0 if x > 0.5 else 2.0, ["G205"]),
    ],
)
def test_the_findings_of_a_trace_are_those_of_the_command(f, codes):
    at = np.float64(0.0)
    with np.errstate(all="ignore"):
        trace, command = gradcli.trace(f, at).findings, queries.gradient(f, {"x": at}).findings

    assert [each.code for each in trace] == [each.code for each in command] == codes


def test_a_limit_is_that_of_the_whole_function():
    """It is warned of with a gradient, but not with a product or one of several results, which have another one."""
    at = np.float64(0.0)

    assert warned(FIRST["grad"], quotient, at) == ["G101", "G209"]
    assert warned(FIRST["vjp"], quotient, at) == warned(FIRST["jacobian of two"], quotient, at) == []


def flat_below(x):
    return 1.0 if x <= 1.0 else x * x


@pytest.mark.parametrize(
    ("f", "at", "codes"),
    [
        (rectified, 0.0, ["G206"]),
        (flat_below, 1.0, ["G206"]),
        (flat_below, 0.5, ["G205"]),
        (lambda x: 1.0 if x > 0 else 0.0, 0.5, ["G205"]),
        (lambda x: 2.0 if x >= 3.0 else (x - 3.0) * x + 2.0, 3.0, ["G206"]),
        (lambda x: 1.0 if x[0] <= 1.0 else x[0] ** 2, np.array([1.0, 2.0]), ["G206"]),
        (lambda x: 0.0 if np.sum(x) <= 3.0 else np.sum(x) - 3.0, np.array([1.0, 2.0]), ["G206"]),
        (lambda x: round(x) + (0.0 if x <= 1.0 else x - 1.0), 1.0, ["G206"]),
    ],
)
def test_where_the_side_taken_alone_is_flat_the_boundary_is_warned_of(f, at, codes):
    """The command has the same warnings."""
    assert warned(FIRST["grad"], f, at) == codes
    findings = queries.gradient(f, {"x": at}).findings
    assert [each.code for each in findings if each.severity == "warning"] == codes


@pytest.mark.parametrize("cut", [round, np.sign, lambda y: 1.0 if y > 7.0 else 0.0])
@pytest.mark.parametrize("take", [grad, value_and_grad])
def test_an_input_that_is_cut_everywhere_is_warned_of_beside_a_boundary(take, cut):
    def f(x, y):
        return flat_below(x) + cut(y)

    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always")
        take(f, argnums=(0, 1))(1.0, 2.3)

    messages = sorted(str(each.message) for each in met)
    assert len(messages) == 2
    assert messages[0].startswith("G205: y acts only through")
    assert messages[1].startswith("G206: the derivative by x ranges from 0 to 2 nearby")


@pytest.mark.parametrize("command", [queries.gradient, queries.jacobian])
def test_the_commands_tell_of_the_boundary_and_of_the_input_that_is_cut(command):
    found = command("(1.0 if x <= 1 else x * x) + floor(y) + z", "x=1,y=2.3,z=1").findings

    assert "G206" in [each.code for each in found]


@pytest.mark.parametrize("command", [queries.gradient, queries.jacobian, queries.hessian])
@pytest.mark.parametrize(
    ("text", "at", "code"),
    [
        ("sqrt(x)*x", "0", "G102"),
        ("where(x == 0, 0*x, x)", "0", "G206"),
        ("floor(3*x)", "0.5", "G205"),
        ("exp(-x)", "800", "G109"),
        ("exp(x)", "800", "G108"),
        ("sin(x)/x", "0", "G209"),
    ],
)
def test_the_commands_print_what_the_library_warns_of(command, text, at, code):
    assert code in [each.code for each in command(text, at).findings if each.severity != "note"]


@pytest.mark.parametrize(
    ("text", "at", "code"),
    [
        ("abs(x)", "0", "G201"),
        ("maximum(x, y)", "1,1", "G203"),
        ("clip(x, 0, 1)", "0", "G208"),
        ("x if x > 0 else 3 * x", "0", "G206"),
        ("0 * x if x > 0 else 0 * x + 1", "1", None),
        ("x + y", "1,1", None),
    ],
)
def test_the_commands_print_the_same_notes(text, at, code):
    """A Jacobian of one row has those of the gradient."""
    notes = [
        [each.code for each in command(text, at).findings if each.severity == "note"]
        for command in (queries.gradient, queries.jacobian, queries.hessian)
    ]
    assert notes == [[code] if code else []] * 3


def rooted(x):
    """Its slope from the right is infinite, and the branch of 0 has none."""
    return np.where(x > 0, np.sqrt(x), 0.0)


def test_an_input_that_acts_through_a_mask_alone_is_named():
    assert warned(lambda f, x: grad(f)(x), rooted, 0.0) == ["G205"]


def test_equal_code_of_another_file_is_named_too(tmp_path):
    functions = []
    for name in ("one.py", "another.py"):
        scope = {}
        exec(compile("def f(x):\n    return x * abs(x)\n", str(tmp_path / name), "exec"), scope)
        functions.append(scope["f"])

    for f in functions:
        with pytest.warns(FindingWarning, match="G213"):
            hessian(f)(0.0)
