"""A square root by Newton's iteration, whose number of steps depends on the value."""


def newton_sqrt(a):
    """The square root of a positive number: the mean of x and a/x until its square is a to twelve digits."""
    x = 0.5 * (1.0 + a)
    while abs(x * x - a) > 1e-12 * a:
        x = 0.5 * (x + a / x)
    return x
