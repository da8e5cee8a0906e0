"""G101 to G110: values and sensitivities that are not finite."""

from __future__ import annotations

from gradcli.shared.findings.entry import Entry

ENTRIES = (
    Entry(
        "G101",
        "not finite",
        "error",
        "A step of the run itself produced nan or an infinity, before any derivative was computed. The finding "
        "names the first such step that the result depends on, its arguments, the path from the inputs, and the "
        "inputs that are not involved; every later nan comes from there. The exit code is 4.",
        "gradcli grad 'log(x)' --at=-1\ngradcli grad 'x/x' --at 0",
        "Keep the argument within the domain of the named step, or handle the point in a branch of its own.",
    ),
    Entry(
        "G102",
        "sensitivity not finite",
        "error",
        "The values are finite, but a partial derivative is infinite at this point, like the slope of sqrt at 0. "
        "Its product with a cotangent of zero is nan, because the program does not say which limit is meant. The "
        "finding names the step, its arguments and the affected inputs. The exit code is 4.",
        "gradcli grad 'sqrt(x)**2' --at 0",
        "Rewrite the formula so that the two factors cancel before they are computed (here: x), or avoid the "
        "singular point.",
    ),
    Entry(
        "G103",
        "masked lane",
        "note",
        "where, clip, a maximum, a mask or an index did not select an element whose derivative is not finite. "
        "gradcli gives such an element no part in the gradient, so the result is that of the selected elements. "
        "Tools that multiply every element by its mask return nan here, because zero times infinity is nan.",
        "gradcli grad 'where(x < 1, x, sqrt(x))' --at 0",
        "Nothing is wrong here. For the same gradient in other tools, give the elements that are not selected a "
        "harmless argument first, safe = where(x < 1, 1, x), and select with it: where(x < 1, x, sqrt(safe)).",
    ),
    Entry(
        "G104",
        "infinite slope",
        "warning",
        "The graph of the function is vertical here, like that of sqrt at 0: the derivative is infinite, and is "
        "shown as inf. No finite number would be right, and differences grow without bound as their step shrinks. "
        "The exit code is 4.",
        "gradcli grad 'sqrt(x)' --at 0",
        "Avoid the point, or differentiate the square if that is what you need.",
    ),
    Entry(
        "G105",
        "length of zero",
        "note",
        "The length of a vector has no derivative where the vector is 0. The operation norm uses 0 there, which "
        "is one of the valid choices: so is any vector of length up to 1. The same length written as the root of "
        "a sum of squares gives nan, as in every library, because zero is multiplied by the infinite slope of "
        "sqrt.",
        "gradcli.grad(np.linalg.norm)(np.zeros(3))",
        "If the square of the length will do, write np.sum(x**2): its gradient is exact. For the length itself, "
        "np.linalg.norm(x) is finite everywhere.",
    ),
    Entry(
        "G106",
        "logarithm of 0",
        "error",
        "The program took the logarithm of exactly 0, which is minus infinity; times 0 it is nan. The exit code is 4.",
        "gradcli grad 'x * log(x)' --at 0",
        "For x*log(x) with the value 0 at 0, use scipy.special.xlogy(x, x); its slope there is still minus "
        "infinity. For log(sum(exp(x))), subtract the maximum before taking exp.",
    ),
    Entry(
        "G107",
        "base not positive",
        "warning",
        "A power is differentiated by its exponent where the base is not positive. The derivative by the exponent "
        "y is x**y * log(x): 0 at the base 0 if y is positive, by its limit, and not real if the base is "
        "negative. An exponent that is a plain number needs no logarithm and is always fine.",
        "gradcli grad 'x**y' --at=-2,2\ngradcli grad 'x**y' --at 0,1",
        "If the exponent is a constant, write it as a number, or name the other inputs with --wrt.",
    ),
    Entry(
        "G108",
        "overflow",
        "error",
        "A step had finite arguments inside its domain, but its result is too large for the type: exp overflows "
        "above 709.78 in float64 and above 88.72 in float32. The exit code is 4 if the result depends on it.",
        "gradcli grad 'exp(x)' --at 1000",
        "Subtract the maximum before exp in a softmax or in the log of a sum of exponentials, or use "
        "np.logaddexp; elsewhere, scale the numbers or compute with logarithms.",
    ),
    Entry(
        "G109",
        "underflow",
        "warning",
        "A step whose result is never zero in mathematics returned exactly 0, because the result is too small for "
        "the type: exp does so below -745.13 in float64. The zeros of the gradient that follow from it are not "
        "exact.",
        "gradcli grad 'exp(x)' --at=-800",
        "Compute with the logarithm of the quantity, or subtract the maximum before exp.",
    ),
    Entry(
        "G110",
        "not finite from outside",
        "error",
        "A nan or an infinity existed before the first step: in the point, or in constants of the program. No "
        "operation of the program produced it, and no derivative at such a point is meaningful.",
        "gradcli grad 'x*y' --at 1,nan",
        "Find where the number comes from: np.flatnonzero(~np.isfinite(data)) gives its position.",
    ),
)
