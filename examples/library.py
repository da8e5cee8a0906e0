"""gradcli as a library: a gradient, a gradient that is checked, and an operation of one's own."""

from math import log

import gradcli
from examples.hyperbox import f4, grad_f4, grad_f4_slip

BOX = [1.0, 2.0, 3.0, 4.0]

softplus = gradcli.rule("softplus(x)", "log1p(exp(x))", "1 / (1 + exp(-x))")


def cost(x):
    """A smooth hinge, by the rule above."""
    return softplus(3.0 * x) + log(x)


def main():
    """Print a gradient, two verdicts, and the slope of a function that uses the rule."""
    print("gradient:", gradcli.grad(f4)(BOX))
    for candidate in (grad_f4, grad_f4_slip):
        print(f"{candidate.__name__}:", gradcli.check(f4, at=BOX, against=candidate).verdict)
    print("slope of cost at 1:", gradcli.grad(cost)(1.0))


if __name__ == "__main__":
    main()
