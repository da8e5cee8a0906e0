"""G803 to G806: SymPy's side of a check."""

from __future__ import annotations

from gradcli.shared.findings.entry import Entry

ENTRIES = (
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
        "G806",
        "recorded path",
        "note",
        "The program branches, loops or selects by the values of its inputs. The symbolic form follows the path "
        "taken at this point, so it holds only where the program takes the same path.",
        "def f(x):\n    return x if x < 1 else x * x",
        "Nothing to fix. Ask again at a point on the other path to see the other form.",
    ),
)
