"""The catalogue of findings: for each stable code its title, its cause, a program that shows it, and the way out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from gradcli.frozen import Frozen
from gradcli.records import Finding

Severity = Literal["note", "warning", "error"]


class Entry(Frozen):
    """One kind of finding.

    Args:
        code: stable for ever; the rule in reports, the word for `gradcli help`.
        title: a word or two, shown beside the code.
        severity: how grave it is when it is found.
        cause: what happened and why, for a reader who meets it for the first time.
        example: the least code, or command, that shows it.
        fix: what to write or type instead.
    """

    code: str
    title: str
    severity: Severity
    cause: str
    example: str
    fix: str


_ENTRIES = (
    Entry(
        "G101",
        "not finite",
        "error",
        "A step of the run itself gave nan or an infinity, before any derivative was taken. The finding names the "
        "first such step and the numbers it was given; every later nan comes from there. The exit code is 4.",
        "gradcli grad 'log(x)' --at=-1\ngradcli grad 'x/x' --at 0",
        "Keep the argument inside the domain of the step that is named, or handle the point in a branch of its own. "
        "exp overflows above 709.78 in float64: subtract the maximum before you take it.",
    ),
    Entry(
        "G102",
        "sensitivity not finite",
        "error",
        "The value is finite, but on the way back a partial derivative is infinite at this point, as the slope of "
        "sqrt is at 0. Where it meets a cotangent that was computed as zero, the product of zero and infinity is nan, "
        "and nothing in the program says which limit was meant. The finding names the first such step, from the "
        "result backwards. The exit code is 4.",
        "gradcli grad 'sqrt(x)**2' --at 0",
        "Rewrite the formula so that the two factors cancel before they are computed (here: x), or stay off the "
        "singular point.",
    ),
    Entry(
        "G103",
        "masked lane",
        "note",
        "where, clip, a maximum, a mask or an index left a lane aside whose derivative is not finite. gradcli gives "
        "such a lane no part in the gradient, so the result is that of the lane that was taken. Tools that multiply "
        "every lane by its mask give nan here, because zero times infinity is nan.",
        "gradcli grad 'where(x < 1, x, sqrt(x))' --at 0",
        "Nothing is wrong here. For the same gradient elsewhere, give the lane that is not taken a harmless "
        "argument: where(x < 1, x, sqrt(where(x < 1, 1, x))).",
    ),
    Entry(
        "G201",
        "kink",
        "note",
        "The function is continuous at the point, but its slopes to the left and to the right differ: there is no "
        "derivative, and every value between the slopes is as good. gradcli takes the one that `gradcli help "
        "conventions` lists. `check` passes a candidate between the slopes and fails one outside.",
        "gradcli check 'abs(x)' --at 0",
        "Nothing to repair if the function is meant to bend there. With --strict, `check` reports such a component "
        "as inconclusive (exit 3).",
    ),
    Entry(
        "G205",
        "cut",
        "warning",
        "An input reaches the result only through steps that are flat wherever they have a derivative: a "
        "comparison, round, floor, int, //, sign, argmax. Its gradient is exactly zero and says nothing about what "
        "happens when the input moves far enough.",
        "gradcli grad 'floor(3*x)' --at 0.5",
        "If the input ought to matter, replace the step by a smooth one, or // by / where a true division was meant.",
    ),
    Entry(
        "G401",
        "unused input",
        "note",
        "No path leads from this input to the result: it is never used, or what is made of it never arrives. Its "
        "gradient is zero, and that zero was not computed.",
        "def f(x, w):\n    t = w * w\n    return x * x        # t was meant to be here",
        "Use the input, leave it out of the parameters, or name the others with --wrt.",
    ),
    Entry(
        "G402",
        "detached",
        "error",
        "A recorded value reached code that takes its bare number, where the tape cannot follow: from there on the "
        "derivative would be lost without a word. float(x), math.sin(x) and np.array([x]) in the body of your "
        "functions are followed. Functions written in C are not, nor functions of math that a package has kept "
        "aside, as in a default argument s=math.sin.",
        "def f(x):\n    return array.array('d', [x])[0]",
        "Use np.array or the NumPy twin of the function, and call functions of math by their own name, math.sin(x). "
        "Where the derivative is meant to stop, say so: gradcli.stop_gradient(x).",
    ),
    Entry(
        "G404",
        "unsupported",
        "error",
        "The program used an operation for which gradcli has no derivative rule. The error names the operation and "
        "the line. `gradcli help operations` lists those that have one.",
        "def f(x):\n    return np.interp(x, [0.0, 1.0], [0.0, 2.0])",
        "Write the step with supported operations. For a function of numbers, add a rule: "
        'gradcli.rule("softplus(x)", "log1p(exp(x))", "1 / (1 + exp(-x))"); it is checked at once.',
    ),
    Entry(
        "G415",
        "no number",
        "error",
        "The function returned something that is not one number: nothing at all, a tuple, a text, an array. A "
        "gradient is the derivative of one number.",
        "def f(x):\n    loss = x * x        # and no return",
        "Return the one number that is to be differentiated. For an array, ask for `gradcli jacobian`, or return "
        "its sum.",
    ),
    Entry(
        "G501",
        "integer input",
        "note",
        "The point holds an array of integers. It was taken as float64, because a derivative by a whole number has "
        "no meaning. Integers inside the program, as an index, a bound or an exponent, stay what they are.",
        "gradcli.grad(f)(np.array([1, 2, 3]))",
        "Nothing, or write the point as floats: np.array([1.0, 2.0, 3.0]).",
    ),
    Entry(
        "G805",
        "symbolic node by node",
        "note",
        "The closed form of the whole program would grow too large to be useful, as it does in loops. SymPy "
        "differentiated every step on its own instead, and the chain rule joined the results at the point: as "
        "exact, but without one formula to show.",
        "def f(x):\n    for _ in range(50):\n        x = 3.7 * x * (1 - x)\n    return x",
        "Nothing is lost for `check`. For a formula to read, ask for a smaller part of the program.",
    ),
    Entry(
        "G806",
        "recorded path",
        "note",
        "The program branches, loops or picks by the values of its inputs. The symbolic form follows the path taken "
        "at this point, so it holds where the program takes the same path, and nowhere else.",
        "def f(x):\n    return x if x < 1 else x * x",
        "Nothing to repair. Ask again at a point on the other path to see the other form.",
    ),
    Entry(
        "G905",
        "your code raised",
        "error",
        "The function, or the file it is in, raised an exception, at this point or while it was loaded. Only your "
        "own lines are shown, the one that raised last. The exit code is 5.",
        "def f(x):\n    if x < 0:\n        raise ValueError('x must not be negative')\n    return x",
        "Correct the line that is named, or choose a point that the function accepts.",
    ),
)

CATALOGUE: dict[str, Entry] = {entry.code: entry for entry in _ENTRIES}


def finding(
    code: str,
    message: str,
    *,
    file: str | None = None,
    line: int | None = None,
    node: int | None = None,
    numbers: Mapping[str, float] | None = None,
) -> Finding:
    """A finding under a code of the catalogue, as grave as its entry says."""
    return Finding(code, CATALOGUE[code].severity, message, file, line, node, dict(numbers or {}))
