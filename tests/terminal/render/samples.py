"""Hand-made records for the tests of rendering."""

import math

from gradcli.shared.records.checks import Comparison, Component, Verdict
from gradcli.shared.records.closed_form import ClosedForm
from gradcli.shared.records.derivatives import Gradient, Hessian, Jacobian
from gradcli.shared.records.explanations import (
    Addition,
    CentralDifference,
    Explanation,
    ForwardSweep,
    Perturbation,
    Scope,
    Statement,
)
from gradcli.shared.records.precision import DigitLoss, NumberAccuracy, Precision
from gradcli.shared.records.result_and_finding import Finding
from gradcli.shared.records.tape_graphs import NodeUse, ProgramText, TapeGraph
from gradcli.shared.records.tapes import Node, Outcome, TapeListing

FILE = "/home/user/examples/hyperbox.py"

GRADIENT = Gradient(
    target="examples/hyperbox.py:f4",
    point={"side_lengths": [1.0, 2.0, 3.0, 4.0]},
    value=100.0,
    gradient={"side_lengths": [52.0, 38.0, 28.0, 22.0]},
)

EXPRESSION = Gradient(
    target="x^2 + sin(y)",
    point={"x": 1.0, "y": 2.0},
    value=1.9092974268256817,
    gradient={"x": 2.0, "y": -0.4161468365471424},
    reading="f(x, y) = x**2 + sin(y)",
    findings=(Finding("G401", "note", "z is never used.", FILE, 3),),
)

NOT_FINITE = Gradient(target="sqrt(x)", point={"x": 0.0}, value=0.0, gradient={"x": math.inf})

NESTED = Gradient(
    target="model.py:loss",
    point={"w": [[0.1, 0.25], [1e-17, 3.0]], "b": 12345.678},
    value=-0.1234567890123456,
    gradient={"w": [[0.1, -0.25], [1e-17, math.nan]], "b": 1.0},
)

LONG = Gradient(
    target="f.py:f",
    point={"x": [index / 3 for index in range(1000)]},
    value=1.0,
    gradient={"x": [index / 7 for index in range(1000)]},
)

JACOBIAN = Jacobian(
    target="f.py:g",
    point={"x": [1.0, 2.0], "k": 3.0},
    value=[3.0, 4.0, 5.0],
    jacobian={"x": [[1.0, 2.0], [0.5, -0.25], [1e-10, 3.0]], "k": [0.0, 7.0, 8.0]},
)

PRECISION = Precision(
    target="bell.py:bell",
    point={"x": 0.0001, "y": 2.0},
    value=NumberAccuracy("value", 0.4999999969612645, 8.9e-08, 6.8),
    gradient=(
        NumberAccuracy("x", 4.410804467624985e-05, 0.0018, 0.0),
        NumberAccuracy("y", 1.0, 0.0, 16.0),
    ),
    worst="x",
    nodes=(
        DigitLoss(
            1, None, "cos", "cos(x)", 0.999999995, 0.9, 0.996, 1.0, None, "bell.py", 4, "rest = 1.0 - math.cos(x)"
        ),
        DigitLoss(
            2, "rest", "sub", "1.0 - cos(x)", 4.99e-09, 8.3, 0.0, 0.0, "2 * sin(x / 2)**2", "bell.py", 4,
            "rest = 1.0 - math.cos(x)",
        ),
    ),
)  # fmt: skip

_UNPACK = "t_a, t_b, t_c, t_d = side_lengths"

TAPE = TapeListing(
    target="examples/hyperbox.py:f4",
    point={"side_lengths": [2.0, 3.0, 4.0, 5.0]},
    value=308.0,
    nodes=(
        Node(0, "side_lengths", "input", (), [2.0, 3.0, 4.0, 5.0], [94.0, 76.0, 62.0, 52.0]),
        Node(1, "t_a", "index", (0,), 2.0, 94.0, FILE, 11, _UNPACK),
        Node(2, "t_b", "index", (0,), 3.0, 76.0, FILE, 11, _UNPACK),
        Node(3, "t_ab", "mul", (1, 2), 6.0, 18.0, FILE, 12, "    t_ab = t_a * t_b"),
        Node(4, None, "neg", (3,), -6.0, None, FILE, 13, "    ret = -t_ab + 1"),
        Node(5, "ret", "add", (4, 3), 308.0, 1.0, FILE, 13, "    ret = -t_ab + 1"),
    ),
    outcomes=(
        Outcome("lt", (2.0, 3.0), True, 3, FILE, 11),
        Outcome("floor", (2.5,), 2, 4, FILE, 12),
    ),
)

GRAPH = TapeGraph(
    **dict(TAPE.items()),
    uses=(
        NodeUse(0, 1, (1.0,), "s_side_lengths[0] += s_a", 94.0),
        NodeUse(0, 2, (1.0,), "s_side_lengths[1] += s_b", 76.0),
        NodeUse(1, 3, (3.0,), "s_a += t_b * s_ab", 54.0),
        NodeUse(2, 3, (2.0,), "s_b += t_a * s_ab", 36.0),
        NodeUse(3, 4, (-1.0,)),
        NodeUse(4, 5, (1.0,), "s_%4 += 1", 1.0),
        NodeUse(3, 5, (1.0,), "s_ab += 1", 1.0),
    ),
    scopes=(Scope("call", FILE, 11, "ret = area(t_a)", "area", 1, 1, None, {"a": "t_a", "b": "t_b"}),),
    within=(None, None, None, 0, 0, None),
    program=(ProgramText(FILE, 11, (_UNPACK, "    t_ab = t_a * t_b", "    ret = -t_ab + 1 < 2")),),
).changed(result=5)  # fmt: skip

CLOSED_FORM = ClosedForm(
    target="x^2 + sin(y)",
    inputs=("x", "y"),
    value="x**2 + sin(y)",
    gradient={"x": "2*x", "y": "cos(y)"},
    latex={"value": r"x^{2} + \sin{\left(y \right)}", "x": "2 x", "y": r"\cos{\left(y \right)}"},
    note="The formulas hold where the program takes the path that it took here.",
    reading="f(x, y) = x**2 + sin(y)",
)


def component(
    name: str, verdict: Verdict = Verdict.PASS, candidate: float = 52.0, reference: float = 52.0
) -> Component:
    """One row of a comparison."""
    return Component(
        name=name,
        verdict=verdict,
        candidate=candidate,
        reference=reference,
        reverse=reference,
        symbolic=reference,
        differences=reference + 1.234e-10,
        differences_error=3.2e-9,
        tolerance=5.2e-6,
        reason="Within the tolerance." if verdict is Verdict.PASS else f"The candidate is {candidate - reference} off.",
    )


NOTES = ("A component passes within 1e-7 of the reference, relative, plus the rounding bounds of both sides.",)

PASSING = Comparison(
    target="examples/hyperbox.py:f4",
    against=None,
    point={"side_lengths": [1.0, 2.0, 3.0, 4.0]},
    value=100.0,
    verdict="pass",
    components=(component("side_lengths[0]"), component("side_lengths[1]", candidate=38.0, reference=38.0)),
    notes=NOTES,
)

FAILING = Comparison(
    target="examples/hyperbox.py:f4",
    against="examples/hyperbox.py:grad_f4_slip",
    point={"side_lengths": [1.0, 2.0, 3.0, 4.0]},
    value=100.0,
    verdict="fail",
    components=(
        component("side_lengths[3]", Verdict.FAIL, 26.0, 22.0),
        Component("k", Verdict.KINK, 0.0, None, 0.0, None, None, None, None, "The slopes are -1.0 and 1.0."),
        component("side_lengths[0]"),
    ),
    notes=NOTES,
)

MANY = Comparison(
    target="f.py:f",
    against=None,
    point={"x": [1.0] * 100},
    value=1.0,
    verdict="fail",
    components=(
        component("x[7]", Verdict.FAIL, 26.0, 22.0),
        *(component(f"x[{index}]") for index in range(99)),
    ),
)

HESSIAN = Hessian(
    target="f.py:g",
    point={"x": [1.0, 2.0], "k": 3.0},
    value=4.0,
    gradient={"x": [1.0, 2.0], "k": 0.5},
    hessian={
        "x": {"x": [[1.0, 2.0], [2.0, 1e-10]], "k": [0.5, 7.0]},
        "k": {"x": [0.5, 7.0], "k": 9.0},
    },
)

EXPLANATION = Explanation(
    target="f.py:f",
    point={"x": 2.0, "y": 3.0},
    value=6.25,
    statements=(
        Statement(
            3, "r", "s_r", "p + 0.25", 6.25, 1.0, "/home/user/f.py", 4, "r = p + 0.25",
            (Addition(2, "s_p", "1", 1.0, 0.0, 1.0),),
        ),
        Statement(
            2, "p", "s_p", "x * y", 6.0, 1.0, "/home/user/f.py", 3, "p = x * y",
            (
                Addition(0, "s_x", "y * s_p", 3.0, 0.0, 3.0),
                Addition(1, "s_y", "x * s_p", 2.0, 0.0, 2.0),
            ),
        ),
    ),
    gradient={"x": 3.0, "y": 2.0},
    operands={"p": 6.0, "s_p": 1.0, "x": 2.0, "y": 3.0},
)  # fmt: skip


OWN_FILE = "/home/user/f.py"


def _turn(number: int) -> Statement:
    """One iteration of `x = 2 * x`, in the scope of its number."""
    before = f"s_x#{number - 1}" if number > 1 else "s_x"
    addition = Addition(number - 1, before, f"2 * s_x#{number}", 2.0, 0.0, 2.0 ** (5 - number))
    return Statement(
        number, f"x#{number}", f"s_x#{number}", f"2 * x#{number - 1}", 2.0**number, 1.0, OWN_FILE, 3, "x = 2 * x",
        (addition,), within=number,
    )  # fmt: skip


EXPLAINED_LOOP = Explanation(
    target="f.py:f",
    point={"x": 1.0},
    value=16.0,
    statements=tuple(map(_turn, (4, 3, 2, 1))),
    gradient={"x": 16.0},
    operands={f"s_x#{number}": 2.0 ** (4 - number) for number in range(1, 5)},
    scopes=(
        Scope("loop", OWN_FILE, 2, "for _ in range(4):", of=4),
        *(Scope("iteration", OWN_FILE, 2, "for _ in range(4):", number=n, parent=0) for n in range(1, 5)),
    ),
)

FORWARD_SWEEP = ForwardSweep(
    target="f.py:f",
    point={"x": 2.0, "y": 3.0},
    value=6.25,
    along={"x": 1.0, "y": 0.0},
    statements=(
        Statement(
            2, "p", "d_p", "x * y", 6.0, 1.0, "/home/user/f.py", 3, "p = x * y",
            (Addition(2, "d_p", "y * d_x", 3.0, 0.0, 3.0),),
        ),
        Statement(
            3, "r", "d_r", "p + 0.25", 6.25, 1.0, "/home/user/f.py", 4, "r = p + 0.25",
            (Addition(3, "d_r", "d_p", 3.0, 0.0, 3.0),),
        ),
    ),
    derivative=3.0,
    operands={"p": 6.0, "d_p": 3.0, "x": 2.0, "d_x": 1.0, "y": 3.0},
)  # fmt: skip

PERTURBATION = Perturbation(
    target="f.py:f",
    point={"x": 2.0, "y": 3.0},
    value=6.25,
    name="p",
    at=6.0,
    sensitivity=2.0,
    pushes=(
        CentralDifference(0.6, None, 8.5, None),
        CentralDifference(0.006, 6.238, 6.262, 2.0000000000000018),
    ),
    file="/home/user/f.py",
    line=3,
    source="p = x * y",
)

LOOP_TAPE = TapeListing(
    target="f.py:f",
    point={"x": 1.0},
    value=17.0,
    nodes=(
        Node(0, "x", "input", (), 1.0, 16.0),
        *(
            Node(n, f"x#{n + 1}", "mul", (n - 1,), 2.0**n, 2.0 ** (4 - n), FILE, 3, "x = 2 * x", f"2 * x#{n}")
            for n in range(1, 5)
        ),
        Node(5, "y", "add", (4,), 17.0, 1.0, FILE, 4, "y = x + 1", "x#5 + 1"),
        Node(6, None, "mul", (4, 4), 256.0, 0.0, FILE, 5, "x * x", "x#5 * x#5"),
    ),
    result=5,
)
