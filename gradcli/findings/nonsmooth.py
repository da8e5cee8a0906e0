"""G201 to G210: points at which the function bends, jumps, or is put together from pieces."""

from __future__ import annotations

from gradcli.findings.entry import Entry

ENTRIES = (
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
        "G202",
        "kink nearby",
        "note",
        "The function takes another path, or bends, closer to the point than finite differences would like to step. "
        "The steps were shortened, or taken to one side only, so that they stay on the side of the point.",
        "gradcli check 'abs(x - 1)' --at 1.00001",
        "Nothing to repair. Close to a kink, differences have fewer digits; the exact reference has all of them.",
    ),
    Entry(
        "G203",
        "tie",
        "note",
        "Several arguments of a maximum or minimum are equal, and each of them could be the one that was taken. "
        "np.maximum, np.max and their like share the derivative equally; Python's own max and min hand back one of "
        "their arguments and give it everything.",
        "gradcli grad 'maximum(x, y)' --at 1,1",
        "Nothing to repair. `gradcli help conventions` shows what other libraries take; `check` accepts any of it.",
    ),
    Entry(
        "G204",
        "jump",
        "warning",
        "The value itself jumps at the point, as floor does at a whole number: differences grow as their step "
        "shrinks, and there is no derivative. What the tape gives is the derivative beside the jump.",
        "gradcli check 'x + floor(x)' --at 2",
        "Check at a point beside the jump. If the function was meant to be continuous, the pieces do not meet here.",
    ),
    Entry(
        "G205",
        "cut",
        "warning",
        "An input reaches the result only through steps that are flat wherever they have a derivative: a "
        "comparison, round, floor, int, //, sign, argmax. Its gradient is exactly zero and says nothing about what "
        "happens when the input moves far enough. In the library a gradient of which every number is zero for that "
        "reason warns, once for each line; single numbers are findings of `trace` and `check`.",
        "gradcli grad 'floor(3*x)' --at 0.5",
        "If the input ought to matter, replace the step by a smooth one.",
    ),
    Entry(
        "G206",
        "on a switch",
        "note",
        "The point stands exactly where a branch of the program turns, or on a path that is that of next to nothing "
        "but the point. The tape differentiates the side that was taken; the finding says whether the other one "
        "agrees. `check` tells of a bend or a jump there as what it is.",
        "def f(x):\n    return x * x if x < 1 else 2 * x - 1        # at 1",
        "Nothing to repair if both sides agree. Otherwise look at the comparison named.",
    ),
    Entry(
        "G207",
        "loop ended by comparison",
        "warning",
        "A comparison of recorded values ended a loop, and one more iteration would change the derivative by more "
        "than the tolerance. The tape differentiates what was computed, the iterations that ran, and not the limit "
        "to which they lead; the derivative converges later than the value does.",
        "def root(a):\n    y = 1.0\n    while abs(y * y - a) > 1e-6:\n        y = (y + a / y) / 2\n"
        "    return y        # at 1: no iteration runs, and the derivative is 0",
        "Do at least one more iteration after the loop has converged, or tighten its tolerance.",
    ),
    Entry(
        "G208",
        "at a bound",
        "note",
        "A number equals the bound that it is clipped at: its slope is 1 on one side and 0 on the other. clip takes "
        "the middle of them.",
        "gradcli grad 'clip(x, 0, 1)' --at 1",
        "Nothing to repair. `gradcli help conventions` shows what other libraries take.",
    ),
    Entry(
        "G209",
        "removable singularity",
        "error",
        "The formula reads 0/0 at the point, though the function it stands for goes on smoothly: with many digits "
        "the same finite limit is found from both sides. The program still computes nan there. The exit code is 4.",
        "gradcli grad 'sin(x)/x' --at 0",
        "Use a function that is defined at the point, such as np.sinc(x/np.pi) for sin(x)/x or np.expm1(x), or handle "
        "the point in a branch of its own.",
    ),
    Entry(
        "G210",
        "no total derivative",
        "note",
        "The function has a derivative by each number of the point, and yet no derivative: moved together, the numbers "
        "change the value by other slopes than the sum of their own. No gradient predicts the function around the "
        "point. `check` reports KINK: it passes the derivatives by each number, and where the gradients close by have "
        "bounds also what lies between these, as at any kink; it fails everything else.",
        "gradcli check 'minimum(abs(x), abs(y))' --at 0,0",
        "Nothing to repair if the function is meant to bend there. A step along the gradient, which may be 0, says "
        "nothing about the value nearby.",
    ),
)
