"""G801 to G807: SymPy's side of a check."""

from __future__ import annotations

from gradcli.shared.findings.entry import Entry

ENTRIES = (
    Entry(
        "G801",
        "no symbolic value",
        "note",
        "SymPy's derivative has no value at the point: it is 0/0 there, or divides by zero. Substituting one "
        "input after another would give a number that depends on their order, so no value is used, and "
        "there is no exact reference.",
        "gradcli check 'sqrt(x**2 + y**2)' --at 0,0",
        "Nothing to fix. Next to the point there is a value.",
        silent=True,
    ),
    Entry(
        "G802",
        "complex symbols",
        "note",
        "With complex symbols sqrt(x**2) is not abs(x), and the derivative of abs is made of real and imaginary "
        "parts. gradcli's symbols are real, and nothing else is assumed of them.",
        "gradcli symbolic 'sqrt(x**2)'",
        "Nothing to do.",
        silent=True,
    ),
    Entry(
        "G803",
        "not a function",
        "note",
        "SymPy's derivative of a step that jumps contains DiracDelta, which has no numeric value. It is never "
        "shown as a number: the derivative is compared only away from the jump.",
        "gradcli check 'x * sign(x)' --at 0",
        "Nothing to fix.",
    ),
    Entry(
        "G804",
        "branches evaluated",
        "note",
        "If a formula has branches, only the branch that holds at the point is evaluated, so a division by zero "
        "in another branch does no harm.",
        "gradcli check 'where(x > 0, x, 1/x)' --at 2",
        "Nothing to do.",
        silent=True,
    ),
    Entry(
        "G806",
        "recorded path",
        "note",
        "The program branches, loops or selects by the values of its inputs. The symbolic form follows the path "
        "taken at this point, so it holds only where the program takes the same path.",
        "def f(x):\n    return x if x < 1 else x * x",
        "Nothing to fix. Ask again at a point on the other path to see the other form.",
    ),
    Entry(
        "G807",
        "decimal fractions",
        "note",
        "0.1 as a float64 is not one tenth but 0.1000000000000000055. The exact reference is computed at exactly "
        "that number, so the comparison is fair.",
        "gradcli check '1/(x - 0.1)' --at 0.10000000000000002",
        "Nothing to do.",
        silent=True,
    ),
)
