"""G101 to G110: values and sensitivities that are not finite."""

from __future__ import annotations

from gradcli.findings.entry import Entry

ENTRIES = (
    Entry(
        "G101",
        "not finite",
        "error",
        "A step of the run itself gave nan or an infinity, before any derivative was taken. The finding names the "
        "first such step that the result depends on, the numbers it was given, the way from the inputs, and the "
        "inputs that have no part in it; every later nan comes from there. The exit code is 4.",
        "gradcli grad 'log(x)' --at=-1\ngradcli grad 'x/x' --at 0",
        "Keep the argument inside the domain of the step that is named, or handle the point in a branch of its own.",
    ),
    Entry(
        "G102",
        "sensitivity not finite",
        "error",
        "The values are finite, but on the way back a partial derivative is infinite at this point, as the slope of "
        "sqrt is at 0. Where it meets a cotangent that was computed as zero, the product of zero and infinity is "
        "nan, and nothing in the program says which limit was meant. The finding names the step, its numbers and the "
        "inputs that it spoils. The exit code is 4.",
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
        "G104",
        "infinite slope",
        "warning",
        "The graph of the function is vertical here, as that of sqrt is at 0: the derivative is infinite, and is "
        "shown as inf. No finite number would be right, and differences grow without bound as their step shrinks. "
        "The exit code is 4.",
        "gradcli grad 'sqrt(x)' --at 0",
        "Stay off the point, or differentiate the square where that is what you need.",
    ),
    Entry(
        "G105",
        "length of zero",
        "note",
        "The length of a vector has no derivative where the vector is 0. The operation norm takes 0 there, which is "
        "one of the valid choices: any vector not longer than 1 is. The same length written as a root of a sum of "
        "squares gives nan, as it does in every library, because there zero meets the infinite slope of sqrt.",
        "gradcli.grad(np.linalg.norm)(np.zeros(3))",
        "Where the square of the length will do, write np.sum(x**2): its gradient is exact. For the length itself, "
        "np.linalg.norm(x) is finite everywhere.",
    ),
    Entry(
        "G106",
        "logarithm of 0",
        "error",
        "A logarithm was taken of exactly 0, which is minus infinity; times 0 it is nan. The exit code is 4.",
        "gradcli grad 'x * log(x)' --at 0",
        "For x*log(x) with the value 0 at 0 use scipy.special.xlogy(x, x); its slope there is minus infinity all the "
        "same. For log(sum(exp(x))) subtract the maximum before you take exp.",
    ),
    Entry(
        "G107",
        "base not positive",
        "warning",
        "A power is differentiated by its exponent where the base is not positive. By the exponent y the derivative "
        "is x**y * log(x): 0 at the base 0 where y is positive, as its limit, and not real where the base is "
        "negative. An exponent that is a plain number takes no logarithm and is always fine.",
        "gradcli grad 'x**y' --at=-2,2\ngradcli grad 'x**y' --at 0,1",
        "If the exponent is a constant, write it as a number, or name the other inputs with --wrt.",
    ),
    Entry(
        "G108",
        "overflow",
        "error",
        "A step was given finite numbers inside its domain, and its result is too large for the type: exp overflows "
        "above 709.78 in float64 and above 88.72 in float32. The exit code is 4 where it reaches the result.",
        "gradcli grad 'exp(x)' --at 1000",
        "Subtract the maximum before exp in a softmax or a log of a sum of exponentials, or use np.logaddexp; in "
        "other places scale the numbers, or compute with logarithms.",
    ),
    Entry(
        "G109",
        "underflow",
        "warning",
        "A step whose result is never zero in mathematics gave exactly 0, because the result is too small for the "
        "type: exp does below -745.13 in float64. The zeros of the gradient that follow from it are not exact.",
        "gradcli grad 'exp(x)' --at=-800",
        "Compute with the logarithm of the quantity, or subtract the maximum before exp.",
    ),
    Entry(
        "G110",
        "not finite from outside",
        "error",
        "A nan or an infinity was there before the first step: in the point, or in numbers that the program brings "
        "along. No operation of the program made it, and no derivative at such a point means anything.",
        "gradcli grad 'x*y' --at 1,nan",
        "Look at where the number comes from: np.flatnonzero(~np.isfinite(data)) tells its place.",
    ),
)
