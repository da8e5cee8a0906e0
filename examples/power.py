"""A whole power by repeated squaring: a function that calls itself."""


def power(x, n):
    """X to the n, for a whole number n."""
    if n == 0:
        return 1.0
    half = power(x, n // 2)
    if n % 2 == 1:
        return half * half * x
    return half * half


def twelfth(x):
    """The twelfth power."""
    return power(x, 12)
